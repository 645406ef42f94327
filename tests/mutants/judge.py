"""One mutant, one process: forked with all that is asked already in memory, but without the core.

The core is imported by the child, after its mutant is chosen, since some tables are made at import. What a
child has to say goes through a pipe, a line each: the stage that begins, then what kills the mutant. A
child that crashes, or takes too long, has killed it in the stage that it was in.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants.build import BUILT, LIBRARY

GAMES, CORPUS, TESTS = "games", "corpus", "tests"  # the stages
# Of processor time, until the stage has to be over: many times what the core as it is takes.
SECONDS = {GAMES: 6, CORPUS: 40, TESTS: 120}
MEMORY = 4 << 30


@dataclass
class Question:
    """One thing to ask the core: `kind` says how, `evidence` is what its test needs to decide."""

    stage: str
    kind: str
    name: str
    asked: Any
    evidence: Any
    answer: object = None


@dataclass
class Fate:
    """What became of a mutant; no stage: it survived."""

    number: int
    stage: str
    by: str


Judge = Callable[[int], Iterator[tuple[str, str]]]
"""The stages that a mutant goes through, each empty as it begins, and the one that kills it with what does."""


def with_core(number: int) -> None:
    """Choose the mutant (0: none), and make the core that has it the one to be imported."""
    library = ctypes.CDLL(str(LIBRARY), ctypes.RTLD_GLOBAL)
    ctypes.c_int.in_dll(library, "phom_mutant").value = number
    sys.path.insert(0, str(BUILT))
    core = importlib.import_module("phom_core")
    if Path(str(core.__file__)).parent.parent != BUILT:
        raise ImportError(f"not the core with the mutants: {core.__file__}")


def fates(numbers: Iterable[int], judge: Judge, jobs: int) -> Iterator[Fate]:
    """What becomes of each mutant, as it is known; so many at once."""
    waiting = iter(numbers)
    running: dict[int, tuple[int, int]] = {}
    while True:
        while len(running) < jobs and (number := next(waiting, None)) is not None:
            pid, pipe = _start(number, judge)
            running[pid] = (number, pipe)
        if not running:
            return
        pid, status = os.wait()
        number, pipe = running.pop(pid)
        yield _fate(number, pipe, os.waitstatus_to_exitcode(status))


def _start(number: int, judge: Judge) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    code = 1
    try:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(10)
        code = _child(number, judge, writing)
    finally:
        os._exit(code)


def _child(number: int, judge: Judge, writing: int) -> int:
    with open(writing, "w", buffering=1, encoding="utf-8") as out:
        try:
            for stage, by in judge(number):
                if stage in SECONDS:
                    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS[stage], max(SECONDS.values())))
                out.write(f"{stage}\t{by}\n")
                if by:
                    return 0
        except Exception:  # noqa: BLE001
            last = traceback.format_exc().splitlines()[-1]
            out.write(f"\t{last}\n")
            return 0
    return 0


def _fate(number: int, pipe: int, code: int) -> Fate:
    with open(pipe, encoding="utf-8") as told:
        lines = [line.rstrip("\n").split("\t", 1) for line in told]
    stage = next((stage for stage, _ in reversed(lines) if stage), "")
    by = lines[-1][1] if lines else ""
    if code:
        by = by or _how_it_ended(code)
    return Fate(number, stage if by else "", by)


def _how_it_ended(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit {code}"
