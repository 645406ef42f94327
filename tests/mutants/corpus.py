"""What mutants are asked, with what the core as it is answers and what the tests hold that against.

Recorded once for a core and its tests, so that no mutant waits for the oracle: a mutant that answers with
the same bytes passes; only where it does not, the test itself decides. The logs and hands are those that
`make test` compares.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import agreement
import hands
import laws_of_moves
import test_games
import test_handed_cases
from differential import _logs as random_logs
from google.protobuf import json_format
from oracle import faults, judge
from oracle.deform import deform
from oracle.legal import legal_at
from oracle.referee import replay
from phom.v1 import events_pb2, referee_pb2, verdict_pb2
from phom_core import NotALog, analyze_hand
from phom_core import hands as solver
from phom_referee.houses import referee
from phom_referee.notation import parse
from positions import HOUSES, Position, position, random_game

from mutants.judge import CORPUS, GAMES, Question

LOG_SEEDS, LOGS = range(1, 9), 400  # as in test_differential.py
HAND_SEEDS, HANDS = range(101, 105), 1000  # as in test_hands.py
BROKEN = 500
STATES = 240


def games() -> list[Question]:
    """The game files and handed cases."""
    return _recorded(_games(), _cases(), _hand_cases())


def corpus() -> list[Question]:
    """What the oracle is asked too, which takes a minute or two."""
    return _recorded(_logs(), _broken(), _hands(), _states())


def _recorded(*parts: Iterable[Question]) -> list[Question]:
    found = [*itertools.chain(*parts)]
    for question in found:
        question.answer = answer(question)
        if not holds(question):
            raise AssertionError(f"the core itself fails: {question.kind} {question.name}")
    return found


def fails(question: Question) -> bool:
    """Whether a mutant fails the test that the question stands for."""
    return answer(question) != question.answer and not holds(question)


def answer(question: Question) -> object:
    """What the core says: bytes, or the faults that it finds."""
    try:
        return _ASK[question.kind](question.asked)
    except NotALog as error:
        return error.fields


def holds(question: Question) -> bool:
    """Whether the test that the question stands for passes."""
    try:
        return _HOLDS[question.kind](question)
    except AssertionError:
        return False


# ---- game files and handed cases ----


def _replay_request(log: events_pb2.GameLog) -> bytes:
    detail = verdict_pb2.DETAIL_TRACE
    return referee_pb2.ReplayRequest(log=log, detail=detail).SerializeToString()


def _games() -> Iterator[Question]:
    for behaviour in sorted(test_games.behaviours(".phom")):
        (log,) = parse((test_games.GAMES / f"{behaviour}.phom").read_text(encoding="utf-8"))
        yield Question(GAMES, "game", behaviour, _replay_request(log), None)


def _game_holds(question: Question) -> bool:
    test_games.test_verdict_is_as_expected(question.name)
    return True


def _handed(*names: str) -> Iterator[dict[str, Any]]:
    for name in names:
        lines = (test_handed_cases.CASES / name).read_text("utf-8").splitlines()
        yield from map(json.loads, lines)


def _cases() -> Iterator[Question]:
    for case in _handed("games.jsonl", "games-2.jsonl"):
        log = json_format.ParseDict(case["log"], events_pb2.GameLog())
        yield Question(GAMES, "case", case["id"], _replay_request(log), case)


def _case_holds(question: Question) -> bool:
    test_handed_cases.test_game(question.evidence)
    return True


def _hand_cases() -> Iterator[Question]:
    for case in _handed("hands.jsonl"):
        fields = {key: case[key] for key in ("cards", "eaten", "offered") if case[key] is not None}
        request = json_format.ParseDict(fields, referee_pb2.AnalyzeHandRequest())
        yield Question(GAMES, "hand case", case["id"], request.SerializeToString(), case)


def _hand_case_holds(question: Question) -> bool:
    test_handed_cases.test_hand(question.evidence)
    return True


# ---- against the oracle ----


def _logs() -> Iterator[Question]:
    for seed in LOG_SEEDS:
        for log in itertools.islice(random_logs(random.Random(seed)), LOGS):
            yield _log_question(f"log of seed {seed}", log)


def _broken() -> Iterator[Question]:
    rng = random.Random(1)
    for log in itertools.islice(random_logs(rng), BROKEN):
        yield _log_question("log that is none", deform(log, rng)[0])


def _log_question(name: str, log: dict[str, Any]) -> Question:
    wrong = faults(log)
    message = json_format.ParseDict(log, events_pb2.GameLog())
    evidence = (message.SerializeToString(), wrong, None if wrong else judge(log, "TRACE"))
    return Question(CORPUS, "log", name, _replay_request(message), evidence)


def _log_holds(question: Question) -> bool:
    raw, wrong, theirs = question.evidence
    return not agreement.differences(events_pb2.GameLog.FromString(raw), wrong, theirs)


def _hands() -> Iterator[Question]:
    for seed in HAND_SEEDS:
        for hand in itertools.islice(hands.hands(random.Random(seed)), HANDS):
            theirs = hands.oracle_says(hand)
            told = theirs if isinstance(theirs, list) else theirs.SerializeToString()
            asked = (hand.cards, hand.eaten, hand.offered)
            yield Question(CORPUS, "hand", str(hand), asked, told)


def _ask_hand(asked: Any) -> object:
    """AnalyzeHand's answer, and that of the solver, which finds points alone by another way."""
    hand = hands.Hand(*asked)
    says = hands.referee_says(hand)
    if isinstance(says, list):
        return says
    return says.SerializeToString(deterministic=True), solver.points([*hand.cards])


