"""What SIGTERM and SIGINT mean: the first ends serving, a second ends the drain."""

from __future__ import annotations

import signal
import threading


class Signals:
    """Sets `ended` at the first SIGTERM or SIGINT, and `hurry` at the second; in the main thread.

    Whoever waits for them waits with a timeout, again and again: a wait without end can miss a
    signal that comes just before it.
    """

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.hurry = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        (self.hurry if self.ended.is_set() else self.ended).set()
