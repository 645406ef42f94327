"""Several processes on one port: shared out, counted together, replaced when they die."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from phom.v1 import events_pb2, referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.command import main
from phom_referee.generate import games
from phom_referee.servicer import SERVICE
from waiting import eventually

WORKERS = 2


class Served:
    """A `phom-referee serve` with workers, its log read line by line."""

    def __init__(self, *flags: str) -> None:
        command = [sys.executable, "-m", "phom_referee", "serve", "--port", "0", *flags]
        command += ["--metrics-port", "0", "--workers", str(WORKERS)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.serving = self.next_line("serving")

    def next_line(self, event: str) -> dict[str, Any]:
        """The next line of the log that is about `event`."""
        assert self.process.stderr is not None
        for text in self.process.stderr:
            line: dict[str, Any] = json.loads(text)
            if line["event"] == event:
                return line
        raise AssertionError(f"the log has ended without {event!r}")

    def channel(self) -> grpc.Channel:
        """A connection of its own, which one of the workers gets."""
        options = [("grpc.use_local_subchannel_pool", 1)]
        return grpc.insecure_channel(f"127.0.0.1:{self.serving['port']}", options)

    def value(self, metric: str) -> float:
        """The sum of a metric's values, all labels together, as Prometheus would scrape them."""
        url = f"http://127.0.0.1:{self.serving['metrics_port']}/metrics"
        with urllib.request.urlopen(url, timeout=60) as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(metric + "{"))

    def stop(self) -> int:
        """End it as an operator does; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


@pytest.fixture
def served() -> Iterator[Served]:
    started = Served()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def log() -> events_pb2.GameLog:
    return next(games(1, house=rules_pb2.HOUSE_GO88, seed=1))


def _replay(served: Served, log: events_pb2.GameLog) -> str:
    with served.channel() as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        answer: str = stub.Replay(referee_pb2.ReplayRequest(log=log), timeout=60).verdict.game_id
        return answer


def test_calls_of_all_workers_are_counted_together(served: Served, log: events_pb2.GameLog) -> None:
    started = "grpc_server_started_total"
    assert served.value(started) == 0
    assert [_replay(served, log) for _ in range(40)] == [log.game_id] * 40
    eventually(lambda: served.value("grpc_server_handling_seconds_count") == 40)
    assert served.value(started) == 40
    assert served.value("phom_referee_build_info") == 1
    # The kernel shares out the connections; 40 of them to one of two would be no chance.
    assert {served.next_line("rpc")["worker"] for _ in range(40)} == set(served.serving["workers"])
    assert served.stop() == 0


def test_a_worker_that_is_killed_is_replaced(served: Served, log: events_pb2.GameLog) -> None:
    assert [_replay(served, log) for _ in range(4)] == [log.game_id] * 4
    eventually(lambda: served.value("grpc_server_started_total") == 4)
    time.sleep(1.1)  # one that dies at once is let lie for a second
    first, second = served.serving["workers"]
    os.kill(first, signal.SIGKILL)
    line = served.next_line("worker died")
    assert line["pid"] == first
    assert line["exit_code"] == -signal.SIGKILL
    os.kill(second, 0)  # still there
    # What the dead one has counted is not lost, and calls find a worker.
    assert served.value("grpc_server_started_total") >= 4
    assert [_replay(served, log) for _ in range(8)] == [log.game_id] * 8
    eventually(lambda: served.value("grpc_server_handling_seconds_count") == 12)
    assert served.stop() == 0


def test_signals_reach_the_workers_through_their_parent(log: events_pb2.GameLog) -> None:
    served = Served("--drain-delay", "60")
    with served.channel() as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        ready = health_pb2.HealthCheckRequest(service=SERVICE)
        assert check(ready, timeout=60).status == health_pb2.HealthCheckResponse.SERVING
        # As a terminal does with Ctrl-C: the workers get it too, and leave it to their parent.
        for pid in (*served.serving["workers"], served.process.pid):
            os.kill(pid, signal.SIGINT)
        served.next_line("draining")
        not_serving = health_pb2.HealthCheckResponse.NOT_SERVING
        eventually(lambda: check(ready, timeout=60).status == not_serving)
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        assert stub.Replay(referee_pb2.ReplayRequest(log=log)).verdict.game_id == log.game_id
    assert served.stop() == 0  # a second signal, which ends the drain of all


def test_workers_whose_parent_is_gone_end_too(served: Served) -> None:
    workers = served.serving["workers"]
    served.process.kill()
    served.process.wait(timeout=60)
    eventually(lambda: not any(_runs(pid) for pid in workers))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""  # what a dead one has, until buried
    except FileNotFoundError:
        return False


def test_a_port_that_is_taken_is_said(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    port = served.serving["port"]
    for workers in ("1", "2"):
        flags = ["--port", str(port), "--metrics-port", "0", "--workers", workers]
        assert main(["serve", *flags]) == 2
        assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err
