"""All benchmarks: each figure as a ratio against its roof, measured in turns in this run.

    python tests/bench/run.py [--rounds 9] [--only PART ...] [--json FILE]

Needs h2load (Debian: nghttp2-client) and open_spiel; `make bench` installs both. The server is on
the first processor, the load on the second.
"""

import argparse
import importlib
from pathlib import Path

from measure import Figure, table, write_json

PARTS = ("arrange", "judge", "service", "overload", "capacity")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--json", type=Path, default=Path(".cache/bench.json"))
    arguments = parser.parse_args()
    found: list[Figure] = []
    for part in arguments.only:
        figures = importlib.import_module(part).figures(arguments.rounds)
        print(table(figures), flush=True)
        found += figures
        write_json(found, arguments.json)


if __name__ == "__main__":
    main()
