"""The server as callers and operators meet it: in process, and as a process that gets signals."""

import base64
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status
from phom.v1 import events_pb2, referee_pb2, referee_pb2_grpc, rules_pb2, verdict_pb2
from phom_core import Counts
from phom_referee import server
from phom_referee.command import main
from phom_referee.generate import games
from phom_referee.server import App
from phom_referee.servicer import SERVICE
from phom_referee.settings import Settings
from served import Served
from waiting import eventually

T = TypeVar("T")


@pytest.fixture(scope="module")
def log() -> events_pb2.GameLog:
    return next(games(1, house=rules_pb2.HOUSE_GO88, seed=1))


def _stub(app: App) -> referee_pb2_grpc.RefereeServiceStub:
    return referee_pb2_grpc.RefereeServiceStub(grpc.insecure_channel(f"127.0.0.1:{app.port}"))


def _started(**settings: object) -> App:
    app = App(Settings(port=0, log_rpcs=False, **settings))  # type: ignore[arg-type]
    app.start()
    return app


def _reason(error: grpc.RpcError) -> tuple[str, dict[str, str]]:
    """What programs go by: the reason in the ErrorInfo, which comes last, and what belongs to it."""
    info = error_details_pb2.ErrorInfo()
    assert rpc_status.from_call(error).details[-1].Unpack(info)
    assert info.domain == "phom.v1"
    return info.reason, dict(info.metadata)


def _judged(stub: referee_pb2_grpc.RefereeServiceStub, log: events_pb2.GameLog) -> list[int]:
    responses = stub.ReplayMany(iter([referee_pb2.ReplayManyRequest(logs=[log])]), timeout=60)
    return [len(response.outcomes) for response in responses]


def _once_admitted(call: Callable[[], T]) -> T:
    """What `call` gives, tried again while there are too many at once, as callers are told to."""
    until = time.monotonic() + 60
    while True:
        try:
            return call()
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED or time.monotonic() > until:
                raise
            time.sleep(0.05)


def test_a_game_is_judged(
    log: events_pb2.GameLog, stub: referee_pb2_grpc.RefereeServiceStub
) -> None:
    verdict = stub.Replay(referee_pb2.ReplayRequest(log=log)).verdict
    assert verdict.status == verdict_pb2.STATUS_FINISHED
    assert sum(seat.net for seat in verdict.result.seats) == 0
    assert not verdict.HasField("state")


def test_what_is_no_log_names_each_field(
    log: events_pb2.GameLog, stub: referee_pb2_grpc.RefereeServiceStub
) -> None:
    bad = events_pb2.GameLog()
    bad.CopyFrom(log)
    bad.ClearField("first_seat")
    bad.events[0].discard.card = 99  # type: ignore[assignment]
    with pytest.raises(grpc.RpcError) as raised:
        stub.Replay(referee_pb2.ReplayRequest(log=bad))
    status = rpc_status.from_call(raised.value)
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    detail = error_details_pb2.BadRequest()
    assert status.details[0].Unpack(detail)
    assert [violation.field for violation in detail.field_violations] == [
        "log.first_seat",
        "log.events[0].discard.card",
    ]
    assert _reason(raised.value) == ("CANNOT_BE_JUDGED", {})


def test_a_log_of_nothing_but_faults_names_as_many_as_callers_take(
    log: events_pb2.GameLog, stub: referee_pb2_grpc.RefereeServiceStub
) -> None:
    """gRPC refuses trailers of more than 8 KiB, at random, and Java counts them as base64."""
    bad = events_pb2.GameLog()
    bad.CopyFrom(log)
    del bad.events[:]
    for _ in range(1000):
        bad.events.add(seat=0).declare_u.phoms.add(cards=[99] * 3)  # type: ignore[list-item]
    for _ in range(20):
        with pytest.raises(grpc.RpcError) as raised:
            stub.Replay(referee_pb2.ReplayRequest(log=bad))
        assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    trailers = dict(raised.value.trailing_metadata())
    assert len(base64.b64encode(trailers["grpc-status-details-bin"])) < 6 << 10
    detail = error_details_pb2.BadRequest()
    assert rpc_status.from_call(raised.value).details[0].Unpack(detail)
    *named, last = detail.field_violations
    assert named[0].field == "log.events[0].declare_u.phoms[0].cards[0]"
    # A hundred are found, and one line says how many more there are.
    assert last.description.endswith(f"; and {101 - len(named) - 1} more fields, too many to name")
    assert len(named) > 20


