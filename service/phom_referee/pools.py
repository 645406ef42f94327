"""Threads that know how much they have to do, and streams that nobody uses any more."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import grpc

_log = logging.getLogger(__name__)

_Task = tuple[Callable[..., object], tuple[object, ...], dict[str, object]]


class CountingPool(ThreadPoolExecutor):
    """Threads that count their tasks, running and waiting; ThreadPoolExecutor in name only.

    An RPC is one task, also one that the caller gives up before its handler is reached, so the
    count neither misses one nor keeps one. A task costs a fraction of what it costs there, which
    counts where it does little (docs/performance.md): gRPC asks for that class, but needs no future.
    """

    def __init__(self, threads: int, name: str) -> None:
        super().__init__(threads)
        self._most = threads
        self._name = name
        self._waiting: SimpleQueue[_Task | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._tasks = 0
        self._started: list[threading.Thread] = []

    @property
    def tasks(self) -> int:
        """How many tasks there are now."""
        return self._tasks

    def submit(self, fn: Callable[..., object], /, *args: object, **kwargs: object) -> Any:
        """Have `fn` called; None, since nobody waits for what it gives."""
        with self._lock:
            self._tasks += 1
            if self._tasks > len(self._started) < self._most:
                thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._started.append(thread)
                thread.start()
        self._waiting.put((fn, args, kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads, once they have done what waits."""
        for _ in self._started:
            self._waiting.put(None)
        if wait:
            for thread in self._started:
                thread.join()

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            fn, args, kwargs = task
            try:
                fn(*args, **kwargs)
            except Exception:  # noqa: BLE001 - of gRPC's own code, which answers for ours
                _log.exception("a task has failed")
            finally:
                with self._lock:
                    self._tasks -= 1
            del task, fn, args, kwargs  # else they would live until the next one comes


class IdleStreams:
    """Cancels streams on which nothing has moved for a while, so that they free their thread."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._moved: dict[grpc.ServicerContext, float] = {}
        self._cut: set[grpc.ServicerContext] = set()
        self._stopped = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="idle-streams", daemon=True)
        self._watcher.start()

    def moved(self, context: grpc.ServicerContext) -> None:
        """A message has come in or gone out."""
        self._moved[context] = time.monotonic()

    def ended(self, context: grpc.ServicerContext) -> bool:
        """The stream is over; whether it was cut short from here."""
        self._moved.pop(context, None)
        was_cut = context in self._cut
        self._cut.discard(context)
        return was_cut

    def cut_all(self) -> None:
        """Cut every stream short."""
        for context in list(self._moved):
            self._cut_short(context)

    def stop(self) -> None:
        """End the watch."""
        self._stopped.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._stopped.wait(min(1.0, self._limit / 4)):
            oldest = time.monotonic() - self._limit
            for context, moved in list(self._moved.items()):
                if moved < oldest:
                    self._cut_short(context)

    def _cut_short(self, context: grpc.ServicerContext) -> None:
        self._cut.add(context)
        context.cancel()
        if context not in self._moved:  # it has ended in the meantime, and nobody asks
            self._cut.discard(context)
