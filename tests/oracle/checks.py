"""Whether an event may happen: the first rule that it breaks, in the order of contract.md.

The checks change nothing. Each returns a Violation or None; `check` is the only entry.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .arrange import fits, holds_phom, khan, makes_phom
from .arranged_u import declared
from .cards import is_phom
from .events import Event, card_of
from .table import Seat, Table, fits_on

# The section that `rule` names, where the code has only one (contract.md).
RULE_OF = {
    "OPENING_SEAT": "2.3",
    "SEAT_HAS_LEFT": "3.7",
    "NOT_YOUR_TURN": "3.1",
    "TIME_RUNS_BACK": "3.8",
    "TURN_TIME_EXCEEDED": "3.8",
    "TIME_OUT_TOO_EARLY": "3.8",
    "STOCK_EMPTY": "3.6",
    "DRAW_NOT_NEXT_IN_STOCK": "2.2",
    "DRAW_SEEN_CARD": "2.2",
    "NOTHING_TO_EAT": "4.1",
    "EAT_WRONG_CARD": "4.1",
    "EAT_NO_PHOM": "4.2",
    "EAT_BREAKS_EATEN": "4.2",
    "DISCARD_EATEN_CARD": "4.3",
    "DISCARD_BREAKS_EATEN": "4.3",
    "ANNOUNCED_OTHER_CARD": "3.9",
    "MUST_LAY_DOWN": "5.2",
    "LAID_OFF_WITHOUT_PHOM": "5.5",
    "LAY_DOWN_NOT_LAST_ROUND": "5.1",
    "LAY_DOWN_TWICE": "5.1",
    "CARD_USED_TWICE": "5.1",
    "NOT_A_PHOM": "1.2",
    "PHOM_TWO_EATEN": "1.5",
    "EATEN_NOT_IN_PHOM": "5.1",
    "PHOM_LEFT_IN_HAND": "5.1",
    "LAY_OFF_NOT_LAST_ROUND": "5.4",
    "LAY_OFF_NOT_ALLOWED": "5.4",
    "LAY_OFF_BEFORE_LAY_DOWN": "5.4",
    "LAY_OFF_WITHOUT_PHOM": "5.4",
    "NO_SUCH_PHOM": "5.4",
    "LAY_OFF_EATEN_CARD": "5.4",
    "LAY_OFF_DOES_NOT_FIT": "5.4",
    "LAY_OFF_BREAKS_EATEN": "5.6",
    "LAY_OFF_LAST_CARD": "5.6",
    "U_KHAN_NOT_PLAYED": "6.5",
    "U_KHAN_TOO_LATE": "6.5",
    "NOT_U_KHAN": "6.5",
    "NOT_U": "6.2",
    "ANNOUNCE_NOT_PLAYED": "3.9",
    "ANNOUNCE_TWICE": "3.9",
}

# Every code there is; these few name a section that depends on where they fail.
CODES = [*RULE_OF, "DEAL_HAND_SIZE", "DEAL_DUPLICATE_CARD", "DEAL_STOCK"]
CODES += ["GAME_OVER", "WRONG_PHASE", "CARD_NOT_IN_HAND"]


@dataclass(frozen=True)
class Violation:
    """A broken rule; `index` is None for the deal and the opening, `seat` for what is no seat's."""

    code: str
    rule: str
    index: int | None = None
    seat: int | None = None


Found = tuple[str, str]  # code, rule


def deal(log: Mapping[str, Any]) -> Violation | None:
    """2.1 to 2.3, in this order; a fault of the stock is no seat's."""
    hands = [[card_of(card) for card in hand.get("cards") or []] for hand in log["hands"]]
    stock = [card_of(card) for card in log.get("stock") or []]
    first_seat = int(log["firstSeat"])
    for seat, hand in enumerate(hands):
        if len(hand) != (10 if seat == first_seat else 9):  # 2.1
            return Violation("DEAL_HAND_SIZE", "2.1", seat=seat)
    seen: set[int] = set()
    for seat, hand in enumerate(hands):
        for card in hand:
            if card in seen:
                return Violation("DEAL_DUPLICATE_CARD", "2.1", seat=seat)  # 2.1
            seen.add(card)
    if len(seen | set(stock)) != len(seen) + len(stock):
        return Violation("DEAL_DUPLICATE_CARD", "2.2")  # 2.2
    if stock and len(seen) + len(stock) != 52:
        return Violation("DEAL_STOCK", "2.1")  # 2.1, 2.2
    return None


