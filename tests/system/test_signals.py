"""Signals, again and again: the first one always works, and no accepted call is lost by it."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from phom.v1 import referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.generate import games

pytestmark = pytest.mark.system

SIGNALS, RESTARTS, CALLERS = 50, 20, 8


@contextlib.contextmanager
def _serving(*flags: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "phom_referee", "serve", "--port", "0", "--metrics-port", "0"]
    with subprocess.Popen([*command, *flags], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield process, json.loads(process.stderr.readline())["port"]


@pytest.mark.parametrize("flags", [(), ("--workers", "2")], ids=["one process", "two workers"])
def test_the_first_signal_works_every_time(flags: tuple[str, ...]) -> None:
    for number in range(SIGNALS if not flags else 10):
        with _serving(*flags) as (process, _):
            process.send_signal(signal.SIGTERM if number % 2 else signal.SIGINT)
            assert process.wait(timeout=60) == 0


def _lines(process: subprocess.Popen[str], into: list[dict[str, Any]]) -> None:
    assert process.stderr is not None
    into.extend(json.loads(line) for line in process.stderr)


class Caller(threading.Thread):
    """Calls without a pause until it is refused; counts how its calls end."""

    def __init__(self, port: int, request: referee_pb2.ReplayRequest) -> None:
        super().__init__()
        self.codes: Counter[str] = Counter()
        self._address = f"127.0.0.1:{port}"
        self._request = request

    def run(self) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]  # a connection of its own
        with grpc.insecure_channel(self._address, options) as channel:
            stub = referee_pb2_grpc.RefereeServiceStub(channel)
            while set(self.codes) <= {"OK"}:
                try:
                    stub.Replay(self._request, timeout=60)
                    self.codes["OK"] += 1
                except grpc.RpcError as error:
                    self.codes[error.code().name] += 1


def test_no_accepted_call_is_lost_by_a_restart() -> None:
    log = next(games(1, house=rules_pb2.HOUSE_GO88, seed=1))
    for _ in range(RESTARTS):
        lines: list[dict[str, Any]] = []
        with _serving() as (process, port):
            reader = threading.Thread(target=_lines, args=(process, lines))
            callers = [Caller(port, referee_pb2.ReplayRequest(log=log)) for _ in range(CALLERS)]
            for thread in (reader, *callers):
                thread.start()
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0
            for thread in (reader, *callers):
                thread.join()
        codes = sum((caller.codes for caller in callers), Counter())
        answered = [line["code"] for line in lines if line["event"] == "rpc"]
        assert codes["OK"] > 2 * CALLERS
        # Every call that the server took was answered, every answer arrived, and who came too late
        # was told to go elsewhere.
        assert answered == ["OK"] * codes["OK"]
        assert codes["UNAVAILABLE"] == CALLERS == codes.total() - codes["OK"]
