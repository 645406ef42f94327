"""What Prometheus scrapes: the counters of every RPC, named as the gRPC community names them."""

from __future__ import annotations

import grpc
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from phom_referee.houses import VERSION

_LABELS = ["grpc_type", "grpc_service", "grpc_method"]
# From a bare call on one core (a tenth of a millisecond) to a call that is in trouble.
_BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)

# As Go's gRPC writes them: OK, InvalidArgument, ResourceExhausted, …
_CODES = {
    code: "OK" if code is grpc.StatusCode.OK else code.name.title().replace("_", "")
    for code in grpc.StatusCode
}


class Metrics:
    """All metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._started = Counter(
            "grpc_server_started", "RPCs started on the server.", _LABELS, registry=self.registry
        )
        self._handled = Counter(
            "grpc_server_handled",
            "RPCs completed on the server, whatever their status.",
            [*_LABELS, "grpc_code"],
            registry=self.registry,
        )
        self._handling = Histogram(
            "grpc_server_handling_seconds",
            "How long RPCs took until their end, in seconds.",
            _LABELS,
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.shed = Counter(
            "phom_referee_shed",
            "RPCs refused because there were too many at once.",
            ["kind"],
            registry=self.registry,
        )
        build = Gauge("phom_referee_build_info", "Always 1.", ["version"], registry=self.registry)
        build.labels(VERSION).set(1)

    def method(self, kind: str, service: str, name: str) -> MethodMetrics:
        """The metrics of one method, all of them 0 from the start."""
        labels = (kind, service, name)
        return MethodMetrics(
            self._started.labels(*labels),
            {code: self._handled.labels(*labels, text) for code, text in _CODES.items()},
            self._handling.labels(*labels),
        )


class MethodMetrics:
    """The metrics of one method; looking a label up costs more than counting."""

    def __init__(
        self, started: Counter, handled: dict[grpc.StatusCode, Counter], handling: Histogram
    ) -> None:
        self._handled = handled
        self._handling = handling
        self.start = started.inc

    def end(self, code: grpc.StatusCode, seconds: float) -> None:
        """A call has ended."""
        self._handled[code].inc()
        self._handling.observe(seconds)
