"""Four times as many callers as are admitted: what gets through, how fast, and how health fares."""

from __future__ import annotations

import statistics
import threading
import time
from dataclasses import dataclass, field

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from judge import generated, with_timeouts
from measure import LOAD_CPU, Figure, pin
from phom.v1 import referee_pb2, verdict_pb2
from phom_referee.servicer import SERVICE

from service import IDENTITY, running, served

LIMIT = 16
SECONDS = 3.0
TIMEOUTS = 800  # a game that takes the server longer than the caller


@dataclass
class Seen:
    """What the callers have seen, in seconds."""

    accepted: list[float] = field(default_factory=list)
    refused: int = 0
    health: list[float] = field(default_factory=list)


def _call_on(port: int, request: bytes, until: float, seen: Seen) -> None:
    """One caller, which waits as long as it is told to."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        replay = channel.unary_unary(f"/{SERVICE}/Replay", **IDENTITY)
        while (began := time.monotonic()) < until:
            try:
                replay(request)
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                    raise
                seen.refused += 1
                detail = error_details_pb2.RetryInfo()
                rpc_status.from_call(error).details[0].Unpack(detail)  # type: ignore[arg-type]
                time.sleep(detail.retry_delay.ToMilliseconds() / 1000)
            else:
                seen.accepted.append(time.monotonic() - began)


def _ask_health(port: int, until: float, seen: Seen) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        while (began := time.monotonic()) < until:
            check(health_pb2.HealthCheckRequest(service=SERVICE))
            seen.health.append(time.monotonic() - began)
            time.sleep(0.05)


def _under(callers: int, port: int, request: bytes) -> Seen:
    seen = Seen()
    until = time.monotonic() + SECONDS
    threads = [
        threading.Thread(target=_call_on, args=(port, request, until, seen)) for _ in range(callers)
    ]
    threads.append(threading.Thread(target=_ask_health, args=(port, until, seen)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


def _p99(seconds: list[float]) -> float:
    return 1000 * statistics.quantiles(seconds, n=100)[98]


def figures(rounds: int) -> list[Figure]:
    """Goodput, p99 of accepted calls, and health, at the limit and at four times as many callers."""
    pin(LOAD_CPU)
    log = referee_pb2.ReplayRequest.FromString(with_timeouts(generated()[0], TIMEOUTS)).log
    request = referee_pb2.ReplayRequest(
        log=log, detail=verdict_pb2.DETAIL_TRACE
    ).SerializeToString()
    few, many = [], []
    flags = ("--log-rpcs", "false", "--max-concurrent-rpcs", str(LIMIT))
    with running(served(*flags)) as server:
        _under(LIMIT, server.port, request)
        for _ in range(rounds):
            few.append(_under(LIMIT, server.port, request))
            many.append(_under(4 * LIMIT, server.port, request))
    if not all(seen.refused for seen in many):
        raise SystemExit("the callers were never too many")
    at_limit = f"{LIMIT} callers, as many as are admitted"
    name = f"{4 * LIMIT} callers, {LIMIT} admitted"
    return [
        Figure(
            f"{name}: answered",
            "calls/s",
            [len(seen.accepted) / SECONDS for seen in many],
            at_limit,
            [len(seen.accepted) / SECONDS for seen in few],
            "≥ 0.9",
        ),
        Figure(
            f"{name}: p99 of accepted calls",
            "ms",
            [_p99(seen.accepted) for seen in many],
            at_limit,
            [_p99(seen.accepted) for seen in few],
            "≥ 0.33",
            "lower",
        ),
        Figure(
            f"{name}: slowest answer of health",
            "ms",
            [1000 * max(seen.health) for seen in many],
            goal="< 100",
        ),
        Figure(f"{name}: refused", "calls/s", [seen.refused / SECONDS for seen in many]),
    ]
