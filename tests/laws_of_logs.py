"""Laws 3 to 7 and 9, as functions that yield what breaks them at a state or in a log; nothing, if they hold.

3. A log that is judged legal, cut after any event, is legal: IN_PROGRESS, or FINISHED where only an
   eat could go on.
4. Nets + rake = 0, always; each payment appears once with its event and rule.
5. Same request, same bytes.
6. `convert` round-trips: notation → JSON → binary → notation.
7. Permuting suits changes no points, no Ù, no result. Adding an eaten mark never lowers the best points.
9. No dead ends: every state in progress has a legal action besides leaving and timing out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import canonical
from findings import Broken, Findings
from google.protobuf import json_format
from phom.v1 import actions_pb2, events_pb2, referee_pb2, verdict_pb2
from phom_core import NotALog, analyze_hand
from phom_referee import notation, rules
from positions import Position, position

# ---- 3: a legal log, cut anywhere, is legal ----


def law_3(at: Position) -> Findings:
    """IN_PROGRESS, or FINISHED where only an eat could go on; `following` is the log's next event."""
    status, state = at.verdict.status, at.state
    kinds = {action.WhichOneof("kind") for action in at.options.actions}
    if status == verdict_pb2.STATUS_FINISHED:
        if state.can_be_reopened == at.over or (kinds == {"eat"}) != state.can_be_reopened:
            yield Broken(f"finished, and these could follow: {sorted(map(str, kinds))}")
        if at.following is not None and not (
            state.can_be_reopened and at.following.WhichOneof("kind") == "eat"
        ):
            yield Broken("finished before an event that is no eat")
    elif status == verdict_pb2.STATUS_IN_PROGRESS:
        if at.over or state.can_be_reopened:
            yield Broken("in progress, and over")
    else:
        yield Broken(f"cut after event {at.length - 1}: {verdict_pb2.Status.Name(status)}")


def same_trace(at: Position, whole: verdict_pb2.Verdict) -> Findings:
    """The cut log's last event did what it does in the whole log; closing payments come and go."""
    if at.length:
        cut, entire = at.verdict.trace[-1], whole.trace[at.length - 1]
        if _without_closing(cut) != _without_closing(entire):
            yield Broken("the trace of its last event is another in the whole log")


def _without_closing(trace: verdict_pb2.EventTrace) -> verdict_pb2.EventTrace:
    if all(payment.HasField("event_index") for payment in trace.payments):
        return trace
    other = verdict_pb2.EventTrace()
    other.CopyFrom(trace)
    del other.payments[:]
    other.payments.extend(p for p in trace.payments if p.HasField("event_index"))
    return other


# ---- 4: nets and rake are 0 together, each payment appears once ----

_EATEN = (verdict_pb2.PAYMENT_REASON_EAT, verdict_pb2.PAYMENT_REASON_CHOT)


def law_4(at: Position) -> Findings:
    """Nets are what the payments make them; each payment is in the trace once, with event and rule."""
    result, trace = at.verdict.result, at.verdict.trace
    nets = [-seat.rake for seat in result.seats]
    for payment in result.payments:
        nets[payment.from_seat] -= payment.amount
        nets[payment.to_seat] += payment.amount
        if payment.amount != payment.stakes * at.base_stake or not payment.stakes:
            yield Broken(f"a wrong amount: {payment}")
        if payment.from_seat == payment.to_seat:
            yield Broken(f"to itself: {payment}")
    if nets != [seat.net for seat in result.seats]:
        yield Broken("the nets are not those of the payments and rakes")
    if sum(nets) + result.rake_total or result.rake_total != sum(s.rake for s in result.seats):
        yield Broken("nets and rake are not 0 together")
    if [*result.payments] != [payment for entry in trace for payment in entry.payments]:
        yield Broken("the payments of the result are not those of the trace")
    for index, entry in enumerate(trace):
        if entry.event_index != index or not _is_section(entry.rule):
            yield Broken(f"the trace of event {index} has no such event or rule")
        for payment in entry.payments:
            own = payment.event_index if payment.HasField("event_index") else len(trace) - 1
            if own != index or (payment.reason in _EATEN) != payment.HasField("event_index"):
                yield Broken(f"not this event's: {payment}")


def _is_section(rule: str) -> bool:
    try:
        return bool(rules.text(rule))
    except KeyError:
        return False


# ---- 5: same request, same bytes ----


def law_5(at: Position) -> Findings:
    """Asked again, after much else was asked."""
    if at.replay(detail=verdict_pb2.DETAIL_TRACE) != at.traced:
        yield Broken("Replay gives other bytes when asked again")
    if at.core.list_legal_actions(at.request) != at.listed:
        yield Broken("ListLegalActions gives other bytes when asked again")


