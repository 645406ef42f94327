"""Law 9, no dead ends: every state in progress has a legal action besides leaving and timing out.

    python tests/dead_ends.py --states 1000000 --seed 1

The states are those of games that nobody plays with taste. A player chooses evenly among all that
ListLegalActions names; or mostly what is rare (eating, laying off before the lay-down, announcing); or
throws what the next seat can eat. Seats leave and time out at random, stocks are known or not, 2 to 4
seats. Every second game is played by a house's own rules, the six in turn, the others by rules of which
any field is overridden, within its whole range; at the end a table tells how often each value was
played by. Exits with 1 if the law is broken, printing the first logs in notation.
"""

# ruff: noqa: T201 - it speaks to who runs it.

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from findings import Broken, Findings, as_game_file
from google.protobuf import json_format
from laws_of_logs import law_9
from oracle.cards import DECK
from oracle.deals import random_deal
from oracle.overrides import PRICES, RANGES, random_overrides
from oracle.rules import ENUMS, FIELDS, PRICE_LISTS, Rules, camel, effective
from phom.v1 import actions_pb2, events_pb2, referee_pb2, verdict_pb2
from phom_core import analyze_hand
from phom_referee.houses import referee
from positions import HOUSES, Core
from rawbytes import delimited, number

STARTED = 1_796_000_000
MOST_EVENTS = 900
SHOWN = 5

_LOG = referee_pb2.ReplayRequest.DESCRIPTOR.fields_by_name["log"].number
_DETAIL = referee_pb2.ReplayRequest.DESCRIPTOR.fields_by_name["detail"].number
_EVENTS = events_pb2.GameLog.DESCRIPTOR.fields_by_name["events"].number
_WITH_STATE = number(_DETAIL, verdict_pb2.DETAIL_STATE)

Options = Sequence[actions_pb2.Action]
State = verdict_pb2.TableState


@dataclass
class Tally:
    """What a run has seen."""

    states: int = 0  # in progress
    games: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    overridden: Counter[str] = field(default_factory=Counter)
    values: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: list[tuple[events_pb2.GameLog, Broken]] = field(default_factory=list)


# ---- who plays ----


def evenly(rng: random.Random, options: Options, state: State) -> actions_pb2.Action:
    """Any action, each as likely as another."""
    return rng.choice(options)


def rarely(rng: random.Random, options: Options, state: State) -> actions_pb2.Action:
    """What few states allow, if they do, and hardly ever an Ù, which would end the game."""
    for kind in ("lay_off", "announce_card", "eat"):
        of_kind = [action for action in options if action.HasField(kind)]
        if of_kind and rng.random() < 0.7:
            return rng.choice(of_kind)
    dull = [action for action in options if not action.HasField("declare_u")]
    return rng.choice(dull if dull and rng.random() < 0.95 else options)


def generously(rng: random.Random, options: Options, state: State) -> actions_pb2.Action:
    """Discards that the next seat can eat, and it eats: hands full of eaten cards come of it."""
    seats = [*state.seats[state.turn_seat + 1 :], *state.seats[: state.turn_seat]]
    after = next((seat for seat in seats if not seat.left), None)
    liked = [a for a in options if a.HasField("eat") or (after and _can_eat(after, a))]
    return rng.choice(liked) if liked and rng.random() < 0.8 else rarely(rng, options, state)


def _can_eat(seat: verdict_pb2.SeatState, action: actions_pb2.Action) -> bool:
    if not action.HasField("discard"):
        return False
    eaten = [card for card in seat.eaten if card in seat.cards]
    request = referee_pb2.AnalyzeHandRequest(
        cards=seat.cards, eaten=eaten, offered=action.discard.card
    )
    answer = analyze_hand(request.SerializeToString())
    return referee_pb2.AnalyzeHandResponse.FromString(answer).can_eat


Player = Callable[[random.Random, Options, State], actions_pb2.Action]
PLAYERS: tuple[Player, ...] = (evenly, rarely, generously)


# ---- a game ----


