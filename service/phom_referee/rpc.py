"""What happens around every RPC: admission, errors as statuses, counting, timing, a line in the log."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, TypeAlias

import grpc
from phom_core import NotALog
from structlog.typing import FilteringBoundLogger

from phom_referee.errors import internal, invalid_argument, resource_exhausted
from phom_referee.metrics import MethodMetrics, Metrics
from phom_referee.pools import CountingPool, IdleStreams
from phom_referee.servicer import Core

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Code = grpc.StatusCode

RETRY_MILLIS = 100


class Calls:
    """Turns the core's functions into gRPC behaviours that are counted and logged."""

    def __init__(self, metrics: Metrics, log: FilteringBoundLogger, *, log_rpcs: bool) -> None:
        self._metrics = metrics
        self._log = log
        self._log_rpcs = log_rpcs

    def unary(self, service: str, name: str, call: Core) -> Callable[..., bytes]:
        """A unary method."""
        counted = self._metrics.method("unary", service, name)

        def behaviour(request: bytes, context: grpc.ServicerContext) -> bytes:
            counted.start()
            began = perf_counter()
            code = Code.OK
            try:
                if not context.is_active():  # nobody waits any more: the deadline, or a cancel
                    code = Code.CANCELLED
                    return b""
                return call(request)
            except Exception as error:
                status = self._status_of(error)
                code = status.code
                context.abort_with_status(status)
                raise  # never: abort does
            finally:
                self._end(counted, name, code, perf_counter() - began)

        return behaviour

    def stream(
        self, service: str, name: str, call: Core, idle: IdleStreams
    ) -> Callable[..., Iterator[bytes]]:
        """A bidirectional stream that answers each message on its own.

        Memory is that of one message, and a caller that is gone, or whose deadline has passed, is
        noticed before the next.
        """
        counted = self._metrics.method("bidi_stream", service, name)

        def behaviour(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            counted.start()
            began = perf_counter()
            code = Code.CANCELLED  # unless it comes to its end
            status = None
            try:
                idle.moved(context)
                for request in requests:
                    idle.moved(context)
                    if not context.is_active():
                        return
                    response = call(request)
                    yield response
                    idle.moved(context)
                if context.is_active():
                    code = Code.OK
            except NotALog as error:
                status = self._status_of(error)
                code = status.code
            finally:
                idle.ended(context)
                self._end(counted, name, code, perf_counter() - began)
            if status is not None:
                context.abort_with_status(status)

        return behaviour

    def _status_of(self, error: Exception) -> grpc.Status:
        if isinstance(error, NotALog):
            return invalid_argument(error.fields)
        reference = secrets.token_hex(8)
        self._log.error("internal error", reference=reference, exc_info=error)
        return internal(reference)

    def _end(self, counted: MethodMetrics, name: str, code: Code, seconds: float) -> None:
        counted.end(code, seconds)
        if self._log_rpcs:
            self._log.info("rpc", method=name, code=code.name, seconds=round(seconds, 6))


class Admission(grpc.ServerInterceptor):
    """Refuses at once what a full pool would only let wait; what has no pool here always passes."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._limits: dict[str, tuple[CountingPool, int, Callable[[], None], Handler]] = {}
        # Refusing takes no thread of those that answer.
        self._refusing = CountingPool(1, "refuse")

    def limit(self, method: str, pool: CountingPool, most: int, *, stream: bool) -> None:
        """Admit calls of `method` while `pool` has fewer than `most` tasks."""
        kind = "streams" if stream else "calls"
        counted = self._metrics.shed.labels(kind).inc
        status = resource_exhausted(kind, RETRY_MILLIS)

        def refuse(_: object, context: grpc.ServicerContext) -> Any:
            context.abort_with_status(status)

        refuse.experimental_thread_pool = self._refusing  # type: ignore[attr-defined]
        make = (
            grpc.stream_stream_rpc_method_handler if stream else grpc.unary_unary_rpc_method_handler
        )
        self._limits[method] = (pool, most, counted, make(refuse))

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Handler | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Runs when a call arrives, in the one thread that also hands it to its pool."""
        limit = self._limits.get(handler_call_details.method)
        if limit is not None:
            pool, most, counted, refusal = limit
            if pool.tasks >= most:
                counted()
                return refusal
        return continuation(handler_call_details)

    def stop(self) -> None:
        """Free the thread."""
        self._refusing.shutdown(wait=False)
