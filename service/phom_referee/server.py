"""The server: one function binds everything that answers, for the command and the tests alike."""

from __future__ import annotations

import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc

from phom_referee.health import Health
from phom_referee.houses import VERSION
from phom_referee.logs import logger
from phom_referee.metrics import Metrics, serve_metrics
from phom_referee.pools import CountingPool, IdleStreams
from phom_referee.record import Recorder
from phom_referee.reflected import Reflection
from phom_referee.rpc import Admission, Calls, Handler
from phom_referee.servicer import SERVICE, stream_methods, unary_methods
from phom_referee.settings import Settings, SettingsError
from phom_referee.signals import Signals
from phom_referee.tls import Certificates
from phom_referee.tracing import spans_to

_LOOK_SECONDS = 0.2
# How long calls have to stay away before the server stops, and how long it waits for that.
_QUIET_SECONDS = 0.3
_CLOSING_SECONDS = 2.0
_ENDING_SECONDS = 1.0
_AHEAD_BYTES = 2**20
_INT32_MAX = 2**31 - 1

IN_PROCESS = Settings(port=0, metrics_port=0, log_rpcs=False)
"""For a server within another program: a free port, and no line for each call."""


def _options(settings: Settings, *, share_port: bool) -> list[tuple[str, int]]:
    """What gRPC is told of the settings, in its own words and milliseconds."""
    options = {
        "grpc.max_receive_message_length": settings.max_message_bytes,
        # Else a second server on the port would take half of the calls without a word.
        "grpc.so_reuseport": int(share_port),
        # How far a caller may send ahead, a stream. Left to itself gRPC measures the network, takes
        # the loopback or a datacentre for a reason to take 16 MiB in, and grows by that each stream.
        "grpc.http2.bdp_probe": 0,
        "grpc.http2.lookahead_bytes": _AHEAD_BYTES,
        "grpc.http2.min_ping_interval_without_data_ms": _millis(settings.min_ping_seconds),
        # Else the interval would not hold without a call, but two hours.
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.keepalive_time_ms": _millis(settings.keepalive_seconds),
    }
    if settings.max_connection_age:
        options["grpc.max_connection_age_ms"] = _millis(settings.max_connection_age)
        options["grpc.max_connection_age_grace_ms"] = _millis(settings.max_connection_age_grace)
    return list(options.items())


def _path(method: str) -> str:
    return f"/{SERVICE}/{method}"