class Walk:
    """One game on its way, as bytes that grow at their end."""

    def __init__(self, log: events_pb2.GameLog, rng: random.Random, core: Core) -> None:
        self.rng = rng
        self.core = core
        self.raw = log.SerializeToString()
        self.events = 0
        dealt = {card for hand in log.hands for card in hand.cards}
        self.stock = list(log.stock) or rng.sample(sorted(DECK - dealt), len(DECK - dealt))
        self.clock = STARTED * 10**9 if log.HasField("started_at") else None
        self.player = rng.choice(PLAYERS)
        self.leave = rng.choice((0.0, 0.0, 0.01, 0.05))
        self.time_out = rng.choice((0.0, 0.0, 0.05))
        self.reopen = rng.choice((0.5, 1.0))

    def play(self, tally: Tally, most: int) -> None:
        """Hold the law against each state until the game is over, or so many states were seen."""
        while tally.states < most:
            request = delimited(_LOG, self.raw)
            reply = referee_pb2.ReplayResponse.FromString(self.core.replay(request + _WITH_STATE))
            listed = self.core.list_legal_actions(request)
            options = referee_pb2.ListLegalActionsResponse.FromString(listed)
            status, state = reply.verdict.status, reply.verdict.state
            tally.states += status == verdict_pb2.STATUS_IN_PROGRESS
            wrong = [*law_9(status, options), *self._no_proof(status)]
            tally.broken += [(events_pb2.GameLog.FromString(self.raw), found) for found in wrong]
            tally.met.update(_seldom(state, options.actions))
            if wrong or not self._goes_on(status, options.actions):
                tally.ends[_end(reply.verdict)] += 1
                return
            self._step(options.actions, state, tally)

    def _no_proof(self, status: int) -> Findings:
        """What would make the walk itself no proof: an illegal step, or no end to it."""
        if status == verdict_pb2.STATUS_ILLEGAL:
            yield Broken("ListLegalActions named it, and Replay refuses it")
        if self.events > MOST_EVENTS:
            yield Broken("the game does not end")

    def _goes_on(self, status: int, options: Options) -> bool:
        in_progress = status == verdict_pb2.STATUS_IN_PROGRESS
        return in_progress or (bool(options) and self.rng.random() < self.reopen)

    def _step(self, options: Options, state: State, tally: Tally) -> None:
        """Mostly one of the options; in a game that is not finished sometimes a leave or a timeout."""
        chance = 1.0 if state.can_be_reopened else self.rng.random()
        if chance < self.leave:
            leaver = self.rng.choice([seat.seat for seat in state.seats if not seat.left])
            event = events_pb2.Event(seat=leaver, leave={})
        elif chance < self.leave + self.time_out:
            event = events_pb2.Event(seat=state.turn_seat, time_out={})
        else:
            action = self.player(self.rng, options, state)
            event = events_pb2.Event.FromString(action.SerializeToString())
            if event.HasField("draw"):
                event.draw.card = self.stock[len(self.stock) - state.stock_left]
        tally.done[str(event.WhichOneof("kind"))] += 1
        self._append(event)

    def _append(self, event: events_pb2.Event) -> None:
        """At a time, if the game's events carry some; where it is too late for it, after a timeout."""
        untimed = self.raw + delimited(_EVENTS, event.SerializeToString())
        self.events += 1
        if self.clock is None or event.HasField("time_out") or self.rng.random() < 0.2:
            self.raw = untimed
            return
        then = self.clock + self.rng.choice((0, 10**9, 6 * 10**9, 50 * 10**9))
        event.at.seconds, event.at.nanos = divmod(then, 10**9)
        timed = delimited(_EVENTS, event.SerializeToString())
        out = delimited(_EVENTS, events_pb2.Event(seat=event.seat, time_out={}).SerializeToString())
        for longer in (self.raw + timed, self.raw + out + timed):
            answer = self.core.replay(delimited(_LOG, longer))
            verdict = referee_pb2.ReplayResponse.FromString(answer).verdict
            if verdict.status != verdict_pb2.STATUS_ILLEGAL:
                self.raw, self.clock = longer, then
                return
        self.raw = untimed


def _seldom(state: State, options: Options) -> Iterator[str]:
    """What makes a state one at which the law could fail."""
    if not state.HasField("turn_seat"):
        return
    seat = state.seats[state.turn_seat]
    eaten = sum(card in seat.cards for card in seat.eaten)
    if eaten > 1:
        yield f"{eaten} eaten cards to be kept"
    if state.announced_card:
        yield "bound by an announced card"
    if seat.laid_off and not seat.laid:
        yield "laid off before any lay-down"
    if any(a.HasField("lay_down") for a in options) and any(a.HasField("lay_off") for a in options):
        yield "lay-off and lay-down both open"
    if state.stock_left == 0 and not state.can_be_reopened:
        yield "empty stock"
    if len(options) == 1:
        yield "one action only"