# ---- 6: convert loses nothing ----


def law_6(log: events_pb2.GameLog) -> Findings:
    """Notation → JSON → binary → notation."""
    text = notation.write(log)
    (read,) = notation.parse(text)
    written = json_format.Parse(json_format.MessageToJson(read), events_pb2.GameLog())
    binary = events_pb2.GameLog.FromString(written.SerializeToString())
    if notation.write(binary) != text:
        yield Broken("the notation is another after a round trip")
    if binary != log:
        yield Broken("the log is another after a round trip")


# ---- 7: suits are alike, and an eaten mark only binds ----

RANKS = 13


def permuted(log: events_pb2.GameLog, suits: Sequence[int]) -> events_pb2.GameLog:
    """A log with each card of suit i (0 to 3, in the order of the codes) made one of suit suits[i]."""
    other = events_pb2.GameLog()
    other.CopyFrom(log)
    move = _mover(suits)
    lists = [hand.cards for hand in other.hands] + [other.stock]
    for event in other.events:
        body = getattr(event, str(event.WhichOneof("kind")))
        if getattr(body, "card", 0):
            body.card = move(body.card)
        lists += [phom.cards for phom in getattr(body, "phoms", ())]
    for cards in lists:
        cards[:] = [move(card) for card in cards]
    return other


def _mover(suits: Sequence[int]) -> Callable[[int], int]:
    return lambda card: suits[(card - 1) // RANKS] * RANKS + (card - 1) % RANKS + 1


def law_7(at: Position, rng: random.Random) -> Findings:
    """Other suits: the same verdict, the same trace, the same options in the other suits."""
    suits = rng.sample(range(4), 4)
    other = position(permuted(at.log, suits), at.length, at.core)
    if other.verdict.status != at.verdict.status or other.verdict.trace != at.verdict.trace:
        yield Broken(f"another status or trace with suits {suits}")
    if _suitless(other.verdict.result) != _suitless(at.verdict.result):
        yield Broken(f"another result with suits {suits}")
    if [seat.points for seat in other.state.seats] != [seat.points for seat in at.state.seats]:
        yield Broken(f"other points with suits {suits}")
    if not at.options.truncated:
        named = {canonical.canonical(_permuted_action(a, suits)) for a in at.options.actions}
        if named != {canonical.canonical(action) for action in other.options.actions}:
            yield Broken(f"other legal actions with suits {suits}")


def _permuted_action(action: actions_pb2.Action, suits: Sequence[int]) -> actions_pb2.Action:
    event = events_pb2.Event.FromString(action.SerializeToString())
    (moved,) = permuted(events_pb2.GameLog(events=[event]), suits).events
    return actions_pb2.Action.FromString(moved.SerializeToString())


def _suitless(result: verdict_pb2.GameResult) -> verdict_pb2.GameResult:
    """A result without the cards, of which equal arrangements may have others."""
    other = verdict_pb2.GameResult()
    other.CopyFrom(result)
    for seat in other.seats:
        del seat.loose[:], seat.phoms[:]
    del other.u.phoms[:]
    if not result.HasField("u"):
        other.ClearField("u")
    return other


def marks(at: Position) -> Findings:
    """One card more marked as eaten, in each hand: no fewer points, or no hand that can be."""
    for seat in at.state.seats:
        unlaid = [card for card in seat.eaten if card in seat.cards]
        before = best_points(seat.cards, unlaid)
        if before is None:
            yield Broken(f"seat {seat.seat} holds an eaten card that has no phỏm of its own")
            continue
        for card in seat.cards:
            if card not in unlaid:
                after = best_points(seat.cards, [*unlaid, card])
                if after is not None and after < before:
                    yield Broken(f"seat {seat.seat}: fewer points with card {card} marked as eaten")


def best_points(cards: Sequence[int], eaten: Sequence[int]) -> int | None:
    """AnalyzeHand's points; None if the eaten cards cannot all have a phỏm."""
    request = referee_pb2.AnalyzeHandRequest(cards=cards, eaten=eaten)
    try:
        answer = analyze_hand(request.SerializeToString())
    except NotALog:
        return None
    return referee_pb2.AnalyzeHandResponse.FromString(answer).points


# ---- 9: no dead ends ----


def law_9(status: int, options: referee_pb2.ListLegalActionsResponse) -> Findings:
    """At a state with this status, where ListLegalActions names these: all but leaving and timing out."""
    if status == verdict_pb2.STATUS_IN_PROGRESS and not options.actions:
        yield Broken("in progress, and the seat to move can only leave or time out")
