"""What the core writes is what protobuf would write of the same message, byte for byte.

Parsed by protobuf and serialized again it does not change: no field out of order, none written that
is a default, no length longer than needed, nothing that the .proto files do not know. That the values
are right is said by a few messages built by hand here, and by the oracle elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from phom.v1 import cards_pb2, events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom_core import analyze_hand
from phom_referee.houses import VERSION, referee
from wire.requests import check_of, cut, hand_of, handed_logs, rich_logs

SEED = 3
GAMES_EACH = 112  # of six houses with 2, 3 and 4 seats: two thousand games

RESPONSES: dict[str, Any] = {
    "replay": referee_pb2.ReplayResponse,
    "replay_many": referee_pb2.ReplayManyResponse,
    "check_action": referee_pb2.CheckActionResponse,
    "list_legal_actions": referee_pb2.ListLegalActionsResponse,
    "analyze_hand": referee_pb2.AnalyzeHandResponse,
}


def respond(call: str, request: Message) -> Any:
    """The core's response, parsed; its bytes are what protobuf writes of it."""
    ask = analyze_hand if call == "analyze_hand" else getattr(referee(), call)
    data = ask(request.SerializeToString())
    response = RESPONSES[call].FromString(data)
    written = response.SerializeToString(deterministic=True)
    assert written == data, f"{call}\n{data.hex()}\n{written.hex()}"
    response.DiscardUnknownFields()
    assert response.SerializeToString(deterministic=True) == data, f"{call}, unknown\n{data.hex()}"
    return response


def verdict_of(log: events_pb2.GameLog, detail: verdict_pb2.Detail = 3) -> verdict_pb2.Verdict:
    verdict = respond("replay", referee_pb2.ReplayRequest(log=log, detail=detail)).verdict
    assert isinstance(verdict, verdict_pb2.Verdict)
    return verdict


# ---- many responses ----


def _asked(rng: random.Random, log: events_pb2.GameLog) -> Iterator[tuple[str, Message]]:
    """All that can be asked about a game."""
    broken = events_pb2.GameLog()
    broken.CopyFrom(log)
    if len(log.events) > 1:
        at = rng.randrange(1, len(log.events))
        broken.events[at].CopyFrom(rng.choice(log.events))
    dear = events_pb2.GameLog()
    dear.CopyFrom(log)
    dear.base_stake = rng.choice((10**9, 999_999_937))
    dear.ruleset.u_payment = dear.ruleset.mom_payment = 100_000
    dear.ruleset.rake_bps = rng.choice((0, 1, 9_999, 10_000))
    dear.game_id = rng.choice(("", "ỏ" * 128, "\U0001f0a1" * 128, "x" * 127, "x" * 128))
    for each in (log, broken, dear, cut(log, rng)):
        yield "replay", referee_pb2.ReplayRequest(log=each, detail=3)
    yield "replay", referee_pb2.ReplayRequest(log=broken, detail=rng.choice((0, 1, 2)))
    no_log = events_pb2.GameLog(game_id="\x07", events=[{}])
    logs = [log, no_log, broken, dear]
    yield "replay_many", referee_pb2.ReplayManyRequest(logs=logs, detail=rng.choice((0, 1, 2, 3)))
    yield "check_action", check_of(log, rng)
    yield "check_action", check_of(broken, rng)
    for each in (broken, cut(log, rng), cut(log, rng)):
        yield "list_legal_actions", referee_pb2.ListLegalActionsRequest(log=each)
    yield "analyze_hand", hand_of(log, rng)


def _fields(message: Any, seen: set[str]) -> None:
    for field, value in message.ListFields():
        seen.add(field.full_name)
        if field.message_type is not None:
            for inner in value if field.is_repeated else [value]:
                _fields(inner, seen)


def _known(message_type: Any, known: set[str]) -> None:
    for field in message_type.fields:
        known.add(field.full_name)
        if field.message_type is not None:
            _known(field.message_type, known)


def test_what_is_written_of_many_games() -> None:
    rng = random.Random(SEED)
    seen: set[str] = set()
    known: set[str] = set()
    for log in (*rich_logs(SEED, GAMES_EACH), *handed_logs()):
        for call, request in _asked(rng, log):
            _fields(respond(call, request), seen)
    for response in RESPONSES.values():
        _known(response.DESCRIPTOR, known)
    # An action that is listed has no time, and is never one of these two; and no hand of these games
    # has more than 64 arrangements.
    never = {"Action.at", "Action.time_out", "Action.leave", "ListLegalActionsResponse.truncated"}
    assert known - seen == {f"phom.v1.{name}" for name in never}


