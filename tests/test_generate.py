"""Generated games are legal, finished, the same for the same seed, and go through every branch."""

from collections import Counter

import pytest
from agreement import verdict_of
from branches import EVERY_BRANCH, branches
from phom.v1 import rules_pb2, verdict_pb2
from phom_referee.generate import games

HOUSES = [house for house in rules_pb2.House.values() if house != rules_pb2.HOUSE_UNSPECIFIED]
PER_TABLE = 150


def test_every_branch_of_the_rules_comes_up() -> None:
    seen: Counter[str] = Counter()
    for house in HOUSES:
        for seats in (2, 3, 4):
            for log in games(PER_TABLE, house=house, seats=seats, seed=20261130):
                verdict = verdict_of(log, verdict_pb2.DETAIL_TRACE)
                assert verdict.status == verdict_pb2.STATUS_FINISHED, log.game_id
                seen += branches(log, verdict)
    assert EVERY_BRANCH - seen.keys() == set(), seen


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_same_seed_same_games(seats: int) -> None:
    house = rules_pb2.HOUSE_WIKIPEDIA
    first, again = ([*games(5, house=house, seats=seats, seed=7)] for _ in range(2))
    assert first == again
    assert first != [*games(5, house=house, seats=seats, seed=8)]


def test_overrides_are_played_by() -> None:
    overrides = rules_pb2.Ruleset(rounds=1, turn_seconds=0)
    for log in games(5, house=rules_pb2.HOUSE_GO88, overrides=overrides, seed=1):
        assert (log.ruleset.house, log.ruleset.rounds) == (rules_pb2.HOUSE_GO88, 1)
        assert verdict_of(log, verdict_pb2.DETAIL_STATE).state.target == 1


def test_games_with_little_time_are_legal() -> None:
    # Also a late eat that reopens a finished game, which no timeout could excuse.
    overrides = rules_pb2.Ruleset(rounds=1, turn_seconds=1)
    for log in games(300, house=rules_pb2.HOUSE_IWIN, seats=3, overrides=overrides, seed=2):
        verdict = verdict_of(log, verdict_pb2.DETAIL_RESULT)
        assert verdict.status == verdict_pb2.STATUS_FINISHED, verdict.violation


@pytest.mark.parametrize("seats", [1, 5])
def test_seats_out_of_range(seats: int) -> None:
    with pytest.raises(ValueError, match=f"2 to 4, not {seats}"):
        next(games(1, house=rules_pb2.HOUSE_GO88, seats=seats))
