"""How many instructions hands and games take, counted by callgrind: stable, whatever the load.

    python tests/bench/instructions.py

Prints tables; exits with 1 if a count is above its limit. Needs valgrind.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from replays import GAMES

HERE = Path(__file__).parent
FEW, MANY = 2_000, 402_000

# For a core built for x86-64-v2 (the default): instructions a hand, instructions a game.
HANDS = {"points": 75.0, "phoms": 85.0, "eaten": 300.0}
GAME = 25_000.0


def _run(*command: str) -> tuple[int, Counter[str]]:
    """All instructions of a process, and those of each module of the core."""
    with tempfile.TemporaryDirectory() as scratch:
        callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/out"]
        # Else the interpreter's own work would differ from run to run.
        steady = {**os.environ, "PYTHONHASHSEED": "0"}
        run = subprocess.run(
            [*callgrind, sys.executable, *command],
            capture_output=True,
            text=True,
            check=True,
            env=steady,
        )
        found = re.search(r"Collected : (\d+)", run.stderr)
        if found is None:
            raise SystemExit(f"callgrind said no count:\n{run.stderr}")
        listing = subprocess.run(
            ["callgrind_annotate", "--auto=no", "--threshold=100", f"{scratch}/out"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    modules: Counter[str] = Counter()
    # As "21,922,064 ( 4.61%)  …/table.c:__pyx_f_9phom_core_5table_make [….so]".
    for line in re.finditer(
        r"^ *([\d,]+) .*:__pyx_f_9phom_core_\d+([a-z]+?)_", listing, re.MULTILINE
    ):
        modules[line[2]] += int(line[1].replace(",", ""))
    return int(found[1]), modules


def _hands() -> dict[str, float]:
    script = str(HERE / "hands.py")
    return {
        kind: (_run(script, kind, str(MANY))[0] - _run(script, kind, str(FEW))[0]) / (MANY - FEW)
        for kind in HANDS
    }


def _games() -> tuple[float, dict[str, float]]:
    """Instructions a game, all of them and by module."""
    script, few, many = str(HERE / "replays.py"), 2, 42
    (at_first, first), (in_all, last) = _run(script, str(few)), _run(script, str(many))
    games = (many - few) * GAMES
    return (in_all - at_first) / games, {
        module: (count - first[module]) / games
        for module, count in last.most_common()
        if count - first[module] > games
    }


def main() -> int:
    """Count, print, compare with the limits."""
    hands = _hands()
    print("| best arrangement of a random 10-card hand | instructions | limit |")
    print("|---|---|---|")
    for kind, limit in HANDS.items():
        print(f"| {kind} written | {hands[kind]:.1f} | {limit:.0f} |")
    game, modules = _games()
    print("\n| a four-handed game, bytes to bytes | instructions | limit |")
    print("|---|---|---|")
    print(f"| all | {game:,.0f} | {GAME:,.0f} |")
    for module, count in modules.items():
        print(f"| {module} | {count:,.0f} | |")
    print(json.dumps({**hands, "game": game}))
    too_many = any(hands[kind] > limit for kind, limit in HANDS.items()) or game > GAME
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
