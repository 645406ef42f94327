"""gRPC reflection, with threads of its own: a stream of it keeps one for as long as it lives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
from grpc_health.v1 import health
from grpc_reflection.v1alpha import reflection, reflection_pb2

from phom_referee.pools import CountingPool, IdleStreams
from phom_referee.rpc import Admission
from phom_referee.servicer import SERVICE

_STREAMS = 4


class Reflection:
    """Tells callers of the contract; `idle_seconds` after its last question a stream is cut."""

    def __init__(self, idle_seconds: float) -> None:
        self._pool = CountingPool(_STREAMS, "reflection")
        self._idle = IdleStreams(idle_seconds)
        names = (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        self._servicer = reflection.ReflectionServicer(names)

    def bind(self, admission: Admission) -> None:
        """Answer where the referee does, as many streams as there are threads."""

        def behaviour(
            requests: Iterator[Any], context: grpc.ServicerContext
        ) -> Iterator[reflection_pb2.ServerReflectionResponse]:
            self._idle.moved(context)
            try:
                for answer in self._servicer.ServerReflectionInfo(requests, context):
                    yield answer
                    self._idle.moved(context)
            finally:
                self._idle.ended(context)

        behaviour.experimental_thread_pool = self._pool  # type: ignore[attr-defined]
        handler = grpc.stream_stream_rpc_method_handler(
            behaviour,
            reflection_pb2.ServerReflectionRequest.FromString,
            reflection_pb2.ServerReflectionResponse.SerializeToString,
        )
        path = f"/{reflection.SERVICE_NAME}/ServerReflectionInfo"
        admission.admit(path, handler, self._pool, _STREAMS)

    def end_streams(self) -> None:
        """End what would else last as long as its caller, and a drain with it."""
        self._idle.cut_all()

    def stop(self) -> None:
        """Free the threads."""
        self._idle.stop()
        self._pool.shutdown(wait=False)
