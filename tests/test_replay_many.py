"""ReplayMany: order kept, errors in place, bounded memory, and an end when nobody waits any more."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from phom.v1 import events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom.v1.referee_pb2_grpc import RefereeServiceStub
from phom_core import Counts
from phom_referee import servicer
from phom_referee.generate import games
from phom_referee.houses import referee
from phom_referee.server import App
from phom_referee.servicer import SERVICE
from rawbytes import delimited

Request = referee_pb2.ReplayManyRequest
Response = referee_pb2.ReplayManyResponse

LOGS = Request.DESCRIPTOR.fields_by_name["logs"].number
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def played() -> list[events_pb2.GameLog]:
    return [*games(20, house=rules_pb2.HOUSE_IWIN, seats=4, seed=6)]


def named(log: events_pb2.GameLog, name: str) -> events_pb2.GameLog:
    other = events_pb2.GameLog()
    other.CopyFrom(log)
    other.game_id = name
    return other


# ---- one response for each request, in order ----


def test_each_log_is_judged_as_alone(
    stub: RefereeServiceStub, played: list[events_pb2.GameLog]
) -> None:
    details = [verdict_pb2.DETAIL_RESULT, verdict_pb2.DETAIL_STATE, verdict_pb2.DETAIL_TRACE]
    requests = [Request(logs=played, detail=detail) for detail in details]
    responses = [*stub.ReplayMany(iter(requests))]
    assert len(responses) == len(details)
    for detail, response in zip(details, responses, strict=True):
        for log, outcome in zip(played, response.outcomes, strict=True):
            alone = stub.Replay(referee_pb2.ReplayRequest(log=log, detail=detail))
            assert outcome.verdict == alone.verdict


def test_order_is_kept_over_thousands_of_messages(
    stub: RefereeServiceStub, played: list[events_pb2.GameLog]
) -> None:
    sizes = [number % 4 for number in range(3000)]

    def requests() -> Iterator[Request]:
        for number, size in enumerate(sizes):
            logs = (named(played[index], f"{number}.{index}") for index in range(size))
            yield Request(logs=logs)

    for number, response in enumerate(stub.ReplayMany(requests())):
        found = [outcome.verdict.game_id for outcome in response.outcomes]
        assert found == [f"{number}.{index}" for index in range(sizes[number])]
    assert number == len(sizes) - 1


def test_no_requests_no_responses(stub: RefereeServiceStub) -> None:
    assert [*stub.ReplayMany(iter([]))] == []


# ---- errors in place ----


def test_a_log_that_is_no_log_is_an_error_in_its_place(
    stub: RefereeServiceStub, played: list[events_pb2.GameLog]
) -> None:
    homeless, unknown_card, illegal = (named(log, "") for log in played[:3])
    homeless.ClearField("ruleset")
    unknown_card.events[0].discard.card = 60
    unknown_card.hands[1].cards[2] = 0
    illegal.events[1].seat = (illegal.events[1].seat + 1) % 4
    logs = [played[3], homeless, illegal, unknown_card, played[4]]
    for response in stub.ReplayMany(iter([Request(logs=logs), Request(logs=logs)])):
        kinds = [outcome.WhichOneof("outcome") for outcome in response.outcomes]
        assert kinds == ["verdict", "error", "verdict", "error", "verdict"]
        errors = [outcome.error for outcome in response.outcomes]
        assert [v.field for v in errors[1].field_violations] == ["logs[1].ruleset.house"]
        assert [v.field for v in errors[3].field_violations] == [
            "logs[3].hands[1].cards[2]",
            "logs[3].events[0].discard.card",
        ]
        assert all(v.description in errors[3].message for v in errors[3].field_violations)
        assert response.outcomes[2].verdict.status == verdict_pb2.STATUS_ILLEGAL
        assert response.outcomes[4].verdict.game_id == played[4].game_id


def test_bytes_that_are_no_log_are_an_error_in_their_place(
    channel: grpc.Channel, played: list[events_pb2.GameLog]
) -> None:
    good = delimited(LOGS, played[0].SerializeToString())
    call = channel.stream_stream(f"/{SERVICE}/ReplayMany")
    (answer,) = call(iter([good + delimited(LOGS, b"\x0a\x7f\x01") + good]))
    outcomes = Response.FromString(answer).outcomes
    assert [o.WhichOneof("outcome") for o in outcomes] == ["verdict", "error", "verdict"]
    assert [v.field for v in outcomes[1].error.field_violations] == ["logs[1]"]


@pytest.mark.parametrize("request_", [b"\x0a\x7f\x01", b"\x10\x63"], ids=["no message", "detail"])
def test_what_is_no_request_ends_the_stream(
    channel: grpc.Channel, played: list[events_pb2.GameLog], request_: bytes
) -> None:
    good = delimited(LOGS, played[0].SerializeToString())
    answers = channel.stream_stream(f"/{SERVICE}/ReplayMany")(iter([good, request_, good]))
    assert len(Response.FromString(next(answers)).outcomes) == 1
    with pytest.raises(grpc.RpcError) as raised:
        next(answers)
    assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT


# ---- memory ----


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def test_memory_does_not_grow_with_the_stream(
    channel: grpc.Channel, played: list[events_pb2.GameLog]
) -> None:
    """150 megabytes through a server and a client in this very process."""
    log = delimited(LOGS, played[0].SerializeToString())
    message = log * (100_000 // len(log))
    call = channel.stream_stream(f"/{SERVICE}/ReplayMany")
    grown = start = 0
    for number, _ in enumerate(call(message for _ in range(1500))):
        if number == 100:
            start = _resident()
        elif number > 100 and number % 100 == 0:
            grown = max(grown, _resident() - start)
    assert number == 1499
    assert grown < 30 * MEGABYTE


def test_a_caller_that_does_not_read_is_not_read_from(
    channel: grpc.Channel, played: list[events_pb2.GameLog]
) -> None:
    """Nothing piles up: the server judges no more than the connection's buffers take of the responses."""
    message = delimited(LOGS, played[0].SerializeToString()) * 60
    sent = 0

    def requests() -> Iterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield message + b"\x10\x03"

    responses = channel.stream_stream(f"/{SERVICE}/ReplayMany")(requests())
    next(responses)
    before = -1
    while sent != before:
        before = sent
        time.sleep(0.5)
    assert sent * len(message) < 30 * MEGABYTE
    for _ in range(sent + 10):
        next(responses)
    assert sent > before
    responses.cancel()


