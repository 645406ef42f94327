"""Tracing by OpenTelemetry, for who wants it: a span for each RPC, sent by OTLP.

An extra (`pip install phom-referee[tracing]`), off unless an endpoint is set. What the SDK itself
reads from the environment holds too, as OTEL_TRACES_SAMPLER and OTEL_RESOURCE_ATTRIBUTES.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import grpc

from phom_referee.houses import VERSION
from phom_referee.metrics import house_words, verdict_counts
from phom_referee.servicer import SERVICE
from phom_referee.settings import SettingsError

_STOP_SECONDS = 2.0

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from phom_referee.record import Call


class Spans:
    """Makes spans of calls that have ended; SettingsError if the extra is not installed."""

    def __init__(self, exporter: SpanExporter) -> None:
        from opentelemetry import trace  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
            TraceContextTextMapPropagator,
        )

        resource = Resource.create({"service.name": "phom-referee", "service.version": VERSION})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("phom_referee", VERSION)
        self._kind = trace.SpanKind.SERVER
        self._failed = trace.Status(trace.StatusCode.ERROR)
        self._extract = TraceContextTextMapPropagator().extract

    def add(self, call: Call) -> None:
        """Make the span of a call, a child of the caller's where it has told of one."""
        name, code = call.method.name, call.code
        span = self._tracer.start_span(
            f"{SERVICE}/{name}",
            context=self._extract({"traceparent": call.traceparent}),
            kind=self._kind,
            attributes={
                "rpc.system": "grpc",
                "rpc.service": SERVICE,
                "rpc.method": name,
                "rpc.grpc.status_code": code.value[0],
                "phom.houses": house_words(call.counts),
                "phom.events": call.counts.events,
                **{f"phom.{word}": n for word, n in verdict_counts(call.counts).items()},
            },
            start_time=call.ended_nanos - round(call.seconds * 1e9),
        )
        if code is not grpc.StatusCode.OK:
            span.set_status(self._failed)
        span.end(call.ended_nanos)

    def stop(self) -> None:
        """Send what is left, if there is somebody who takes it now."""
        # It tries for half a minute, which no drain has.
        sending = threading.Thread(target=self._provider.shutdown, name="spans", daemon=True)
        sending.start()
        sending.join(_STOP_SECONDS)


def spans_to(endpoint: str) -> Spans:
    """Spans that go to an OTLP endpoint by gRPC, as http://localhost:4317."""
    try:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
    except ImportError:
        raise SettingsError(
            "--otlp-endpoint needs OpenTelemetry: pip install 'phom-referee[tracing]'"
        ) from None
    return Spans(OTLPSpanExporter(endpoint=endpoint))