def test_health_tells_liveness_and_readiness(app: App) -> None:
    channel = grpc.insecure_channel(f"127.0.0.1:{app.port}")
    check = health_pb2_grpc.HealthStub(channel).Check
    for service in ("", SERVICE):
        answer = check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_health_answers_while_all_threads_are_busy_and_calls_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go, working = threading.Event(), threading.Event()

    def work(_: bytes, __: Counts) -> bytes:
        working.set()
        go.wait(60)
        return b""

    monkeypatch.setattr(server, "unary_methods", lambda: {"Replay": work})
    app = _started(threads=1, max_concurrent_rpcs=2)
    stub = _stub(app)
    calls = [stub.Replay.future(referee_pb2.ReplayRequest()) for _ in range(2)]
    assert working.wait(60)
    value = app.metrics.registry.get_sample_value
    until = time.monotonic() + 60
    while value("phom_referee_in_flight", {"kind": "calls"}) != 2 and time.monotonic() < until:
        time.sleep(0.01)
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        refused = 0
        while refused < 20 and time.monotonic() < until:
            with pytest.raises(grpc.RpcError) as raised:
                stub.Replay(referee_pb2.ReplayRequest(), timeout=60)
            refused += raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            answer = check(health_pb2.HealthCheckRequest(service=SERVICE), timeout=60)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        assert refused == 20
    assert value("phom_referee_shed_total", {"kind": "calls"}) == 20
    go.set()
    for call in calls:
        call.result(timeout=60)
    app.stop()