# ---- the end ----


class Gate:
    """A referee that judges a message of a stream only when it is let."""

    def __init__(self) -> None:
        self.entered = 0
        self.let = threading.Semaphore(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(referee(), name)

    def replay_many(self, request: bytes, counts: Counts, max_logs: int) -> bytes:
        self.entered += 1
        assert self.let.acquire(timeout=20)
        return referee().replay_many(request, counts, max_logs)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    monkeypatch.setattr(servicer, "referee", lambda: gate)
    yield gate
    gate.let.release(1000)


@pytest.fixture
def gated(gate: Gate) -> Iterator[RefereeServiceStub]:
    app = App()
    app.start()
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        yield RefereeServiceStub(channel)
    gate.let.release(1000)
    app.stop()


def _without_end() -> Iterator[Request]:
    while True:
        yield Request()


def _wait_until_entered(gate: Gate, times: int) -> None:
    until = time.monotonic() + 10
    while gate.entered < times and time.monotonic() < until:
        time.sleep(0.01)
    assert gate.entered == times


def _assert_no_more_is_judged(gate: Gate) -> None:
    """The message in work is finished, and no other begun."""
    entered = gate.entered
    time.sleep(1)  # the server learns of it
    gate.let.release(100)
    time.sleep(0.3)
    assert gate.entered == entered


def test_a_cancel_ends_the_work_within_one_message(gated: RefereeServiceStub, gate: Gate) -> None:
    responses = gated.ReplayMany(_without_end())
    gate.let.release(3)
    assert [next(responses) for _ in range(3)] == [Response()] * 3
    _wait_until_entered(gate, 4)
    responses.cancel()
    _assert_no_more_is_judged(gate)


def test_a_deadline_ends_the_work_within_one_message(gated: RefereeServiceStub, gate: Gate) -> None:
    began = time.monotonic()
    responses = gated.ReplayMany(_without_end(), timeout=1)
    gate.let.release(2)
    with pytest.raises(grpc.RpcError) as raised:
        list(responses)
    assert raised.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert 0.9 < time.monotonic() - began < 10
    assert 1 <= gate.entered <= 3
    _assert_no_more_is_judged(gate)


def test_a_caller_that_is_gone_ends_the_work(gate: Gate) -> None:
    app = App()
    app.start()
    channel = grpc.insecure_channel(f"127.0.0.1:{app.port}")
    responses = RefereeServiceStub(channel).ReplayMany(_without_end())
    gate.let.release(1)
    next(responses)
    _wait_until_entered(gate, 2)
    channel.close()
    _assert_no_more_is_judged(gate)
    app.stop()
