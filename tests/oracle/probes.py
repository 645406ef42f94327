"""Faults made on purpose: at a table of a game, an event that breaks a rule which can be broken there."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from .arrange import best, holds_phom, makes_phom, packings, phoms_in
from .cards import NAMES, card_name
from .checks import check
from .events import card_of, kind_of, read_event
from .legal import as_event, candidates, is_legal, lay_offs
from .moves import make
from .referee import start
from .table import Table

Json = dict[str, Any]

# How much more often than the others a code is drawn where it is found at all.
_RARITY = {
    "STOCK_EMPTY": 400,
    "EAT_BREAKS_EATEN": 60,
    "DISCARD_EATEN_CARD": 6,
    "DISCARD_BREAKS_EATEN": 6,
    "ANNOUNCED_OTHER_CARD": 40,
    "MUST_LAY_DOWN": 8,
    "ANNOUNCE_TWICE": 30,
    "LAID_OFF_WITHOUT_PHOM": 200,
    "LAID_OFF_WITHOUT_PHOM broken": 600,
    "LAY_DOWN_TWICE": 4,
    "PHOM_TWO_EATEN": 60,
    "EATEN_NOT_IN_PHOM": 8,
    "PHOM_LEFT_IN_HAND": 6,
    "LAY_OFF_BEFORE_LAY_DOWN": 6,
    "LAY_OFF_WITHOUT_PHOM": 60,
    "LAY_OFF_EATEN_CARD": 20,
    "LAY_OFF_DOES_NOT_FIT": 6,
    "LAY_OFF_BREAKS_EATEN": 60,
    "LAY_OFF_LAST_CARD": 400,
    "LAY_OFF_NOT_ALLOWED": 6,
    "NOTHING_TO_EAT": 30,
    "NOT_U_KHAN": 4,
    "ANNOUNCED_OTHER_CARD u": 30,
    "ANNOUNCED_OTHER_CARD arranged": 20,
    "NOT_U arranged": 15,
    "NOT_U announced": 10,
    "EAT_NO_PHOM eaten": 20,
    "GAME_OVER dry": 100,
    "U_KHAN_TOO_LATE": 4,
}


def random_event(rng: Random, n: int) -> Json:
    """Any event at all that has the form of one."""
    seat, card = rng.randrange(n), rng.choice(NAMES)
    body: Json = {"card": card}
    name = rng.choice(
        (
            "draw",
            "eat",
            "discard",
            "announceCard",
            "layOff",
            "layDown",
            "declareU",
            "timeOut",
            "leave",
        )
    )
    if name == "layOff":
        body |= {"toSeat": rng.randrange(n), "phomIndex": rng.randrange(3)}
    if name in ("layDown", "declareU", "timeOut", "leave"):
        body = {}
    if name == "eat" and rng.random() < 0.5:
        body = {}
    if name == "declareU" and rng.random() < 0.4:
        body = {"khan": True}
    if name in ("layDown", "declareU") and rng.random() < 0.3 and not body:
        body = {"phoms": [{"cards": rng.sample(NAMES, 3)}]}
    return {"seat": seat, name: body}


def break_arrangement(phoms: list[list[str]], rng: Random) -> None:
    """Change a list of phỏm in place, so that some rule of an arrangement may be broken."""
    what = rng.choice(
        ("add", "drop", "other", "twice", "join", "split", "without", "order", "again", "empty")
    )
    if not phoms:
        phoms.append(rng.sample(NAMES, 3))
        return
    phom = rng.choice(phoms)
    if what == "add":
        phom.append(rng.choice(NAMES))
    elif what == "drop" and phom:
        phom.pop(rng.randrange(len(phom)))
    elif what == "other" and phom:
        phom[rng.randrange(len(phom))] = rng.choice(NAMES)
    elif what == "twice" and phom:
        rng.choice(phoms).append(rng.choice(phom))
    elif what == "join":
        phom.extend(phoms.pop())
    elif what == "split" and len(phom) > 3:
        phoms.append([phom.pop() for _ in range(len(phom) // 2)])
    elif what == "without":
        phoms.remove(phom)
    elif what == "again":
        phoms.append(list(phom))
    elif what == "empty":
        phoms.append([])
    else:
        rng.shuffle(phom)
        rng.shuffle(phoms)


@dataclass(frozen=True)
class Found:
    """A refused event, its place in the log, what has to happen there before it, and the code.

    A rarer way to come to a code goes by a name of its own.
    """

    code: str
    place: int
    detour: tuple[Json, ...]
    message: Json


def insert_fault(log: Json, rng: Random) -> None:
    """Into the log, or after its end, an event that is refused there; what follows in the log stays or goes.

    Of what is found at a few tables one code is drawn, the ones that are hard to come by first of all.
    """
    found = _find(log, rng)
    if not found:
        return
    by_code: dict[str, list[Found]] = {}
    for fault in found:
        by_code.setdefault(fault.code, []).append(fault)
    codes = sorted(by_code)
    code = rng.choices(codes, weights=[_RARITY.get(code, 1) for code in codes])[0]
    kinds = sorted({str(kind_of(fault.message)) for fault in by_code[code]})
    kind = rng.choice(kinds)
    fault = rng.choice([fault for fault in by_code[code] if kind_of(fault.message) == kind])
    rest = log["events"][fault.place :] if rng.random() < 0.5 else []
    log["events"][fault.place :] = [*fault.detour, fault.message, *rest]


def _find(log: Json, rng: Random) -> list[Found]:
    """What is refused at a few tables of the game, or a step or two aside of them."""
    tables = _tables(log)
    if not tables:
        return []
    found = [fault for place, table in enumerate(tables) for fault in _seldom(table, place)]
    # Later tables have more to break.
    places = {max(rng.randrange(len(tables)), rng.randrange(len(tables))) for _ in range(2)}
    lay_off_first = [place for place, table in enumerate(tables) if _may_lay_off_first(table)]
    if lay_off_first:
        places.add(rng.choice(lay_off_first))
    for place in sorted(places):
        aside = tables[place].clone()
        detour = tuple(_detour(aside, place, rng, "layOff" if place in lay_off_first else ""))
        tries = _tries(aside, rng)
        found += [fault for message in tries for fault in _refused(aside, place, message, detour)]
    return found


def _refused(
    table: Table, place: int, message: Json, detour: tuple[Json, ...] = (), why: str = ""
) -> Iterator[Found]:
    refused = check(table, as_event(table, message))
    if refused is not None:
        yield Found(refused.code + why, place, detour, message)


def _seldom(table: Table, place: int) -> Iterator[Found]:
    """What few tables have, so that every table is asked for it."""
    turn, seat = table.turn, table.mover
    if table.ending == "DRY":
        for number in table.still_in():  # 3.6: of the seat to move, and of another
            draw = {"seat": number, "draw": {"card": NAMES[0]}}
            yield from _refused(table, place, draw, why="" if number == turn.seat else " dry")
    if table.ending is None and not turn.taken and table.thrown is not None:
        hand, card = frozenset(seat.hand), table.thrown.card
        if makes_phom(hand, frozenset(), card) and not makes_phom(hand, seat.eaten_unlaid(), card):
            eat = {"seat": turn.seat, "eat": {}}  # 4.2: a phỏm with an eaten card only
            yield from _refused(table, place, eat, why=" eaten")
    if table.ending is None and turn.taken:
        yield from _seldom_after_take(table, place)


def _seldom_after_take(table: Table, place: int) -> Iterator[Found]:
    turn, seat = table.turn, table.mover
    eaten = seat.eaten_unlaid()
    if len(eaten) > 1:
        for phom in phoms_in(frozenset(seat.hand)):
            if len(phom & eaten) > 1:  # 1.5
                body = {"phoms": [{"cards": [card_name(card) for card in sorted(phom)]}]}
                yield from _refused(table, place, {"seat": turn.seat, "declareU": body})
    if turn.in_last_round and eaten:  # 5.6
        for message in lay_offs(table):
            yield from _refused(table, place, message)
    if turn.in_last_round and seat.laid and len(seat.hand) <= 4:
        yield from _last_card(table, place)
    if _may_lay_off_first(table):
        yield from _laid_off_without_phom(table, place)
    declare = {"seat": turn.seat, "declareU": {}}
    if turn.announced:  # 3.9, 6.2: mostly no Ù anyway
        yield from _refused(table, place, declare, why=" announced")
    elif table.rules.announced_card_binds and is_legal(table, declare):
        yield from _announced_before_u(table, place)


def _announced_before_u(table: Table, place: int) -> Iterator[Found]:
    """3.9: an Ù that does not leave over the card announced before, declared with an arrangement and without."""
    seat, hand = table.turn.seat, frozenset(table.mover.hand)
    packing = best(hand, table.mover.eaten_unlaid()) or ()
    for card in sorted(hand):
        announce = {"seat": seat, "announceCard": {"card": card_name(card)}}
        if not is_legal(table, announce):
            continue
        aside = table.clone()
        make(aside, read_event(place, announce))
        without = [phom for phom in packing if card not in phom]
        for phoms in ([], packing, without):
            body = {"phoms": [{"cards": [card_name(c) for c in sorted(phom)]} for phom in phoms]}
            declare = {"seat": seat, "declareU": body if phoms else {}}
            way = " arranged" if phoms else " u"
            yield from _refused(aside, place, declare, (announce,), way)


def _laid_off_without_phom(table: Table, place: int) -> Iterator[Found]:
    """5.5: a card laid off first that leaves no phỏm to lay down; seldom because it breaks the last one."""
    why = " broken" if holds_phom(table.mover.hand) else ""
    for message in lay_offs(table):
        for found in _refused(table, place, message):
            if found.code == "LAID_OFF_WITHOUT_PHOM":
                yield replace(found, code=found.code + why)


def _last_card(table: Table, place: int) -> Iterator[Found]:
    """5.6: everything is laid off until one card is left."""
    aside, detour = table.clone(), list[Json]()
    while len(aside.mover.hand) > 1:
        message = next((m for m in lay_offs(aside) if is_legal(aside, m)), None)
        if message is None:
            return
        make(aside, read_event(place + len(detour), message))
        detour.append(message)
    for message in lay_offs(aside):
        yield from _refused(aside, place, message, tuple(detour))


def _may_lay_off_first(table: Table) -> bool:
    """5.5: a lay-off could come before the first lay-down."""
    others = [seat for seat in table.seats if seat is not table.mover]
    its_turn = table.ending is None and table.turn.taken and table.turn.in_last_round
    ready = table.rules.lay_off_before_lay_down and not table.mover.laid
    return its_turn and ready and any(seat.laid for seat in others)


def _tables(log: Json) -> list[Table]:
    """The table before each event and after the last, as far as the log is legal."""
    table, violation = start(log)
    if violation is not None:
        return []
    tables = [table.clone()]
    for index, message in enumerate(log["events"]):
        event = read_event(index, message)
        if check(table, event) is not None:
            break
        make(table, event)
        tables.append(table.clone())
    return tables


def _detour(table: Table, index: int, rng: Random, first: str) -> Iterator[Json]:
    """Up to three legal events that the log does not have here, of a kind chosen evenly; mostly one kind first."""
    for step in range(rng.choice((0, 0, 1, 1, 1, 2, 3) if first else (0, 0, 0, 1, 1, 2, 3))):
        legal: dict[str, list[Json]] = {"leave": [{"seat": table.turn.seat, "leave": {}}]}
        for message in candidates(table):
            if _is_worth_it(table, message, rng) and is_legal(table, message):
                legal.setdefault(str(kind_of(message)), []).append(message)
        kind = first if first in legal and step == 0 else rng.choice(sorted(legal))
        message = rng.choice(_throws_of_use(table, legal[kind]))
        if not is_legal(table, message):
            return
        make(table, read_event(index + step, message))
        yield message


def _throws_of_use(table: Table, messages: list[Json]) -> list[Json]:
    """Of some discards those that the next seat would gladly eat (4.2), if there are any; all of other events."""
    eater = table.seats[table.next_seat(table.turn.seat)]
    hand, eaten = frozenset(eater.hand), eater.eaten_unlaid()
    cards = [card_of(message.get("discard", {}).get("card")) for message in messages]
    liked = [
        message
        for message, card in zip(messages, cards, strict=True)
        if card and makes_phom(hand, eaten, card)
    ]
    return liked or messages


def _tries(table: Table, rng: Random) -> Iterator[Json]:
    """Events worth asking about: all that is conceivable for the seat to move, and some that are broken."""
    seat, n = table.turn.seat, len(table.seats)
    yield from (message for message in candidates(table) if _is_worth_it(table, message, rng))
    yield from (random_event(rng, n) for _ in range(3))
    yield {"seat": seat, "draw": {"card": rng.choice(NAMES)}}
    yield {"seat": seat, "eat": {"card": rng.choice(NAMES)}}
    yield {"seat": seat, "timeOut": {}}
    for card in table.mover.hand:
        body = {"card": card_name(card), "toSeat": rng.randrange(n), "phomIndex": rng.randrange(3)}
        yield {"seat": seat, "layOff": body}
    yield from _arrangements(table, rng)


def _is_worth_it(table: Table, message: Json, rng: Random) -> bool:
    """Of the cards that are not in the hand a few are enough."""
    body = message.get("discard") or message.get("announceCard")
    return body is None or card_of(body["card"]) in table.mover.hand or rng.random() < 0.04


def _arrangements(table: Table, rng: Random) -> Iterator[Json]:
    """Lay-downs and Ù with an arrangement that takes no heed of eaten cards, whole or broken."""
    held, eaten = frozenset(table.mover.hand), table.mover.eaten_unlaid()
    choices = sorted(packings(held, frozenset()), key=len)[-12:]
    choices += [(phom,) for phom in phoms_in(held) if len(phom & eaten) > 1]
    for packing in choices:
        phoms = [[card_name(card) for card in sorted(phom)] for phom in packing]
        for name in ("layDown", "declareU"):
            broken = [list(phom) for phom in phoms]
            if rng.random() < 0.5:
                break_arrangement(broken, rng)
            if broken:
                body = {"phoms": [{"cards": phom} for phom in broken]}
                yield {"seat": table.turn.seat, name: body}