def test_health_can_be_watched() -> None:
    app = _started(drain_delay=0.5)
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch
        ready = watch(health_pb2.HealthCheckRequest(service=SERVICE), timeout=60)
        alive = watch(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(ready).status == health_pb2.HealthCheckResponse.SERVING
        assert next(alive).status == health_pb2.HealthCheckResponse.SERVING
        stopping = threading.Thread(target=app.stop)
        stopping.start()
        # Readiness ends when the drain begins; the process still lives.
        assert next(ready).status == health_pb2.HealthCheckResponse.NOT_SERVING
        check = health_pb2_grpc.HealthStub(channel).Check
        answer = check(health_pb2.HealthCheckRequest(), timeout=60)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        stopping.join()


def test_idle_streams_take_no_thread_of_unary_calls(log: events_pb2.GameLog) -> None:
    app = _started(threads=1, max_streams=4, stream_idle_seconds=60.0)
    stub = _stub(app)
    hold = threading.Event()

    def requests() -> Iterator[referee_pb2.ReplayManyRequest]:
        yield referee_pb2.ReplayManyRequest(logs=[log])
        hold.wait(300)

    streams = [stub.ReplayMany(requests()) for _ in range(4)]
    assert [len(next(stream).outcomes) for stream in streams] == [1] * 4
    request = referee_pb2.ReplayRequest(log=log)
    assert stub.Replay(request, timeout=60).verdict.status == verdict_pb2.STATUS_FINISHED
    # One more stream than there are threads for is refused at once, with a time to come back.
    with pytest.raises(grpc.RpcError) as raised:
        next(stub.ReplayMany(requests(), timeout=60))
    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    detail = error_details_pb2.RetryInfo()
    assert rpc_status.from_call(raised.value).details[0].Unpack(detail)
    assert detail.retry_delay.ToMilliseconds() > 0
    assert _reason(raised.value) == ("TOO_MANY_AT_ONCE", {"of": "streams"})
    hold.set()
    assert [list(stream) for stream in streams] == [[]] * 4
    app.stop()


def test_a_stream_on_which_nothing_moves_is_cancelled(log: events_pb2.GameLog) -> None:
    app = _started(max_streams=1, stream_idle_seconds=3.0)
    stub = _stub(app)
    hold = threading.Event()

    def requests() -> Iterator[referee_pb2.ReplayManyRequest]:
        yield referee_pb2.ReplayManyRequest(logs=[log])
        hold.wait(300)

    stream = stub.ReplayMany(requests())
    next(stream)
    with pytest.raises(grpc.RpcError) as raised:
        next(stream)
    assert raised.value.code() is grpc.StatusCode.CANCELLED
    hold.set()
    # Its thread is free again, if a moment after the caller has learned of the end.
    assert _once_admitted(lambda: _judged(stub, log)) == [1]
    app.stop()


def test_too_large_a_message_is_refused() -> None:
    app = _started(max_message_bytes=2048)
    request = referee_pb2.ReplayRequest(log=events_pb2.GameLog(game_id="x" * 4096))
    with pytest.raises(grpc.RpcError) as raised:
        _stub(app).Replay(request)
    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    app.stop()


def test_too_many_logs_in_a_message_are_refused(log: events_pb2.GameLog) -> None:
    app = _started(max_logs=3)
    stub = _stub(app)
    assert _judged(stub, log) == [1]
    responses = stub.ReplayMany(
        iter([referee_pb2.ReplayManyRequest(logs=[log] * n) for n in (3, 4)])
    )
    assert len(next(responses).outcomes) == 3
    with pytest.raises(grpc.RpcError) as raised:
        next(responses)
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert raised.value.details() == "logs: must be at most 3 in a message"
    app.stop()


def test_a_call_whose_deadline_has_passed_is_not_worked_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go = threading.Event()
    worked_on: list[bytes] = []

    def work(request: bytes, _: Counts) -> bytes:
        worked_on.append(request)
        go.wait(60)
        return b""

    monkeypatch.setattr(server, "unary_methods", lambda: {"Replay": work})
    app = _started(threads=1)
    stub = _stub(app)
    first = stub.Replay.future(referee_pb2.ReplayRequest(detail=verdict_pb2.DETAIL_STATE))
    until = time.monotonic() + 60
    while not worked_on and time.monotonic() < until:
        time.sleep(0.01)
    # The only thread is taken, so this one waits, and its caller only for a moment.
    with pytest.raises(grpc.RpcError) as raised:
        stub.Replay(referee_pb2.ReplayRequest(detail=verdict_pb2.DETAIL_TRACE), timeout=0.3)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    go.set()
    first.result(timeout=60)
    app.stop()
    state = referee_pb2.ReplayRequest(detail=verdict_pb2.DETAIL_STATE).SerializeToString()
    assert worked_on == [state]


def test_a_connection_is_closed_when_it_is_old(log: events_pb2.GameLog) -> None:
    ages = ("--max-connection-age", "1", "--max-connection-age-grace", "30")
    peers: set[str] = set()
    until = time.monotonic() + 60
    with Served(*ages) as served:
        while len(peers) < 3 and time.monotonic() < until:
            # Not one call is lost by it, on a channel that connects anew by itself.
            verdict = served.stub.Replay(referee_pb2.ReplayRequest(log=log)).verdict
            assert verdict.game_id == log.game_id
            peers.add(served.next_line("rpc")["peer"])
    assert len(peers) == 3


def test_a_caller_that_pings_without_end_is_sent_away() -> None:
    app = _started(min_ping_seconds=30.0)
    settings, ping = b"\0\0\0\4\0\0\0\0\0", b"\0\0\x08\6\0\0\0\0\0" + bytes(8)
    with socket.create_connection(("127.0.0.1", app.port), timeout=60) as caller:
        caller.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings)
        said = b""
        while b"too_many_pings" not in said:  # in a GOAWAY, whose error is ENHANCE_YOUR_CALM
            caller.sendall(ping)
            received = caller.recv(4096)
            assert received, said
            said += received
            time.sleep(0.01)
    app.stop()


