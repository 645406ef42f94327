"""The core's decoder against protobuf's own parser on mutated requests of all kinds: the long run.

    python tests/fuzz_decoder.py --count 10000000 --seed 1 --jobs 2

Prints how far it is, and exits with 1, printing what disagreed as hex, if anything did. Input 123
of a seed is had again by `--first 123 --count 1`. Every half million inputs come of other games.
"""

# ruff: noqa: T201 - it speaks to who runs it.

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from wire.compare import SHOWN, Tally, check_mutants
from wire.mutations import Mutator
from wire.requests import requests

CHUNK = 10_000
GAMES = 500_000  # inputs that come of the same games


@lru_cache(maxsize=1)
def _mutator(seed: int) -> Mutator:
    return Mutator(requests(seed), seed)


def chunk(seed: int, first: int, count: int) -> Tally:
    """Check inputs that come of the same games."""
    return check_mutants(_mutator(1000 * seed + first // GAMES).mutants(first, count))


def run(seed: int, first: int, count: int, jobs: int = 1) -> Iterator[Tally]:
    """What became of each chunk of the inputs, in order."""
    starts = range(first - first % CHUNK, first + count, CHUNK)
    begins = [max(first, start) for start in starts]
    counts = [
        min(start + CHUNK, first + count) - begin
        for start, begin in zip(starts, begins, strict=True)
    ]
    seeds = [seed] * len(starts)
    if jobs == 1:
        yield from map(chunk, seeds, begins, counts)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            yield from pool.map(chunk, seeds, begins, counts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first input's number")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    began, total = time.monotonic(), Tally()
    for number, tally in enumerate(run(asked.seed, asked.first, asked.count, asked.jobs), start=1):
        total.add(tally)
        for line in tally.shown if total.wrong <= SHOWN else ():
            print(line, flush=True)
        if number % 20 == 0:
            print(f"{total}; {time.monotonic() - began:.0f} s", flush=True)
    everybody = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    most = max(resource.getrusage(who).ru_maxrss for who in everybody)
    print(f"seed {asked.seed}: {total}; {time.monotonic() - began:.0f} s; {most // 1024} MiB")
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