def opening(log: Mapping[str, Any], rule: str) -> Violation | None:
    """2.3: who opens, where the log's facts tell."""
    facts: Mapping[str, Any] = log.get("opening") or {}
    number = int(facts.get("gameNumber") or 0)
    if rule != "CREATOR_THEN_WINNER" or number == 0:
        return None
    expected = facts.get("creatorSeat") if number == 1 else facts.get("winnerSeat")
    if number > 1 and expected is None:
        expected = facts.get("afterWinnerSeat")
    if expected is None or int(expected) == int(log["firstSeat"]):
        return None
    return Violation("OPENING_SEAT", "2.3", seat=int(log["firstSeat"]))


def check(table: Table, event: Event) -> Violation | None:
    """The first rule that this event breaks at this table."""
    for code, rule in _broken(table, event):
        return Violation(code, rule or RULE_OF[code], index=event.index, seat=event.seat)
    return None


def _broken(table: Table, event: Event) -> Iterator[Found]:
    """Every rule that is broken, in the order of contract.md; only the first one is meaningful."""
    yield from _turn(table, event)
    yield from _ACTIONS[event.kind](table, event)


def _turn(table: Table, event: Event) -> Iterator[Found]:
    yield from _over(table, event)
    if table.seats[event.seat].left:
        yield "SEAT_HAS_LEFT", ""
    if event.seat != table.turn.seat and event.kind != "leave":
        yield "NOT_YOUR_TURN", ""
    yield from _phase(table, event)
    yield from _time(table, event)


def _over(table: Table, event: Event) -> Iterator[Found]:
    """3.5, 3.6, 6.6. A finished game can only be reopened, by the next seat's eat of a card that is there."""
    if table.ending is None:
        return
    to_move = event.seat == table.turn.seat
    if table.ending == "DRY" and event.kind == "draw" and to_move:
        yield "STOCK_EMPTY", ""  # 3.6: in the place of GAME_OVER
    if table.ending in ("ROUNDS", "DRY") and event.kind == "eat" and to_move and table.thrown:
        return
    yield "GAME_OVER", {"U": "6.6", "DRY": "3.6"}.get(table.ending, "3.5")


def _phase(table: Table, event: Event) -> Iterator[Found]:
    taken = table.turn.taken
    if event.kind in ("leave", "time_out") or event.khan:  # khan is never WRONG_PHASE
        return
    if taken == (event.kind in ("draw", "eat")):
        yield "WRONG_PHASE", "6.1" if event.kind == "declare_u" else "3.1"


def _time(table: Table, event: Event) -> Iterator[Found]:
    """3.8: only between events that carry times."""
    if event.at is None:
        return
    if table.clock is not None and event.at < table.clock:
        yield "TIME_RUNS_BACK", ""
    late = is_late(table, event.at)
    if late and event.kind not in ("leave", "time_out"):
        yield "TURN_TIME_EXCEEDED", ""
    if late is False and event.kind == "time_out":
        yield "TIME_OUT_TOO_EARLY", ""


def is_late(table: Table, at: int) -> bool | None:
    """3.8: whether the turn's limit is over at this time; None where there is none to check."""
    turn, rules = table.turn, table.rules
    if rules.turn_seconds == 0 or turn.timed_out:
        # A timeout lifts the limit for the rest of the turn: then a second one is legal at any point.
        return None
    since = turn.took_at if turn.in_last_round and turn.took else turn.opened_at
    if since is None:
        return None
    return at - since > rules.turn_seconds * 10**9 + rules.turn_grace_ms * 10**6