def _wait(event: threading.Event, seconds: float) -> None:
    """Wait for an event, awake now and then: a signal is heard by who is awake."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and not event.wait(min(left, _LOOK_SECONDS)):
        pass


def _millis(seconds: float) -> int:
    return min(round(1000 * seconds), _INT32_MAX)  # of which gRPC makes "never"


def _port_of(
    server: grpc.Server, host: str, port: int, credentials: grpc.ServerCredentials | None = None
) -> int:
    """Have a server listen; the port it got, or SettingsError."""
    address = f"{host}:{port}"
    try:
        if credentials is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, credentials)
    except RuntimeError:
        raise SettingsError(f"cannot listen on {address}: is the port in use?") from None


class App:
    """A gRPC server with the referee, health and reflection bound to it.

    `share_port`: other processes of ours listen on the same port.
    """

    def __init__(self, settings: Settings = IN_PROCESS, *, share_port: bool = False) -> None:
        self.settings = settings
        self.log = logger("phom_referee")
        if share_port:
            self.log = self.log.bind(worker=os.getpid())
        self.metrics = Metrics()
        self._unary_pool = CountingPool(settings.threads, "unary")
        # A stream keeps its thread as long as it lives, so streams have threads of their own.
        self._stream_pool = CountingPool(settings.max_streams, "stream")
        self._idle = IdleStreams(settings.stream_idle_seconds)
        self._reflection = Reflection(settings.stream_idle_seconds)
        self._admission = Admission(self.metrics)
        self._recorder = Recorder(
            self.metrics,
            self.log,
            self._set_gauges,
            spans_to(settings.otlp_endpoint) if settings.otlp_endpoint else None,
            log_rpcs=settings.log_rpcs,
            log_sample=settings.log_sample,
        )
        self.health_server: grpc.Server | None = None  # in plain text, beside TLS
        self.health_port = 0
        self.health = Health()
        self.server = grpc.server(
            self._unary_pool,
            options=_options(settings, share_port=share_port),
        )
        self.bind()
        self.port = self._listen(share_port=share_port)

    def bind(self) -> None:
        """Register everything that answers."""
        calls = Calls(self.metrics, self._recorder, self.log, self._idle)
        for name, core in unary_methods().items():
            handler: Handler = grpc.unary_unary_rpc_method_handler(calls.unary(name, core))
            self._admission.admit(
                _path(name), handler, self._unary_pool, self.settings.max_concurrent_rpcs
            )
        for name, core in stream_methods(self.settings.max_logs).items():
            behaviour = calls.stream(name, core)
            behaviour.experimental_thread_pool = self._stream_pool  # type: ignore[attr-defined]
            handler = grpc.stream_stream_rpc_method_handler(behaviour)
            self._admission.admit(
                _path(name), handler, self._stream_pool, self.settings.max_streams
            )
        self.server.add_generic_rpc_handlers((self._admission,))
        self.health.bind(self.server)
        if self.settings.reflection:
            self._reflection.bind(self._admission)

    def _listen(self, *, share_port: bool) -> int:
        settings = self.settings
        if not settings.tls_certificate:
            return _port_of(self.server, settings.host, settings.port)
        credentials = Certificates(settings, self.log).credentials()
        self.health_server = grpc.server(
            ThreadPoolExecutor(1), options=[("grpc.so_reuseport", int(share_port))]
        )
        self.health.bind(self.health_server)
        self.health_port = _port_of(self.health_server, settings.host, settings.health_port)
        return _port_of(self.server, settings.host, settings.port, credentials)

    def _set_gauges(self) -> None:
        self.metrics.in_flight["calls"](self._unary_pool.tasks)
        self.metrics.in_flight["streams"](self._stream_pool.tasks)

    def start(self) -> None:
        """Begin to answer."""
        # What is there now stays: the collector need not look at it ever again.
        gc.freeze()
        self.server.start()
        if self.health_server is not None:
            self.health_server.start()
        self.health.set_ready(True)

    def stop(self, hurry: threading.Event | None = None) -> None:
        """Say that no more calls are wanted, then take none, and let those that run end.

        Once `hurry` is set nothing is waited for any more.
        """
        hurry = hurry or threading.Event()
        self.health.set_ready(False)
        self.metrics.draining(1)
        _wait(hurry, self.settings.drain_delay)
        # gRPC cancels what has arrived and has no handler yet when it stops, so first nothing comes.
        self._admission.close()
        until = time.monotonic() + _CLOSING_SECONDS
        while not self._admission.is_quiet(_QUIET_SECONDS) and time.monotonic() < until:
            if hurry.wait(_QUIET_SECONDS / 2):
                break
        self.health.end_watches()
        self._reflection.end_streams()
        # It is we who cut what is left, so that it is known for cut: gRPC would a moment later.
        stopped = self.server.stop(self.settings.grace + _LOOK_SECONDS)
        until = time.monotonic() + self.settings.grace
        while not stopped.wait(_LOOK_SECONDS / 2):
            if hurry.is_set() or time.monotonic() > until:
                self._idle.cut_all()
                self.server.stop(None)
        # What was cut has yet to be recorded by the thread that had it.
        until = time.monotonic() + _ENDING_SECONDS
        while self._unary_pool.tasks + self._stream_pool.tasks and time.monotonic() < until:
            time.sleep(0.01)
        if self.health_server is not None:
            self.health_server.stop(None)  # it answers until the end
        self._idle.stop()
        self._admission.stop()
        self._recorder.stop()
        self.health.stop()
        self._reflection.stop()
        for pool in (self._unary_pool, self._stream_pool):
            pool.shutdown(wait=False)


def main(settings: Settings, signals: Signals) -> int:
    """Serve until SIGTERM or SIGINT, of which a second one ends the drain; the exit code.

    SettingsError if a port cannot be had.
    """
    app = App(settings)
    metrics_server = serve_metrics(settings, app.metrics.registry)
    app.start()
    app.log.info(
        "serving",
        host=settings.host,
        port=app.port,
        metrics_port=metrics_server.server_port,
        version=VERSION,
    )
    while not signals.ended.wait(_LOOK_SECONDS):
        pass
    app.log.info("draining")
    app.stop(signals.hurry)
    metrics_server.shutdown()
    app.log.info("stopped")
    return 0
