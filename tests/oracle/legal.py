"""Everything the seat to move may do, found by asking the referee about every conceivable event."""

from collections.abc import Iterator, Mapping
from typing import Any

from .arrange import packings
from .cards import DECK, card_name
from .checks import check
from .events import Event, card_of, kind_of, read_event
from .referee import replay
from .table import Table

Json = dict[str, Any]


def legal_actions(log: Mapping[str, Any]) -> list[Json]:
    """What may follow this log, in canonical form; of a finished game only the eat that reopens it."""
    table, violation, _ = replay(log)
    if violation is not None:
        raise ValueError(f"the log is illegal itself: {violation}")
    return legal_at(table)


def legal_at(table: Table) -> list[Json]:
    """What the seat to move may do at this table, in canonical form."""
    return [canonical(message) for message in candidates(table) if is_legal(table, message)]


def is_legal(table: Table, message: Json) -> bool:
    """Whether the referee lets this event happen now."""
    return check(table, as_event(table, message)) is None


def as_event(table: Table, message: Json) -> Event:
    """The event at the end of the log, wherever that is: only its order matters."""
    return read_event(10**6, message)


def candidates(table: Table) -> Iterator[Json]:
    """Every event of the seat to move that could be legal at some table, one for each thing it may do.

    Left out: leaving and timing out, and the arrangements of an Ù (one without stands for all).
    """
    seat = table.turn.seat
    yield {"seat": seat, "draw": {"card": card_name(_drawn(table))}}
    yield {"seat": seat, "eat": {}}
    for card in sorted(DECK):
        yield {"seat": seat, "discard": {"card": card_name(card)}}
        yield {"seat": seat, "announceCard": {"card": card_name(card)}}
    yield from lay_downs(table)
    yield from lay_offs(table)
    yield {"seat": seat, "declareU": {}}
    yield {"seat": seat, "declareU": {"khan": True}}


def _drawn(table: Table) -> int:
    """The card that a draw would bring: the next of a known stock, any unseen one otherwise."""
    if table.stock_left == 0:
        return 1  # refused whatever it is
    return table.next_in_stock() or table.unseen()[0]


def lay_downs(table: Table) -> Iterator[Json]:
    """Every arrangement of disjoint phỏm of the hand, from none to all."""
    for packing in packings(frozenset(table.mover.hand), frozenset()):
        phoms = [{"cards": [card_name(card) for card in sorted(phom)]} for phom in packing]
        yield {"seat": table.turn.seat, "layDown": {"phoms": phoms} if phoms else {}}


def lay_offs(table: Table) -> Iterator[Json]:
    """Every card of the hand onto every phỏm on the table."""
    for card in sorted(table.mover.hand):
        for to_seat, seat in enumerate(table.seats):
            for phom_index in range(len(seat.laid)):
                body = {"card": card_name(card), "toSeat": to_seat, "phomIndex": phom_index}
                yield {"seat": table.turn.seat, "layOff": body}


def canonical(message: Mapping[str, Any]) -> Json:
    """An event as the laws compare it: no time, no card drawn or eaten, no Ù's arrangement, phỏm sorted."""
    name = kind_of(message)
    if name is None:
        raise ValueError(f"an event without a kind: {message}")
    body: Json = dict(message[name])
    if name in ("draw", "eat"):
        body = {}
    if name == "declareU":
        body = {"khan": True} if body.get("khan") else {}
    if name == "layDown" and body.get("phoms"):
        body = {"phoms": [{"cards": cards} for cards in sorted_phoms(body["phoms"])]}
    return {"seat": int(message["seat"]), name: body}


def sorted_phoms(phoms: list[Json]) -> list[list[str]]:
    """A list of phỏm with the cards of each, and the phỏm, in ascending card codes."""
    coded = sorted(sorted(map(card_of, phom.get("cards") or [])) for phom in phoms)
    return [[card_name(card) for card in phom] for phom in coded]
