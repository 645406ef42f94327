"""States reached by random play, each with what the referee says of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Protocol

from google.protobuf import json_format
from oracle.cards import DECK
from oracle.games import random_log
from oracle.overrides import random_overrides
from phom.v1 import events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom_referee.generate import games
from phom_referee.houses import referee
from rawbytes import delimited, number

Json = dict[str, Any]

HOUSES = [house for house in rules_pb2.House.values() if house != rules_pb2.HOUSE_UNSPECIFIED]

_LOG = referee_pb2.ReplayRequest.DESCRIPTOR.fields_by_name["log"].number
_DETAIL = referee_pb2.ReplayRequest.DESCRIPTOR.fields_by_name["detail"].number
_ACTION = referee_pb2.CheckActionRequest.DESCRIPTOR.fields_by_name["action"].number
_EVENTS = events_pb2.GameLog.DESCRIPTOR.fields_by_name["events"].number

# Shares of the random games that are not plain generated ones of the house.
WITH_OVERRIDES = 0.3
OF_THE_ORACLE = 0.08


class Core(Protocol):
    """What is asked: bytes of a request in, bytes of a response out."""

    def replay(self, request: bytes) -> bytes: ...

    def check_action(self, request: bytes) -> bytes: ...

    def list_legal_actions(self, request: bytes) -> bytes: ...


class Position:
    """The state after a log, and all that the referee says of it when it is legal.

    `raw` is the serialized log; `length` how many events it has; `drawn` and `dealt` are known from the
    log alone, so that what a draw may bring needs no referee.
    """

    def __init__(self, core: Core, log: events_pb2.GameLog, raw: bytes, length: int) -> None:
        self.core = core
        self.raw = raw
        self.length = length
        self.base_stake = log.base_stake or 1
        self.stock = list(log.stock)
        self._seen = {card for hand in log.hands for card in hand.cards}
        self._seen |= {e.draw.card for e in log.events[:length] if e.WhichOneof("kind") == "draw"}
        self.drawn = len(self._seen) - 9 * len(log.hands) - 1
        self.following = log.events[length] if length < len(log.events) else None
        self.request = delimited(_LOG, raw)
        self.traced = self.replay(detail=verdict_pb2.DETAIL_TRACE)
        self.verdict = referee_pb2.ReplayResponse.FromString(self.traced).verdict
        self.state = self.verdict.state
        self.listed = core.list_legal_actions(self.request)
        self.options = referee_pb2.ListLegalActionsResponse.FromString(self.listed)

    @property
    def log(self) -> events_pb2.GameLog:
        """The log as a message."""
        return events_pb2.GameLog.FromString(self.raw)

    @property
    def over(self) -> bool:
        """Whether nothing can follow."""
        return self.state.phase == verdict_pb2.PHASE_OVER

    @property
    def mover(self) -> int:
        """The seat to move; of a game that is over, any."""
        return self.length % len(self.state.seats) if self.over else self.state.turn_seat

    def draws(self) -> set[int]:
        """The cards that a draw may bring (rules 2.2)."""
        if self.stock:
            return {*self.stock[self.drawn : self.drawn + 1]}
        return set(DECK) - self._seen

    def with_event(self, event: bytes) -> bytes:
        """The serialized log with one event more."""
        return self.raw + delimited(_EVENTS, event)

    def replay(self, event: bytes = b"", *, detail: verdict_pb2.Detail) -> bytes:
        """Replay's answer about the log, with one event more if one is given."""
        request = delimited(_LOG, self.with_event(event)) if event else self.request
        return self.core.replay(request + number(_DETAIL, detail))

    def check(self, action: bytes) -> bytes:
        """CheckAction's answer about an action after this log."""
        return self.core.check_action(self.request + delimited(_ACTION, action))


def positions(log: events_pb2.GameLog, core: Core | None = None) -> Iterator[Position]:
    """Every state of a game: the log cut before its first event, after it, and so on."""
    header = header_of(log)
    raw = header.SerializeToString()
    for length in range(len(log.events) + 1):
        yield Position(core or referee(), log, raw, length)
        if length < len(log.events):
            raw += delimited(_EVENTS, log.events[length].SerializeToString())


def position(log: events_pb2.GameLog, length: int, core: Core | None = None) -> Position:
    """The state of a game after its first `length` events."""
    cut = header_of(log)
    cut.events.extend(log.events[:length])
    return Position(core or referee(), log, cut.SerializeToString(), length)


def header_of(log: events_pb2.GameLog) -> events_pb2.GameLog:
    """A log as it was before anything happened, and without claims about what did."""
    header = events_pb2.GameLog()
    header.CopyFrom(log)
    del header.events[:]
    header.ClearField("claimed_result")
    return header


def random_game(rng: random.Random, house: rules_pb2.House) -> events_pb2.GameLog:
    """A random game of a house with 2 to 4 seats; some with other rules, some by another player."""
    overrides = random_overrides(rng) if rng.random() < WITH_OVERRIDES else {}
    if rng.random() < OF_THE_ORACLE:
        log = random_log(rng, rules_pb2.House.Name(house), overrides)
        return json_format.ParseDict(log, events_pb2.GameLog())
    return generated_game(rng.getrandbits(40), house, rng.choice((2, 3, 4)), overrides)


def generated_game(
    seed: int, house: rules_pb2.House, seats: int, overrides: Json
) -> events_pb2.GameLog:
    """A game of the product's own generator; `overrides` in the JSON mapping."""
    rules = json_format.ParseDict(overrides, rules_pb2.Ruleset())
    return next(games(1, house=house, seats=seats, seed=seed, overrides=rules))