def test_how_often_a_caller_may_ping_is_a_setting() -> None:
    app = _started(min_ping_seconds=0.0)
    settings, ping = b"\0\0\0\4\0\0\0\0\0", b"\0\0\x08\6\0\0\0\0\0" + bytes(8)
    answer = ping[:4] + b"\1" + ping[5:]
    with socket.create_connection(("127.0.0.1", app.port), timeout=60) as caller:
        caller.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + 50 * ping)
        said = b""
        while said.count(answer) < 50:
            received = caller.recv(4096)
            assert received, said
            said += received
        assert b"too_many_pings" not in said
    app.stop()


def _reflected(app: App) -> set[str]:
    """The services that reflection tells of."""
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        (answer,) = stub.ServerReflectionInfo(iter([request]))
        return {service.name for service in answer.list_services_response.service}


def test_reflection(app: App) -> None:
    assert {SERVICE, "grpc.health.v1.Health"} <= _reflected(app)


def test_reflection_only_where_it_is_wanted() -> None:
    app = _started(reflection=False)
    with pytest.raises(grpc.RpcError) as raised:
        _reflected(app)
    assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED
    app.stop()


def test_a_port_that_is_taken_is_said(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", str(app.port), "--metrics-port", "0"]) == 2
    assert f"cannot listen on 127.0.0.1:{app.port}" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", "0", "--metrics-port", str(port)]) == 2
    assert f"cannot listen on 127.0.0.1:{port} for metrics" in capsys.readouterr().err


def test_calls_are_counted(log: events_pb2.GameLog) -> None:
    app = _started()
    labels = {"grpc_type": "unary", "grpc_service": SERVICE, "grpc_method": "Replay"}

    def value(name: str, **more: str) -> float | None:
        return app.metrics.registry.get_sample_value(name, labels | more)

    assert value("grpc_server_handled_total", grpc_code="OK") == 0
    stub = _stub(app)
    stub.Replay(referee_pb2.ReplayRequest(log=log))
    with pytest.raises(grpc.RpcError):
        stub.Replay(referee_pb2.ReplayRequest())
    # A call is counted when it is over, which the caller may learn a moment before.
    until = time.monotonic() + 60
    while value("grpc_server_handling_seconds_count") != 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert value("grpc_server_started_total") == 2
    assert value("grpc_server_handled_total", grpc_code="OK") == 1
    assert value("grpc_server_handled_total", grpc_code="InvalidArgument") == 1
    assert value("grpc_server_handled_total", grpc_code="Internal") == 0
    app.stop()


def test_an_internal_fault_has_a_reference_that_stands_in_the_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: bytes, __: Counts) -> bytes:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(server, "unary_methods", lambda: {"Replay": fails})
    app = _started()
    with pytest.raises(grpc.RpcError) as raised:
        _stub(app).Replay(referee_pb2.ReplayRequest())
    app.stop()
    assert raised.value.code() is grpc.StatusCode.INTERNAL
    details = raised.value.details()
    assert details is not None
    assert "secret" not in details
    reference = details.removeprefix("internal error, reference ")
    assert re.fullmatch("[0-9a-f]{16}", reference)
    assert _reason(raised.value) == ("INTERNAL_FAULT", {"reference": reference})
    logged = capsys.readouterr().err
    assert reference in logged
    assert "the secret of the house" in logged


