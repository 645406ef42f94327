"""The calls of a game that is on, as a caller makes them: over gRPC, against a running server."""

import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import positions
import pytest
import stranger
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from phom.v1 import actions_pb2, cards_pb2, events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom.v1.referee_pb2_grpc import RefereeServiceStub
from phom_core import analyze_hand
from phom_referee import notation
from phom_referee.generate import games
from phom_referee.houses import presets, referee
from phom_referee.server import App
from phom_referee.servicer import SERVICE
from positions import HOUSES, Position
from stranger import Stranger

Action = actions_pb2.Action

OPENING = """\
house go88
first 0
deal 0 AD 3S 5S 7C 2H 9S QH KC JC TS
deal 1 2D 3D 4C 6S 6H 8C 9H AH QS
"""


def log_of(text: str) -> events_pb2.GameLog:
    (log,) = notation.parse(text)
    return log


def states(house: rules_pb2.House, count: int = 10, seats: int = 4) -> Iterator[Position]:
    for log in games(count, house=house, seats=seats, seed=4):
        yield from positions.positions(log)


def fields_at_fault(call: Callable[[], object]) -> list[str]:
    """The field paths of the INVALID_ARGUMENT that the call ends with."""
    with pytest.raises(grpc.RpcError) as raised:
        call()
    status = rpc_status.from_call(raised.value)
    assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    detail, _ = status.details  # the reason comes after
    bad_request = error_details_pb2.BadRequest()
    assert detail.Unpack(bad_request)
    assert all(violation.description for violation in bad_request.field_violations)
    return [violation.field for violation in bad_request.field_violations]


# ---- what is no request ----

NO_ACTIONS = {
    "no seat, no kind": (Action(), ["action.seat", "action.kind"]),
    "no kind": (Action(seat=0), ["action.kind"]),
    "no such seat": (Action(seat=2, draw={}), ["action.seat"]),
    "no card": (Action(seat=0, discard={}), ["action.discard.card"]),
    "an unknown card": (Action(seat=0, eat={"card": 60}), ["action.eat.card"]),
    "no card announced": (Action(seat=0, announce_card={}), ["action.announce_card.card"]),
    "onto nothing": (
        Action(seat=0, lay_off={"card": 5}),
        ["action.lay_off.to_seat", "action.lay_off.phom_index"],
    ),
    "unknown cards in a phỏm": (
        Action(seat=0, lay_down={"phoms": [{"cards": [5]}, {"cards": [6, 0, 77]}]}),
        ["action.lay_down.phoms[1].cards[1]", "action.lay_down.phoms[1].cards[2]"],
    ),
    "phỏm beside khan": (
        Action(seat=0, declare_u={"khan": True, "phoms": [{"cards": [1, 2, 3]}]}),
        ["action.declare_u.phoms"],
    ),
    "no time": (Action(seat=0, leave={}, at={"seconds": 1 << 60}), ["action.at"]),
}


@pytest.mark.parametrize(("action", "paths"), NO_ACTIONS.values(), ids=NO_ACTIONS.keys())
def test_each_field_of_an_action_at_fault_is_named(
    stub: RefereeServiceStub, action: actions_pb2.Action, paths: list[str]
) -> None:
    request = referee_pb2.CheckActionRequest(log=log_of(OPENING), action=action)
    assert fields_at_fault(lambda: stub.CheckAction(request)) == paths


def test_fields_of_the_log_come_before_those_of_the_action(stub: RefereeServiceStub) -> None:
    log = log_of(OPENING)
    log.ClearField("first_seat")
    log.events.add(seat=1).discard.card = 60
    request = referee_pb2.CheckActionRequest(log=log, action=Action(seat=0))
    assert fields_at_fault(lambda: stub.CheckAction(request)) == [
        "log.first_seat",
        "log.events[0].discard.card",
        "action.kind",
    ]


def test_nothing_at_all_is_no_request(stub: RefereeServiceStub) -> None:
    log_paths = ["log.ruleset.house", "log.first_seat", "log.hands"]
    action_paths = ["action.seat", "action.kind"]
    list_request = referee_pb2.ListLegalActionsRequest()
    check_request = referee_pb2.CheckActionRequest()
    assert fields_at_fault(lambda: stub.ListLegalActions(list_request)) == log_paths
    assert fields_at_fault(lambda: stub.CheckAction(check_request)) == log_paths + action_paths


def test_each_field_of_a_hand_at_fault_is_named(stub: RefereeServiceStub) -> None:
    request = referee_pb2.AnalyzeHandRequest(cards=[1, 1, 60], eaten=[2], offered=61)
    paths = ["cards[1]", "cards[2]", "eaten[0]", "offered"]
    assert fields_at_fault(lambda: stub.AnalyzeHand(request)) == paths


