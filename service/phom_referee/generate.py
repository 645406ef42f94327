"""Random legal games, played to their end: for tests, benchmarks and demonstrations.

What may be done is always asked of the referee, as any caller would; here is only what to choose.
Deals and temperaments vary from game to game so that every branch of the rules comes up: hands rich
in phom (Ù, many eats), hands without ca (khan, mom), seats that feed their neighbour (shifts,
reopened endings, đền), that decline, dawdle or leave.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1 import actions_pb2, cards_pb2, events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom_core import analyze_hand

from phom_referee.houses import referee

DECK = [cast(cards_pb2.Card, card) for card in cards_pb2.Card.values() if card]
RANKS = 13
STARTED = 1_796_000_000
"""When generated games begin, in seconds of the epoch; no clock is read."""


def games(
    count: int,
    *,
    house: rules_pb2.House,
    seats: int = 4,
    seed: int = 0,
    overrides: rules_pb2.Ruleset | None = None,
) -> Iterator[events_pb2.GameLog]:
    """Yield `count` legal logs of finished games with 2 to 4 `seats`.

    The same arguments give the same games. `overrides` replaces single rules of the house, as in
    a log's ruleset.
    """
    if not 2 <= seats <= 4:
        raise ValueError(f"seats must be 2 to 4, not {seats}")
    name = rules_pb2.House.Name(house).removeprefix("HOUSE_").lower()
    for number in range(count):
        rng = random.Random(f"{seed}/{house}/{seats}/{number}")
        log = _deal(rng, house, seats, overrides)
        log.game_id = f"{name}-{seats}-{seed}-{number}"
        yield _Game(log, rng).play()


# ---- the deal ----


def _deal(
    rng: random.Random,
    house: rules_pb2.House,
    seats: int,
    overrides: rules_pb2.Ruleset | None,
) -> events_pb2.GameLog:
    log = events_pb2.GameLog(first_seat=rng.randrange(seats), base_stake=rng.choice([0, 1, 1000]))
    if overrides is not None:
        log.ruleset.CopyFrom(overrides)
    log.ruleset.house = house
    deck = rng.sample(DECK, len(DECK))
    for seat in range(seats):
        size = 10 if seat == log.first_seat else 9
        hand = rng.choices([_any_hand, _rich_hand, _poor_hand], [5, 3, 1])[0](rng, deck, size)
        log.hands.add(cards=hand)
        deck = [card for card in deck if card not in hand]
    log.stock.extend(deck)
    if rng.random() < 0.3:
        log.opening.game_number = rng.randint(1, 3)
        log.opening.creator_seat = log.first_seat
        log.opening.winner_seat = log.first_seat
    if rng.random() < 0.4:
        log.started_at.seconds = STARTED
    return log


def _any_hand(_: random.Random, deck: list[cards_pb2.Card], size: int) -> list[cards_pb2.Card]:
    return deck[:size]


def _rich_hand(rng: random.Random, deck: list[cards_pb2.Card], size: int) -> list[cards_pb2.Card]:
    """A hand dealt in groups that are phỏm, or nearly."""
    hand: list[cards_pb2.Card] = []
    for _ in range(rng.randint(1, 3)):
        card = rng.choice(deck)
        step = rng.choice([1, RANKS])
        near = range(card, card + 3 * step, step)
        group = [c for c in deck if c in near and c not in hand]
        hand += group[: size - len(hand)]
    rest = [card for card in deck if card not in hand]
    return hand + rest[: size - len(hand)]


def _poor_hand(rng: random.Random, deck: list[cards_pb2.Card], size: int) -> list[cards_pb2.Card]:
    """A hand without any cạ, if a few tries find one: Ù khan, or the way to móm."""
    for _ in range(50):
        hand: list[cards_pb2.Card] = []
        for card in rng.sample(deck, len(deck)):
            if len(hand) == size:
                return hand
            if _analyze([*hand, card]).khan:
                hand.append(card)
    return deck[:size]


# ---- the play ----


@dataclass(frozen=True)
class Temperament:
    """How the seats of one game tend to act: probabilities."""

    eat: float
    feed: float  # to throw what the next seat can eat
    declare: float  # an Ù that is there
    khan: float
    lay_best: float
    lay_off: float
    announce: float
    leave: float  # at each event
    dawdle: float  # to let the time run out, at each event
    reopen: float

    @staticmethod
    def of(rng: random.Random) -> Temperament:
        """Choose one for a game."""
        return Temperament(
            eat=rng.choice([0.3, 0.9, 1.0]),
            feed=rng.choice([0.0, 0.3, 0.9]),
            declare=rng.choice([0.0, 0.3, 0.9, 0.9]),
            khan=rng.choice([0.3, 0.9]),
            lay_best=rng.choice([0.5, 1.0]),
            lay_off=rng.choice([0.3, 0.9]),
            announce=rng.choice([0.0, 0.1]),
            leave=rng.choice([0.0, 0.0, 0.0, 0.02]),
            dawdle=rng.choice([0.0, 0.0, 0.05]),
            reopen=rng.choice([0.3, 1.0]),
        )


class _Game:
    """One game being played: the log so far, and what its seats hold."""

    def __init__(self, log: events_pb2.GameLog, rng: random.Random) -> None:
        self.log = log
        self.rng = rng
        self.temper = Temperament.of(rng)
        self.drawn = 0
        self.hands = [set(hand.cards) for hand in log.hands]
        self.eaten: list[set[cards_pb2.Card]] = [set() for _ in log.hands]
        self.left: set[int] = set()
        self.nanos = 0
        self.timed = log.HasField("started_at")
        # A log's bytes grow at their end: no event is serialized twice.
        self.bytes = bytearray(log.SerializeToString())

    def play(self) -> events_pb2.GameLog:
        while True:
            options = self._options()
            if not options.HasField("seat") or self._stops(options.actions):
                break
            seat = options.seat
            if self.rng.random() < self.temper.leave:
                self._leave(
                    self.rng.choice([s for s in range(len(self.hands)) if s not in self.left])
                )
            elif self.rng.random() < self.temper.dawdle:
                self._time_out(seat)
            else:
                self._act(self._choose(seat, options.actions))
        if self.rng.random() < 0.5:
            del self.log.stock[:]
        return self.log

    def _options(self) -> referee_pb2.ListLegalActionsResponse:
        # Field 1 of the request is the log.
        request = b"\x0a" + _varint(len(self.bytes)) + self.bytes
        response = referee().list_legal_actions(request)
        return referee_pb2.ListLegalActionsResponse.FromString(response)

    def _stops(self, actions: Sequence[actions_pb2.Action]) -> bool:
        """Whether the game, finished if nothing but an eat is left, is left so."""
        finished = {action.WhichOneof("kind") for action in actions} == {"eat"}
        return finished and self.rng.random() >= self.temper.reopen

    # what to do

    def _choose(self, seat: int, actions: Sequence[actions_pb2.Action]) -> actions_pb2.Action:
        by_kind: dict[str, list[actions_pb2.Action]] = {}
        for action in actions:
            kind = action.WhichOneof("kind")
            khan = kind == "declare_u" and action.declare_u.khan
            by_kind.setdefault("khan" if khan else str(kind), []).append(action)
        temper, chance = self.temper, self.rng.random
        # Before the lay-down only where the rules allow it, and there is something to lay down.
        early = "lay_down" in by_kind
        mom = early and not by_kind["lay_down"][0].lay_down.phoms
        wishes = [
            ("khan", temper.khan),
            ("declare_u", temper.declare),
            ("eat", temper.eat),
            ("draw", 1.0),
            ("announce_card", temper.announce),
            ("lay_off", 0.0 if mom else 0.2 if early else temper.lay_off),
            ("lay_down", 1.0 if "discard" not in by_kind else 0.7),
            ("discard", 1.0),
        ]
        for kind, probability in wishes:
            if kind in by_kind and chance() < probability:
                return self._pick(kind, seat, by_kind[kind])
        return self.rng.choice(actions)

    def _pick(
        self, kind: str, seat: int, actions: Sequence[actions_pb2.Action]
    ) -> actions_pb2.Action:
        if kind == "lay_down" and self.rng.random() < self.temper.lay_best:
            return actions[0]
        if kind == "discard" and self.rng.random() < self.temper.feed:
            eatable = [a for a in actions if self._next_can_eat(seat, a.discard.card)]
            if eatable:
                return self.rng.choice(eatable)
        return self.rng.choice(actions)

    def _next_can_eat(self, seat: int, card: cards_pb2.Card) -> bool:
        seats = len(self.hands)
        after = next(
            s % seats for s in range(seat + 1, seat + seats + 1) if s % seats not in self.left
        )
        return _analyze(sorted(self.hands[after]), sorted(self.eaten[after]), card).can_eat

    # what was done

    def _act(self, action: actions_pb2.Action) -> None:
        event = events_pb2.Event(seat=action.seat)
        kind = action.WhichOneof("kind")
        if kind == "draw":
            event.draw.card = self.log.stock[self.drawn]
            self.drawn += 1
        elif kind is not None:
            getattr(event, kind).CopyFrom(getattr(action, kind))
        self._time(event)
        if self.timed and self._is_late(event):
            time_out = events_pb2.Event(seat=event.seat, at=event.at, time_out={})
            if self._check(time_out).legal:
                self._append(time_out)
            else:
                # Rules 3.5: at a finished game no timeout lifts the limit of the eat that reopens it.
                event.ClearField("at")
        self._append(event)
        self._follow(event)

    def _follow(self, event: events_pb2.Event) -> None:
        """Keep what the seats hold."""
        hand, eaten = self.hands[event.seat], self.eaten[event.seat]
        kind = event.WhichOneof("kind")
        if kind == "draw":
            hand.add(event.draw.card)
        elif kind == "eat":
            card = next(e.discard.card for e in reversed(self.log.events) if e.HasField("discard"))
            hand.add(card)
            eaten.add(card)
        elif kind == "discard":
            hand.discard(event.discard.card)
        elif kind == "lay_down":
            hand -= {card for phom in event.lay_down.phoms for card in phom.cards}
            eaten.clear()
        elif kind == "lay_off":
            hand.discard(event.lay_off.card)

    def _leave(self, seat: int) -> None:
        event = events_pb2.Event(seat=seat, leave={})
        self._time(event)
        if self._check(event).legal:
            self.left.add(seat)
            self._append(event)

    def _time_out(self, seat: int) -> None:
        event = events_pb2.Event(seat=seat, time_out={})
        self._time(event, wait=30)
        if self._check(event).legal:
            self._append(event)

    def _append(self, event: events_pb2.Event) -> None:
        self.log.events.append(event)
        addition = events_pb2.GameLog(events=[event])
        self.bytes += addition.SerializeToString()

    # the clock

    def _time(self, event: events_pb2.Event, wait: int = 4) -> None:
        if not self.timed or self.rng.random() < 0.1:
            return
        self.nanos += self.rng.randrange(wait * 1_000_000_000 + 1) // 1_000_000 * 1_000_000
        event.at.CopyFrom(
            Timestamp(seconds=STARTED + self.nanos // 10**9, nanos=self.nanos % 10**9)
        )

    def _is_late(self, event: events_pb2.Event) -> bool:
        answer = self._check(event)
        return answer.violation.code == verdict_pb2.VIOLATION_CODE_TURN_TIME_EXCEEDED

    def _check(self, event: events_pb2.Event) -> referee_pb2.CheckActionResponse:
        request = referee_pb2.CheckActionRequest()
        request.log.ParseFromString(bytes(self.bytes))
        # An action has an event's fields, but its draw names no card.
        request.action.ParseFromString(event.SerializeToString())
        response = referee().check_action(request.SerializeToString())
        return referee_pb2.CheckActionResponse.FromString(response)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _analyze(
    cards: list[cards_pb2.Card],
    eaten: list[cards_pb2.Card] | None = None,
    offered: cards_pb2.Card = cards_pb2.CARD_UNSPECIFIED,
) -> referee_pb2.AnalyzeHandResponse:
    request = referee_pb2.AnalyzeHandRequest(cards=cards, eaten=eaten, offered=offered)
    return referee_pb2.AnalyzeHandResponse.FromString(analyze_hand(request.SerializeToString()))
