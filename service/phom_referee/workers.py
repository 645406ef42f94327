"""Several processes that serve one port: a server each, the kernel shares out the connections.

The parent has no gRPC object. It holds the port, starts the workers, replaces one that dies, serves
the metrics of all, and passes signals on. It and a worker talk by the worker's standard streams:
settings in and "ready" out, then "drain", and "hurry" when nothing shall be waited for any more.
A worker whose parent is gone drains too.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import IO

from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from phom_referee.houses import VERSION
from phom_referee.logs import logger
from phom_referee.metrics import serve_metrics
from phom_referee.settings import Settings, SettingsError
from phom_referee.signals import Signals

_LOOK_SECONDS = 0.2
# A worker that dies at once is not replaced at once, again and again.
_REPLACE_SECONDS = 1.0


class Worker:
    """A process with a server, as its parent sees it."""

    def __init__(self, settings: Settings, folder: str) -> None:
        self.began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "phom_referee.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": folder},
            text=True,
        )
        self.pid = self._process.pid
        self.say(json.dumps(asdict(settings)))

    @property
    def exit_code(self) -> int | None:
        """None while it lives; below 0, the signal that ended it."""
        return self._process.poll()

    def hear(self) -> str:
        """What it says next, or, if it is gone, nothing."""
        stream: IO[str] = self._process.stdout  # type: ignore[assignment]
        return stream.readline().strip()

    def say(self, word: str) -> None:
        """Tell it something; if it is gone, nobody is told."""
        stream: IO[str] = self._process.stdin  # type: ignore[assignment]
        with contextlib.suppress(BrokenPipeError):
            stream.write(word + "\n")
            stream.flush()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within that time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self.exit_code is not None


def main(settings: Settings, signals: Signals) -> int:
    """Serve with `settings.workers` processes until SIGTERM or SIGINT; the exit code.

    SettingsError if a port cannot be had.
    """
    log = logger("phom_referee")
    with (
        _held_port(settings.host, settings.port) as port,
        _held_port(
            settings.host, settings.health_port if settings.tls_certificate else 0
        ) as health,
        tempfile.TemporaryDirectory(prefix="phom-referee-") as folder,
    ):
        settings = replace(settings, port=port, health_port=health)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call]
        metrics_server = serve_metrics(settings, registry)
        workers = [Worker(settings, folder) for _ in range(settings.workers)]
        try:
            for worker in workers:
                if (word := worker.hear()) != "ready":
                    raise SettingsError(word or f"worker {worker.pid} ended before it was ready")
            log.info(
                "serving",
                host=settings.host,
                port=port,
                metrics_port=metrics_server.server_port,
                workers=[worker.pid for worker in workers],
                version=VERSION,
            )
            while not signals.ended.wait(_LOOK_SECONDS):
                for i, worker in enumerate(workers):
                    if _is_to_be_replaced(worker):
                        log.error("worker died", pid=worker.pid, exit_code=worker.exit_code)
                        mark_process_dead(worker.pid, folder)  # type: ignore[no-untyped-call]
                        workers[i] = Worker(settings, folder)
            log.info("draining")
        finally:
            _drain(workers, signals.hurry)
            metrics_server.shutdown()
    log.info("stopped")
    return 0


def _is_to_be_replaced(worker: Worker) -> bool:
    return worker.exit_code is not None and time.monotonic() - worker.began > _REPLACE_SECONDS


def _drain(workers: list[Worker], hurry: threading.Event) -> None:
    for worker in workers:
        worker.say("drain")
    while not all(worker.wait(_LOOK_SECONDS) for worker in workers):
        if hurry.is_set():
            for worker in workers:
                worker.say("hurry")


@contextlib.contextmanager
def _held_port(host: str, port: int) -> Iterator[int]:
    """A port that nobody else has, held (but not listened on) for sockets of this user alone."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    try:
        # Without SO_REUSEPORT, so that a server that is there already is noticed.
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
        held = socket.socket(family, kind)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(address)
    except OSError as error:
        raise SettingsError(f"cannot listen on {host}:{port}: {error}") from None
    with held:
        yield held.getsockname()[1]


def _work() -> int:
    """A worker's life; its standard streams lead to its parent."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # a group's signal reaches the parent as well
    # Only here: the parent needs no server.
    from phom_referee.server import App  # noqa: PLC0415

    # Without a buffer, whose lock a thread that reads to the end would hold beyond it.
    parent = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    settings = Settings(**json.loads(parent.readline()))
    ended, hurry = threading.Event(), threading.Event()

    def listen() -> None:
        parent.readline()
        ended.set()
        if parent.readline():
            hurry.set()

    try:
        app = App(settings, share_port=True)
    except SettingsError as error:
        sys.stdout.write(f"{error}\n")
        return 2
    app.start()
    with contextlib.suppress(BrokenPipeError):  # of a parent that is gone: it is heard of below
        sys.stdout.write("ready\n")
        sys.stdout.flush()
    threading.Thread(target=listen, name="parent", daemon=True).start()
    while not ended.wait(_LOOK_SECONDS):
        pass
    app.stop(hurry)
    return 0


if __name__ == "__main__":
    sys.exit(_work())
