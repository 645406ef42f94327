"""The log notation: it says what the contract says it does, and loses nothing.

What people type beside its one form is in test_typed.py, what it refuses in test_notation_errors.py.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st
from phom.v1.actions_pb2 import Action
from phom.v1.cards_pb2 import CARD_7H, CARD_KD, Card
from phom.v1.events_pb2 import GameLog
from phom.v1.rules_pb2 import House, Ruleset
from phom_referee import notation
from phom_referee.notation import NotationError, parse, parse_action, write, write_action

TESTS = Path(__file__).parent

# Every form that a line can have, comments after values included.
ALL_FORMS = """\
house go88
set lay_off false
set place_payment 1,2,3
set chot last_of_round_3
id g-42
stake 1000
started 2026-11-30T10:00:00Z
opening game 2 winner 0          # also: creator 1, after_winner 3
first 0
deal 0 7H 8H 9H KD 2S 2C 5D JH QC AS
deal 1 AH
stock 3C 4C
0 discard KD
1 draw 5S
1 discard 5S @2026-11-30T10:00:07Z
2 eat                            # or: 2 eat 5S
2 eat 5S
2 announce QH
2 lay 7H8H9H 4S4D4C
2 lay
2 off QH 0.1
2 discard QC
2 u 7H8H9H TSTDTC 2S2C2D
2 u
2 u khan
3 timeout
3 leave
claim 0 place 1 points 0 net 6650
claim u 2
claim den 1
"""
ALL_FORMS_LOG = {
    "gameId": "g-42",
    "ruleset": {
        "house": "HOUSE_GO88",
        "layOff": False,
        "placePayment": [1, 2, 3],
        "chot": "CHOT_LAST_OF_ROUND_3",
    },
    "firstSeat": 0,
    "hands": [{"cards": "7H 8H 9H KD 2S 2C 5D JH QC AS"}, {"cards": "AH"}],
    "stock": "3C 4C",
    "baseStake": "1000",
    "startedAt": "2026-11-30T10:00:00Z",
    "opening": {"gameNumber": 2, "winnerSeat": 0},
    "events": [
        {"seat": 0, "discard": {"card": "CARD_KD"}},
        {"seat": 1, "draw": {"card": "CARD_5S"}},
        {"seat": 1, "discard": {"card": "CARD_5S"}, "at": "2026-11-30T10:00:07Z"},
        {"seat": 2, "eat": {}},
        {"seat": 2, "eat": {"card": "CARD_5S"}},
        {"seat": 2, "announceCard": {"card": "CARD_QH"}},
        {"seat": 2, "layDown": {"phoms": [{"cards": "7H 8H 9H"}, {"cards": "4S 4D 4C"}]}},
        {"seat": 2, "layDown": {}},
        {"seat": 2, "layOff": {"card": "CARD_QH", "toSeat": 0, "phomIndex": 1}},
        {"seat": 2, "discard": {"card": "CARD_QC"}},
        {
            "seat": 2,
            "declareU": {
                "phoms": [{"cards": "7H 8H 9H"}, {"cards": "TS TD TC"}, {"cards": "2S 2C 2D"}]
            },
        },
        {"seat": 2, "declareU": {}},
        {"seat": 2, "declareU": {"khan": True}},
        {"seat": 3, "timeOut": {}},
        {"seat": 3, "leave": {}},
    ],
    "claimedResult": {
        "seats": [{"seat": 0, "place": 1, "points": 0, "net": "6650"}],
        "uSeat": 2,
        "denSeat": 1,
    },
}


def _spell_out(value: Any) -> Any:
    """JSON with each list of cards written out."""
    if isinstance(value, dict):
        return {
            key: [f"CARD_{code}" for code in item.split()]
            if key in ("cards", "stock")
            else _spell_out(item)
            for key, item in value.items()
        }
    return [_spell_out(item) for item in value] if isinstance(value, list) else value


def _log(**fields: Any) -> GameLog:
    return ParseDict(fields, GameLog())


def _event(**fields: Any) -> GameLog:
    return _log(events=[{"seat": 0, **fields}])


def test_every_form_of_a_line() -> None:
    log = ParseDict(_spell_out(ALL_FORMS_LOG), GameLog())
    assert parse(ALL_FORMS) == [log]
    # What is written is the same but for the comments, and an order of its own.
    lines = [line.partition("#")[0].strip() for line in ALL_FORMS.splitlines()]
    assert sorted(write(log).splitlines()) == sorted(lines)


# ---- nothing is lost ----

UINT32 = st.integers(0, 2**32 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
SEATS = st.integers(0, 3) | UINT32
CARDS = st.sampled_from([number for number in Card.values() if number])
CARD_LISTS = st.lists(CARDS, max_size=12)
PHOMS = st.lists(st.builds(lambda cards: {"cards": cards}, CARD_LISTS), max_size=3)
IDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=128)
TIMES = st.builds(
    Timestamp,
    seconds=st.integers(-62_135_596_800, 253_402_300_799),
    nanos=st.sampled_from([0, 1, 123_456_789, 999_999_999]) | st.integers(0, 999_999_999),
)


def _some(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(required, optional=optional)


def _rules() -> st.SearchStrategy[Any]:
    fields: dict[str, Any] = {}
    for field in Ruleset.DESCRIPTOR.fields:
        values = UINT32
        if field.enum_type is not None:
            values = st.sampled_from([value.number for value in field.enum_type.values])
        elif field.type == field.TYPE_BOOL:
            values = st.booleans()
        fields[field.name] = st.lists(values, max_size=4) if field.is_repeated else values
    return _some({}, fields)


def _kinds() -> st.SearchStrategy[Any]:
    card = _some({"card": CARDS}, {})
    return st.one_of(
        _some({"draw": card}, {}),
        _some({"eat": _some({}, {"card": CARDS})}, {}),
        _some({"discard": card}, {}),
        _some({"announce_card": card}, {}),
        _some({"lay_down": _some({"phoms": PHOMS}, {})}, {}),
        _some({"lay_off": _some({"card": CARDS, "to_seat": SEATS, "phom_index": UINT32}, {})}, {}),
        _some({"declare_u": _some({}, {"phoms": PHOMS, "khan": st.booleans()})}, {}),
        _some({"time_out": st.just({})}, {}),
        _some({"leave": st.just({})}, {}),
    )


def _claims() -> st.SearchStrategy[Any]:
    seat = _some({"seat": SEATS}, {"place": UINT32, "points": UINT32, "net": INT64})
    rest = {"seats": st.lists(seat, max_size=5), "den_seat": SEATS}
    u = st.one_of(_some({}, {"u_seat": SEATS}), _some({}, {"no_u": st.booleans()}))
    return st.builds(lambda a, b: a | b, _some({}, rest), u)


_OPENING = {
    "game_number": UINT32,
    "creator_seat": SEATS,
    "winner_seat": SEATS,
    "after_winner_seat": SEATS,
}
EVENTS = st.builds(
    lambda event, kind: event | kind, _some({"seat": SEATS}, {"at": TIMES}), _kinds()
)
# Valid logs, and much that is none but can be said.
LOGS = _some(
    {},
    {
        "game_id": IDS,
        "ruleset": _rules(),
        "first_seat": SEATS,
        "hands": st.lists(_some({"cards": CARD_LISTS}, {}), max_size=5),
        "stock": CARD_LISTS,
        "base_stake": INT64,
        "started_at": TIMES,
        "opening": _some({}, _OPENING),
        "events": st.lists(EVENTS, max_size=8),
        "claimed_result": _claims(),
    },
).map(lambda fields: GameLog(**fields))


@given(LOGS.filter(lambda log: log.ListFields()))
def test_what_is_written_is_read_again(log: GameLog) -> None:
    text = write(log)
    assert parse(text) == [log]
    assert write(parse(text)[0]) == text


@given(st.lists(LOGS.filter(lambda log: log.ListFields()), max_size=4))
def test_logs_of_one_text(logs: list[GameLog]) -> None:
    text = f"{notation.SEPARATOR}\n".join(write(log) for log in logs)
    assert parse(text) == logs
    assert parse(text.replace("\n", "\r\n")) == logs


@given(EVENTS)
def test_actions_too(event: dict[str, Any]) -> None:
    if "draw" in event:
        event["draw"] = {}
    action = Action(**event)
    assert parse_action(write_action(action)) == action


def test_handed_games() -> None:
    cases = (TESTS / "cases" / "games.jsonl").read_text("utf-8").splitlines()
    logs = [ParseDict(json.loads(line)["log"], GameLog()) for line in cases]
    assert len(logs) > 600
    for log in logs:
        assert parse(write(log)) == [log]


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(_log(gameId=" a  # b "), id="an id with blanks and a number sign"),
        pytest.param(_log(gameId='bàn số 3: "tá lả"'), id="an id that is not ASCII"),
        pytest.param(_log(gameId="---"), id="an id like a separator"),
        pytest.param(_log(gameId="id first 0"), id="an id like a line"),
        pytest.param(_log(gameId="\t\u2028\x0b"), id="an id that is not printable"),
        pytest.param(_log(ruleset={}), id="a ruleset without a house"),
        pytest.param(_log(ruleset={"chot": 0, "layOff": True}), id="an unspecified rule"),
        pytest.param(_log(ruleset={"eatPayment": [7]}), id="a price list of one"),
        pytest.param(_log(firstSeat=0), id="seat 0 begins"),
        pytest.param(_log(opening={}), id="an opening without facts"),
        pytest.param(_log(opening={"winnerSeat": 0}), id="a winner without a game"),
        pytest.param(_log(hands=[{}, {"cards": ["CARD_AS"]}]), id="a hand without cards"),
        pytest.param(_log(startedAt="0001-01-01T00:00:00.000000001Z"), id="the year 1"),
        pytest.param(_log(startedAt="9999-12-31T23:59:59.999999999Z"), id="the year 9999"),
        pytest.param(_log(claimedResult={}), id="claims without a claim"),
        pytest.param(_log(claimedResult={"noU": False}), id="a claim of nothing"),
        pytest.param(_log(claimedResult={"seats": [{"seat": 0}]}), id="a seat without claims"),
        pytest.param(
            _log(claimedResult={"seats": [{"seat": 1}, {"seat": 1}]}), id="a seat claimed twice"
        ),
        pytest.param(_event(layDown={"phoms": [{}, {}]}), id="phỏm without cards"),
        pytest.param(_event(declareU={"phoms": [{}], "khan": True}), id="a phỏm beside khan"),
        pytest.param(_event(leave={}, at="1970-01-01T00:00:00Z"), id="the time 0"),
    ],
)
def test_what_is_easily_lost(log: GameLog) -> None:
    assert parse(write(log)) == [log]


# ---- single facts ----


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("id g # 1", _log(gameId="g # 1")),
        ("id  two blanks ", _log(gameId=" two blanks ")),
        ("  first 2# begins", _log(firstSeat=2)),
        ("opening game 1 creator 1", _log(opening={"gameNumber": 1, "creatorSeat": 1})),
        ("opening after_winner 3", _log(opening={"afterWinnerSeat": 3})),
        ("claim no_u", _log(claimedResult={"noU": True})),
        ("claim 2 net -5", _log(claimedResult={"seats": [{"seat": 2, "net": -5}]})),
        ("deal 1 KD\ndeal 0 7H8H", _log(hands=[{"cards": [46, 47]}, {"cards": [39]}])),
        ("started 2026-11-30T17:00:00.5+07:00", _log(startedAt="2026-11-30T10:00:00.5Z")),
        ("0 leave\nhouse iwin", _log(events=[{"seat": 0, "leave": {}}], ruleset={"house": 3})),
    ],
)
def test_line(text: str, log: GameLog) -> None:
    assert parse(text) == [log]


def test_every_house_and_rule_has_its_name() -> None:
    for name, number in House.items():
        assert parse(f"house {name.removeprefix('HOUSE_').lower()}")[0].ruleset.house == number
    assert write(_log(ruleset={"house": "HOUSE_ONLINE_KY_GUI"})) == "house online_ky_gui\n"
    rules = parse("set after_final_discard extra_round\nset turn_grace_ms 250\nset u_khan true")
    assert rules[0].ruleset == Ruleset(
        after_final_discard=Ruleset.AFTER_FINAL_DISCARD_EXTRA_ROUND, turn_grace_ms=250, u_khan=True
    )


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n# nothing\n---\n"])
def test_text_without_a_fact_has_no_log(text: str) -> None:
    assert parse(text) == []


def test_a_bad_log_ends_nothing() -> None:
    first, second, third = notation.read(["id a", "---", "first x", "id b", "---", "id c"])
    assert (first, third) == (_log(gameId="a"), _log(gameId="c"))
    assert isinstance(second, NotationError)
    assert second.line == 3


def test_action() -> None:
    assert parse_action(" 1 draw # a card") == Action(seat=1, draw={})
    assert parse_action("0 discard KD") == Action(seat=0, discard={"card": CARD_KD})
    off = {"card": CARD_7H, "to_seat": 0, "phom_index": 1}
    assert parse_action("2 off 7H 0.1") == Action(seat=2, lay_off=off)


# ---- what cannot be written ----

UNWRITABLE: list[tuple[Message, str]] = [
    (_log(), "log: says nothing"),
    (_log(gameId="two\nlines"), "log.game_id: is not one line"),
    (_log(gameId="one\r"), "log.game_id: is not one line"),
    (_log(ruleset={"house": 99}), "log.ruleset.house: 99 is no value of phom.v1.House"),
    (_log(ruleset={"allMom": 9}), "log.ruleset.all_mom: 9 is no value of phom.v1.Ruleset.AllMom"),
    (_log(hands=[{}, {"cards": [1, 53]}]), "log.hands[1].cards[1]: 53 is no card"),
    (_log(stock=[0]), "log.stock[0]: 0 is no card"),
    (GameLog(started_at=Timestamp(nanos=-1)), "log.started_at: is no valid time"),
    (_log(events=[{"draw": {"card": 1}}]), "log.events[0].seat: is not given"),
    (_log(events=[{"seat": 1}]), "log.events[0].kind: is not given"),
    (_event(draw={}), "log.events[0].draw.card: 0 is no card"),
    (_event(eat={"card": 60}), "log.events[0].eat.card: 60 is no card"),
    (_event(discard={}), "log.events[0].discard.card: 0 is no card"),
    (_event(announceCard={}), "log.events[0].announce_card.card: 0 is no card"),
    (
        _event(layDown={"phoms": [{}, {"cards": [7, 0]}]}),
        "log.events[0].lay_down.phoms[1].cards[1]: 0 is no card",
    ),
    (
        _event(declareU={"phoms": [{"cards": [99]}]}),
        "log.events[0].declare_u.phoms[0].cards[0]: 99 is no card",
    ),
    (_event(layOff={"toSeat": 0, "phomIndex": 0}), "log.events[0].lay_off.card: 0 is no card"),
    (_event(layOff={"card": 1, "phomIndex": 0}), "log.events[0].lay_off.to_seat: is not given"),
    (_event(layOff={"card": 1, "toSeat": 0}), "log.events[0].lay_off.phom_index: is not given"),
    (_log(claimedResult={"seats": [{"net": 1}]}), "log.claimed_result.seats[0].seat: is not given"),
]


@pytest.mark.parametrize(("log", "expected"), UNWRITABLE, ids=[text for _, text in UNWRITABLE])
def test_unwritable(log: GameLog, expected: str) -> None:
    with pytest.raises(NotationError) as error:
        write(log)
    assert str(error.value) == expected
    assert error.value.field == expected.partition(":")[0]
    assert error.value.line is None
