"""Games as plain text, one behaviour a file, its name the behaviour, its verdict beside it.

`games/<behaviour>.phom` is a log in notation; its first comment says what happens in it and which
rule decides. `games/<behaviour>.json` is the expected verdict in protobuf's JSON mapping, as far as
the rules decide it for that behaviour: every field in it must be the verdict's, what it leaves out
is not compared. A list must have the same length, and its elements are compared in the same way.
The value "$absent" means that the field must not be set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from phom.v1 import referee_pb2, verdict_pb2
from phom_referee.houses import referee
from phom_referee.notation import parse

GAMES = Path(__file__).parent / "games"
ABSENT = "$absent"


def behaviours(suffix: str) -> set[str]:
    return {path.stem for path in GAMES.glob(f"*{suffix}")}


def expected_of(behaviour: str) -> Any:
    return json.loads((GAMES / f"{behaviour}.json").read_text(encoding="utf-8"))


def verdict_of(behaviour: str) -> verdict_pb2.Verdict:
    (log,) = parse((GAMES / f"{behaviour}.phom").read_text(encoding="utf-8"))
    request = referee_pb2.ReplayRequest(log=log, detail=verdict_pb2.DETAIL_TRACE)
    response = referee().replay(request.SerializeToString())
    return referee_pb2.ReplayResponse.FromString(response).verdict


def differences(expected: Any, given: Any, full: Any, path: str = "verdict") -> Iterator[str]:
    """Each field that is not as expected, a line each.

    `given` is the verdict with defaults left out, where what is not set is not there; `full` is the
    same with them, where 0 and false can be compared.
    """
    if isinstance(expected, dict) and isinstance(full, dict):
        for name, value in expected.items():
            field = f"{path}.{name}"
            if value == ABSENT:
                if name in given:
                    yield f"{field}: expected not to be set, is {given[name]!r}"
            elif name not in full:
                yield f"{field}: expected {value!r}, is not set"
            else:
                inner = given.get(name, [] if isinstance(full[name], list) else {})
                yield from differences(value, inner, full[name], field)
    elif isinstance(expected, list) and isinstance(full, list):
        if len(expected) != len(full):
            yield f"{path}: expected {len(expected)} entries, has {len(full)}: {given!r}"
            return
        for i, value in enumerate(expected):
            yield from differences(value, given[i], full[i], f"{path}[{i}]")
    elif type(expected) is not type(full) or expected != full:
        yield f"{path}: expected {expected!r}, is {full!r}"


@pytest.mark.parametrize("behaviour", sorted(behaviours(".phom")))
def test_verdict_is_as_expected(behaviour: str) -> None:
    verdict = verdict_of(behaviour)
    given = json_format.MessageToDict(verdict)
    full = json_format.MessageToDict(verdict, always_print_fields_with_no_presence=True)
    found = list(differences(expected_of(behaviour), given, full))
    assert not found, "\n".join([behaviour, *found, verdict.violation.message])


@pytest.mark.parametrize("behaviour", sorted(behaviours(".phom")))
def test_game_says_first_what_it_shows(behaviour: str) -> None:
    assert (GAMES / f"{behaviour}.phom").read_text(encoding="utf-8").startswith("# ")


def test_every_game_has_its_verdict_and_every_verdict_its_game() -> None:
    assert behaviours(".phom") ^ behaviours(".json") == set()


def test_every_violation_code_is_shown_by_a_game() -> None:
    verdicts = [expected_of(behaviour) for behaviour in behaviours(".json")]
    shown = {v["violation"]["code"] for v in verdicts if "code" in v.get("violation", ())}
    known = set(verdict_pb2.ViolationCode.keys()) - {"VIOLATION_CODE_UNSPECIFIED"}
    assert shown == known


def test_what_differs_is_told() -> None:
    """The comparison itself: what it must not overlook."""
    payments = [verdict_pb2.Payment(from_seat=1, stakes=3)]
    result = verdict_pb2.GameResult(payments=payments, u=verdict_pb2.UResult(den_seat=0))
    verdict = verdict_pb2.Verdict(status=verdict_pb2.STATUS_FINISHED, result=result)
    given = json_format.MessageToDict(verdict)
    full = json_format.MessageToDict(verdict, always_print_fields_with_no_presence=True)

    def told(expected: Any) -> list[str]:
        return list(differences(expected, given, full))

    assert told({"result": {"payments": [{"fromSeat": 1, "toSeat": 0}], "u": {"denSeat": 0}}}) == []
    assert told({"violation": ABSENT, "result": {"payments": [{"eventIndex": ABSENT}]}}) == []
    assert told({"result": {"payments": []}}) != []
    assert told({"result": {"payments": [{"toSeat": 1}]}}) != []
    assert told({"result": {"payments": [{"toSeat": False}]}}) != []
    assert told({"result": {"u": {"denSeat": ABSENT}}}) != []
    assert told({"violation": {"code": "VIOLATION_CODE_NOT_U"}}) != []
    assert told({"result": {"noSuchField": 1}}) != []
