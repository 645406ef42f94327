"""What happens around every RPC, whatever its method: it is counted, timed, and logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, TypeAlias, cast

import grpc

from phom_referee.logs import logger
from phom_referee.metrics import Metrics

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class Observer(grpc.ServerInterceptor):
    """Counts and times every RPC, and logs it at its end."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._log = logger("rpc")

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Handler | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Wrap the handler of the method that is called."""
        handler = continuation(handler_call_details)
        if handler is None:
            return None
        method = handler_call_details.method
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                self._unary(handler.unary_unary, method),
                handler.request_deserializer,
                handler.response_serializer,
            )
        if handler.stream_stream is not None:
            return grpc.stream_stream_rpc_method_handler(
                self._stream(handler.stream_stream, method),
                handler.request_deserializer,
                handler.response_serializer,
            )
        return handler

    def _unary(self, behavior: Callable[..., Any], method: str) -> Callable[..., Any]:
        def observed(request: object, context: grpc.ServicerContext) -> object:
            started = self._begin("unary", method)
            try:
                return behavior(request, context)
            finally:
                self._end("unary", method, context, started)

        return observed

    def _stream(self, behavior: Callable[..., Any], method: str) -> Callable[..., Any]:
        def observed(requests: object, context: grpc.ServicerContext) -> Iterator[object]:
            started = self._begin("bidi_stream", method)
            try:
                yield from behavior(requests, context)
            finally:
                self._end("bidi_stream", method, context, started)

        return observed

    def _begin(self, kind: str, method: str) -> float:
        service, name = method.lstrip("/").split("/")
        self._metrics.started.labels(kind, service, name).inc()
        return perf_counter()

    def _end(self, kind: str, method: str, context: grpc.ServicerContext, started: float) -> None:
        service, name = method.lstrip("/").split("/")
        seconds = perf_counter() - started
        # The stubs lack it; None: nothing else was said.
        code = cast(Any, context).code() or grpc.StatusCode.OK
        self._metrics.handled.labels(kind, service, name, code.name).inc()
        self._metrics.handling.labels(kind, service, name).observe(seconds)
        self._log.info("rpc", method=method, code=code.name, seconds=round(seconds, 6))
