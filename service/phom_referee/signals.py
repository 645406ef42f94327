"""What SIGTERM and SIGINT mean: the first ends serving, a second ends the drain."""

from __future__ import annotations

import signal
import threading
from queue import SimpleQueue


class Signals:
    """Sets `ended` at the first SIGTERM or SIGINT, and `hurry` at the second; in the main thread.

    Whoever waits for them waits with a timeout, again and again: a wait without end can miss a
    signal that comes just before it. And it is not the handler that sets them: it runs in the main
    thread, which may hold the lock of the very event that it waits for, and would wait for itself.
    """

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.hurry = threading.Event()
        self._came: SimpleQueue[int] = SimpleQueue()  # which a handler may put into at any time
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: self._came.put(number))
        threading.Thread(target=self._tell, name="signals", daemon=True).start()

    def _tell(self) -> None:
        for event in (self.ended, self.hurry):
            self._came.get()
            event.set()
