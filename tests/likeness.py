"""Verdicts changed as laws A to E say that they change, or freed of what those laws leave open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message
from oracle.rules import Rules
from phom.v1 import verdict_pb2

Verdict = verdict_pb2.Verdict
M = TypeVar("M", bound=Message)

RANKS = 13
_AT_THE_END = 1 << 20


def copied(message: M) -> M:
    """A message of its own."""
    other = type(message)()
    other.CopyFrom(message)
    return other


def changed(one: Message, other: Message) -> Iterator[str]:
    """The names of the fields in which two messages differ."""
    for field in one.DESCRIPTOR.fields:
        if getattr(one, field.name) != getattr(other, field.name):
            yield field.name


def _refill(repeated: Any, messages: Sequence[Message]) -> None:
    kept = [copied(message) for message in messages]
    del repeated[:]
    repeated.extend(kept)


def _payments(verdict: Verdict) -> list[Any]:
    """The lists of payments that a verdict has."""
    return [verdict.result.payments, *(entry.payments for entry in verdict.trace)]


def _when_and_from(payment: verdict_pb2.Payment) -> tuple[int, int]:
    at = payment.event_index if payment.HasField("event_index") else _AT_THE_END
    return at, payment.from_seat


# ---- A ----


def turned_verdict(verdict: Verdict, by: int, seats: int) -> Verdict:
    """With every seat s made seat s + by."""
    other = copied(verdict)
    for message in _messages(other):
        for name in _SEATS:
            field = message.DESCRIPTOR.fields_by_name.get(name)
            if field and (not field.has_presence or message.HasField(name)):
                setattr(message, name, (getattr(message, name) + by) % seats)
    lists = [other.result.seats] if other.HasField("result") else []
    for listed in [*lists, other.state.seats, *(entry.discard_counts for entry in other.trace)]:
        kept = [copied(seat) if isinstance(seat, Message) else seat for seat in listed]
        del listed[:]
        listed.extend(kept[(seat - by) % seats] for seat in range(len(kept)))
    for difference in other.claim_differences:
        for name in ("claimed", "computed") if difference.field in _SEATS else ():
            if getattr(difference, name):
                setattr(difference, name, str((int(getattr(difference, name)) + by) % seats))
    return other


# The fields that name a seat, wherever they stand; two of them also name what was claimed.
_SEATS = ("seat", "turn_seat", "leader_seat", "spared_seat", "further_turn_seat")
_SEATS += ("from_seat", "to_seat", "u_seat", "den_seat")


def _messages(message: Message) -> Iterator[Message]:
    """A message and all that lie in it."""
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in value if field.is_repeated else [value]:
                yield from _messages(part)


def without_order(verdict: Verdict) -> Verdict:
    """With payments and claims in one order, and without wording, which names seats."""
    other = copied(verdict)
    if other.HasField("violation"):
        other.violation.ClearField("message")
    for entry in other.trace:
        entry.payments.sort(key=_when_and_from)
    if other.HasField("result"):
        other.result.payments.sort(key=_when_and_from)
    other.claim_differences.sort(key=lambda d: d.seat if d.HasField("seat") else -1)
    return other


def seats_told_apart(verdict: Verdict, rules: Rules) -> Iterator[list[int]]:
    """The groups of seats that only "then by seat" (7.2) sets in an order."""
    result, state = verdict.result, verdict.state
    still_in = [seat.seat for seat in result.seats if not seat.left]
    placed = any(seat.place for seat in result.seats)
    if not placed or result.HasField("u") or len(still_in) < 2:
        return
    first_mom = rules.all_mom == "FIRST_MOM" and all(result.seats[seat].mom for seat in still_in)
    by_lay_down = first_mom or rules.tie_break == "FIRST_LAID"
    groups: dict[Any, list[int]] = {}
    for number in still_in:
        seat = state.seats[number]
        timeless = not (seat.lay_down_order if by_lay_down else seat.discards)
        if timeless:
            own = result.seats[number]
            groups.setdefault(None if first_mom else (own.mom, own.points), []).append(number)
    yield from (group for group in groups.values() if len(group) > 1)


def without_places(verdict: Verdict) -> Verdict:
    """Without the order of the seats, what it costs, and whether it is as claimed."""
    other = copied(verdict)
    for seat in other.result.seats:
        seat.place = seat.net = seat.rake = 0
    other.result.rake_total = 0
    for payments in _payments(other):
        _refill(payments, [p for p in payments if p.HasField("event_index")])
    other.status = verdict_pb2.STATUS_FINISHED
    del other.claim_differences[:]
    return other


# ---- B ----


def permuted_verdict(verdict: Verdict, suits: Sequence[int]) -> Verdict:
    """With the state's cards in other suits, in one order, and without arrangements and wording."""
    other = without_arrangements(verdict)
    if other.HasField("violation"):
        other.violation.ClearField("message")
    if not other.HasField("state"):
        return other

    def move(card: int) -> int:
        return suits[(card - 1) // RANKS] * RANKS + (card - 1) % RANKS + 1 if card else 0

    state = other.state
    state.last_discard, state.announced_card = move(state.last_discard), move(state.announced_card)
    for seat in state.seats:
        for cards in (seat.eaten, seat.discards, seat.row):
            cards[:] = map(move, cards)
        for cards in (seat.cards, seat.laid_off, *(phom.cards for phom in seat.laid)):
            cards[:] = sorted(map(move, cards))
    return other


def without_arrangements(verdict: Verdict) -> Verdict:
    """Without the cards of the result, of which equal arrangements may have others."""
    other = copied(verdict)
    if other.HasField("result"):
        for seat in other.result.seats:
            del seat.loose[:], seat.phoms[:]
        if other.result.HasField("u"):
            del other.result.u.phoms[:]
    return other


# ---- C and E ----


def without_rake(verdict: Verdict) -> Verdict:
    """With nets as they are before the rake."""
    other = copied(verdict)
    for seat in other.result.seats:
        seat.net, seat.rake = seat.net + seat.rake, 0
    if other.HasField("result"):
        other.result.rake_total = 0
    return other


def multiplied(verdict: Verdict, by: int) -> Verdict:
    """With all amounts and nets multiplied."""
    other = copied(verdict)
    for seat in other.result.seats:
        seat.net *= by
    for payments in _payments(other):
        for payment in payments:
            payment.amount *= by
    return other


def without_price_of_u(verdict: Verdict) -> Verdict:
    """Without the kind of an Ù, and what it costs."""
    other = copied(verdict)
    other.result.u.kind = verdict_pb2.U_KIND_UNSPECIFIED
    other.result.rake_total = 0
    for seat in other.result.seats:
        seat.net = seat.rake = 0
    for payments in _payments(other):
        _refill(payments, [p for p in payments if p.HasField("event_index")])
    return other
