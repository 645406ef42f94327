"""Which branches of the rules a finished game went through, told from its verdict alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from phom.v1 import events_pb2, verdict_pb2

EVERY_BRANCH = {
    "eat",
    "row shift",
    "ne ha",
    "further turn",
    "could be reopened",
    "reopened",
    "extra round",
    "u plain",
    "u tron",
    "u khan",
    "den three eaten",
    "den last round eater",
    "den ate this turn",
    "chot",
    "lay off on another",
    "lay off on own",
    "lay off before lay down",
    "mom",
    "all mom",
    "tie",
    "left in turn",
    "left out of turn",
    "time out",
    "announce",
    "dry stock",
}


def branches(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> Counter[str]:
    """Count the branches of one game; `verdict` is a finished one, with its trace."""
    return Counter([*_of_events(log, verdict), *_of_trace(log, verdict), *_of_result(verdict)])


def _of_events(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> Iterator[str]:
    turn: int = log.first_seat
    laid_in_turn = False
    for event, step in zip(log.events, verdict.trace, strict=True):
        kind = event.WhichOneof("kind")
        if kind in ("draw", "eat"):
            laid_in_turn = False
        if kind == "eat":
            yield "eat"
        elif kind == "lay_down":
            laid_in_turn = True
        elif kind == "lay_off":
            own = event.lay_off.to_seat == event.seat
            yield "lay off on own" if own else "lay off on another"
            if not own and not laid_in_turn:
                yield "lay off before lay down"
        elif kind == "leave":
            yield "left in turn" if event.seat == turn else "left out of turn"
        elif kind == "time_out":
            yield "time out"
        elif kind == "announce_card":
            yield "announce"
        turn = step.turn_seat if step.HasField("turn_seat") else -1


def _of_trace(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> Iterator[str]:
    gone: set[int] = set()
    ended = False
    for event, step in zip(log.events, verdict.trace, strict=True):
        kind = event.WhichOneof("kind")
        if step.row_shifted:
            yield "row shift"
        if step.HasField("spared_seat"):
            yield "ne ha"
        if step.HasField("further_turn_seat"):
            yield "further turn"
        if ended and kind == "eat":
            yield "reopened"
        if kind == "leave":
            gone.add(event.seat)
        counts = [d for seat, d in enumerate(step.discard_counts) if seat not in gone]
        ended = kind == "discard" and min(counts) >= step.target
    for before, after in zip(verdict.trace, verdict.trace[1:], strict=False):
        if after.target > before.target:
            yield "extra round"
    if not verdict.result.HasField("u") and not ended and verdict.state.stock_left == 0:
        yield "dry stock"
    if verdict.state.can_be_reopened:
        yield "could be reopened"


def _of_result(verdict: verdict_pb2.Verdict) -> Iterator[str]:
    result = verdict.result
    if result.HasField("u"):
        yield verdict_pb2.UKind.Name(result.u.kind).removeprefix("U_KIND_").lower().join(["u ", ""])
        if result.u.HasField("den_seat"):
            reason = verdict_pb2.DenReason.Name(result.u.den_reason)
            yield reason.removeprefix("DEN_REASON_").lower().replace("_", " ").join(["den ", ""])
    else:
        ranked = [(seat.mom, seat.points) for seat in result.seats if not seat.left]
        if len(set(ranked)) < len(ranked):
            yield "tie"
    if any(payment.reason == verdict_pb2.PAYMENT_REASON_CHOT for payment in result.payments):
        yield "chot"
    if any(seat.mom for seat in result.seats):
        yield "mom"
    if all(seat.mom for seat in result.seats):
        yield "all mom"
