"""Signals at any moment: none is missed, and none stops the thread that waits for it."""

import subprocess
import sys

# A signal at random within a wait, thousands of times; a handler that took a lock of the waiting
# thread would hang within a few hundred. In a process of its own, since it would never come back.
PROGRAM = """
import random, signal
from phom_referee.signals import Signals

random.seed(1)
for number in range(5000):
    signals = Signals()
    signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGTERM))
    for event in (signals.ended, signals.hurry):
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 2e-4))
        while not event.wait(0.00002):
            assert signals.ended.is_set() or not signals.hurry.is_set()
print("all came")
"""


def test_a_signal_at_any_moment_of_a_wait() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "all came\n"
