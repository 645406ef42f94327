"""Where referee and oracle disagree about a log: the whole verdict in one comparable form."""

from __future__ import annotations

from typing import Any

from google.protobuf import json_format
from oracle import faults, judge
from phom.v1 import cards_pb2, events_pb2, referee_pb2, verdict_pb2
from phom_core import NotALog
from phom_referee.houses import referee

Json = dict[str, Any]


def verdict_of(log: events_pb2.GameLog, detail: verdict_pb2.Detail) -> verdict_pb2.Verdict:
    """What the referee says of a log, asked as a caller asks: bytes in, bytes out."""
    request = referee_pb2.ReplayRequest(log=log, detail=detail)
    response = referee().replay(request.SerializeToString())
    return referee_pb2.ReplayResponse.FromString(response).verdict


def disagreements(log: Json) -> list[str]:
    """What the two say differently of a log in protobuf's JSON mapping; empty if nothing."""
    return compared(log)[0]


def compared(log: Json) -> tuple[list[str], Json | None]:
    """The disagreements, and what the oracle says of it: None if it is no log."""
    message = json_format.ParseDict(log, events_pb2.GameLog())
    expected_faults = faults(log)
    theirs = None if expected_faults else judge(log, "TRACE")
    return differences(message, expected_faults, theirs), theirs


def differences(message: events_pb2.GameLog, expected: list[str], theirs: Json | None) -> list[str]:
    """What the referee says of a log otherwise than the oracle did: its faults, or its verdict."""
    try:
        verdict = verdict_of(message, verdict_pb2.DETAIL_TRACE)
    except NotALog as error:
        found = [path for path, _ in error.fields]
        return [] if found == expected else [f"faults {found} / {expected}"]
    if theirs is None:
        return [f"no faults / {expected}"]
    return _differences("", _theirs(theirs), _ours(verdict))


def _ours(verdict: verdict_pb2.Verdict) -> Json:
    """A verdict in the oracle's form: all fields given, numbers as numbers."""
    given: Json = json_format.MessageToDict(verdict, always_print_fields_with_no_presence=True)
    given["digest"] = given.pop("rulesetDigest")
    given.pop("refereeVersion")
    given.pop("gameId")
    if "violation" in given:
        given["violation"]["code"] = given["violation"]["code"].removeprefix("VIOLATION_CODE_")
        given["violation"].pop("message")
    for entry in given["trace"]:
        entry.pop("rule")
        # The oracle knows a last-round turn only while it lasts.
        entry["lastRoundTurn"] = entry["lastRoundTurn"] and entry["phase"] == "PHASE_ACT"
        _plain_payments(entry)
    if "result" in given:
        _plain_payments(given["result"])
        given["result"]["rakeTotal"] = int(given["result"]["rakeTotal"])
        for seat in given["result"]["seats"]:
            seat["net"], seat["rake"] = int(seat["net"]), int(seat["rake"])
            seat.pop("phoms")
        if "u" in given["result"]:
            given["result"]["u"].pop("phoms")
    return given


def _plain_payments(holder: Json) -> None:
    for payment in holder["payments"]:
        payment["amount"] = int(payment["amount"])
        payment["reason"] = payment["reason"].removeprefix("PAYMENT_REASON_")
    _sort(holder)


def _sort(holder: Json) -> None:
    """Payments at the game's end come in no order that the contract knows."""
    holder["payments"].sort(key=lambda p: (p.get("eventIndex", 1 << 20), p["fromSeat"]))


def _theirs(verdict: Json) -> Json:
    """The oracle leaves out what does not apply; the trace knows its last round as above."""
    for holder in [*verdict["trace"], *([verdict["result"]] if "result" in verdict else [])]:
        _sort(holder)
    for seat in verdict["state"]["seats"]:
        seat["laidOff"].sort(key=cards_pb2.Card.Value)
    for entry in verdict["trace"]:
        entry["lastRoundTurn"] = entry["lastRoundTurn"] and entry["phase"] == "PHASE_ACT"
    return verdict


_ABSENT = (None, "", [], 0, "0", False, "CARD_UNSPECIFIED", "DEN_REASON_UNSPECIFIED")


def _differences(path: str, theirs: Any, ours: Any) -> list[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return [
            line
            for key in sorted(theirs.keys() | ours.keys())
            for line in _differences(f"{path}.{key}", theirs.get(key), ours.get(key))
        ]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = enumerate(zip(theirs, ours, strict=True))
        return [line for i, (a, b) in pairs for line in _differences(f"{path}[{i}]", a, b)]
    if theirs == ours or (theirs in _ABSENT and ours in _ABSENT):
        return []
    return [f"{path}: oracle {theirs!r}, referee {ours!r}"]
