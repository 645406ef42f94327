"""Whole games in process, bytes to bytes, against what Python takes only to look at every event."""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import partial

from echo import walk
from measure import Figure, in_turns, nanos_each
from phom.v1 import events_pb2, referee_pb2, rules_pb2
from phom_core import Referee
from phom_referee.generate import games
from phom_referee.houses import presets, referee

GAMES = 1200
SEED = 20


def generated(count: int = GAMES) -> list[events_pb2.GameLog]:
    """Four-handed games, as many of each house, with times where the house has a clock."""
    houses = [number for number in rules_pb2.House.values() if number]
    each = count // len(houses)
    return [log for house in houses for log in games(each, house=house, seats=4, seed=SEED)]


def batch(logs: list[events_pb2.GameLog]) -> bytes:
    """A ReplayManyRequest's bytes."""
    return referee_pb2.ReplayManyRequest(logs=logs).SerializeToString()


def per_second(work: Callable[[], object], times: int, number: int) -> float:
    """Things a second, of the `number` that `work` does."""
    return 1e9 / nanos_each(work, times, number)


def _judging(rounds: int) -> list[Figure]:
    judge = referee()
    logs = generated()
    many = batch(logs)
    alone = [referee_pb2.ReplayRequest(log=log).SerializeToString() for log in logs]
    untimed = [log for log in logs if not any(event.HasField("at") for event in log.events)]
    plain = batch(untimed)
    roof = "Python walk"
    values = in_turns(
        {
            roof: partial(per_second, lambda: walk(many), 1, len(logs)),
            "many": partial(per_second, lambda: judge.replay_many(many), 5, len(logs)),
            "untimed": partial(per_second, lambda: judge.replay_many(plain), 5, len(untimed)),
            "alone": partial(
                per_second, lambda: [judge.replay(request) for request in alone], 5, len(logs)
            ),
        },
        rounds,
    )
    names = {
        "many": f"`replay_many`, {len(logs):,} logs a call",
        "untimed": f"the same, the {len(untimed):,} of them without times",
        "alone": "`replay`, a log a call",
    }
    return [
        Figure(text, "games/s", values[name], roof, values[roof], "≥ 800,000")
        for name, text in names.items()
    ]


def with_timeouts(log: events_pb2.GameLog, number: int) -> bytes:
    """The game with so many timeouts before its first move, which change nothing."""
    longer = events_pb2.GameLog()
    longer.CopyFrom(log)
    del longer.events[:]
    for _ in range(number):
        longer.events.add(seat=log.first_seat).time_out.SetInParent()
    longer.events.extend(log.events)
    return referee_pb2.ReplayRequest(log=longer).SerializeToString()


def _growth(rounds: int) -> list[Figure]:
    """What 400 more events cost a game of 500 more, against what they cost a short one."""
    judge = referee()
    log = next(games(1, house=rules_pb2.HOUSE_WIKIPEDIA, seats=4, seed=SEED))
    lengths = (0, 400, 500, 900)
    requests = {length: with_timeouts(log, length) for length in lengths}
    values = in_turns(
        {
            str(length): partial(nanos_each, lambda r=request: judge.replay(r), 200, 1)
            for length, request in requests.items()
        },
        rounds,
    )
    by_length = {length: values[str(length)] for length in lengths}
    late = [b - a for a, b in zip(by_length[500], by_length[900], strict=True)]
    early = [b - a for a, b in zip(by_length[0], by_length[400], strict=True)]
    return [
        Figure(
            "400 more events after 500 others",
            "ns",
            late,
            "400 more events after none",
            early,
            "1",
            "lower",
        )
    ]


def _served(rounds: int) -> list[Figure]:
    """The time a game takes a referee after a million others, and what they have left in memory."""
    many = batch(generated())
    houses = [named.ruleset.SerializeToString() for named in presets().rulesets]
    old, new = Referee(houses, "old"), Referee(houses, "new")
    old.replay_many(many)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1_000_000 // GAMES):
        old.replay_many(many)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    values = in_turns(
        {
            "old": partial(nanos_each, lambda: old.replay_many(many), 5, GAMES),
            "new": partial(nanos_each, lambda: new.replay_many(many), 5, GAMES),
        },
        rounds,
    )
    return [
        Figure(
            "a game, after a million others", "ns", values["old"], "a new referee", values["new"],
            "1", "lower",
        ),
        Figure("memory that a million games have left", "MiB", [grown], goal="0"),
    ]  # fmt: skip


def figures(rounds: int) -> list[Figure]:
    """Judging, growth with events, flatness over games served."""
    return [*_judging(rounds), *_growth(rounds), *_served(rounds)]