@pytest.mark.parametrize("method", ["Replay", "CheckAction", "ListLegalActions", "AnalyzeHand"])
def test_bytes_that_are_no_message_are_a_field_at_fault(channel: grpc.Channel, method: str) -> None:
    call = channel.unary_unary(f"/{SERVICE}/{method}")
    assert len(fields_at_fault(lambda: call(b"\x0a\x7f\x01"))) == 1


# ---- the same answers as the core's ----


def test_the_server_passes_on_what_the_core_says(channel: grpc.Channel) -> None:
    calls = {
        name: channel.unary_unary(f"/{SERVICE}/{name}")
        for name in ("Replay", "CheckAction", "ListLegalActions", "AnalyzeHand")
    }
    for at in states(rules_pb2.HOUSE_GO88, count=1):
        assert calls["Replay"](at.request) == referee().replay(at.request)
        assert calls["ListLegalActions"](at.request) == at.listed
        for action in at.options.actions:
            request = referee_pb2.CheckActionRequest(log=at.log, action=action).SerializeToString()
            assert calls["CheckAction"](request) == referee().check_action(request)
        hand = at.state.seats[at.mover]
        request = referee_pb2.AnalyzeHandRequest(cards=hand.cards).SerializeToString()
        assert calls["AnalyzeHand"](request) == analyze_hand(request)


# ---- whose fault it is ----


def test_a_fault_of_the_log_has_an_index_below_its_length(stub: RefereeServiceStub) -> None:
    log = log_of(OPENING + "0 discard KC\n1 discard QS\n1 draw AS\n")
    check = stub.CheckAction(
        referee_pb2.CheckActionRequest(log=log, action=Action(seat=1, draw={}))
    )
    listed = stub.ListLegalActions(referee_pb2.ListLegalActionsRequest(log=log))
    replayed = stub.Replay(referee_pb2.ReplayRequest(log=log))
    assert check == referee_pb2.CheckActionResponse(violation=check.violation)
    assert listed == referee_pb2.ListLegalActionsResponse(violation=check.violation)
    assert replayed.verdict.violation == check.violation
    assert check.violation.event_index == 1 < len(log.events)
    assert check.violation.code == verdict_pb2.VIOLATION_CODE_WRONG_PHASE


def test_a_fault_of_the_deal_has_no_index(stub: RefereeServiceStub) -> None:
    log = log_of(OPENING.replace("first 0", "first 1"))
    check = stub.CheckAction(referee_pb2.CheckActionRequest(log=log, action=Action(seat=1, eat={})))
    assert check.violation.code == verdict_pb2.VIOLATION_CODE_DEAL_HAND_SIZE
    assert not check.violation.HasField("event_index")
    assert not check.legal


def test_a_fault_of_the_action_has_the_index_it_would_have(stub: RefereeServiceStub) -> None:
    log = log_of(OPENING + "0 discard KC\n")
    check = stub.CheckAction(referee_pb2.CheckActionRequest(log=log, action=Action(seat=1, eat={})))
    assert (check.violation.event_index, check.violation.seat) == (len(log.events), 1)
    assert check.violation.code == verdict_pb2.VIOLATION_CODE_EAT_NO_PHOM
    assert check.violation.rule == "4.2"
    assert "KC" in check.violation.message
    assert check == referee_pb2.CheckActionResponse(violation=check.violation)


def test_the_time_of_an_action_is_checked_like_an_events(stub: RefereeServiceStub) -> None:
    text = OPENING.replace("go88", "online") + "started 2026-11-30T10:00:00Z\n"
    log = log_of(text + "0 discard KC @2026-11-30T10:00:05Z\n")
    in_time, late = (
        notation.parse_action(f"1 draw @2026-11-30T10:00:{second}Z") for second in (25, 26)
    )
    answer = stub.CheckAction(referee_pb2.CheckActionRequest(log=log, action=in_time))
    assert answer.legal
    assert answer.event.at == in_time.at
    answer = stub.CheckAction(referee_pb2.CheckActionRequest(log=log, action=late))
    assert answer.violation.code == verdict_pb2.VIOLATION_CODE_TURN_TIME_EXCEEDED


# ---- the event to append ----


def test_an_eat_without_a_card_gets_its_card(stub: RefereeServiceStub) -> None:
    log = log_of(OPENING + "0 discard AD\n")
    for card, legal in ((None, True), (cards_pb2.CARD_AD, True), (cards_pb2.CARD_5H, False)):
        action = Action(seat=1, eat={"card": card})
        answer = stub.CheckAction(referee_pb2.CheckActionRequest(log=log, action=action))
        assert answer.legal == legal
        if legal:
            assert answer.event == events_pb2.Event(seat=1, eat={"card": cards_pb2.CARD_AD})
        else:
            assert answer.violation.code == verdict_pb2.VIOLATION_CODE_EAT_WRONG_CARD


