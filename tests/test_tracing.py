"""Spans as a collector gets them: a gRPC server of ours stands in for it."""

import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1 import trace_pb2
from phom.v1 import events_pb2, referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.command import main
from phom_referee.generate import games
from phom_referee.houses import VERSION
from phom_referee.server import App
from phom_referee.settings import Settings
from prometheus_client.openmetrics.exposition import generate_latest

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.server = grpc.server(ThreadPoolExecutor(1))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self.server)
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()

    def Export(self, request: Any, context: object) -> Any:  # noqa: N802 - as in the .proto
        self.requests.append(request)
        return trace_service_pb2.ExportTraceServiceResponse()

    def spans(self) -> list[Any]:
        return [
            span
            for request in self.requests
            for of_resource in request.resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]


@pytest.fixture
def collector() -> Iterator[Collector]:
    started = Collector()
    yield started
    started.server.stop(None)


def _attributes(holder: Any) -> dict[str, Any]:
    found = {}
    for attribute in holder.attributes:
        kind = attribute.value.WhichOneof("value")
        value = getattr(attribute.value, kind)
        if kind == "array_value":
            value = [entry.string_value for entry in value.values]
        found[attribute.key] = value
    return found


def test_a_span_for_each_call(collector: Collector) -> None:
    logs = [*games(4, house=rules_pb2.HOUSE_IWIN, seed=2)]
    app = App(Settings(port=0, log_rpcs=False, otlp_endpoint=f"http://127.0.0.1:{collector.port}"))
    app.start()
    before = time.time_ns()
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        metadata = (("traceparent", f"00-{TRACE}-{PARENT}-01"),)
        request = referee_pb2.ReplayManyRequest(logs=[*logs, events_pb2.GameLog()])
        assert len([*stub.ReplayMany(iter([request] * 2), metadata=metadata)]) == 2
        with pytest.raises(grpc.RpcError):
            stub.Replay(referee_pb2.ReplayRequest())
    after = time.time_ns()
    app.stop()
    many, refused = collector.spans()
    assert many.name == "phom.v1.RefereeService/ReplayMany"
    assert (many.trace_id.hex(), many.parent_span_id.hex()) == (TRACE, PARENT)
    assert many.kind == trace_pb2.Span.SPAN_KIND_SERVER
    assert before <= many.start_time_unix_nano <= many.end_time_unix_nano <= after
    assert _attributes(many) == {
        "rpc.system": "grpc",
        "rpc.service": "phom.v1.RefereeService",
        "rpc.method": "ReplayMany",
        "rpc.grpc.status_code": 0,
        "phom.houses": ["iwin"],
        "phom.events": 2 * sum(len(log.events) for log in logs),
        "phom.games": 10,
        "phom.finished": 8,
        "phom.no_log": 2,
    }
    assert refused.parent_span_id == b""
    assert refused.status.code == trace_pb2.Status.STATUS_CODE_ERROR
    assert _attributes(refused)["rpc.grpc.status_code"] == 3
    resource = _attributes(collector.requests[0].resource_spans[0].resource)
    assert resource["service.name"] == "phom-referee"
    assert resource["service.version"] == VERSION


def test_a_collector_that_is_not_there_harms_no_call(collector: Collector) -> None:
    collector.server.stop(None)
    app = App(Settings(port=0, log_rpcs=False, otlp_endpoint=f"http://127.0.0.1:{collector.port}"))
    app.start()
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        for _ in range(20):
            assert (
                len(stub.ListRulesets(referee_pb2.ListRulesetsRequest(), timeout=60).rulesets) == 6
            )
    stopped = threading.Thread(target=app.stop, daemon=True)
    stopped.start()
    stopped.join(60)
    assert not stopped.is_alive()


def test_durations_have_the_trace_as_an_example() -> None:
    app = App(Settings(port=0))
    app.start()
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        metadata = (("traceparent", f"00-{TRACE}-{PARENT}-01"),)
        stub.ListRulesets(referee_pb2.ListRulesetsRequest(), metadata=metadata)
    app.stop()
    lines = generate_latest(app.metrics.registry).decode().splitlines()
    examples = [line for line in lines if f'# {{trace_id="{TRACE}"}}' in line]
    assert len(examples) == 1
    assert examples[0].startswith("grpc_server_handling_seconds_bucket{")


def test_without_the_extra_the_start_is_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.grpc.trace_exporter", None)
    flags = ["--port", "0", "--metrics-port", "0", "--otlp-endpoint", "http://127.0.0.1:1"]
    assert main(["serve", *flags]) == 2
    assert "pip install 'phom-referee[tracing]'" in capsys.readouterr().err
