"""Actions in the one form in which law 2 compares them, and the finite set of all there could be.

The canonical form of an action is the bytes of an Action without a time, an eat without its card, an
Ù without its arrangement, the phỏm of a lay-down and the cards in them in ascending codes. The
candidates are all canonical actions but leave and time_out, which the law leaves apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from oracle.arrange import Packing, packings
from oracle.cards import DECK
from phom.v1 import actions_pb2, cards_pb2, events_pb2, verdict_pb2
from rawbytes import delimited, number

Action = actions_pb2.Action

# In the order in which ListLegalActions names them.
KINDS = ("eat", "draw", "discard", "lay_down", "lay_off", "declare_u", "announce_card")
_FIELD = {
    kind: Action.DESCRIPTOR.fields_by_name[kind].number for kind in Action.DESCRIPTOR.fields_by_name
}
_SEAT = _FIELD["seat"]
_CARD = events_pb2.Discard.DESCRIPTOR.fields_by_name["card"].number
_KHAN = events_pb2.DeclareU.DESCRIPTOR.fields_by_name["khan"].number
_PHOMS = events_pb2.LayDown.DESCRIPTOR.fields_by_name["phoms"].number
_CARDS = cards_pb2.Phom.DESCRIPTOR.fields_by_name["cards"].number


def canonical(action: actions_pb2.Action) -> bytes:
    """The canonical form of an action."""
    return _canonical(action.SerializeToString())


@lru_cache(maxsize=1 << 16)
def _canonical(action: bytes) -> bytes:
    given = Action.FromString(action)
    kind = given.WhichOneof("kind")
    plain = Action(seat=given.seat)
    if kind == "eat":
        plain.eat.SetInParent()
    elif kind == "declare_u":
        plain.declare_u.SetInParent()
        if given.declare_u.khan:
            plain.declare_u.khan = True
    elif kind == "lay_down":
        return lay_down(given.seat, tuple(frozenset(phom.cards) for phom in given.lay_down.phoms))
    else:
        getattr(plain, str(kind)).CopyFrom(getattr(given, str(kind)))
    return plain.SerializeToString()


@lru_cache(maxsize=1 << 10)
def bare(seat: int, kind: str) -> bytes:
    """An action that says no more than its kind; an empty lay-down is one."""
    return number(_SEAT, seat) + delimited(_FIELD[kind], b"")


@lru_cache(maxsize=1 << 10)
def khan(seat: int) -> bytes:
    """An Ù khan."""
    return number(_SEAT, seat) + delimited(_FIELD["declare_u"], number(_KHAN, 1))


@lru_cache(maxsize=1 << 12)
def with_card(seat: int, kind: str, card: int) -> bytes:
    """A discard or an announcement; as an event also a draw or an eat."""
    return number(_SEAT, seat) + delimited(_FIELD[kind], number(_CARD, card))


@lru_cache(maxsize=1 << 15)
def lay_off(seat: int, card: int, to_seat: int, phom_index: int) -> bytes:
    """A lay-off."""
    body = events_pb2.LayOff(card=card, to_seat=to_seat, phom_index=phom_index)
    return Action(seat=seat, lay_off=body).SerializeToString()


@lru_cache(maxsize=1 << 15)
def lay_down(seat: int, phoms: Packing) -> bytes:
    """A lay-down of these phỏm."""
    listed = sorted(bytes(sorted(phom)) for phom in phoms)
    body = b"".join(delimited(_PHOMS, delimited(_CARDS, cards)) for cards in listed)
    return number(_SEAT, seat) + delimited(_FIELD["lay_down"], body)


def likely(state: verdict_pb2.TableState, seat: int) -> Iterator[bytes]:
    """What `seat` could do with the cards that it holds: a few dozen candidates."""
    hand = state.seats[seat].cards
    yield bare(seat, "eat")
    yield bare(seat, "draw")
    yield bare(seat, "declare_u")
    yield khan(seat)
    yield from _with_each(hand, seat)
    yield from _lay_offs(state, seat, hand)
    for packing in packings(frozenset(hand), frozenset()):
        yield lay_down(seat, packing)


def unlikely(state: verdict_pb2.TableState, seat: int) -> Iterator[bytes]:
    """The rest: with cards that `seat` does not hold, onto phỏm that nobody laid, of other seats."""
    hand = state.seats[seat].cards
    others = DECK.difference(hand)
    yield from _with_each(others, seat)
    yield from _lay_offs(state, seat, others)
    for to_seat in state.seats:
        for card in hand:
            yield lay_off(seat, card, to_seat.seat, len(to_seat.laid))
    for other in state.seats:
        if other.seat != seat:
            yield from (bare(other.seat, kind) for kind in ("eat", "draw", "lay_down", "declare_u"))
            yield khan(other.seat)
            yield from (with_card(other.seat, "discard", card) for card in DECK)


def _with_each(cards: Collection[int], seat: int) -> Iterator[bytes]:
    for card in cards:
        yield with_card(seat, "discard", card)
        yield with_card(seat, "announce_card", card)


def _lay_offs(state: verdict_pb2.TableState, seat: int, cards: Collection[int]) -> Iterator[bytes]:
    places = [(to.seat, index) for to in state.seats for index in range(len(to.laid))]
    for to_seat, index in places:
        for card in cards:
            yield lay_off(seat, card, to_seat, index)


def in_order(actions: Sequence[actions_pb2.Action]) -> bool:
    """Whether the kinds stand in the contract's order."""
    places = [KINDS.index(str(action.WhichOneof("kind"))) for action in actions]
    return places == sorted(places)
