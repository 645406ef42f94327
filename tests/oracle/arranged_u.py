"""What an Ù amounts to: how many of the ten cards are in phỏm, and which are left over (rules 6)."""

from .arrange import listed, packings
from .cards import points
from .events import Event
from .table import Table, Won, counts_in_phom, most_added


def _with_additions(
    table: Table, number: int, arranged: frozenset[int], announced: int
) -> tuple[int, frozenset[int]]:
    """6.2: the cards left out go to the seat's own laid phỏm where they fit, never the announced one."""
    seat = table.seats[number]
    out = frozenset(seat.hand) - arranged
    may_be_added = out - seat.eaten_unlaid() - {announced}  # 6.2, 3.9
    left_over = out - most_added(seat.laid, may_be_added)
    in_phom = counts_in_phom(table, number) + len(seat.hand) - len(left_over)
    return in_phom, left_over


def declared(table: Table, event: Event, announced: int) -> tuple[int, frozenset[int]]:
    """6.2, 6.3: cards in phỏm and cards left over, with the event's arrangement or the best one.

    The announced card is left over (3.9); 0 is none.
    """
    if event.phoms:
        arranged = frozenset(card for phom in event.phoms for card in phom)
        return _with_additions(table, event.seat, arranged, announced)
    seat = table.seats[event.seat]
    cards = frozenset(seat.hand) - {announced}  # 3.9
    eaten = seat.eaten_unlaid()
    plans = [
        (
            *_with_additions(table, event.seat, frozenset().union(*packing), announced),
            listed(packing),
        )
        for packing in packings(cards, eaten)
    ]
    # The most cards in phỏm; of ties the best as contract.md has it for every arrangement: the
    # cheapest card left over, then the smallest list of phỏm.
    in_phom, left_over, _ = min(
        plans,
        key=lambda plan: (-plan[0], points(plan[1]), plan[2]),
        default=(0, frozenset(seat.hand), []),
    )
    return in_phom, left_over


def kind(in_phom: int) -> str:
    """6.3, 6.4: tròn if all ten count as in phỏm."""
    return "U_KIND_TRON" if in_phom == 10 else "U_KIND_PLAIN"


def declared_u(table: Table, event: Event) -> Won:
    """The Ù that a legal declaration makes."""
    if event.khan:
        return Won(event.seat, "U_KIND_KHAN", frozenset(table.seats[event.seat].hand))
    in_phom, left_over = declared(table, event, table.turn.announced)
    return Won(event.seat, kind(in_phom), left_over)


def emptied_hand_u(table: Table, number: int) -> Won:
    """6.4: the Ù of a hand that has just been emptied."""
    return Won(number, kind(counts_in_phom(table, number)), frozenset())
