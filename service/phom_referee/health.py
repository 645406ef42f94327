"""grpc.health.v1 with threads of its own, so that it answers whatever else is going on.

`""` is liveness, the referee's service readiness.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2

from phom_referee.pools import CountingPool
from phom_referee.servicer import SERVICE

_THREADS = 2

Status = health_pb2.HealthCheckResponse


class Health:
    """The health of one server, which may be asked for at several."""

    def __init__(self) -> None:
        self._pool = CountingPool(_THREADS, "health")
        self._servicer = health.HealthServicer(experimental_non_blocking=True)
        # Until it has started, it lives and is not ready.
        self._servicer.set("", Status.SERVING)
        self._servicer.set(SERVICE, Status.NOT_SERVING)
        self._watched: dict[int, grpc.ServicerContext] = {}

    def bind(self, server: grpc.Server) -> None:
        """Answer at this server."""
        watch = self._in_pool(self._watch)
        watch.experimental_non_blocking = True
        read, write = health_pb2.HealthCheckRequest.FromString, Status.SerializeToString
        handlers: dict[str, Any] = {
            "Check": grpc.unary_unary_rpc_method_handler(
                self._in_pool(self._servicer.Check), read, write
            ),
            "Watch": grpc.unary_stream_rpc_method_handler(watch, read, write),
        }
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(health.SERVICE_NAME, handlers),)
        )

    def set_ready(self, ready: bool) -> None:
        """Say whether calls are wanted."""
        self._servicer.set(SERVICE, Status.SERVING if ready else Status.NOT_SERVING)

    def end_watches(self) -> None:
        """End what would else last as long as its caller, and a drain with it."""
        for context in [*self._watched.values()]:
            context.cancel()

    def stop(self) -> None:
        """Free the threads."""
        self._pool.shutdown(wait=False)

    def _watch(
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext, send: Any
    ) -> None:
        def ended() -> None:
            self._watched.pop(id(context), None)

        self._watched[id(context)] = context
        if not context.add_callback(ended):
            ended()  # before it has begun
        self._servicer.Watch(request, context, send)

    def _in_pool(self, behaviour: Callable[..., object]) -> Any:
        """A behaviour that runs in our threads: gRPC looks for them at the function."""
        # Of one's own, for a method's attributes are those of all servicers.
        own = partial(behaviour)
        own.experimental_thread_pool = self._pool  # type: ignore[attr-defined]
        return own
