"""A server as a process of its own, as the command starts it, for what only a process shows."""

import json
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc
from phom.v1 import referee_pb2_grpc
from waiting import SECONDS

END = {"event": "the log has ended"}


class Served:
    """`phom-referee serve` with flags, on free ports unless they say otherwise; its log is read.

    A context manager: at the end a server that still runs is ended, as an operator would.
    """

    def __init__(self, *flags: str) -> None:
        ports = ["--port", "0", "--metrics-port", "0"]
        self.start([sys.executable, "-m", "phom_referee", "serve", *ports, *flags])
        self.pid = self.process.pid

    def start(self, command: list[str]) -> None:
        """Run the command, and wait until it serves."""
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._lines: list[dict[str, Any]] = []
        self._heard = 0
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.serving = self.next_line("serving")
        except BaseException:
            self.process.kill()  # nobody else would end one that has not got so far
            self.process.wait()
            raise
        self.host: str = self.serving["host"]
        self.port: int = self.serving["port"]
        self.metrics_port: int = self.serving["metrics_port"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _read(self) -> None:
        with self.process.stderr as stream:  # type: ignore[union-attr]
            for text in stream:
                # A server that cannot start says so in plain words.
                self._add(json.loads(text) if text.startswith("{") else {"event": text})
        self._add(END)

    def _add(self, line: dict[str, Any]) -> None:
        with self._changed:
            self._lines.append(line)
            self._changed.notify()

    def next_line(self, event: str) -> dict[str, Any]:
        """The next line of the log that is about `event`; waits for it."""
        with self._changed:
            while True:
                has_more = self._changed.wait_for(lambda: self._heard < len(self._lines), SECONDS)
                assert has_more, f"no {event!r} within a minute"
                line = self._lines[self._heard]
                self._heard += 1
                if line["event"] == event:
                    return line
                assert line is not END, f"no {event!r} in {self._lines}"

    def lines(self) -> list[dict[str, Any]]:
        """The whole log of a server that has ended."""
        assert self.process.wait(SECONDS) is not None
        self._reader.join()
        return self._lines[:-1]

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def ended(self) -> int:
        """Its exit code; waits for its end."""
        return self.process.wait(SECONDS)

    def stop(self) -> int:
        """End it as an operator does, if it runs; the exit code."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        code = self.ended()
        self._reader.join()
        return code

    def channel(self) -> grpc.Channel:
        """A connection of its own."""
        options = [("grpc.use_local_subchannel_pool", 1)]
        return grpc.insecure_channel(f"{self.host}:{self.port}", options)

    @cached_property
    def stub(self) -> referee_pb2_grpc.RefereeServiceStub:
        """What a caller has in its hands."""
        return referee_pb2_grpc.RefereeServiceStub(self.channel())

    def metrics(self) -> list[str]:
        """The lines that Prometheus would scrape now."""
        url = f"http://{self.host}:{self.metrics_port}/metrics"
        with urllib.request.urlopen(url, timeout=SECONDS) as page:
            text: str = page.read().decode()
        return text.splitlines()

    def value(self, metric: str) -> float:
        """The sum of a metric's values, all labels together."""
        return sum(
            float(line.rsplit(" ", 1)[1])
            for line in self.metrics()
            if re.match(metric + r"[{ ]", line)
        )

    def files(self) -> int:
        """How many open files it has."""
        return sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())

    def threads(self) -> int:
        """How many threads it has."""
        return sum(1 for _ in Path(f"/proc/{self.pid}/task").iterdir())

    def status(self, what: str) -> str:
        """What the system says of the process: a line of proc(5)'s status."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return re.search(rf"^{what}:\s+(.*)", status, re.MULTILINE)[1]  # type: ignore[index]

    def mebibytes(self) -> float:
        """Its resident set."""
        return int(self.status("VmRSS").removesuffix(" kB")) / 1024