def _draw(table: Table, event: Event) -> Iterator[Found]:
    if table.stock_left == 0:
        yield "STOCK_EMPTY", ""  # 3.6
    if table.stock and event.card != table.next_in_stock():
        yield "DRAW_NOT_NEXT_IN_STOCK", ""  # 2.2
    if not table.stock and event.card in table.seen:
        yield "DRAW_SEEN_CARD", ""  # 2.2


def _eat(table: Table, event: Event) -> Iterator[Found]:
    thrown = table.thrown
    if thrown is None:
        yield "NOTHING_TO_EAT", ""  # 4.1
        return
    if event.card not in (0, thrown.card):
        yield "EAT_WRONG_CARD", ""  # 4.1
    seat = table.seats[event.seat]
    hand, eaten = frozenset(seat.hand), seat.eaten_unlaid()
    if not makes_phom(hand, eaten, thrown.card):
        yield "EAT_NO_PHOM", ""  # 4.2
    if not fits(hand | {thrown.card}, eaten | {thrown.card}):
        yield "EAT_BREAKS_EATEN", ""  # 4.2


def _discard(table: Table, event: Event) -> Iterator[Found]:
    yield from _may_discard(table, event)
    if table.turn.announced not in (0, event.card):
        yield "ANNOUNCED_OTHER_CARD", ""  # 3.9
    yield from _lay_down_done(table)


def _may_discard(table: Table, event: Event) -> Iterator[Found]:
    seat = table.seats[event.seat]
    hand, eaten = frozenset(seat.hand), seat.eaten_unlaid()
    if event.card not in hand:
        yield "CARD_NOT_IN_HAND", "4.3"
    if event.card in eaten:
        yield "DISCARD_EATEN_CARD", ""  # 4.3
    if not fits(hand - {event.card}, eaten):
        yield "DISCARD_BREAKS_EATEN", ""  # 4.3


def _lay_down_done(table: Table) -> Iterator[Found]:
    turn = table.turn
    if turn.in_last_round and not turn.laid_down and holds_phom(table.mover.hand):
        yield "MUST_LAY_DOWN", ""  # 5.2: the card to be discarded included


def _lay_down(table: Table, event: Event) -> Iterator[Found]:
    if not table.turn.in_last_round:
        yield "LAY_DOWN_NOT_LAST_ROUND", ""  # 5.1
    if table.turn.laid_down:
        yield "LAY_DOWN_TWICE", ""  # 5.1
    seat = table.seats[event.seat]
    used = [card for phom in event.phoms for card in phom]
    yield from _cards_of(seat, used)
    if table.turn.announced in used:
        yield "ANNOUNCED_OTHER_CARD", ""  # 3.9
    yield from _phoms_of(seat, event)
    if holds_phom(seat.hand.difference(used)):
        yield "PHOM_LEFT_IN_HAND", ""  # 5.1


def _cards_of(seat: Seat, used: list[int]) -> Iterator[Found]:
    if not seat.hand.issuperset(used):
        yield "CARD_NOT_IN_HAND", "5.1"
    if len(set(used)) != len(used):
        yield "CARD_USED_TWICE", ""  # 5.1: disjoint


def _phoms_of(seat: Seat, event: Event) -> Iterator[Found]:
    eaten = seat.eaten_unlaid()
    if not all(is_phom(phom) for phom in event.phoms):
        yield "NOT_A_PHOM", ""  # 1.2
    if any(len(eaten.intersection(phom)) > 1 for phom in event.phoms):
        yield "PHOM_TWO_EATEN", ""  # 1.5
    if eaten.difference(*event.phoms):
        yield "EATEN_NOT_IN_PHOM", ""  # 5.1


