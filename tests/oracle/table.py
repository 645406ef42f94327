"""The table: who holds what, whose turn it is, what has been paid so far (rules 2, 3 and 4).

Nothing here judges; `checks` says whether an event may happen, `moves` makes it happen.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from .cards import DECK, is_phom, rank
from .events import card_of, time_of
from .rules import Rules, effective


@dataclass
class Seat:
    """One seat. `hand` holds the unlaid cards, eaten ones too; `eaten` every card it ever ate."""

    hand: set[int]
    eaten: list[int] = field(default_factory=list)
    laid: list[set[int]] = field(default_factory=list)
    laid_off: list[int] = field(default_factory=list)  # on other seats' phỏm
    discards: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)  # 3.3
    d: int = 0  # 3.1
    turns: int = 0  # how many turns it has had, this one included
    laid_at: int | None = None  # 5.2: the event of its lay-down time
    laid_turn: int | None = None  # 5.2: the number of the turn of its lay-down time
    last_discard_at: int | None = None
    left_at: int | None = None

    @property
    def left(self) -> bool:
        return self.left_at is not None

    def eaten_unlaid(self) -> frozenset[int]:
        """The eaten cards that still need a phỏm of their own (1.5)."""
        return frozenset(self.eaten) & self.hand

    def clone(self) -> "Seat":
        other = copy(self)
        other.hand, other.eaten = set(self.hand), list(self.eaten)
        other.laid = [set(phom) for phom in self.laid]
        other.laid_off, other.discards, other.row = (
            list(self.laid_off),
            list(self.discards),
            list(self.row),
        )
        return other


@dataclass
class Turn:
    """The turn that is on (3.1)."""

    seat: int
    number: int
    opened_at: int | None  # 3.8
    in_last_round: bool = False  # 3.4: known after the take
    taken: bool = False
    took: bool = False  # whether there was a take at all (not in the first seat's first turn)
    took_at: int | None = None  # 3.8
    ate_from: int | None = None
    announced: int = 0  # 3.9
    laid_down: bool = False
    timed_out: bool = False


@dataclass(frozen=True)
class Thrown:
    """The last discard, as long as it can be eaten."""

    card: int
    seat: int
    in_last_round: bool
    chot: bool


@dataclass(frozen=True)
class Eat:
    """One eat, for 4.4 and 7.1."""

    by: int
    giver: int
    thrown_in_last_round: bool
    index: int


@dataclass(frozen=True)
class Payment:
    """Stakes that one seat owes another; `index` is the event of an eat, None otherwise."""

    giver: int
    taker: int
    stakes: int
    reason: str
    index: int | None = None


@dataclass(frozen=True)
class Won:
    """An Ù (6)."""

    seat: int
    kind: str
    left_over: frozenset[int]


@dataclass
class Table:
    """The whole table. `ending` is None while the game goes on, else why it is over (3.5, 3.6, 6.6)."""

    rules: Rules
    first_seat: int
    base_stake: int
    seats: list[Seat]
    dealt: list[frozenset[int]]
    stock: list[int] | None  # its order, if the log carries it (2.2)
    seen: set[int]  # dealt or drawn
    stock_left: int
    leader: int  # 3.3
    target: int  # 3.5
    turn: Turn
    clock: int | None  # 3.8: the latest time seen
    thrown: Thrown | None = None
    ending: str | None = None
    u: Won | None = None
    eats: list[Eat] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)

    def clone(self) -> "Table":
        """A table of its own that can be played on."""
        other = copy(self)
        other.seats = [seat.clone() for seat in self.seats]
        other.seen, other.turn = set(self.seen), copy(self.turn)
        other.eats, other.payments = list(self.eats), list(self.payments)
        return other

    @property
    def mover(self) -> Seat:
        """The seat whose turn it is, or was when the game ended."""
        return self.seats[self.turn.seat]

    def still_in(self) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if not seat.left]

    def next_seat(self, after: int) -> int:
        """3.7: the next seat in the order of play, without those that left."""
        n = len(self.seats)
        following = ((after + step) % n for step in range(1, n + 1))
        return next(number for number in following if not self.seats[number].left)

    def next_in_stock(self) -> int:
        """2.2: the next card of a stock whose order is known; 0 if it is not known."""
        return self.stock[len(self.stock) - self.stock_left] if self.stock else 0

    def unseen(self) -> list[int]:
        """2.2: what a draw from an unknown stock can be."""
        return sorted(DECK - self.seen)


def counts_in_phom(table: Table, number: int) -> int:
    """6.1, 6.2, 6.4: how many of the seat's ten cards count as in phỏm before an arrangement of its hand.

    The ten are the unlaid, those it laid (on its own phỏm too), and those it laid off on others.
    """
    seat = table.seats[number]
    on_others = len(seat.laid_off)
    laid_by_itself = 10 - len(seat.hand) - on_others
    return laid_by_itself + (on_others if table.rules.u_by_lay_off else 0)


def open_table(log: Mapping[str, Any]) -> Table:
    """The table after the deal; the deal itself is judged in `checks.deal`."""
    rules = effective(log["ruleset"])
    first_seat = int(log["firstSeat"])
    hands = [[card_of(card) for card in hand.get("cards") or []] for hand in log["hands"]]
    stock = [card_of(card) for card in log.get("stock") or []]
    started_at = time_of(log, "startedAt")
    seats = [Seat(hand=set(hand)) for hand in hands]
    seats[first_seat].turns = 1
    return Table(
        rules=rules,
        first_seat=first_seat,
        base_stake=int(log.get("baseStake") or 0) or 1,  # 7.4
        seats=seats,
        dealt=[frozenset(hand) for hand in hands],
        stock=stock or None,
        seen={card for hand in hands for card in hand},
        stock_left=52 - 9 * len(hands) - 1,  # 2.1
        leader=first_seat,  # 3.3
        target=rules.rounds,  # 3.5
        turn=Turn(
            seat=first_seat,
            number=0,
            opened_at=started_at,  # 3.8
            taken=True,  # 3.1: no take in the first seat's first turn
            in_last_round=rules.rounds <= 1,  # 3.4
        ),
        clock=started_at,
    )


def fits_on(phom: set[int], card: int) -> bool:
    """5.4: the phỏm with this card is still one (a set up to 4, a run extended at either end)."""
    return is_phom(phom | {card}) and card not in phom


def most_added(phoms: list[set[int]], cards: frozenset[int]) -> frozenset[int]:
    """6.2: the most cards that can be added to these phỏm, of ties the dearest."""
    best: frozenset[int] = frozenset()
    for card in cards:
        for index, phom in enumerate(phoms):
            if fits_on(phom, card):
                grown = [*phoms[:index], phom | {card}, *phoms[index + 1 :]]
                added = most_added(grown, cards - {card}) | {card}
                best = max(best, added, key=lambda c: (len(c), sum(map(rank, c)), sorted(c)))
    return best
