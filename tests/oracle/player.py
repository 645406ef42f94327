"""A random player: takes any legal table and plays it on, by habits that make rare things happen."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from .arrange import best, can_eat, holds_phom, khan, listed, loose, packings
from .cards import card_name, is_ca
from .checks import check, is_late
from .events import Event, kind_of, read_event
from .legal import is_legal, lay_downs, lay_offs
from .moves import make
from .referee import can_be_reopened
from .table import Seat, Table, fits_on

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

    eat: float = 1.0
    feed: float = 0.5  # throw what the next seat can eat
    plot: float = 0.0  # draw, from a stock whose order is open, what the next seat can eat
    luck: float = 0.0  # or what goes well with the own cards
    tidy: float = 1.0  # lay down the best arrangement and not just any
    keep: float = 0.5  # throw no card of a cạ where another can be thrown
    care: float = 0.8  # keep phỏm together
    lay_off: float = 0.9
    declare: float = 0.5
    announce: float = 0.0
    time_out: float = 0.0
    leave: float = 0.0
    timed: float = 0.0  # the share of events that carry a time

    @staticmethod
    def random(rng: Random) -> "Habits":
        return Habits(
            eat=rng.choice((0.5, 0.9, 1.0)),
            feed=rng.choice((0.0, 0.2, 0.5, 0.9, 0.9)),
            plot=rng.choice((0.0, 0.0, 0.2, 0.6)),
            luck=rng.choice((0.0, 0.0, 0.3, 0.8)),
            tidy=rng.choice((0.3, 1.0, 1.0)),
            keep=rng.choice((0.0, 0.0, 0.5, 1.0)),
            care=rng.choice((0.0, 0.8, 0.8, 0.8)),
            lay_off=rng.choice((0.3, 0.9, 1.0)),
            declare=rng.choice((0.0, 0.0, 0.5, 0.9)),
            announce=rng.choice((0.0, 0.1, 0.3)),
            time_out=rng.choice((0.0, 0.0, 0.05)),
            leave=rng.choice((0.0, 0.0, 0.01, 0.05)),
            timed=rng.choice((0.0, 0.0, 0.6, 0.9, 1.0)),
        )

    def at_the_end(self, rng: Random) -> "Habits":
        """Habits for the last round: there much is eaten, and Ù comes of it."""
        if rng.random() < 0.4:
            return self
        return replace(
            self,
            eat=1.0,
            feed=rng.choice((0.7, 1.0)),
            plot=rng.choice((0.3, 0.8)),
            luck=rng.choice((0.5, 1.0)),
            declare=rng.choice((0.0, 0.9)),
        )


def _eatable(seat: Seat, cards: list[int]) -> list[int]:
    """4.2: what this seat could eat of these cards."""
    hand, eaten = frozenset(seat.hand), seat.eaten_unlaid()
    return [card for card in cards if can_eat(hand, eaten, card)]


class Player:
    """Plays all seats of one table; `events` is what it added."""

    def __init__(self, rng: Random, table: Table, log: Mapping[str, Any], *habits: Habits) -> None:
        """The log that led to the table; habits before and at the end, random where left out."""
        self.rng = rng
        self.table = table
        self.log = {**log, "events": list(log["events"])}
        self.before_the_end = habits[0] if habits else Habits.random(rng)
        self.at_the_end = habits[1] if habits[1:] else self.before_the_end.at_the_end(rng)
        self.events: list[Json] = []

    def play(self, most: int = 400) -> list[Json]:
        """Play until the game is over, nobody wants to reopen it, or so many events were added."""
        while len(self.events) < most and self._step():
            pass
        return self.events

    @property
    def habits(self) -> Habits:
        last_round = self.table.mover.d >= self.table.rules.rounds - 1
        return self.at_the_end if last_round else self.before_the_end

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
        return read_event(len(self.log["events"]) + len(self.events), message)

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
        if (
            table.thrown
            and can_eat(hand, eaten, table.thrown.card)
            and self.chance(self.habits.eat)
        ):
            named = {"card": card_name(table.thrown.card)} if self.chance(0.5) else {}
            return self.do({"seat": seat, "eat": named})
        card = table.next_in_stock() or self._draw_from_any()
        return self.do({"seat": seat, "draw": {"card": card_name(card)}})

    def _draw_from_any(self) -> int:
        """A card that was not seen yet, chosen by the habits."""
        table, seat = self.table, self.table.mover
        unseen = table.unseen()
        liked: list[int] = []
        if self.chance(self.habits.plot):
            liked = _eatable(table.seats[table.next_seat(table.turn.seat)], unseen)
        elif self.chance(self.habits.luck):
            within_reach = table.seats if table.rules.lay_off else [seat]
            phoms = [phom for other in within_reach for phom in other.laid] if seat.laid else []
            liked = [card for card in unseen if any(fits_on(phom, card) for phom in phoms)]
            liked = liked or _eatable(seat, unseen)
        return self.rng.choice(liked or unseen)

    def _act(self) -> bool:
        """Everything between the take and the discard, then the discard."""
        table, turn, habits = self.table, self.table.turn, self.habits
        if self.chance(habits.declare):
            self._declare()
        if table.rules.announced_card_binds and self.chance(habits.announce):
            self._announce()
            if self.chance(habits.declare):
                self._declare()
        if turn.in_last_round and table.ending is None:
            if self.chance(habits.lay_off):
                self._lay_off()
            self._lay_down()
            if self.chance(habits.lay_off):
                self._lay_off()
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
            phoms = [
                {"cards": [card_name(c) for c in phom]} for phom in listed(self.rng.choice(some))
            ]
            body = {"phoms": phoms} if phoms else {}
        self.do({"seat": seat, "declareU": body})

    def _announce(self) -> None:
        if self.table.ending is None:
            seat = self.table.mover
            packing = best(frozenset(seat.hand), seat.eaten_unlaid()) or ()
            idle = loose(frozenset(seat.hand), packing)
            among = idle if idle and self.chance(0.7) else seat.hand
            card = card_name(self.rng.choice(sorted(among)))
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

    def _lay_off(self) -> None:
        """Cards onto phỏm, one by one."""
        table = self.table
        while table.ending is None:
            legal = [message for message in lay_offs(table) if is_legal(table, message)]
            if not legal:
                return
            self.do(self.rng.choice(legal))
            if not self.chance(0.8):
                return

    def _discard(self) -> bool:
        table, seat = self.table, self.table.turn.seat
        cards = [
            card
            for card in sorted(table.mover.hand)
            if is_legal(table, {"seat": seat, "discard": {"card": card_name(card)}})
        ]
        if not cards:  # no rule leaves a seat without one
            played = {**self.log, "events": [*self.log["events"], *self.events]}
            raise RuntimeError(f"seat {seat} has no legal discard: {json.dumps(played)}")
        wanted = _eatable(table.seats[table.next_seat(seat)], cards)
        packing = best(frozenset(table.mover.hand), table.mover.eaten_unlaid()) or ()
        idle = [card for card in cards if card in loose(frozenset(table.mover.hand), packing)]
        single = [card for card in idle if not any(is_ca(card, other) for other in idle)]
        if wanted and self.chance(self.habits.feed):
            cards = wanted
        elif not self.chance(self.habits.care):
            pass
        elif single and self.chance(self.habits.keep):
            cards = single
        elif idle:
            cards = idle
        return self.do({"seat": seat, "discard": {"card": card_name(self.rng.choice(cards))}})
