"""How many instructions the solver takes for a hand, counted by callgrind: stable, whatever the load.

    python tests/bench/instructions.py

Prints a table; exits with 1 if a count is above its limit. Needs valgrind.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FEW, MANY = 2_000, 402_000

# Instructions a hand, for a core built for x86-64-v2 (the default).
LIMITS = {"points": 75.0, "phoms": 85.0, "eaten": 300.0}


def instructions(kind: str, count: int) -> int:
    """All instructions of a process that arranges `count` hands."""
    with tempfile.TemporaryDirectory() as scratch:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/out"]
        command += [sys.executable, str(HERE / "hands.py"), kind, str(count)]
        # Else the interpreter's own work would differ from run to run.
        steady = {**os.environ, "PYTHONHASHSEED": "0"}
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=steady)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if found is None:
        raise SystemExit(f"callgrind said no count:\n{run.stderr}")
    return int(found[1])


def main() -> int:
    """Count, print, compare with the limits."""
    counts = {
        kind: (instructions(kind, MANY) - instructions(kind, FEW)) / (MANY - FEW) for kind in LIMITS
    }
    print("| best arrangement of a random 10-card hand | instructions | limit |")
    print("|---|---|---|")
    for kind, limit in LIMITS.items():
        print(f"| {kind} written | {counts[kind]:.1f} | {limit:.0f} |")
    print(json.dumps(counts))
    return 1 if any(counts[kind] > limit for kind, limit in LIMITS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
