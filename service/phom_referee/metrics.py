"""What Prometheus scrapes: the counters of every RPC, named as the gRPC community names them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

_LABELS = ["grpc_type", "grpc_service", "grpc_method"]
# From a bare call on one core (a tenth of a millisecond) to a call that is in trouble.
_BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """All metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.started = Counter(
            "grpc_server_started", "RPCs started on the server.", _LABELS, registry=self.registry
        )
        self.handled = Counter(
            "grpc_server_handled",
            "RPCs completed on the server, whatever their status.",
            [*_LABELS, "grpc_code"],
            registry=self.registry,
        )
        self.handling = Histogram(
            "grpc_server_handling_seconds",
            "How long RPCs took until their end, in seconds.",
            _LABELS,
            buckets=_BUCKETS,
            registry=self.registry,
        )
