"""The table as contract.md's TableState, every field given, in the names of the JSON mapping."""

from collections.abc import Iterable
from typing import Any

from .cards import card_name
from .settle import shown_points
from .table import Table


def _names(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in cards]


def state_json(table: Table, phase: str, can_be_reopened: bool) -> dict[str, Any]:
    """What everybody who may see all cards sees."""
    over = phase == "PHASE_OVER"
    state: dict[str, Any] = {
        "phase": phase,
        "leaderSeat": table.leader,
        "stockLeft": table.stock_left,
        # As long as somebody could still eat it: after a draw too, since the drawer may leave (3.7).
        "lastDiscard": card_name(table.thrown.card if table.thrown and not over else 0),
        "canBeReopened": can_be_reopened,
        "target": table.target,
        "announcedCard": card_name(0 if over else table.turn.announced),
        "seats": [_seat_json(table, number) for number in range(len(table.seats))],
    }
    if not over:
        state["turnSeat"] = table.turn.seat
    return state


def _seat_json(table: Table, number: int) -> dict[str, Any]:
    seat = table.seats[number]
    return {
        "seat": number,
        "cards": _names(sorted(seat.hand)),
        "eaten": _names(seat.eaten),
        "laid": [{"cards": _names(sorted(phom))} for phom in seat.laid],
        "discards": _names(seat.discards),
        "row": _names(seat.row),
        "laidOff": _names(seat.laid_off),
        "points": shown_points(table, number),
        "discardCount": seat.d,
        "left": seat.left,
        "layDownOrder": _lay_down_order(table, number),
    }


def _lay_down_order(table: Table, number: int) -> int:
    """1 is the first lay-down (5.2); 0 none yet."""
    times = sorted(seat.laid_at for seat in table.seats if seat.laid_at is not None)
    own = table.seats[number].laid_at
    return 0 if own is None else times.index(own) + 1
