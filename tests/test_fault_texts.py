"""What the core says of a request that is none, and of a deal that is not legal: whole texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from phom.v1 import actions_pb2, events_pb2, referee_pb2, rules_pb2
from phom_core import NotALog, analyze_hand
from phom_referee import notation
from phom_referee.houses import referee

BEGUN = """\
house go88
first 0
deal 0 AD 3S 5S 7C 2H 9S QH KC JC TS
deal 1 2D 3D 4C 6S 6H 8C 9H AH QS
"""

Log = events_pb2.GameLog
Change = Callable[[Log], object]


def _log(text: str = BEGUN) -> Log:
    (log,) = notation.parse(text)
    return log


def _set(path: str, value: int) -> Change:
    """Set a field of the log, as `deal.hands[0].cards[3]`."""

    def change(log: Log) -> None:
        exec(f"log.{path} = value", {"log": log, "value": value})  # noqa: S102 - ours

    return change


def _rules(**fields: object) -> Change:
    return lambda log: log.ruleset.MergeFrom(rules_pb2.Ruleset(**fields))


def _event(**fields: object) -> Change:
    return lambda log: log.events.add(**fields)


CARD = "must be a card, CARD_AS to CARD_KH; found "
SEAT = "must be a seat of this game, 0 to 1; found "
LINE = "must be one printable line of at most 128 characters; found "
TIME = "must be a valid google.protobuf.Timestamp, "

FAULTS: dict[str, tuple[Change, str, str]] = {
    "long id": (lambda log: setattr(log, "game_id", "x" * 129), "game_id", LINE + "129 characters"),
    "long id of Vietnam": (
        lambda log: setattr(log, "game_id", "ván" * 50),
        "game_id",
        LINE + "150 characters",
    ),
    "id of two lines": (
        lambda log: setattr(log, "game_id", "a\nb"),
        "game_id",
        LINE + "one that is not printable",
    ),
    "no house": (_set("ruleset.house", 0), "ruleset.house", "must be given"),
    "house 9": (
        _set("ruleset.house", 9),
        "ruleset.house",
        "must be one of the known houses; found 9",
    ),
    "negative house": (
        _set("ruleset.house", -1),
        "ruleset.house",
        "must be one of the known houses; found 1,048,576 or more",
    ),
    "rounds": (_rules(rounds=7), "ruleset.rounds", "must be 1 to 4; found 7"),
    "no rounds": (_rules(rounds=0), "ruleset.rounds", "must be 1 to 4; found 0"),
    "seconds": (
        _rules(turn_seconds=86_401),
        "ruleset.turn_seconds",
        "must be 0 to 86,400; found 86,401",
    ),
    "a rule's enum": (
        _rules(after_final_discard=8),
        "ruleset.after_final_discard",
        "must be one of AFTER_FINAL_DISCARD_CLOSED, AFTER_FINAL_DISCARD_EAT_REOPENS,"
        " AFTER_FINAL_DISCARD_EXTRA_ROUND; found 8",
    ),
    "a rule unspecified": (
        _rules(tie_break=0),
        "ruleset.tie_break",
        "must be one of TIE_BREAK_FIRST_LAID, TIE_BREAK_LAST_DISCARD; found TIE_BREAK_UNSPECIFIED",
    ),
    "a negative enum": (
        _rules(all_mom=-1),
        "ruleset.all_mom",
        "must be one of ALL_MOM_LOWEST_POINTS, ALL_MOM_FIRST_MOM; found -1",
    ),
    "two prices": (
        _rules(eat_payment=[1, 2]),
        "ruleset.eat_payment",
        "must be empty or exactly 3 prices; found 2",
    ),
    "a price": (
        _rules(place_payment=[1, 2, 100_001]),
        "ruleset.place_payment[2]",
        "must be 0 to 100,000; found 100,001",
    ),
    "no first seat": (lambda log: log.ClearField("first_seat"), "first_seat", "must be given"),
    "first seat": (_set("first_seat", 5), "first_seat", SEAT + "5"),
    "first seat far away": (
        _set("first_seat", 2**32 - 1),
        "first_seat",
        SEAT + "1,048,576 or more",
    ),
    "one hand": (
        lambda log: log.hands.pop(),
        "hands",
        "must be 2 to 4 hands, one for each seat; found 1",
    ),
    "five hands": (
        lambda log: log.hands.extend([events_pb2.GameLog().hands.add()] * 3),
        "hands",
        "must be 2 to 4 hands, one for each seat; found 5",
    ),
    "a dealt card": (_set("hands[0].cards[3]", 77), "hands[0].cards[3]", CARD + "77"),
    "a greater card": (_set("hands[0].cards[3]", 254), "hands[0].cards[3]", CARD + "254"),
    "a far card": (_set("hands[0].cards[3]", 255), "hands[0].cards[3]", CARD + "255 or more"),
    "a negative card": (_set("hands[0].cards[3]", -1), "hands[0].cards[3]", CARD + "255 or more"),
    "no card": (_set("hands[1].cards[0]", 0), "hands[1].cards[0]", CARD + "CARD_UNSPECIFIED"),
    "in the stock": (lambda log: log.stock.append(53), "stock[0]", CARD + "53"),
    "stake": (_set("base_stake", -5), "base_stake", "must be 0 to 1,000,000,000; found -5"),
    "start": (
        _set("started_at.seconds", 253_402_300_800),
        "started_at",
        TIME + "of the years 1 to 9999; found 253,402,300,800 seconds",
    ),
    "nanos": (
        _event(seat=0, leave={}, at={"nanos": -1}),
        "events[0].at",
        TIME + "0 to 999,999,999 nanos; found -1",
    ),
    "creator": (_set("opening.creator_seat", 2), "opening.creator_seat", SEAT + "2"),
    "winner": (_set("opening.winner_seat", 3), "opening.winner_seat", SEAT + "3"),
    "after": (_set("opening.after_winner_seat", 4), "opening.after_winner_seat", SEAT + "4"),
    "too many events": (
        lambda log: log.events.extend([events_pb2.Event(seat=0, leave={})] * 1025),
        "events",
        "must be at most 1,024 events; found 1,025",
    ),
    "no kind": (_event(seat=0), "events[0].kind", "must have exactly one kind of event"),
    "no seat": (_event(leave={}), "events[0].seat", "must be given"),
    "seat": (_event(seat=5, leave={}), "events[0].seat", SEAT + "5"),
    "drawn": (_event(seat=0, draw={}), "events[0].draw.card", CARD + "CARD_UNSPECIFIED"),
    "eaten": (_event(seat=0, eat={"card": 60}), "events[0].eat.card", CARD + "60"),
    "discarded": (_event(seat=0, discard={"card": 99}), "events[0].discard.card", CARD + "99"),
    "announced": (
        _event(seat=0, announce_card={"card": 53}),
        "events[0].announce_card.card",
        CARD + "53",
    ),
    "laid": (
        _event(seat=0, lay_down={"phoms": [{"cards": [1]}, {"cards": [2, 90]}]}),
        "events[0].lay_down.phoms[1].cards[1]",
        CARD + "90",
    ),
    "beside khan": (
        _event(seat=0, declare_u={"khan": True, "phoms": [{}, {}]}),
        "events[0].declare_u.phoms",
        "must be empty beside khan; found 2 phỏm",
    ),
    "laid off": (
        _event(seat=0, lay_off={"card": 70, "to_seat": 0, "phom_index": 0}),
        "events[0].lay_off.card",
        CARD + "70",
    ),
    "onto": (
        _event(seat=0, lay_off={"card": 1, "to_seat": 2, "phom_index": 0}),
        "events[0].lay_off.to_seat",
        SEAT + "2",
    ),
    "onto which": (
        _event(seat=0, lay_off={"card": 1, "to_seat": 1}),
        "events[0].lay_off.phom_index",
        "must be given",
    ),
    "claimed twice": (
        lambda log: log.claimed_result.MergeFrom(
            events_pb2.ClaimedResult(seats=[{"seat": 1}, {"seat": 1}])
        ),
        "claimed_result.seats[1].seat",
        "must be claimed only once; found seat 1 again",
    ),
    "claimed seat": (
        lambda log: log.claimed_result.seats.add(seat=2),
        "claimed_result.seats[0].seat",
        SEAT + "2",
    ),
    "claimed u": (_set("claimed_result.u_seat", 2), "claimed_result.u_seat", SEAT + "2"),
    "claimed den": (_set("claimed_result.den_seat", 9), "claimed_result.den_seat", SEAT + "9"),
}


def _fields(log: Log, **rest: int) -> list[tuple[str, str]]:
    with pytest.raises(NotALog) as raised:
        referee().replay(referee_pb2.ReplayRequest(log=log, **rest).SerializeToString())
    return raised.value.fields


@pytest.mark.parametrize(("change", "path", "text"), FAULTS.values(), ids=FAULTS)
def test_fault_of_a_log(change: Change, path: str, text: str) -> None:
    log = _log()
    change(log)
    assert _fields(log) == [(f"log.{path}", text)]


def test_seat_where_the_hands_are_at_fault() -> None:
    log = _log()
    del log.hands[:]
    log.first_seat = 4
    assert _fields(log) == [
        ("log.first_seat", "must be a seat of this game, 0 to 3; found 4"),
        ("log.hands", "must be 2 to 4 hands, one for each seat; found 0"),
    ]


def test_fault_of_a_detail() -> None:
    text = "must be DETAIL_RESULT, DETAIL_STATE or DETAIL_TRACE; found "
    assert _fields(_log(), detail=4) == [("detail", text + "4")]
    assert _fields(_log(), detail=-1) == [("detail", text + "-1")]


def test_more_faults_than_are_listed() -> None:
    log = _log()
    log.events.extend([events_pb2.Event(seat=0)] * 102)
    assert _fields(log)[-2:] == [
        ("log.events[99].kind", "must have exactly one kind of event"),
        ("log", "has 2 more faults like these"),
    ]


def test_fault_of_an_action() -> None:
    action = actions_pb2.Action(seat=2, discard={"card": 77})
    request = referee_pb2.CheckActionRequest(log=_log(), action=action)
    with pytest.raises(NotALog) as raised:
        referee().check_action(request.SerializeToString())
    assert raised.value.fields == [
        ("action.seat", SEAT + "2"),
        ("action.discard.card", CARD + "77"),
    ]


def test_no_fault_repeats_a_hand() -> None:
    """Rules 10: what a player holds is no matter of an error."""
    log = _log()
    log.hands[0].cards[3] = 77
    told = str(_fields(log))
    for card in BEGUN.split("deal 0 ")[1].split():
        assert card not in told.replace("CARD_AS to CARD_KH", "")


HAND_FAULTS = {
    "an unknown card": ({"cards": [1, 60]}, [("cards[1]", CARD + "60")]),
    "a card twice": (
        {"cards": [5, 1, 2, 1]},
        [("cards[3]", "must be there only once; it is cards[1] too")],
    ),
    "too many": (
        {"cards": list(range(1, 15))},
        [("cards", "must be at most 13 cards; found 14")],
    ),
    "four eaten": (
        {"cards": list(range(1, 10)), "eaten": [1, 2, 3, 4]},
        [("eaten", "must be at most 3 cards; found 4")],
    ),
    "eaten of another hand": (
        {"cards": [1], "eaten": [2]},
        [("eaten[0]", "must be one of the cards")],
    ),
    "eaten without a phỏm": (
        {"cards": [1, 2], "eaten": [1]},
        [("eaten", "must have a phỏm each among the cards")],
    ),
    "an unknown offer": ({"cards": [1], "offered": 61}, [("offered", CARD + "61")]),
    "an offer of one's own": (
        {"cards": [1], "offered": 1},
        [("offered", "must not be one of the cards")],
    ),
}


@pytest.mark.parametrize(("fields", "faults"), HAND_FAULTS.values(), ids=HAND_FAULTS)
def test_fault_of_a_hand(fields: dict[str, object], faults: list[tuple[str, str]]) -> None:
    with pytest.raises(NotALog) as raised:
        analyze_hand(referee_pb2.AnalyzeHandRequest(**fields).SerializeToString())
    assert raised.value.fields == faults


# ---- deals that are not legal ----

DEALS = {
    "a hand too small": (
        BEGUN.replace(" QS", ""),
        "each hand has 9 cards, the first seat's 10; seat 1 has 8",
    ),
    "the first hand too small": (
        BEGUN.replace(" TS", ""),
        "each hand has 9 cards, the first seat's 10; seat 0, which begins, has 9",
    ),
    "a hand of more than a deck": (
        BEGUN.replace("QS", "QS" * 60),
        "each hand has 9 cards, the first seat's 10; seat 1 has 68",
    ),
    "in two hands": (
        BEGUN.replace("QS", "3S"),
        "a card was dealt twice: 3S is in the hand of seat 0 and in the hand of seat 1",
    ),
    "twice in a hand": (
        BEGUN.replace("QS", "2D"),
        "a card was dealt twice: 2D is twice in the hand of seat 1",
    ),
    "in a hand and the stock": (
        BEGUN + "stock QS",
        "a card was dealt twice: QS is in the hand of seat 1 and in the stock",
    ),
    "twice in the stock": (
        BEGUN + "stock 4S 5D 4S",
        "a card was dealt twice: 4S is twice in the stock",
    ),
    "the first of several": (
        BEGUN.replace("9H AH QS", "3S 2D AD") + "stock 3S",
        "a card was dealt twice: 3S is in the hand of seat 0 and in the hand of seat 1",
    ),
    "a stock too small": (
        BEGUN + "stock 4S 5D",
        "the stock is all the cards that were not dealt: 33 with 2 seats; found 2",
    ),
}


@pytest.mark.parametrize(("text", "message"), DEALS.values(), ids=DEALS)
def test_message_of_a_deal(text: str, message: str) -> None:
    request = referee_pb2.ReplayRequest(log=_log(text))
    answer = referee().replay(request.SerializeToString())
    violation = referee_pb2.ReplayResponse.FromString(answer).verdict.violation
    assert violation.message == message