def _hand_holds(question: Question) -> bool:
    hand = hands.Hand(*question.asked)
    ours = hands.referee_says(hand)
    told = ours if isinstance(ours, list) else ours.SerializeToString()
    if told != question.evidence:
        return False
    without = hands.oracle_says(hands.Hand(hand.cards))
    return isinstance(without, list) or solver.points([*hand.cards]) == without.points


def _states() -> Iterator[Question]:
    rng = random.Random(1)
    for house in itertools.islice(itertools.cycle(HOUSES), STATES):
        log = random_game(rng, house)
        length = max(0, len(log.events) - rng.randrange(20))
        at = position(log, length)
        table, violation, _ = replay(json_format.MessageToDict(at.log))
        assert violation is None
        yield Question(CORPUS, "state", f"{house}/{length}", (at.raw, length), legal_at(table))


def _state(asked: tuple[bytes, int]) -> Position:
    raw, length = asked
    return Position(referee(), events_pb2.GameLog.FromString(raw), raw, length)


def _ask_state(asked: tuple[bytes, int]) -> object:
    at = _state(asked)
    told = hashlib.sha256(at.traced + at.listed)
    for action in laws_of_moves.candidates(at, random.Random(1), 0.1):
        told.update(at.check(action))
    return told.digest()


def _state_holds(question: Question) -> bool:
    at = _state(question.asked)
    answered = laws_of_moves.answers(at, laws_of_moves.candidates(at, random.Random(1), 0.1))
    refused = {a: said for a, said in answered.items() if not laws_of_moves.said_yes(said)}
    laws = (
        laws_of_moves.law_1(at, refused),
        laws_of_moves.law_2(at, answered),
        laws_of_moves.apart(at),
        laws_of_moves.as_listed(at, question.evidence),
    )
    return not any(True for law in laws for _ in law)


_ASK: dict[str, Callable[[Any], object]] = {
    "game": lambda request: referee().replay(request),
    "case": lambda request: referee().replay(request),
    "hand case": analyze_hand,
    "log": lambda request: referee().replay(request),
    "hand": _ask_hand,
    "state": _ask_state,
}
_HOLDS: dict[str, Callable[[Question], bool]] = {
    "game": _game_holds,
    "case": _case_holds,
    "hand case": _hand_case_holds,
    "log": _log_holds,
    "hand": _hand_holds,
    "state": _state_holds,
}
