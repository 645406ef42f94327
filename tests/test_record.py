"""What is kept of calls: metrics that are exact once a call is over, and lines in the log."""

import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterator

import grpc
import pytest
from phom.v1 import events_pb2, referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.generate import games
from phom_referee.server import App
from phom_referee.servicer import SERVICE
from phom_referee.settings import Settings

Stub = referee_pb2_grpc.RefereeServiceStub
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
METHODS = {
    "Replay": "unary",
    "CheckAction": "unary",
    "ListLegalActions": "unary",
    "AnalyzeHand": "unary",
    "ListRulesets": "unary",
    "ReplayMany": "bidi_stream",
}


@pytest.fixture(scope="module")
def logs() -> list[events_pb2.GameLog]:
    return [*games(5, house=rules_pb2.HOUSE_GO88, seed=3)]


@pytest.fixture
def served() -> Iterator[App]:
    app = App(Settings(port=0, log_rpcs=False))
    app.start()
    yield app
    app.stop()


def _stub(app: App) -> Stub:
    return Stub(grpc.insecure_channel(f"127.0.0.1:{app.port}"))


def _value(app: App, name: str, **labels: str) -> float | None:
    return app.metrics.registry.get_sample_value(name, labels)


def _eventually(value: Callable[[], object], expected: object) -> None:
    until = time.monotonic() + 60
    while value() != expected and time.monotonic() < until:
        time.sleep(0.02)
    assert value() == expected


def test_everything_is_0_from_the_start(served: App) -> None:
    for method, kind in METHODS.items():
        labels = {"grpc_type": kind, "grpc_service": SERVICE, "grpc_method": method}
        for name in ("started_total", "msg_received_total", "msg_sent_total"):
            assert _value(served, f"grpc_server_{name}", **labels) == 0
        assert _value(served, "grpc_server_handling_seconds_count", **labels) == 0
        for code in ("OK", "InvalidArgument", "ResourceExhausted", "Internal", "Cancelled"):
            assert _value(served, "grpc_server_handled_total", **labels, grpc_code=code) == 0
    for status in ("finished", "in_progress", "illegal", "claim_mismatch"):
        assert _value(served, "phom_referee_games_total", house="go88", status=status) == 0
    assert _value(served, "phom_referee_violations_total", code="NOT_YOUR_TURN") == 0
    for kind in ("calls", "streams"):
        assert _value(served, "phom_referee_shed_total", kind=kind) == 0
        assert _value(served, "phom_referee_in_flight", kind=kind) == 0


def test_games_are_counted(served: App, logs: list[events_pb2.GameLog]) -> None:
    stub = _stub(served)
    illegal = events_pb2.GameLog()
    illegal.CopyFrom(logs[0])
    illegal.events[0].seat = 1 - illegal.first_seat if illegal.first_seat < 2 else 0
    stub.Replay(referee_pb2.ReplayRequest(log=illegal))
    with pytest.raises(grpc.RpcError):
        stub.Replay(referee_pb2.ReplayRequest())
    request = referee_pb2.ReplayManyRequest(logs=[*logs, events_pb2.GameLog()])
    assert len([*stub.ReplayMany(iter([request] * 3))]) == 3

    def games_of(status: str) -> float | None:
        return _value(served, "phom_referee_games_total", house="go88", status=status)

    _eventually(lambda: games_of("finished"), 15)
    assert games_of("illegal") == 1
    assert _value(served, "phom_referee_violations_total", code="NOT_YOUR_TURN") == 1
    assert _value(served, "phom_referee_no_logs_total") == 4
    events = 3 * sum(len(log.events) for log in logs) + len(illegal.events)
    assert _value(served, "phom_referee_events_total") == events
    assert _value(served, "phom_referee_batch_logs_count") == 3
    assert _value(served, "phom_referee_batch_logs_sum") == 18
    unary = {"grpc_type": "unary", "grpc_service": SERVICE, "grpc_method": "Replay"}
    stream = {"grpc_type": "bidi_stream", "grpc_service": SERVICE, "grpc_method": "ReplayMany"}
    _eventually(lambda: _value(served, "grpc_server_msg_received_total", **unary), 2)
    assert _value(served, "grpc_server_msg_sent_total", **unary) == 1
    assert _value(served, "grpc_server_msg_received_total", **stream) == 3
    assert _value(served, "grpc_server_msg_sent_total", **stream) == 3


def test_a_stream_in_flight_is_seen(served: App, logs: list[events_pb2.GameLog]) -> None:
    stub = _stub(served)
    more = iter([])
    requests = iter([referee_pb2.ReplayManyRequest(logs=logs)])

    def endless() -> Iterator[referee_pb2.ReplayManyRequest]:
        yield from requests
        time.sleep(1.5)
        yield from more

    stream = stub.ReplayMany(endless())
    assert len(next(stream).outcomes) == len(logs)
    _eventually(lambda: _value(served, "phom_referee_in_flight", kind="streams"), 1)
    # A message of a stream is counted when it is answered, not when the stream ends.
    _eventually(lambda: _value(served, "phom_referee_batch_logs_count"), 1)
    assert list(stream) == []
    _eventually(lambda: _value(served, "phom_referee_in_flight", kind="streams"), 0)


