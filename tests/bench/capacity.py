"""What an operator sizes pods by: processor time a thousand games, and memory.

Not against a roof: these are figures for docs/operations.md, from the machine that ran them.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc
from judge import generated
from measure import LOAD_CPU, Figure, in_turns, pin
from phom.v1 import referee_pb2
from phom_referee.servicer import SERVICE

from service import (
    CALLS,
    IDENTITY,
    Server,
    batched,
    calls_per_second,
    games_per_second,
    running,
    served,
)

LOGS, GAMES = 256, 150_000
CALLERS, STREAMS, MESSAGES = 64, 16, 40


def _millis(server: Server, number: int, load: Callable[[], float]) -> float:
    """Processor time of the server, in ms a thousand of what the load has `number` of."""
    began = server.cpu_seconds()
    load()
    return (server.cpu_seconds() - began) / number * 1e6


def _bodies(folder: Path) -> dict[str, Path]:
    """A request of each method that games are played and judged by, in gRPC's frame."""
    log = next(log for log in generated() if 33 <= len(log.events) <= 37)
    half = deepcopy(log)
    del half.events[len(log.events) // 2 :]
    half.ClearField("claimed_result")
    requests = {
        "Replay": referee_pb2.ReplayRequest(log=log),
        "CheckAction": referee_pb2.CheckActionRequest(
            log=half, action={"seat": log.events[len(half.events)].seat, "draw": {}}
        ),
        "ListLegalActions": referee_pb2.ListLegalActionsRequest(log=half),
    }
    bodies = {}
    for method, request in requests.items():
        bodies[method] = folder / method
        frame = struct.pack(">BI", 0, request.ByteSize())
        bodies[method].write_bytes(frame + request.SerializeToString())
    return bodies


def _cost(rounds: int) -> list[Figure]:
    message = batched(generated(), LOGS)
    with ExitStack() as stack:
        logged = stack.enter_context(running(served()))
        sampled = stack.enter_context(running(served("--log-sample", "0.01")))
        bodies = _bodies(Path(stack.enter_context(TemporaryDirectory())))
        contenders = {
            f"{method}, a log line for one call of a hundred": partial(
                _millis, sampled, CALLS, partial(calls_per_second, sampled, body, method)
            )
            for method, body in bodies.items()
        }
        contenders["Replay, a log line each"] = partial(
            _millis, logged, CALLS, partial(calls_per_second, logged, bodies["Replay"])
        )
        contenders[f"ReplayMany, {LOGS} games a message"] = partial(
            _millis, sampled, GAMES, partial(games_per_second, sampled, message, LOGS, GAMES)
        )
        values = in_turns(contenders, rounds)
    return [Figure(name, "ms of CPU a thousand", value) for name, value in values.items()]


def _memory() -> list[Figure]:
    """The greatest resident set, before any call and with all streams and many callers."""
    logs = generated()
    request = referee_pb2.ReplayRequest(log=logs[0]).SerializeToString()
    message = batched(logs, LOGS)
    with running(served("--log-sample", "0.01")) as server:
        idle = server.mebibytes()
        address = f"127.0.0.1:{server.port}"
        options = [("grpc.use_local_subchannel_pool", 1)]

        def unary() -> None:
            with grpc.insecure_channel(address, options) as channel:
                call = channel.unary_unary(f"/{SERVICE}/Replay", **IDENTITY)
                for _ in range(MESSAGES):
                    call(request)

        def stream() -> None:
            with grpc.insecure_channel(address, options) as channel:
                answers = channel.stream_stream(f"/{SERVICE}/ReplayMany", **IDENTITY)
                for _ in answers(message for _ in range(MESSAGES)):
                    pass

        threads = [threading.Thread(target=unary) for _ in range(CALLERS)]
        threads += [threading.Thread(target=stream) for _ in range(STREAMS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        most = server.most_mebibytes()
    return [
        Figure("memory before the first call", "MiB", [idle]),
        Figure(f"most memory with {STREAMS} streams and {CALLERS} callers", "MiB", [most]),
    ]


def figures(rounds: int) -> list[Figure]:
    """Processor time and memory."""
    pin(LOAD_CPU)
    return [*_cost(rounds), *_memory()]
