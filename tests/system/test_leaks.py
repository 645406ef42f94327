"""Callers that are slow, idle, half gone or gone: they harm nobody, and nothing of them stays.

`make soak` is the long run over games served: test_soak, which needs minutes.
"""

import contextlib
import resource
import socket
import statistics
import time
from collections.abc import Iterator

import grpc
import pytest
from phom.v1 import events_pb2, referee_pb2, rules_pb2
from phom_referee.generate import games
from served import Served
from waiting import eventually

pytestmark = pytest.mark.system

# What a caller of HTTP/2 says first: the preface, and a frame of settings that sets nothing.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
IDLE, SLOW, HALF_CLOSED, CANCELLED = 1000, 200, 200, 200
# gRPC's own threads come and go a little, whatever is asked of it.
OF_GRPC = 4


@pytest.fixture
def served() -> Iterator[Served]:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with Served("--log-rpcs", "false") as served:
        yield served


@pytest.fixture(scope="module")
def logs() -> list[events_pb2.GameLog]:
    return [*games(20, house=rules_pb2.HOUSE_GO88, seats=4, seed=1)]


def _unary_seconds(served: Served, log: events_pb2.GameLog) -> float:
    """The median of a hundred calls."""
    request = referee_pb2.ReplayRequest(log=log)
    found = []
    for _ in range(100):
        began = time.perf_counter()
        served.stub.Replay(request, timeout=60)
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def _warm(served: Served, logs: list[events_pb2.GameLog]) -> None:
    """Have all threads started that there will ever be."""
    request = referee_pb2.ReplayManyRequest(logs=logs)
    streams = [served.stub.ReplayMany(iter([request] * 20)) for _ in range(16)]
    for stream in streams:
        with contextlib.suppress(grpc.RpcError):  # more than are admitted
            list(stream)
    calls = [served.stub.Replay.future(referee_pb2.ReplayRequest(log=logs[0])) for _ in range(200)]
    for call in calls:
        call.result(timeout=60)


def test_nothing_stays_of_callers_that_go_wrong(
    served: Served, logs: list[events_pb2.GameLog]
) -> None:
    _warm(served, logs)
    before = _unary_seconds(served, logs[0])
    files, threads = served.files(), served.threads()
    request = referee_pb2.ReplayManyRequest(logs=logs)
    with contextlib.ExitStack() as stack:
        for number in range(IDLE + SLOW):
            caller = stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))
            caller.sendall(PREFACE if number < IDLE else PREFACE[: 1 + number % len(PREFACE)])
        eventually(lambda: served.files() >= files + IDLE)
        # Callers who have said all, and never listen: the first are admitted, the others refused.
        unheard = [served.stub.ReplayMany(iter([request] * 3)) for _ in range(HALF_CLOSED)]
        during = _unary_seconds(served, logs[0])
        for stream in unheard:
            stream.cancel()
        for _ in range(CANCELLED):
            stream = served.stub.ReplayMany(iter([request] * 50))
            with contextlib.suppress(grpc.RpcError):
                next(stream)
            stream.cancel()
    eventually(lambda: served.files() <= files)
    eventually(lambda: served.threads() <= threads + OF_GRPC)
    # They are not in the way of others, though a machine may be busy.
    assert during < 5 * before
    # And streams are to be had again.
    eventually(lambda: _streams(served, request))


def _streams(served: Served, request: referee_pb2.ReplayManyRequest) -> bool:
    streams = [served.stub.ReplayMany(iter([request])) for _ in range(16)]
    try:
        return [len(list(stream)) for stream in streams] == [1] * 16
    except grpc.RpcError:
        return False


@pytest.mark.slow
def test_soak(served: Served, logs: list[events_pb2.GameLog]) -> None:
    """Three million games in bulk, three hundred thousand calls: memory, files, threads stay."""
    batch = referee_pb2.ReplayManyRequest(logs=logs * 12)  # 240
    messages, calls = 3_000_000 // len(batch.logs), 300_000
    alone = [referee_pb2.ReplayRequest(log=log) for log in logs]

    def serve(share: int) -> None:
        answered = sum(1 for _ in served.stub.ReplayMany(iter([batch] * (messages // share))))
        assert answered == messages // share
        for number in range(calls // share):
            served.stub.Replay(alone[number % len(alone)], timeout=60)

    _warm(served, logs)
    serve(10)
    files, threads, memory = served.files(), served.threads(), served.mebibytes()
    serve(1)
    assert served.mebibytes() == pytest.approx(memory, abs=2)
    assert served.files() == files
    eventually(lambda: served.threads() <= threads + OF_GRPC)
