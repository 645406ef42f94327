"""The roof of every figure of the service: a gRPC server of the same kind that does nothing.

    python tests/bench/echo.py RESPONSE_BYTES [--walk]

A sync server with a thread pool; its methods are named as the referee's, take bytes and give
RESPONSE_BYTES of them, whatever they are asked. With --walk it does what a Python referee could not
do without: it parses each request with protobuf, looks at every event once, and serializes a
response of as many verdicts. Prints its port.
"""

import argparse
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
from phom.v1 import referee_pb2, verdict_pb2

SERVICE = "phom.v1.RefereeService"
THREADS = 8


def walk(request: bytes) -> bytes:
    """The least that a referee in Python does: every event of every log is looked at once."""
    response = referee_pb2.ReplayManyResponse()
    for log in referee_pb2.ReplayManyRequest.FromString(request).logs:
        seen = 0
        for event in log.events:
            kind = event.WhichOneof("kind")
            if kind in ("draw", "eat", "discard"):
                seen += getattr(event, kind).card + event.seat
        outcome = response.outcomes.add()
        outcome.verdict.game_id = log.game_id
        outcome.verdict.status = verdict_pb2.STATUS_FINISHED
        for seat in range(len(log.hands)):
            outcome.verdict.result.seats.add(seat=seat, place=1, points=seen % 100, net=seen)
    return response.SerializeToString()


def bind(server: grpc.Server, answer: Callable[[bytes], bytes]) -> None:
    """Replay and ReplayMany, bytes to bytes."""

    def unary(request: bytes, _: grpc.ServicerContext) -> bytes:
        return answer(request)

    def stream(requests: Iterator[bytes], _: grpc.ServicerContext) -> Iterator[bytes]:
        for request in requests:
            yield answer(request)

    handlers = {
        "Replay": grpc.unary_unary_rpc_method_handler(unary),
        "ReplayMany": grpc.stream_stream_rpc_method_handler(stream),
    }
    server.add_registered_method_handlers(SERVICE, handlers)


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("response_bytes", type=int)
    parser.add_argument("--walk", action="store_true")
    arguments = parser.parse_args()
    response = bytes(arguments.response_bytes)
    server = grpc.server(
        ThreadPoolExecutor(THREADS), options=[("grpc.max_receive_message_length", 64 << 20)]
    )
    bind(server, walk if arguments.walk else lambda _: response)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
