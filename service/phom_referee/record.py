"""What is kept of every RPC: metrics and a line in the log, brought up to date a moment later.

A call only appends to queues, for the time it would take to count and to write is the time of the
next call. A thread does both for all calls of a fifth of a second.
"""

from __future__ import annotations

import logging
import random
import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from time import perf_counter, time_ns
from typing import TypeVar

import grpc
from phom_core import Counts
from structlog.typing import FilteringBoundLogger

from phom_referee.metrics import MethodMetrics, Metrics, verdict_counts
from phom_referee.tracing import Spans

_log = logging.getLogger(__name__)

_FLUSH_SECONDS = 0.2
# What a caller sends goes into the log only in these forms.
_REQUEST_ID = re.compile(r"[!-~]{1,128}")
_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")  # W3C

T = TypeVar("T")


class Call:
    """One RPC from its start to its end."""

    __slots__ = (
        *("began", "code", "counts", "ended_nanos", "method", "seconds", "traceparent", "who"),
    )

    def __init__(self, method: MethodMetrics) -> None:
        self.method = method
        self.code = grpc.StatusCode.OK
        self.counts = Counts()  # of all its messages
        self.seconds = 0.0
        self.who: dict[str, str] | None = None  # of a call that goes into the log
        self.traceparent = ""  # of one that is traced
        self.ended_nanos = 0
        self.began = perf_counter()


class Recorder:
    """Takes from the calls what has happened, and brings metrics and log up to date.

    `log_rpcs`: whether calls are logged; `log_sample`: what share of those that were OK.
    `gauges` is called whenever metrics are brought up to date; `spans` traces all calls.
    """

    def __init__(
        self,
        metrics: Metrics,
        log: FilteringBoundLogger,
        gauges: Callable[[], None],
        spans: Spans | None,
        *,
        log_rpcs: bool,
        log_sample: float,
    ) -> None:
        self._spans = spans
        self._metrics = metrics
        self._log = log
        self._gauges = gauges
        self._log_rpcs = log_rpcs
        self._log_sample = log_sample
        self._started: deque[MethodMetrics] = deque()
        self._messages: deque[tuple[MethodMetrics, Counts, bool]] = deque()
        self._ended: deque[Call] = deque()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def start(self, method: MethodMetrics) -> Call:
        """A call begins."""
        self._started.append(method)
        return Call(method)

    def message(self, call: Call, counts: Counts, *, answered: bool) -> None:
        """A message of a stream is dealt with; the one of a unary call goes with its end."""
        call.counts.add(counts)
        self._messages.append((call.method, counts, answered))

    def end(self, call: Call, context: grpc.ServicerContext) -> None:
        """The call is over, with the code that it holds."""
        call.seconds = perf_counter() - call.began
        if self._log_rpcs and (call.code is not grpc.StatusCode.OK or self._is_sampled()):
            call.who = _caller(context)
        if self._spans is not None:
            call.traceparent = _traceparent(context)
            call.ended_nanos = time_ns()
        self._ended.append(call)

    def stop(self) -> None:
        """Record what is left, and no more."""
        self._stopped.set()
        self._thread.join()
        if self._spans is not None:
            self._spans.stop()

    def _is_sampled(self) -> bool:
        return self._log_sample == 1.0 or random.random() < self._log_sample

    def _run(self) -> None:
        stopped = False
        while not stopped:
            stopped = self._stopped.wait(_FLUSH_SECONDS)
            try:
                self._flush()
            except Exception:  # noqa: BLE001 - nobody else would empty the queues
                _log.exception("calls were not recorded")

    def _flush(self) -> None:
        self._gauges()
        for method, number in Counter(_taken(self._started)).items():
            method.started(number)
        judged = Counts()
        for method, counts, answered in _taken(self._messages):
            judged.add(counts)
            method.received()
            method.sent(answered)
            self._metrics.batch(counts.logs)
        ended: Counter[tuple[MethodMetrics, grpc.StatusCode]] = Counter()
        for call in _taken(self._ended):
            ended[call.method, call.code] += 1
            call.method.took(call.seconds, _exemplar(call))
            if not call.method.is_stream:
                judged.add(call.counts)
            if call.who is not None:
                self._write(call, call.who)
            if self._spans is not None:
                self._spans.add(call)
        for (method, code), number in ended.items():
            method.handled[code](number)
            if not method.is_stream:
                method.received(number)
                method.sent(number if code is grpc.StatusCode.OK else 0)
        self._metrics.judged(judged)

    def _write(self, call: Call, who: dict[str, str]) -> None:
        self._log.info(
            "rpc",
            method=call.method.name,
            code=call.code.name,
            seconds=round(call.seconds, 6),
            **who,
            **verdict_counts(call.counts),
        )


def _taken(queue: deque[T]) -> Iterator[T]:
    """All that is in a queue to which others go on appending."""
    for _ in range(len(queue)):
        yield queue.popleft()


def _caller(context: grpc.ServicerContext) -> dict[str, str]:
    """Who called: peer, and what the caller says of the request, where it has the right form."""
    who = {"peer": context.peer()}
    for key, value in context.invocation_metadata():
        if key == "x-request-id" and isinstance(value, str) and _REQUEST_ID.fullmatch(value):
            who["request_id"] = value
        elif key == "traceparent" and (found := _TRACEPARENT.fullmatch(str(value))):
            who["trace_id"] = found[1]
    return who


def _traceparent(context: grpc.ServicerContext) -> str:
    for key, value in context.invocation_metadata():
        if key == "traceparent":
            return str(value)
    return ""


def _exemplar(call: Call) -> dict[str, str] | None:
    """The trace that a duration is an example of, as OpenMetrics has it (with one worker)."""
    trace_id = call.who.get("trace_id") if call.who else None
    return {"trace_id": trace_id} if trace_id else None
