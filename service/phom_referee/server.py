"""The server: one function binds everything that answers, for the command and the tests alike."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from phom_referee.houses import VERSION
from phom_referee.interceptor import Observer
from phom_referee.logs import logger
from phom_referee.metrics import Metrics
from phom_referee.servicer import SERVICE, handlers

THREADS = 8
GRACE_SECONDS = 10.0


class App:
    """A gRPC server with the referee, health and reflection bound to it."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.metrics = Metrics()
        self.health = health.HealthServicer()
        self.server = grpc.server(
            ThreadPoolExecutor(THREADS, thread_name_prefix="rpc"),
            interceptors=[Observer(self.metrics)],
            options=[("grpc.so_reuseport", 0)],
        )
        self.bind()
        self.port = self.server.add_insecure_port(f"{host}:{port}")

    def bind(self) -> None:
        """Register everything that answers."""
        self.server.add_registered_method_handlers(SERVICE, handlers())
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self.server)
        names = (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self.server)

    def start(self) -> None:
        """Begin to answer."""
        self.server.start()
        self.health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)

    def stop(self) -> None:
        """Take no new calls, and let those that are running end."""
        self.health.enter_graceful_shutdown()
        self.server.stop(GRACE_SECONDS).wait()


def main(host: str, port: int, metrics_port: int) -> int:
    """Serve until SIGTERM or SIGINT; the exit code."""
    log = logger("server")
    app = App(host, port)
    start_http_server(metrics_port, addr=host, registry=app.metrics.registry)
    ended = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: ended.set())
    app.start()
    log.info("serving", host=host, port=app.port, metrics_port=metrics_port, version=VERSION)
    # A wait without end can miss a signal that comes just before it.
    while not ended.wait(0.5):
        pass
    log.info("stopping")
    app.stop()
    return 0
