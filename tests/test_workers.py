"""Several processes on one port: shared out, counted together, replaced when they die."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from phom.v1 import events_pb2, referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.command import main
from phom_referee.generate import games
from phom_referee.servicer import SERVICE
from served import Served
from waiting import eventually

WORKERS = ("--workers", "2")


@pytest.fixture
def served() -> Iterator[Served]:
    with Served(*WORKERS) as served:
        yield served


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
    served = Served(*WORKERS, "--drain-delay", "60")
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
    served.ended()
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
