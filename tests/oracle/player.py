"""A random player: takes any legal table and plays it on, by habits that make rare things happen."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from .arrange import best, can_eat, holds_phom, khan, listed, loose, packings
from .cards import card_name
from .checks import check, is_late
from .events import Event, kind_of, read_event
from .legal import is_legal, lay_downs, lay_offs
from .moves import make
from .referee import can_be_reopened
from .table import Table

Json = dict[str, Any]
SECOND = 10**9
BEGIN = 1_796_032_800 * SECOND  # 2026-11-30T10:00:00Z


def timestamp(nanoseconds: int) -> str:
    """A moment as the JSON mapping writes it."""
    whole, rest = divmod(nanoseconds, SECOND)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=whole)
    fraction = f".{rest:09d}".rstrip("0").rstrip(".") if rest else ""
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"


@dataclass(frozen=True)
class Habits:
    """How likely a seat is to do what it may."""

    eat: float
    feed: float  # throw what the next seat can eat
    tidy: float  # lay down the best arrangement and not just any
    lay_off: float
    declare: float
    announce: float
    time_out: float
    leave: float
    timed: float  # the share of events that carry a time

    @staticmethod
    def random(rng: Random) -> "Habits":
        return Habits(
            eat=rng.choice((0.5, 0.9, 1.0)),
            feed=rng.choice((0.0, 0.2, 0.5, 0.9)),
            tidy=rng.choice((0.3, 1.0, 1.0)),
            lay_off=rng.choice((0.3, 0.9, 1.0)),
            declare=rng.choice((0.0, 0.5, 0.9)),
            announce=rng.choice((0.0, 0.0, 0.2)),
            time_out=rng.choice((0.0, 0.0, 0.05)),
            leave=rng.choice((0.0, 0.0, 0.01, 0.05)),
            timed=rng.choice((0.0, 0.0, 0.9, 1.0)),
        )


class Player:
    """Plays all seats of one table; `events` is what it added."""

    def __init__(self, rng: Random, table: Table, played: int, habits: Habits | None = None) -> None:
        self.rng = rng
        self.table = table
        self.first_index = played
        self.habits = habits or Habits.random(rng)
        self.events: list[Json] = []

    def play(self, most: int = 400) -> list[Json]:
        """Play until the game is over, nobody wants to reopen it, or so many events were added."""
        while len(self.events) < most and self._step():
            pass
        return self.events

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def do(self, message: Json) -> bool:
        """Make the event happen if it is legal, at a time if events carry times here."""
        at = self._time_for(message)
        if at is not None:
            message = {**message, "at": timestamp(at)}
        event = self._event(message)
        if check(self.table, event) is not None:
            return False
        make(self.table, event)
        self.events.append(message)
        return True

    def _event(self, message: Json) -> Event:
        return read_event(self.first_index + len(self.events), message)

    def _time_for(self, message: Json) -> int | None:
        """A time for this event; where it is late by it, the server's timeout goes before."""
        if not self.chance(self.habits.timed):
            return None
        rng, rules = self.rng, self.table.rules
        limit = rules.turn_seconds * SECOND + rules.turn_grace_ms * 10**6
        usual = rng.randrange(min(limit, 9 * SECOND) // 4 + 1)
        wait = rng.choices((usual, 0, limit, limit + 1), weights=(90, 5, 2, 2))[0]
        at = (BEGIN if self.table.clock is None else self.table.clock) + wait
        if kind_of(message) not in ("leave", "timeOut") and is_late(self.table, at):
            out = {"seat": self.table.turn.seat, "timeOut": {}, "at": timestamp(at)}
            if check(self.table, self._event(out)) is None:  # not where only an eat is left (3.5)
                make(self.table, self._event(out))
                self.events.append(out)
        return at

    def _step(self) -> bool:
        table, seat = self.table, self.table.turn.seat
        if table.ending is not None:
            wanted = can_be_reopened(table) and self.chance(self.habits.eat)
            return wanted and self.do({"seat": seat, "eat": {}})
        if self.chance(self.habits.leave):
            return self.do({"seat": self.rng.choice(table.still_in()), "leave": {}})
        if self.chance(self.habits.time_out):
            self.do({"seat": seat, "timeOut": {}})
        if table.rules.u_khan and khan(table.dealt[seat]) and self.chance(self.habits.declare):
            self.do({"seat": seat, "declareU": {"khan": True}})
        if table.ending is not None:
            return True
        return self._act() if table.turn.taken else self._take()

    def _take(self) -> bool:
        table, seat = self.table, self.table.turn.seat
        hand, eaten = frozenset(table.mover.hand), table.mover.eaten_unlaid()
        if table.thrown and can_eat(hand, eaten, table.thrown.card) and self.chance(self.habits.eat):
            named = {"card": card_name(table.thrown.card)} if self.chance(0.5) else {}
            return self.do({"seat": seat, "eat": named})
        card = table.next_in_stock() or self.rng.choice(table.unseen())
        return self.do({"seat": seat, "draw": {"card": card_name(card)}})

    def _act(self) -> bool:
        """Everything between the take and the discard, then the discard."""
        table, turn, habits = self.table, self.table.turn, self.habits
        if self.chance(habits.declare):
            self._declare()
        if table.rules.announced_card_binds and self.chance(habits.announce):
            self._announce()
        if turn.in_last_round and table.ending is None:
            if self.chance(habits.lay_off):
                self._lay_off(before=True)
            self._lay_down()
            if self.chance(habits.lay_off):
                self._lay_off(before=False)
            if self.chance(habits.declare):
                self._declare()
        if table.ending is not None:
            return True
        if self.chance(habits.announce / 2):
            self._announce()
        return self._discard()

    def _declare(self) -> None:
        """Ù, if it is one, with an arrangement or without."""
        if self.table.ending is not None:
            return
        seat = self.table.turn.seat
        if not is_legal(self.table, {"seat": seat, "declareU": {}}):
            return
        body: Json = {}
        if self.chance(0.6):
            held = frozenset(self.table.mover.hand)
            choices = packings(held, self.table.mover.eaten_unlaid())
            fewest = min(len(loose(held, packing)) for packing in choices)
            over = fewest + self.rng.choice((0, 0, 1))
            some = [packing for packing in choices if len(loose(held, packing)) <= over]
            phoms = [{"cards": [card_name(c) for c in phom]} for phom in listed(self.rng.choice(some))]
            body = {"phoms": phoms} if phoms else {}
        self.do({"seat": seat, "declareU": body})

    def _announce(self) -> None:
        if self.table.ending is None:
            card = card_name(self.rng.choice(sorted(self.table.mover.hand)))
            self.do({"seat": self.table.turn.seat, "announceCard": {"card": card}})

    def _lay_down(self) -> None:
        """The best arrangement, or any that is legal; sometimes móm is left to the discard to say."""
        table = self.table
        if table.ending is not None or table.turn.laid_down:
            return
        held = frozenset(table.mover.hand)
        if not holds_phom(held) and self.chance(0.5):
            return
        packing = best(held, table.mover.eaten_unlaid())
        if self.chance(self.habits.tidy) and packing is not None:
            phoms = [{"cards": [card_name(c) for c in phom]} for phom in listed(packing)]
            if self.do({"seat": table.turn.seat, "layDown": {"phoms": phoms} if phoms else {}}):
                return
        legal = [message for message in lay_downs(table) if is_legal(table, message)]
        if legal:
            self.do(self.rng.choice(legal))

    def _lay_off(self, before: bool) -> None:
        """Cards onto phỏm, one by one; before a lay-down mostly such that a phỏm stays to be laid."""
        table = self.table
        while table.ending is None:
            legal = [message for message in lay_offs(table) if is_legal(table, message)]
            if before and self.chance(0.95):
                legal = [message for message in legal if self._still_lays(message)]
            if not legal:
                return
            self.do(self.rng.choice(legal))
            if not self.chance(0.8):
                return

    def _still_lays(self, message: Json) -> bool:
        """5.5: whether a phỏm is on the table or left in the hand after this lay-off."""
        seat = self.table.mover
        card = self._event(message).card
        return bool(seat.laid) or holds_phom(seat.hand - {card})

    def _discard(self) -> bool:
        table, seat = self.table, self.table.turn.seat
        cards = [
            card
            for card in sorted(table.mover.hand)
            if is_legal(table, {"seat": seat, "discard": {"card": card_name(card)}})
        ]
        if not cards:  # laid off too much (5.5): nothing is left but to leave
            return self.do({"seat": seat, "leave": {}})
        next_seat = table.seats[table.next_seat(seat)]
        wanted = [c for c in cards if can_eat(frozenset(next_seat.hand), next_seat.eaten_unlaid(), c)]
        packing = best(frozenset(table.mover.hand), table.mover.eaten_unlaid()) or ()
        idle = [card for card in cards if card in loose(frozenset(table.mover.hand), packing)]
        if wanted and self.chance(self.habits.feed):
            cards = wanted
        elif idle and self.chance(0.8):
            cards = idle
        return self.do({"seat": seat, "discard": {"card": card_name(self.rng.choice(cards))}})