def test_long_messages() -> None:
    """Lengths of one, two and three bytes, and just where they become longer."""
    (log,) = (log for log in rich_logs(SEED, 1) if log.ruleset.house == 1 and len(log.hands) == 2)
    del log.events[1:]
    sizes = []
    for _ in range(1023):
        log.events.add(seat=log.events[0].seat ^ 1, time_out={})
        sizes.append(verdict_of(log).ByteSize())
    assert sizes[0] < 2**14 - 200
    assert sizes[-1] > 2**14 + 200
    respond("replay_many", referee_pb2.ReplayManyRequest(logs=[log] * 100, detail=3))


# ---- messages built by hand ----

# Two hands without any cạ of their own; the points are the ranks.
FIRST = "AS 4S 7S TS KS 2C 5C 8C JC 3D"
SECOND = "6D 9D QD AH 4H 7H TH KH 2S"
DISCARDED = "3D"


def card(name: str) -> cards_pb2.Card:
    return cards_pb2.Card.Value(f"CARD_{name}")


def cards(names: str) -> list[cards_pb2.Card]:
    return sorted(map(card, names.split()))


def log_of(*events: dict[str, Any], **fields: Any) -> events_pb2.GameLog:
    return events_pb2.GameLog(
        game_id="by hand",
        ruleset=rules_pb2.Ruleset(house=rules_pb2.HOUSE_GO88),
        first_seat=0,
        hands=[{"cards": cards(FIRST)}, {"cards": cards(SECOND)}],
        base_stake=1000,
        events=[events_pb2.Event(**event) for event in events],
        **fields,
    )


DISCARD = {"seat": 0, "discard": {"card": card(DISCARDED)}}
DIGEST = referee().digest(rules_pb2.HOUSE_GO88)
HELD = " ".join(name for name in FIRST.split() if name != DISCARDED)
STATE = verdict_pb2.TableState(
    turn_seat=1,
    phase=verdict_pb2.PHASE_TAKE,
    leader_seat=0,
    stock_left=33,
    last_discard=card(DISCARDED),
    target=4,
    seats=[
        {
            "seat": 0,
            "cards": cards(HELD),
            "discards": [card(DISCARDED)],
            "row": [card(DISCARDED)],
            "points": 61,
            "discard_count": 1,
        },
        {"seat": 1, "cards": cards(SECOND), "points": 64},
    ],
)
TRACE = verdict_pb2.EventTrace(
    event_index=0,
    seat=0,
    phase=verdict_pb2.PHASE_TAKE,
    turn_seat=1,
    leader_seat=0,
    discard_counts=[1, 0],
    stock_left=33,
    target=4,
    rule="4.3",
)


def test_game_in_progress() -> None:
    assert verdict_of(log_of(DISCARD)) == verdict_pb2.Verdict(
        game_id="by hand",
        status=verdict_pb2.STATUS_IN_PROGRESS,
        result=verdict_pb2.GameResult(
            seats=[
                {"seat": 0, "points": 61, "loose": cards(HELD)},
                {"seat": 1, "points": 64, "loose": cards(SECOND)},
            ],
        ),
        state=STATE,
        trace=[TRACE],
        ruleset_digest=DIGEST,
        referee_version=VERSION,
    )


def test_illegal_game() -> None:
    """The state is that before the event, asked for or not; seat 0 and event 0 are given."""
    verdict = verdict_of(log_of(DISCARD, {"seat": 0, "draw": {"card": card("KC")}}), 1)
    assert verdict.violation.message
    verdict.violation.message = ""
    assert verdict == verdict_pb2.Verdict(
        game_id="by hand",
        status=verdict_pb2.STATUS_ILLEGAL,
        violation=verdict_pb2.Violation(
            event_index=1, seat=0, code=verdict_pb2.VIOLATION_CODE_NOT_YOUR_TURN, rule="3.1"
        ),
        state=STATE,
        ruleset_digest=DIGEST,
        referee_version=VERSION,
    )
    verdict = verdict_of(log_of({"seat": 0, "discard": {"card": card("6D")}}), 1)
    assert verdict.violation.HasField("event_index")
    assert verdict.violation.HasField("seat")
    assert verdict.violation.event_index == verdict.violation.seat == 0
    verdict = verdict_of(log_of(DISCARD, stock=[card("KC")]), 1)
    assert not verdict.violation.HasField("event_index")


