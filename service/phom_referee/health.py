"""grpc.health.v1 with threads of its own, so that it answers whatever else is going on.

`""` is liveness, the referee's service readiness. Not by grpc_health's servicer: it sends under a
lock that it also takes when a watch ends, and the one thread that tells of both then waits for
itself; and it keeps every name that was ever watched.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2

from phom_referee.pools import CountingPool, IdleStreams
from phom_referee.servicer import SERVICE

# A watch that does not take what is sent holds up the others for so long, and is ended.
_SEND_SECONDS = 1.0

Status = health_pb2.HealthCheckResponse


class Health:
    """The health of one server, which may be asked for at several."""

    def __init__(self) -> None:
        self._checking = CountingPool(1, "health")
        self._watching = CountingPool(1, "watches")  # a single one, so that all come in order
        self._sending = IdleStreams(_SEND_SECONDS)
        # Until it has started, it lives and is not ready.
        self._status = {"": Status.SERVING, SERVICE: Status.NOT_SERVING}
        self._watches: dict[grpc.ServicerContext, Any] = {}  # of readiness: to whom it is sent
        self._others: set[grpc.ServicerContext] = set()  # of what does not change
        self._no_more = False

    def bind(self, server: grpc.Server) -> None:
        """Answer at this server."""
        # Of one's own: gRPC looks for the threads at the function.
        check: Any = partial(self._check)
        check.experimental_thread_pool = self._checking
        watch: Any = partial(self._watch)
        watch.experimental_thread_pool = self._watching
        watch.experimental_non_blocking = True
        read, write = health_pb2.HealthCheckRequest.FromString, Status.SerializeToString
        handlers: dict[str, Any] = {
            "Check": grpc.unary_unary_rpc_method_handler(check, read, write),
            "Watch": grpc.unary_stream_rpc_method_handler(watch, read, write),
        }
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(health.SERVICE_NAME, handlers),)
        )

    def set_ready(self, ready: bool) -> None:
        """Say whether calls are wanted."""
        self._status[SERVICE] = Status.SERVING if ready else Status.NOT_SERVING
        self._watching.submit(self._tell_all)

    def end_watches(self) -> None:
        """End what would else last as long as its caller, and a drain with it."""
        self._no_more = True
        for context in [*self._watches, *self._others]:
            context.cancel()

    def stop(self) -> None:
        """Free the threads."""
        self._sending.stop()
        for pool in (self._checking, self._watching):
            pool.shutdown(wait=False)

    def _check(
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext
    ) -> health_pb2.HealthCheckResponse:
        status = self._status.get(request.service)
        if status is None:
            context.set_code(grpc.StatusCode.NOT_FOUND)
            return Status()
        return Status(status=status)

    def _watch(
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext, send: Any
    ) -> None:
        def ended() -> None:
            self._watches.pop(context, None)
            self._others.discard(context)

        if request.service == SERVICE:
            self._watches[context] = send
        else:
            self._others.add(context)
        if not context.add_callback(ended):
            ended()  # before it has begun
        elif self._no_more:  # looked at once it is among those that are ended
            context.cancel()
        else:
            self._tell(context, send, self._status.get(request.service, Status.SERVICE_UNKNOWN))

    def _tell_all(self) -> None:
        for context, send in [*self._watches.items()]:
            self._tell(context, send, self._status[SERVICE])

    def _tell(self, context: grpc.ServicerContext, send: Any, status: Any) -> None:
        self._sending.moved(context)
        try:
            send(Status(status=status))  # returns when it has left
        finally:
            self._sending.ended(context)
