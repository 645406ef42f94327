"""The oracle: a second, slow referee in plain Python, written from rules.md alone.

`judge(log, detail)` gives the verdict over a log of the JSON mapping, `faults(log)` what makes it no log.
"""

from .faults import faults
from .referee import judge

__all__ = ["faults", "judge"]