def test_calls_are_counted_where_nobody_reads_the_log(
    monkeypatch: pytest.MonkeyPatch, logs: list[events_pb2.GameLog]
) -> None:
    class Broken(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Broken())
    app = App(Settings(port=0))
    app.start()
    for number in range(1, 4):
        _stub(app).Replay(referee_pb2.ReplayRequest(log=logs[0]))
        _eventually(
            lambda: _value(app, "phom_referee_games_total", house="go88", status="finished"), number
        )
    app.log.error("nobody reads this either")
    app.stop()


def test_a_fault_in_recording_ends_it_for_a_moment_only(
    served: App,
    logs: list[events_pb2.GameLog],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(_: object) -> None:
        raise RuntimeError("a fault of the metrics")

    with monkeypatch.context() as patched:
        patched.setattr(served.metrics, "judged", fails)
        _eventually(lambda: "a fault of the metrics" in caplog.text, True)
    _stub(served).Replay(referee_pb2.ReplayRequest(log=logs[0]))
    _eventually(
        lambda: _value(served, "phom_referee_games_total", house="go88", status="finished"), 1
    )


def _lines(
    capsys: pytest.CaptureFixture[str], log_sample: float, calls: Callable[[Stub], None]
) -> list[dict[str, object]]:
    app = App(Settings(port=0, log_sample=log_sample))
    app.start()
    calls(_stub(app))
    app.stop()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    return [line for line in lines if line["event"] == "rpc"]


def test_a_line_says_who_called_and_what_became_of_it(
    capsys: pytest.CaptureFixture[str], logs: list[events_pb2.GameLog]
) -> None:
    who = (("x-request-id", "abc-1"), ("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01"))

    def calls(stub: Stub) -> None:
        stub.Replay(referee_pb2.ReplayRequest(log=logs[0]), metadata=who)
        request = referee_pb2.ReplayManyRequest(logs=[*logs, events_pb2.GameLog()])
        list(stub.ReplayMany(iter([request] * 2)))
        with pytest.raises(grpc.RpcError):
            stub.Replay(referee_pb2.ReplayRequest())
        stub.AnalyzeHand(referee_pb2.AnalyzeHandRequest(cards=[1, 2, 3]))

    replay, many, refused, hand = _lines(capsys, 1.0, calls)
    assert replay["method"] == "Replay"
    assert replay["code"] == "OK"
    assert replay["request_id"] == "abc-1"
    assert replay["trace_id"] == TRACE
    assert re.match(r"ipv[46]:", str(replay["peer"]))
    assert 0 < float(str(replay["seconds"])) < 60
    assert (replay["games"], replay["finished"]) == (1, 1)
    assert (many["games"], many["finished"], many["no_log"]) == (12, 10, 2)
    assert "request_id" not in many
    assert (refused["code"], refused["no_log"]) == ("INVALID_ARGUMENT", 1)
    assert (hand["method"], hand.get("games")) == ("AnalyzeHand", None)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("x-request-id", "x" * 129),
        ("x-request-id", "with a space"),
        ("traceparent", f"00-{TRACE[:-1]}-00f067aa0ba902b7-01"),
        ("traceparent", "00-" + "0" * 32 + "-00f067aa0ba902b7-01"),
        ("traceparent", f"01-{TRACE.upper()}-00f067aa0ba902b7-01"),
    ],
)
def test_what_a_caller_says_in_another_form_is_not_repeated(
    capsys: pytest.CaptureFixture[str], key: str, value: str, logs: list[events_pb2.GameLog]
) -> None:
    def calls(stub: Stub) -> None:
        stub.Replay(referee_pb2.ReplayRequest(log=logs[0]), metadata=((key, value),))

    (line,) = _lines(capsys, 1.0, calls)
    assert "request_id" not in line
    assert "trace_id" not in line


def test_of_calls_that_are_ok_a_sample_is_logged_of_others_all(
    capsys: pytest.CaptureFixture[str], logs: list[events_pb2.GameLog]
) -> None:
    def calls(stub: Stub) -> None:
        for _ in range(400):
            stub.ListRulesets(referee_pb2.ListRulesetsRequest())
        for _ in range(20):
            with pytest.raises(grpc.RpcError):
                stub.Replay(referee_pb2.ReplayRequest())

    codes = [line["code"] for line in _lines(capsys, 0.25, calls)]
    assert codes.count("INVALID_ARGUMENT") == 20
    # Of 400 with a chance of a quarter; beyond these bounds once in many millions.
    assert 50 < codes.count("OK") < 160


def test_no_card_of_a_game_is_in_the_log(
    capsys: pytest.CaptureFixture[str], logs: list[events_pb2.GameLog]
) -> None:
    def calls(stub: Stub) -> None:
        stub.Replay(referee_pb2.ReplayRequest(log=logs[0]))
        bad = events_pb2.GameLog()
        bad.CopyFrom(logs[0])
        bad.events[0].discard.card = 99  # type: ignore[assignment]
        with pytest.raises(grpc.RpcError):
            stub.Replay(referee_pb2.ReplayRequest(log=bad))

    for line in _lines(capsys, 1.0, calls):
        assert not re.search(r"\b(A|[2-9]|T|J|Q|K)[SCDH]\b|CARD_", json.dumps(line))
        assert set(line) <= {
            *("logger", "method", "code", "seconds", "peer", "games", "finished", "no_log"),
            *("event", "level", "timestamp"),
        }
