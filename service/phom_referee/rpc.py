"""What happens around every RPC: admission, errors as statuses, what is kept of it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import grpc
from phom_core import Counts, NotALog
from structlog.typing import FilteringBoundLogger

from phom_referee.errors import internal, invalid_argument, resource_exhausted
from phom_referee.metrics import Metrics
from phom_referee.pools import CountingPool, IdleStreams
from phom_referee.record import Recorder
from phom_referee.servicer import SERVICE, Core

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Code = grpc.StatusCode

RETRY_MILLIS = 100


class Calls:
    """Turns the core's functions into gRPC behaviours that are recorded."""

    def __init__(
        self, metrics: Metrics, recorder: Recorder, log: FilteringBoundLogger, idle: IdleStreams
    ) -> None:
        self._metrics = metrics
        self._recorder = recorder
        self._log = log
        self._idle = idle

    def unary(self, name: str, core: Core) -> Callable[..., bytes]:
        """A unary method."""
        method = self._metrics.method("unary", SERVICE, name)
        recorder = self._recorder

        def behaviour(request: bytes, context: grpc.ServicerContext) -> bytes:
            call = recorder.start(method)
            try:
                if (gone := _gone(context)) is not None:
                    call.code = gone
                    return b""
                return core(request, call.counts)
            except Exception as error:
                status = self._status_of(error)
                call.code = status.code
                context.abort_with_status(status)
                raise  # never: abort does
            finally:
                recorder.end(call, context)

        return behaviour

    def stream(self, name: str, core: Core) -> Callable[..., Iterator[bytes]]:
        """A bidirectional stream that answers each message on its own.

        Memory is that of one message, and a caller that is gone, or whose deadline has passed, is
        noticed before the next.
        """
        method = self._metrics.method("bidi_stream", SERVICE, name)
        recorder, idle = self._recorder, self._idle

        def behaviour(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            call = recorder.start(method)
            call.code = Code.CANCELLED  # unless it comes to its end
            status = None
            try:
                idle.moved(context)
                for request in requests:
                    idle.moved(context)
                    if (gone := _gone(context)) is not None:
                        call.code = gone
                        return
                    counts = Counts()
                    try:
                        response = core(request, counts)
                    except Exception as error:  # noqa: BLE001 - of any kind: it gets a status
                        status = self._status_of(error)
                        call.code = status.code
                        recorder.message(call, counts, answered=False)
                        break
                    recorder.message(call, counts, answered=True)
                    yield response
                    idle.moved(context)
                else:
                    if context.is_active():
                        call.code = Code.OK
            finally:
                idle.ended(context)
                recorder.end(call, context)
            if status is not None:
                context.abort_with_status(status)

        return behaviour

    def _status_of(self, error: Exception) -> grpc.Status:
        if isinstance(error, NotALog):
            return invalid_argument(error.fields)
        reference = secrets.token_hex(8)
        self._log.error("internal error", reference=reference, exc_info=error)
        return internal(reference)


def _gone(context: grpc.ServicerContext) -> Code | None:
    """Why nobody waits for an answer any more, or None if somebody does."""
    if context.time_remaining() <= 0:
        return Code.DEADLINE_EXCEEDED
    return None if context.is_active() else Code.CANCELLED


class Admission(grpc.GenericRpcHandler):
    """Finds the handler of a call, or refuses it at once where a full pool would only let it wait.

    As a handler, not an interceptor: it runs in the same place, the one thread that also hands a
    call to its pool, for less, and what is not of our service is none of its business.
    """

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._methods: dict[str, tuple[Handler, Handler, CountingPool, int, str]] = {}
        # Refusing takes no thread of those that answer.
        self._refusing = CountingPool(1, "refuse")

    def admit(self, name: str, handler: Handler, pool: CountingPool, most: int) -> None:
        """Let `handler` have calls of a method while `pool` has fewer than `most` tasks."""
        kind = "streams" if handler.response_streaming else "calls"
        status = resource_exhausted(kind, RETRY_MILLIS)

        def refuse(_: object, context: grpc.ServicerContext) -> Any:
            context.abort_with_status(status)

        refuse.experimental_thread_pool = self._refusing  # type: ignore[attr-defined]
        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.response_streaming
            else grpc.unary_unary_rpc_method_handler
        )
        self._methods[f"/{SERVICE}/{name}"] = (handler, make(refuse), pool, most, kind)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Handler | None:
        """The handler of a call that has just arrived; None if it is not of our service."""
        method = self._methods.get(handler_call_details.method)
        if method is None:
            return None
        handler, refusal, pool, most, kind = method
        if pool.tasks < most:
            return handler
        self._metrics.shed[kind]()
        return refusal

    def stop(self) -> None:
        """Free the thread."""
        self._refusing.shutdown(wait=False)
