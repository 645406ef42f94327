"""Thread pools that know how much they have to do, and streams that nobody uses any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import grpc


class CountingPool(ThreadPoolExecutor):
    """A pool that counts its tasks, running and waiting.

    An RPC is one task, also one that the caller gives up before its handler is reached, so the
    count neither misses one nor keeps one.
    """

    def __init__(self, threads: int, name: str) -> None:
        super().__init__(threads, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._tasks = 0

    @property
    def tasks(self) -> int:
        """How many tasks there are now."""
        return self._tasks

    def submit(self, fn: Callable[..., Any], /, *args: object, **kwargs: object) -> Future[Any]:
        """As any executor's."""
        with self._lock:
            self._tasks += 1
        try:
            future = super().submit(fn, *args, **kwargs)
        except BaseException:
            self._ended(None)
            raise
        future.add_done_callback(self._ended)
        return future

    def _ended(self, _: Future[Any] | None) -> None:
        with self._lock:
            self._tasks -= 1


class IdleStreams:
    """Cancels streams on which nothing has moved for a while, so that they free their thread."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._moved: dict[grpc.ServicerContext, float] = {}
        self._stopped = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="idle-streams", daemon=True)
        self._watcher.start()

    def moved(self, context: grpc.ServicerContext) -> None:
        """A message has come in or gone out."""
        self._moved[context] = time.monotonic()

    def ended(self, context: grpc.ServicerContext) -> None:
        """The stream is over."""
        self._moved.pop(context, None)

    def stop(self) -> None:
        """End the watch."""
        self._stopped.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._stopped.wait(min(1.0, self._limit / 4)):
            oldest = time.monotonic() - self._limit
            for context, moved in list(self._moved.items()):
                if moved < oldest:
                    context.cancel()
