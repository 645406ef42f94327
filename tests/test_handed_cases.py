"""The handed games and hands (tests/cases): from a reference that tries everything."""

import json
from pathlib import Path
from typing import Any

import pytest
from agreement import verdict_of
from google.protobuf import json_format
from phom.v1 import events_pb2, referee_pb2, verdict_pb2
from phom_core import analyze_hand

Json = dict[str, Any]

CASES = Path(__file__).parent / "cases"

# Cases that contradict the rules: id -> the section that decides otherwise. There is none.
CONTRADICTIONS: dict[str, str] = {}


def _lines(name: str) -> list[Json]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


def _params(*names: str) -> list[Any]:
    return [
        pytest.param(
            case,
            id=case["id"],
            marks=[pytest.mark.xfail(reason=CONTRADICTIONS[case["id"]], strict=True)]
            if case["id"] in CONTRADICTIONS
            else [],
        )
        for name in names
        for case in _lines(name)
    ]


@pytest.mark.parametrize("case", _params("games.jsonl", "games-2.jsonl"))
def test_game(case: Json) -> None:
    log = json_format.ParseDict(case["log"], events_pb2.GameLog())
    verdict = verdict_of(log, verdict_pb2.DETAIL_RESULT)
    expected = case["expected"]
    assert verdict_pb2.Status.Name(verdict.status) == expected["status"]
    assert _violation(verdict) == _expected_violation(expected)
    assert _claims(verdict) == [
        (d.get("seat"), d["field"]) for d in expected.get("claimDifferences", [])
    ]
    if expected["status"] != "STATUS_ILLEGAL":
        assert _payments(verdict.result) == _expected_payments(expected["result"])
    if expected["status"] in ("STATUS_FINISHED", "STATUS_CLAIM_MISMATCH"):
        assert _seats(verdict.result) == _expected_seats(expected["result"])
        assert _u(verdict.result) == _expected_u(expected["result"])


def _violation(verdict: verdict_pb2.Verdict) -> object:
    if not verdict.HasField("violation"):
        return None
    found = verdict.violation
    code = verdict_pb2.ViolationCode.Name(found.code).removeprefix("VIOLATION_CODE_")
    return (found.event_index if found.HasField("event_index") else None, code, found.rule)


def _expected_violation(expected: Json) -> object:
    if "violation" not in expected:
        return None
    violation = expected["violation"]
    return (violation.get("eventIndex"), violation["code"], violation["rule"])


def _claims(verdict: verdict_pb2.Verdict) -> list[object]:
    return [(d.seat if d.HasField("seat") else None, d.field) for d in verdict.claim_differences]


def _payments(result: verdict_pb2.GameResult) -> list[object]:
    return sorted(
        (
            p.from_seat,
            p.to_seat,
            p.stakes,
            p.amount,
            verdict_pb2.PaymentReason.Name(p.reason).removeprefix("PAYMENT_REASON_"),
            p.event_index if p.HasField("event_index") else -1,
        )
        for p in result.payments
    )


def _expected_payments(result: Json) -> list[object]:
    return sorted(
        (
            p.get("fromSeat", 0),
            p.get("toSeat", 0),
            p["stakes"],
            int(p["amount"]),
            p["reason"],
            p.get("eventIndex", -1),
        )
        for p in result["payments"]
    )


def _seats(result: verdict_pb2.GameResult) -> list[object]:
    return [(s.seat, s.place, s.points, s.mom, s.left, s.net, s.rake) for s in result.seats]


def _expected_seats(result: Json) -> list[object]:
    return [
        (
            s.get("seat", 0),
            s.get("place", 0),
            s.get("points", 0),
            s.get("mom", False),
            s.get("left", False),
            int(s.get("net", 0)),
            int(s.get("rake", 0)),
        )
        for s in result["seats"]
    ]


def _u(result: verdict_pb2.GameResult) -> object:
    if not result.HasField("u"):
        return None
    den = result.u.den_seat if result.u.HasField("den_seat") else None
    return (result.u.seat, verdict_pb2.UKind.Name(result.u.kind), den)


def _expected_u(result: Json) -> object:
    if "u" not in result:
        return None
    return (result["u"].get("seat", 0), result["u"]["kind"], result["u"].get("denSeat"))


@pytest.mark.parametrize("case", _params("hands.jsonl"))
def test_hand(case: Json) -> None:
    fields = {key: case[key] for key in ("cards", "eaten", "offered") if case[key] is not None}
    request = json_format.ParseDict(fields, referee_pb2.AnalyzeHandRequest())
    response = analyze_hand(request.SerializeToString())
    hand: Json = json_format.MessageToDict(
        referee_pb2.AnalyzeHandResponse.FromString(response),
        always_print_fields_with_no_presence=True,
    )
    assert hand["points"] == case["points"]
    assert [phom["cards"] for phom in hand["phoms"]] == case["phoms"]
    assert hand["loose"] == case["loose"]
    assert hand["khan"] == case["khan"]
    assert hand["legalDiscards"] == case["legalDiscards"]
    if len(case["cards"]) == 10:
        assert hand["uKind"] == case["uKind"]
    if case["canEat"] is not None:
        assert hand["canEat"] == case["canEat"]
