"""What the core counts of a call is what its answer says."""

from collections import Counter
from pathlib import Path

import pytest
from phom.v1 import events_pb2, referee_pb2, verdict_pb2
from phom_core import Counts, NotALog
from phom_referee.houses import referee
from phom_referee.notation import parse

GAMES = sorted((Path(__file__).parent / "games").glob("*.phom"))


@pytest.fixture(scope="module")
def logs() -> list[events_pb2.GameLog]:
    """The game files, most of which hold a violation, and what is no log among them."""
    found = [log for path in GAMES for log in parse(path.read_text(encoding="utf-8"))]
    no_log = events_pb2.GameLog(game_id="no log")
    return [no_log, *found[:50], no_log, *found[50:], no_log]


def _told(counts: Counts) -> dict[str, object]:
    return {
        "games": {(house, status): number for house, status, number in counts.games()},
        "violations": dict(counts.violations()),
        "events": counts.events,
        "no_logs": counts.no_logs,
        "logs": counts.logs,
    }


def _expected(
    logs: list[events_pb2.GameLog], outcomes: list[referee_pb2.ReplayOutcome]
) -> dict[str, object]:
    games: Counter[tuple[int, int]] = Counter()
    violations: Counter[int] = Counter()
    events = no_logs = 0
    for log, outcome in zip(logs, outcomes, strict=True):
        if outcome.HasField("error"):
            no_logs += 1
            continue
        verdict = outcome.verdict
        games[log.ruleset.house, verdict.status] += 1
        events += len(log.events)
        if verdict.status == verdict_pb2.STATUS_ILLEGAL:
            violations[verdict.violation.code] += 1
    return {
        "games": games,
        "violations": violations,
        "events": events,
        "no_logs": no_logs,
        "logs": len(logs),
    }


def test_a_batch_is_counted_as_it_is_answered(logs: list[events_pb2.GameLog]) -> None:
    counts = Counts()
    request = referee_pb2.ReplayManyRequest(logs=logs).SerializeToString()
    answer = referee().replay_many(request, counts)
    outcomes = list(referee_pb2.ReplayManyResponse.FromString(answer).outcomes)
    assert _told(counts) == _expected(logs, outcomes)
    assert counts.no_logs == 3
    assert len(counts.violations()) > 40
    # What comes after is added, and nothing of a call stays for the next one that counts nothing.
    referee().replay_many(request)
    referee().replay_many(request, counts)
    assert _told(counts) == _expected(logs * 2, outcomes * 2)


def test_lone_calls_count_the_same(logs: list[events_pb2.GameLog]) -> None:
    total = Counts()
    for log in logs:
        counts = Counts()
        try:
            referee().replay(referee_pb2.ReplayRequest(log=log).SerializeToString(), counts)
        except NotALog:
            assert (counts.no_logs, counts.games()) == (1, [])
        else:
            ((house, _, number),) = counts.games()
            assert (house, number) == (log.ruleset.house, 1)
        assert counts.logs == 1
        total.add(counts)
    batch = Counts()
    referee().replay_many(referee_pb2.ReplayManyRequest(logs=logs).SerializeToString(), batch)
    assert _told(total) == _told(batch)
    total.clear()
    assert _told(total) == _told(Counts())


def test_what_is_no_request_is_no_log() -> None:
    counts = Counts()
    with pytest.raises(NotALog):
        referee().replay(b"\xff", counts)
    assert counts.logs == counts.no_logs == 1
    with pytest.raises(NotALog):
        referee().replay_many(b"\xff", counts)
    assert counts.logs == 1  # of how many logs it would have been nobody knows