def test_a_second_signal_ends_the_drain_at_once() -> None:
    with Served("--drain-delay", "60") as served, served.channel() as channel:
        served.signal(signal.SIGTERM)
        served.next_line("draining")
        check = health_pb2_grpc.HealthStub(channel).Check
        not_serving = health_pb2.HealthCheckResponse.NOT_SERVING
        ready = health_pb2.HealthCheckRequest(service=SERVICE)
        eventually(lambda: check(ready, timeout=60).status == not_serving)
        assert served.value("phom_referee_draining") == 1
        served.signal(signal.SIGTERM)
        assert served.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_and_exits_0(number: signal.Signals, log: events_pb2.GameLog) -> None:
    with Served() as served:
        verdict = served.stub.Replay(referee_pb2.ReplayRequest(log=log)).verdict
        assert verdict.game_id == log.game_id
        eventually(lambda: served.value("grpc_server_started_total") == 1)
        assert served.value("phom_referee_draining") == 0
        served.signal(number)
        assert served.ended() == 0
    events = [line["event"] for line in served.lines()]
    # A call is logged a moment after it has ended.
    assert [event for event in events if event != "rpc"] == ["serving", "draining", "stopped"]
    assert events.count("rpc") == 1


def test_a_watch_of_health_does_not_hold_up_the_drain() -> None:
    with Served("--grace", "600") as served, served.channel() as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch
        stream = watch(health_pb2.HealthCheckRequest(service=SERVICE))
        assert next(stream).status == health_pb2.HealthCheckResponse.SERVING
        served.signal(signal.SIGTERM)
        assert next(stream).status == health_pb2.HealthCheckResponse.NOT_SERVING
        assert served.ended() == 0
        with pytest.raises(grpc.RpcError):
            next(stream)


def _reflection(served: Served, hold: threading.Event) -> Any:
    def asks() -> Iterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")
        hold.wait(60)

    stub = reflection_pb2_grpc.ServerReflectionStub(served.channel())
    stream = stub.ServerReflectionInfo(asks())
    assert len(next(stream).list_services_response.service) == 3
    return stream


def test_idle_reflection_streams_hold_up_nothing(log: events_pb2.GameLog) -> None:
    hold = threading.Event()
    with Served("--threads", "1", "--grace", "600") as served:
        streams = [_reflection(served, hold) for _ in range(4)]
        with pytest.raises(grpc.RpcError) as raised:
            _reflection(served, hold)
        assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        verdict = served.stub.Replay(referee_pb2.ReplayRequest(log=log), timeout=60).verdict
        assert verdict.game_id == log.game_id
        served.signal(signal.SIGTERM)
        assert served.ended() == 0
        hold.set()
        assert all(stream.code() is not grpc.StatusCode.OK for stream in streams)


def test_watches_that_come_and_go_stop_nothing() -> None:
    """Their end and what is sent to them meet all the time: nothing waits for itself."""
    ready = health_pb2.HealthCheckRequest(service=SERVICE)

    def watch() -> None:
        with served.channel() as channel:
            for _ in range(200):
                stream = health_pb2_grpc.HealthStub(channel).Watch(ready, timeout=60)
                assert next(stream).status == health_pb2.HealthCheckResponse.SERVING
                stream.cancel()

    with Served("--grace", "600") as served:
        watchers = [threading.Thread(target=watch) for _ in range(4)]
        for watcher in watchers:
            watcher.start()
        for watcher in watchers:
            watcher.join()
        with served.channel() as channel:
            check = health_pb2_grpc.HealthStub(channel).Check
            assert check(ready, timeout=60).status == health_pb2.HealthCheckResponse.SERVING
        served.signal(signal.SIGTERM)
        assert served.ended() == 0


def test_a_stream_that_is_cut_is_no_ok(log: events_pb2.GameLog) -> None:
    hold = threading.Event()

    def requests() -> Iterator[referee_pb2.ReplayManyRequest]:
        yield referee_pb2.ReplayManyRequest(logs=[log])
        hold.wait(60)

    with Served("--grace", "0.5") as served:
        streams = [served.stub.ReplayMany(requests()) for _ in range(12)]
        assert [len(next(stream).outcomes) for stream in streams] == [1] * 12
        served.signal(signal.SIGTERM)
        assert served.ended() == 0
        hold.set()
    codes = [line["code"] for line in served.lines() if line["event"] == "rpc"]
    assert codes == ["CANCELLED"] * 12
