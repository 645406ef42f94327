"""What happens around every RPC: admission, errors as statuses, what is kept of it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

import grpc
from phom_core import Counts, NotALog
from structlog.typing import FilteringBoundLogger

from phom_referee.errors import internal, invalid_argument, resource_exhausted, unavailable
from phom_referee.metrics import Metrics
from phom_referee.pools import CountingPool, IdleStreams
from phom_referee.record import Recorder
from phom_referee.servicer import SERVICE, Core

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Code = grpc.StatusCode

RETRY_MILLIS = 250


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
                if idle.ended(context):
                    call.code = Code.CANCELLED  # though it looks to us as if it had come to its end
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
    call to its pool, for less, and what is not admitted here is none of its business.
    """

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._methods: dict[str, _Admitted] = {}
        # Refusing takes no thread of those that answer.
        self._refusing = CountingPool(1, "refuse")
        self._closed = False
        self._latest = 0.0  # call that came after that

    def admit(self, path: str, handler: Handler, pool: CountingPool, most: int) -> None:
        """Let `handler` have calls of /service/method while `pool` has fewer than `most` tasks."""
        kind = "streams" if handler.response_streaming else "calls"
        self._methods[path] = _Admitted(
            handler,
            pool,
            most,
            self._metrics.shed[kind],
            self._refusal(handler, resource_exhausted(kind, RETRY_MILLIS)),
            self._refusal(handler, unavailable()),
        )

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Handler | None:
        """The handler of a call that has just arrived; None if it is not admitted here."""
        method = self._methods.get(handler_call_details.method)
        if method is None:
            return None
        if self._closed:
            self._latest = monotonic()
            return method.when_closed
        if method.pool.tasks < method.most:
            return method.handler
        method.shed()
        return method.when_full

    def close(self) -> None:
        """From now on refuse every call, so that its caller tries another server."""
        self._latest = monotonic()
        self._closed = True

    def is_quiet(self, seconds: float) -> bool:
        """Whether for so long no call has come to the closed door."""
        return monotonic() - self._latest > seconds

    def stop(self) -> None:
        """Free the thread."""
        self._refusing.shutdown(wait=False)

    def _refusal(self, handler: Handler, status: grpc.Status) -> Handler:
        def refuse(_: object, context: grpc.ServicerContext) -> Any:
            context.abort_with_status(status)

        refuse.experimental_thread_pool = self._refusing  # type: ignore[attr-defined]
        if handler.response_streaming:
            return grpc.stream_stream_rpc_method_handler(refuse)
        return grpc.unary_unary_rpc_method_handler(refuse)


class _Admitted(NamedTuple):
    handler: Handler
    pool: CountingPool
    most: int
    shed: Callable[[], None]
    when_full: Handler
    when_closed: Handler
