"""Signals, again and again: the first one always works, and no accepted call is lost by it."""

import signal
import threading
import time
from collections import Counter

import grpc
import pytest
from phom.v1 import referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.generate import games
from served import Served

pytestmark = pytest.mark.system

SIGNALS, RESTARTS, CALLERS = 50, 20, 8


@pytest.mark.parametrize("flags", [(), ("--workers", "2")], ids=["one process", "two workers"])
def test_the_first_signal_works_every_time(flags: tuple[str, ...]) -> None:
    for number in range(SIGNALS if not flags else 10):
        with Served(*flags) as served:
            served.signal(signal.SIGTERM if number % 2 else signal.SIGINT)
            assert served.ended() == 0


class Caller(threading.Thread):
    """Calls without a pause until it is refused; counts how its calls end."""

    def __init__(self, served: Served, request: referee_pb2.ReplayRequest) -> None:
        super().__init__()
        self.codes: Counter[str] = Counter()
        self._served = served
        self._request = request

    def run(self) -> None:
        with self._served.channel() as channel:
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
        with Served() as served:
            callers = [Caller(served, referee_pb2.ReplayRequest(log=log)) for _ in range(CALLERS)]
            for caller in callers:
                caller.start()
            time.sleep(0.5)
            served.signal(signal.SIGTERM)
            assert served.ended() == 0
            for caller in callers:
                caller.join()
        codes = sum((caller.codes for caller in callers), Counter())
        answered = [line["code"] for line in served.lines() if line["event"] == "rpc"]
        assert codes["OK"] > 2 * CALLERS
        # Every call that the server took was answered, every answer arrived, and who came too late
        # was told to go elsewhere.
        assert answered == ["OK"] * codes["OK"]
        assert codes["UNAVAILABLE"] == CALLERS == codes.total() - codes["OK"]