def _lay_off(table: Table, event: Event) -> Iterator[Found]:
    rules, seat = table.rules, table.seats[event.seat]
    on_own = event.to_seat == event.seat
    if not table.turn.in_last_round:
        yield "LAY_OFF_NOT_LAST_ROUND", ""  # 5.4, 5.3
    if not (rules.lay_off or on_own):
        yield "LAY_OFF_NOT_ALLOWED", ""  # 5.4; 5.3: one's own needs no lay_off
    yield from _lay_down_before(table, event)
    if event.card not in seat.hand:
        yield "CARD_NOT_IN_HAND", "5.4"
    if table.turn.announced == event.card:
        yield "ANNOUNCED_OTHER_CARD", ""  # 3.9
    phoms = table.seats[event.to_seat].laid
    if event.phom_index >= len(phoms):
        yield "NO_SUCH_PHOM", ""  # 5.4
    eaten = seat.eaten_unlaid()
    if event.card in eaten:
        yield "LAY_OFF_EATEN_CARD", ""  # 5.4, 5.3
    if event.phom_index < len(phoms) and not fits_on(phoms[event.phom_index], event.card):
        yield "LAY_OFF_DOES_NOT_FIT", ""  # 5.4
    if not fits(frozenset(seat.hand) - {event.card}, eaten):
        yield "LAY_OFF_BREAKS_EATEN", ""  # 5.6
    if not seat.laid and not holds_phom(seat.hand - {event.card}):
        yield "LAID_OFF_WITHOUT_PHOM", ""  # 5.5: the hand has to keep a phỏm to lay down
    if len(seat.hand) == 1 and not (on_own or rules.u_by_lay_off):
        yield "LAY_OFF_LAST_CARD", ""  # 5.6: it makes Ù on one's own phỏm, or by lay-off (6.4)


def _lay_down_before(table: Table, event: Event) -> Iterator[Found]:
    """5.3 to 5.5: what must have been laid down before a lay-off."""
    rules, turn, seat = table.rules, table.turn, table.seats[event.seat]
    on_own = event.to_seat == event.seat
    comes_first = rules.lay_off_before_lay_down and not turn.laid_down and not on_own  # 5.5
    if comes_first:
        return
    if seat.laid_at is None:
        yield "LAY_OFF_BEFORE_LAY_DOWN", ""
    if not on_own and holds_phom(seat.hand):
        yield "LAY_OFF_BEFORE_LAY_DOWN", ""  # 5.4: holds none in its hand
    if not seat.laid:
        yield "LAY_OFF_WITHOUT_PHOM", ""  # 5.4: a móm seat cannot


def _declare_u(table: Table, event: Event) -> Iterator[Found]:
    if event.khan:
        yield from _declare_khan(table, event)
        return
    seat, announced = table.seats[event.seat], table.turn.announced
    used = [card for phom in event.phoms for card in phom]
    if event.phoms:
        yield from _cards_of(seat, used)
        yield from _phoms_of(seat, event)
    if announced in used:
        yield "ANNOUNCED_OTHER_CARD", ""  # 3.9
    in_phom, _ = declared(table, event, announced)
    if in_phom < 9:
        if not event.phoms and declared(table, event, 0)[0] >= 9:
            yield "ANNOUNCED_OTHER_CARD", ""  # 3.9: an Ù, but none that leaves that card over
        yield "NOT_U", ""  # 6.2


def _declare_khan(table: Table, event: Event) -> Iterator[Found]:
    if not table.rules.u_khan:
        yield "U_KHAN_NOT_PLAYED", ""
    if table.seats[event.seat].turns != 1 or table.turn.took:
        yield (
            "U_KHAN_TOO_LATE",
            "",
        )  # 6.5: before the take of the first turn (there is none in the first seat's)
    if not khan(table.dealt[event.seat]):
        yield "NOT_U_KHAN", ""


def _announce_card(table: Table, event: Event) -> Iterator[Found]:
    if not table.rules.announced_card_binds:
        yield "ANNOUNCE_NOT_PLAYED", ""  # 3.9
    if table.turn.announced:
        yield "ANNOUNCE_TWICE", ""  # 3.9
    yield from _may_discard(table, event)  # 3.9: every check of a discard
    yield from _lay_down_done(table)


def _nothing(table: Table, event: Event) -> Iterator[Found]:
    """3.7, 3.8: leaving and timing out have no checks of their own."""
    yield from ()


_ACTIONS = {
    "draw": _draw,
    "eat": _eat,
    "discard": _discard,
    "lay_down": _lay_down,
    "lay_off": _lay_off,
    "declare_u": _declare_u,
    "announce_card": _announce_card,
    "time_out": _nothing,
    "leave": _nothing,
}