def test_claims_that_do_not_hold() -> None:
    """Seat 1 leaves and so seat 0 has won: negative numbers, absent ones, and nobody."""
    log = log_of(
        DISCARD,
        {"seat": 1, "leave": {}},
        claimed_result={
            "seats": [
                {"seat": 1, "place": 1, "net": -1},
                {"seat": 0, "points": 61, "net": -(2**63)},
            ],
            "u_seat": 0,
            "den_seat": 1,
        },
    )
    verdict = verdict_of(log, 1)
    assert verdict.status == verdict_pb2.STATUS_CLAIM_MISMATCH
    net = verdict.result.seats[0].net
    assert net > 0
    assert list(verdict.claim_differences) == [
        verdict_pb2.ClaimDifference(field="u_seat", claimed="0"),
        verdict_pb2.ClaimDifference(field="den_seat", claimed="1"),
        verdict_pb2.ClaimDifference(
            seat=0, field="net", claimed="-9223372036854775808", computed=str(net)
        ),
        verdict_pb2.ClaimDifference(seat=1, field="place", claimed="1", computed="2"),
        verdict_pb2.ClaimDifference(seat=1, field="net", claimed="-1", computed=str(-net)),
    ]


def test_action_that_may_be_done() -> None:
    """A draw of a card nobody knows: neither card nor state. Of an event, the time comes back."""
    asked = referee_pb2.CheckActionRequest(log=log_of(DISCARD), action={"seat": 1, "draw": {}})
    drawn = verdict_pb2.EventTrace()
    drawn.CopyFrom(TRACE)
    drawn.event_index = drawn.seat = 1
    drawn.phase, drawn.stock_left, drawn.rule = verdict_pb2.PHASE_ACT, 32, "3.1"
    assert respond("check_action", asked) == referee_pb2.CheckActionResponse(
        legal=True, event={"seat": 1, "draw": {}}, trace=drawn
    )
    at = {"seconds": -1, "nanos": 999_999_999}
    asked = referee_pb2.CheckActionRequest(log=log_of(), action={**DISCARD, "at": at})
    assert respond("check_action", asked) == referee_pb2.CheckActionResponse(
        legal=True, event={**DISCARD, "at": at}, trace=TRACE, state=STATE
    )


def test_actions_that_are_legal() -> None:
    asked = referee_pb2.ListLegalActionsRequest(log=log_of())
    assert respond("list_legal_actions", asked) == referee_pb2.ListLegalActionsResponse(
        seat=0, actions=[{"seat": 0, "discard": {"card": one}} for one in cards(FIRST)]
    )
    asked = referee_pb2.ListLegalActionsRequest(log=log_of(DISCARD))
    assert respond("list_legal_actions", asked) == referee_pb2.ListLegalActionsResponse(
        seat=1, actions=[{"seat": 1, "draw": {}}]
    )


def test_hand() -> None:
    asked = referee_pb2.AnalyzeHandRequest(
        cards=cards("7H 8H 9H KD 2S"), eaten=cards("8H"), offered=card("KC")
    )
    assert respond("analyze_hand", asked) == referee_pb2.AnalyzeHandResponse(
        phoms=[{"cards": cards("7H 8H 9H")}],
        loose=cards("2S KD"),
        points=15,
        legal_discards=cards("2S KD"),
        ca_pairs=[
            {"first": card("7H"), "second": card("8H")},
            {"first": card("7H"), "second": card("9H")},
            {"first": card("8H"), "second": card("9H")},
        ],
        arrangements=1,
    )


@pytest.mark.parametrize("index", [0, 1, 12])
def test_log_that_is_none(index: int) -> None:
    asked = referee_pb2.ReplayManyRequest(logs=[log_of(DISCARD)] * index + [log_of({"seat": 0})])
    outcomes = respond("replay_many", asked).outcomes
    assert len(outcomes) == index + 1
    path, text = f"logs[{index}].events[0].kind", "must have exactly one kind of event"
    assert outcomes[index] == referee_pb2.ReplayOutcome(
        error={
            "message": f"{path}: {text}",
            "field_violations": [{"field": path, "description": text}],
        }
    )
