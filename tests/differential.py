"""Referee against oracle on random and mutated logs of all houses, with random overrides.

    python tests/differential.py --count 200000 --seed 1 --jobs 2

Half of the games are the product's own generated ones, half are played by the oracle's player; each
is compared as it is and mutated, and some are made no logs at all. With --jobs so many processes share
the logs, each with a seed of its own. At the end stands, by house, how often each status, ending,
payment and violation code was met, and what was met seldom. Exits with 1, printing the first logs, if
the two ever disagree.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from agreement import compared
from google.protobuf import json_format
from met import Met, as_table, met_in, seldom
from oracle.deform import deform
from oracle.games import random_log
from oracle.mutate import mutate
from oracle.overrides import random_overrides
from phom.v1 import rules_pb2
from phom_referee.generate import games

Json = dict[str, Any]

HOUSES = [house for house in rules_pb2.House.values() if house != rules_pb2.HOUSE_UNSPECIFIED]
MUTANTS = 3
DEFORMED = 0.1
SELDOM = 100
SHOWN = 5


@dataclass
class Tally:
    """What a run has seen."""

    logs: int = 0
    met: Met = field(default_factory=Counter)
    disagreements: list[tuple[Json, list[str]]] = field(default_factory=list)

    def all(self, kind: str) -> Counter[str]:
        """How often each thing of a kind was met, whatever the house."""
        every: Counter[str] = Counter()
        for (own, name, _), times in self.met.items():
            if own == kind:
                every[name] += times
        return every

    def add(self, other: Tally) -> None:
        """What another process has seen."""
        self.logs += other.logs
        self.met += other.met
        self.disagreements += other.disagreements


def run(seed: int | str, count: int, *, progress: bool = False) -> Tally:
    """Compare `count` logs; the same seed gives the same logs."""
    tally = Tally()
    for log in _logs(random.Random(seed)):
        if tally.logs == count:
            break
        tally.logs += 1
        differences, verdict = compared(log)
        if differences:
            tally.disagreements.append((log, differences))
        tally.met.update(met_in(log, verdict))
        if progress and tally.logs % 10_000 == 0:
            print(f"seed {seed}: {tally.logs}, {len(tally.disagreements)}", flush=True)
    return tally


def run_jobs(seed: int, count: int, jobs: int) -> Tally:
    """The same by so many processes, each with its own share and seed."""
    shares = [count // jobs + (job < count % jobs) for job in range(jobs)]
    seeds = [f"{seed}/{job}" for job in range(jobs)]
    whole = Tally()
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for tally in pool.map(_run_with_progress, seeds, shares):
            whole.add(tally)
    return whole


def _run_with_progress(seed: str, count: int) -> Tally:
    return run(seed, count, progress=True)


def _logs(rng: random.Random) -> Iterator[Json]:
    while True:
        log = rng.choice([_generated, _played])(rng)
        yield log
        for _ in range(MUTANTS):
            yield mutate(log, rng)
        if rng.random() < DEFORMED:
            yield deform(log, rng)[0]


def _generated(rng: random.Random) -> Json:
    overrides = rules_pb2.Ruleset()
    if rng.random() < 0.5:
        json_format.ParseDict(random_overrides(rng), overrides)
    house, seats = rng.choice(HOUSES), rng.choice([2, 3, 4])
    played = games(1, house=house, seats=seats, seed=rng.getrandbits(40), overrides=overrides)
    log: Json = json_format.MessageToDict(next(played))
    return log


def _played(rng: random.Random) -> Json:
    overrides = random_overrides(rng) if rng.random() < 0.5 else {}
    return random_log(rng, rules_pb2.House.Name(rng.choice(HOUSES)), overrides)


def main() -> int:
    """Run from the command line; 1 if there was a disagreement."""
    parser = argparse.ArgumentParser(description="Referee against oracle.")
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    given = parser.parse_args()
    began = time.monotonic()
    if given.jobs > 1:
        tally = run_jobs(given.seed, given.count, given.jobs)
    else:
        tally = run(given.seed, given.count, progress=True)
    rate = tally.logs / (time.monotonic() - began)
    print(f"{tally.logs} logs, {len(tally.disagreements)} disagreements ({rate:.0f} logs/s)")
    print(as_table(tally.met))
    print(f"met fewer than {SELDOM} times: {json.dumps(seldom(tally.met, SELDOM))}")
    for log, differences in tally.disagreements[:SHOWN]:
        print(json.dumps({"differences": differences, "log": log}))
    return 1 if tally.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
