"""Waiting for what comes a moment later than one learns of it, however busy the machine is."""

import time
from collections.abc import Callable

SECONDS = 60


def eventually(holds: Callable[[], bool]) -> None:
    """Return as soon as it holds; an AssertionError if it does not within a minute."""
    until = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)
