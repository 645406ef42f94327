"""What Prometheus scrapes: the counters of every RPC, named as the gRPC community names them, and
what the referee has judged.

Everything is set to 0 at the start, so that a first error is seen as a rise. With several workers
the values are in files that all of them share; so only counters, histograms and gauges are used.
"""

from __future__ import annotations

from typing import Literal
from wsgiref.simple_server import WSGIServer

import grpc
from phom.v1.rules_pb2 import House
from phom.v1.verdict_pb2 import Status, ViolationCode
from phom_core import Counts
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from phom_referee.houses import VERSION
from phom_referee.settings import Settings, SettingsError
from phom_referee.spelling import enum_words

_METHOD = ["grpc_type", "grpc_service", "grpc_method"]
# From a bare call on one core (a tenth of a millisecond) to a call that is in trouble.
_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)
_LOGS = (1, 4, 16, 64, 256, 1024, 4096)

# As Go's gRPC writes them: OK, InvalidArgument, ResourceExhausted, …
_CODES = {
    code: "OK" if code is grpc.StatusCode.OK else code.name.title().replace("_", "")
    for code in grpc.StatusCode
}
_HOUSES = {number: word for word, number in enum_words(House.DESCRIPTOR).items() if number}
_STATUSES = {number: word for word, number in enum_words(Status.DESCRIPTOR).items() if number}
_VIOLATIONS = {
    number: name.removeprefix("VIOLATION_CODE_") for name, number in ViolationCode.items() if number
}


class Metrics:
    """All metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._started = self._counter("grpc_server_started", "RPCs started.", _METHOD)
        self._handled = self._counter(
            "grpc_server_handled", "RPCs ended, by their status.", [*_METHOD, "grpc_code"]
        )
        self._received = self._counter(
            "grpc_server_msg_received", "Messages of requests received.", _METHOD
        )
        self._sent = self._counter("grpc_server_msg_sent", "Messages of responses sent.", _METHOD)
        self._handling = self._histogram(
            "grpc_server_handling_seconds", "How long RPCs took, in seconds.", _SECONDS, _METHOD
        )
        games = self._counter(
            "phom_referee_games", "Games judged, by what their verdict is.", ["house", "status"]
        )
        self._games = {
            (house, status): games.labels(house_word, status_word)
            for house, house_word in _HOUSES.items()
            for status, status_word in _STATUSES.items()
        }
        violations = self._counter(
            "phom_referee_violations", "Games judged illegal, by what they violate.", ["code"]
        )
        self._violations = {code: violations.labels(name) for code, name in _VIOLATIONS.items()}
        self._events = self._counter("phom_referee_events", "Events of the games judged.")
        self._no_logs = self._counter(
            "phom_referee_no_logs", "What was sent as a game's log and could not be judged."
        )
        self._batch = self._histogram(
            "phom_referee_batch_logs", "Logs in a message of ReplayMany.", _LOGS
        )
        shed = self._counter(
            "phom_referee_shed", "RPCs refused because there were too many at once.", ["kind"]
        )
        self.shed = {kind: shed.labels(kind).inc for kind in ("calls", "streams")}
        in_flight = self._gauge(
            "phom_referee_in_flight", "RPCs accepted and not ended.", "livesum", ["kind"]
        )
        self.in_flight = {kind: in_flight.labels(kind).set for kind in ("calls", "streams")}
        self.draining = self._gauge(
            "phom_referee_draining", "1 from the first signal to the end of the process.", "max", []
        ).set
        build = self._gauge("phom_referee_build_info", "Always 1.", "max", ["version"])
        build.labels(VERSION).set(1)

    def method(self, kind: str, service: str, name: str) -> MethodMetrics:
        """The metrics of one method."""
        labels = (kind, service, name)
        return MethodMetrics(
            name,
            kind != "unary",
            self._started.labels(*labels),
            {code: self._handled.labels(*labels, text) for code, text in _CODES.items()},
            self._received.labels(*labels),
            self._sent.labels(*labels),
            self._handling.labels(*labels),
        )

    def judged(self, counts: Counts) -> None:
        """Add what has been judged."""
        for house, status, number in counts.games():
            self._games[house, status].inc(number)
        for code, number in counts.violations():
            self._violations[code].inc(number)
        self._events.inc(counts.events)
        self._no_logs.inc(counts.no_logs)

    def batch(self, logs: int) -> None:
        """A message of ReplayMany held so many logs."""
        self._batch.observe(logs)

    def _counter(self, name: str, text: str, labels: list[str] | None = None) -> Counter:
        return Counter(name, text, labels or [], registry=self.registry)

    def _histogram(
        self, name: str, text: str, buckets: tuple[float, ...], labels: list[str] | None = None
    ) -> Histogram:
        return Histogram(name, text, labels or [], buckets=buckets, registry=self.registry)

    def _gauge(
        self, name: str, text: str, of_workers: Literal["livesum", "max"], labels: list[str]
    ) -> Gauge:
        return Gauge(name, text, labels, registry=self.registry, multiprocess_mode=of_workers)


class MethodMetrics:
    """The metrics of one method; looking a label up costs more than counting."""

    def __init__(
        self,
        name: str,
        is_stream: bool,
        started: Counter,
        handled: dict[grpc.StatusCode, Counter],
        received: Counter,
        sent: Counter,
        handling: Histogram,
    ) -> None:
        self.name = name
        self.is_stream = is_stream
        self.started = started.inc
        self.handled = {code: counter.inc for code, counter in handled.items()}
        self.received = received.inc
        self.sent = sent.inc
        self.took = handling.observe


def verdict_counts(counts: Counts) -> dict[str, int]:
    """How many logs there were, how many got which status, how many could not be judged."""
    if counts.logs == 0:
        return {}
    numbers = {"games": counts.logs}
    for _, status, number in counts.games():
        word = _STATUSES[status]
        numbers[word] = numbers.get(word, 0) + number
    if counts.no_logs:
        numbers["no_log"] = counts.no_logs
    return numbers


def house_words(counts: Counts) -> list[str]:
    """The houses whose games were judged, in order."""
    return sorted({_HOUSES[house] for house, _, _ in counts.games()})


def serve_metrics(settings: Settings, registry: CollectorRegistry) -> WSGIServer:
    """Serve a registry where Prometheus scrapes; SettingsError if the port cannot be had."""
    host, port = settings.host, settings.metrics_port
    try:
        server, _ = start_http_server(port, addr=host, registry=registry)
    except OSError as error:
        raise SettingsError(f"cannot listen on {host}:{port} for metrics: {error}") from None
    return server