def test_a_draw_gets_the_stocks_card_or_none_and_then_no_state(stub: RefereeServiceStub) -> None:
    log = log_of(OPENING + "0 discard KC\n")
    request = referee_pb2.CheckActionRequest(log=log, action=Action(seat=1, draw={}))
    unknown = stub.CheckAction(request)
    assert unknown.legal
    assert unknown.event == events_pb2.Event(seat=1, draw={})
    assert not unknown.HasField("state")
    assert unknown.trace.stock_left == 52 - 19 - 1
    held = {card for hand in log.hands for card in hand.cards}
    request.log.stock.extend(card for card in range(52, 0, -1) if card not in held)
    known = stub.CheckAction(request)
    assert known.event.draw.card == request.log.stock[0]
    assert known.event.draw.card in known.state.seats[1].cards
    assert known.trace == unknown.trace


@pytest.mark.parametrize("house", HOUSES, ids=rules_pb2.House.Name)
def test_there_is_a_result_only_if_the_action_ends_the_game(
    stub: RefereeServiceStub, house: rules_pb2.House
) -> None:
    ended = 0
    for at in states(house, count=2):
        if at.following is None:
            continue
        action = Action.FromString(at.following.SerializeToString())
        answer = stub.CheckAction(referee_pb2.CheckActionRequest(log=at.log, action=action))
        longer = at.with_event(at.following.SerializeToString())
        request = referee_pb2.ReplayRequest(log=events_pb2.GameLog.FromString(longer))
        verdict = stub.Replay(request).verdict
        finished = verdict.status == verdict_pb2.STATUS_FINISHED
        assert answer.HasField("result") == finished
        assert not finished or answer.result == verdict.result
        ended += finished
    assert ended >= 2


@pytest.mark.parametrize("field", ["spared_seat", "further_turn_seat"])
def test_ne_ha_and_further_turns_are_named(stub: RefereeServiceStub, field: str) -> None:
    """Rules 3.3: the eat moves a card of the leader's row."""
    for log in games(200, house=rules_pb2.HOUSE_IWIN, seats=4, seed=4):
        whole = positions.position(log, len(log.events)).verdict.trace
        index = next((i for i, entry in enumerate(whole) if entry.HasField(field)), None)
        if index is None:
            continue
        at = positions.position(log, index)
        action = Action(seat=at.mover, eat={})
        answer = stub.CheckAction(referee_pb2.CheckActionRequest(log=at.log, action=action))
        leader = at.state.seats[at.state.leader_seat]
        assert answer.trace.row_shifted
        assert getattr(answer.trace, field) == leader.seat
        assert (leader.lay_down_order > 0) == (field == "further_turn_seat")
        assert answer.trace.discard_counts[leader.seat] == leader.discard_count - 1
        return
    pytest.fail("no such game")


# ---- the rules of the houses ----


def test_rulesets_are_complete_and_their_digests_are_the_verdicts(stub: RefereeServiceStub) -> None:
    response = stub.ListRulesets(referee_pb2.ListRulesetsRequest())
    assert response == presets()
    assert [named.ruleset.house for named in response.rulesets] == HOUSES
    for named in response.rulesets:
        assert len(named.ruleset.ListFields()) == len(rules_pb2.Ruleset.DESCRIPTOR.fields)
        assert named.title
        assert re.fullmatch("[0-9a-f]{64}", named.digest)
        log = log_of(OPENING)
        # The house by its name, and all its rules written out under another's.
        for house, rules in ((named.ruleset.house, None), (rules_pb2.HOUSE_GO88, named.ruleset)):
            log.ruleset.Clear()
            if rules is not None:
                log.ruleset.CopyFrom(rules)
            log.ruleset.house = house
            verdict = stub.Replay(referee_pb2.ReplayRequest(log=log)).verdict
            assert verdict.ruleset_digest == named.digest


# ---- whole games ----


@pytest.mark.parametrize("stock_known", [True, False], ids=["known stock", "unknown stock"])
@pytest.mark.parametrize("house", HOUSES, ids=rules_pb2.House.Name)
def test_a_stranger_plays_whole_games(
    stub: RefereeServiceStub, house: rules_pb2.House, stock_known: bool
) -> None:
    rng = random.Random(f"{house}/{stock_known}")
    for seats in (2, 3, 4):
        game = Stranger(stub, rng, house, seats, stock_known=stock_known)
        game.play()
        assert game.judge().status == verdict_pb2.STATUS_FINISHED
        assert len(game.log.events) > 1


def test_the_strangers_program_runs_on_its_own(app: App) -> None:
    command = [sys.executable, stranger.__file__, f"127.0.0.1:{app.port}", "--games", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 4), done.stdout + done.stderr


def test_a_stranger_can_be_surprised(stub: RefereeServiceStub) -> None:
    game: Any = Stranger(stub, random.Random(1), rules_pb2.HOUSE_GO88, 4, stock_known=True)
    game.play()
    game.result.seats[0].points += 1
    with pytest.raises(Exception, match="Replay says something else"):
        game.judge()