def _end(verdict: verdict_pb2.Verdict) -> str:
    if verdict.status != verdict_pb2.STATUS_FINISHED:
        return verdict_pb2.Status.Name(verdict.status).removeprefix("STATUS_").lower()
    if verdict.result.HasField("u"):
        return "u"
    if sum(not seat.left for seat in verdict.state.seats) == 1:
        return "alone"
    least = min(seat.discard_count for seat in verdict.state.seats if not seat.left)
    return "rounds" if least >= verdict.state.target else "dry stock"


# ---- many games ----


def run(states: int, seed: int, core: Core | None = None) -> Tally:
    """Walk through so many states; the same seed gives the same ones."""
    tally, rng = Tally(), random.Random(seed)
    while tally.states < states:
        log = dealt(rng, tally.games)
        _count_rules(log, tally)
        tally.games += 1
        Walk(log, rng, core or referee()).play(tally, states)
    return tally


def dealt(rng: random.Random, index: int) -> events_pb2.GameLog:
    """A log before its first event; of two one by a house's own rules."""
    seats = rng.randint(2, 4)
    log = events_pb2.GameLog(first_seat=rng.randrange(seats))
    if index % 2:
        json_format.ParseDict(random_overrides(rng), log.ruleset)
    log.ruleset.house = HOUSES[index // 2 % len(HOUSES)]
    for hand in random_deal(rng, seats, log.first_seat):
        log.hands.add(cards=hand)
    if rng.random() < 0.5:
        rest = sorted(DECK.difference(*(hand.cards for hand in log.hands)))
        log.stock.extend(rng.sample(rest, len(rest)))
    if rng.random() < 0.3:
        log.started_at.seconds = STARTED
    return log


# ---- which rules were played by ----


def _count_rules(log: events_pb2.GameLog, tally: Tally) -> None:
    given = json_format.MessageToDict(log.ruleset)
    rules = effective(given)
    tally.values["house", given["house"].removeprefix("HOUSE_").lower()] += 1
    for name in FIELDS:
        tally.overridden[name] += camel(name) in given
        for value in _values(rules, name):
            tally.values[name, _class(name, value)] += 1


def _values(rules: Rules, name: str) -> Sequence[Any]:
    value = getattr(rules, name)
    return value if name in PRICE_LISTS else [value]


def _class(name: str, value: Any) -> str:
    """The value; of a number what it lies between, the ends of its range apart."""
    if name in ENUMS or FIELDS[name] is bool or name == "rounds":
        return str(value).lower()
    top = RANGES.get(name, PRICES)[1]
    if value in (0, 1, top - 1, top):
        return str(value)
    decade = 10 ** (len(str(value)) - 1)
    return f"{max(decade, 2)}–{min(10 * decade, top - 1) - 1}"


def _in_order(met: tuple[str, int]) -> tuple[int, str]:
    """Numbers by what they begin at, words by the alphabet."""
    first = met[0].split("–")[0]
    return int(first) if first.isdigit() else 0, first


def rules_table(tally: Tally) -> str:
    """A line for each field: in how many games it was overridden, and by which values was played."""
    lines = []
    for name in ("house", *FIELDS):
        met = [(value, times) for (own, value), times in tally.values.items() if own == name]
        values = ", ".join(f"{value} {times}" for value, times in sorted(met, key=_in_order))
        lines.append(f"| {name} | {tally.overridden[name]} | {values} |")
    return "\n".join(["| field | overridden | played by |", "|---|---|---|", *lines])


def main() -> int:
    """Run from the command line; 1 if the law was broken."""
    parser = argparse.ArgumentParser(description="Law 9: no dead ends.")
    parser.add_argument("--states", type=int, default=1_000_000, help="in progress")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    tally = run(given.states, given.seed)
    rate = tally.states / (time.monotonic() - began)
    print(
        f"{tally.states} states in progress of {tally.games} games, "
        f"{len(tally.broken)} violations ({rate:.0f} states/s)"
    )
    for name in ("ends", "done", "met"):
        print(f"{name}: {dict(getattr(tally, name).most_common())}")
    print(rules_table(tally))
    for log, broken in tally.broken[:SHOWN]:
        print(as_game_file(9, log, broken))
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
