"""How every figure is measured: against its roof, in the same run, in turns.

Machines differ, and one machine differs from minute to minute; a ratio of two things that were
measured in turns does so much less. A figure is the median of its rounds, its ratio the median of
the rounds' ratios, with the quartiles as spread.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

SERVER_CPU, LOAD_CPU = 0, 1


@dataclass
class Figure:
    """One line of the table. `values` and `roof_values` are those of the rounds, pairwise."""

    name: str
    unit: str
    values: list[float]
    roof: str = ""
    roof_values: list[float] = field(default_factory=list)
    goal: str = ""
    better: str = "higher"

    @property
    def ratios(self) -> list[float]:
        """How many times better than the roof each round was."""
        pairs = zip(self.values, self.roof_values, strict=True)
        return [value / roof if self.better == "higher" else roof / value for value, roof in pairs]


def in_turns(contenders: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """What each contender gives, round by round; every other round in the opposite order."""
    values: dict[str, list[float]] = {name: [] for name in contenders}
    for name in contenders:
        contenders[name]()  # warm
    for number in range(rounds):
        names = list(contenders)
        for name in names if number % 2 else reversed(names):
            values[name].append(contenders[name]())
    return values


def nanos_each(work: Callable[[], object], times: int, number: int) -> float:
    """Nanoseconds for each of the `number` things that `work` does, over `times` calls of it."""
    began = time.perf_counter_ns()
    for _ in range(times):
        work()
    return (time.perf_counter_ns() - began) / (times * number)


def pin(cpu: int, pid: int = 0) -> None:
    """Keep a process that has just begun (0: this one) on one processor, if there are as many."""
    if cpu < (os.cpu_count() or 1):
        os.sched_setaffinity(pid, {cpu})


def _spread(values: list[float], digits: int) -> str:
    if len(values) < 2:
        return f"{values[0]:,.{digits}f}"
    low, _, high = statistics.quantiles(values, n=4)
    return f"{statistics.median(values):,.{digits}f} ({low:,.{digits}f}-{high:,.{digits}f})"


def _digits(values: list[float]) -> int:
    middle = statistics.median(values)
    return 0 if middle >= 100 else 1 if middle >= 10 else 2


def table(figures: list[Figure]) -> str:
    """The figures as a Markdown table: median (quartiles)."""
    lines = [
        "| what | unit | figure | roof | roof's figure | ratio | goal |",
        "|---|---|---|---|---|---|---|",
    ]
    for figure in figures:
        ratio = _spread(figure.ratios, 2) if figure.roof else ""
        roof_values = figure.roof_values
        roof = _spread(roof_values, _digits(roof_values)) if figure.roof else ""
        value = _spread(figure.values, _digits(figure.values))
        cells = (figure.name, figure.unit, value, figure.roof, roof, ratio, figure.goal)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_json(figures: list[Figure], path: Path) -> None:
    """All rounds of all figures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [vars(figure) | {"ratios": figure.ratios if figure.roof else []} for figure in figures]
    path.write_text(json.dumps(rows, indent=1) + "\n")
