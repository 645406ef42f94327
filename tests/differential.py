"""Referee against oracle on random and mutated logs of all houses, with random overrides.

    python tests/differential.py --count 200000 --seed 1

Half of the games are the product's own generated ones, half are played by the oracle's player; each
is compared as it is and mutated. Exits with 1, printing the first logs, if the two ever disagree.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from agreement import compared
from google.protobuf import json_format
from oracle.games import random_log
from oracle.mutate import mutate
from oracle.overrides import random_overrides
from phom.v1 import rules_pb2
from phom_referee.generate import games

Json = dict[str, Any]

HOUSES = [house for house in rules_pb2.House.values() if house != rules_pb2.HOUSE_UNSPECIFIED]
MUTANTS = 3


@dataclass
class Tally:
    """What a run has seen."""

    logs: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    houses: Counter[str] = field(default_factory=Counter)
    disagreements: list[tuple[Json, list[str]]] = field(default_factory=list)


def run(seed: int, count: int, *, progress: bool = False) -> Tally:
    """Compare `count` logs; the same seed gives the same logs."""
    tally = Tally()
    for log in _logs(random.Random(seed)):
        tally.logs += 1
        differences, verdict = compared(log)
        if differences:
            tally.disagreements.append((log, differences))
        tally.houses[log.get("ruleset", {}).get("house", "")] += 1
        tally.statuses[verdict["status"] if verdict else "no log"] += 1
        if verdict and "violation" in verdict:
            tally.codes[verdict["violation"]["code"]] += 1
        if progress and tally.logs % 1000 == 0:
            print(tally.logs, len(tally.disagreements), flush=True)
        if tally.logs == count:
            return tally
    raise AssertionError("logs never end")


def _logs(rng: random.Random) -> Iterator[Json]:
    while True:
        log = rng.choice([_generated, _played])(rng)
        yield log
        for _ in range(MUTANTS):
            yield mutate(log, rng)


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
    arguments = parser.parse_args()
    tally = run(arguments.seed, arguments.count, progress=True)
    print(json.dumps({"logs": tally.logs, "disagreements": len(tally.disagreements)}))
    print(json.dumps({"statuses": tally.statuses, "codes": tally.codes, "houses": tally.houses}))
    for log, differences in tally.disagreements[:5]:
        print(json.dumps({"differences": differences, "log": log}))
    return 1 if tally.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
