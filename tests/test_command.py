"""The command phom-referee: what it prints, in which order, and its exit codes."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, MessageToJson
from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1.events_pb2 import Event, GameLog
from phom_referee import houses, inputs, notation, rules, server
from phom_referee.command import main
from phom_referee.settings import Settings
from phom_referee.signals import Signals

SAMPLE = Path(__file__).parent / "games" / "sample.phom"
COMMAND = Path(sys.executable).with_name("phom-referee")

# The sample as far as the discard that seat 0 eats.
SO_FAR = SAMPLE.read_text("utf-8").partition("0 eat")[0]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command; its exit code, standard output and standard error."""

    def run(*argv: object, stdin: bytes | str = b"") -> tuple[int, str, str]:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = main([str(argument) for argument in argv])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def _with_id(game_id: str) -> GameLog:
    (log,) = notation.parse(SAMPLE.read_text("utf-8"))
    log.game_id = game_id
    return log


def _line(log: GameLog) -> str:
    return MessageToJson(log, indent=None)


def _objects(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def _error(*fields: tuple[str, str]) -> dict[str, Any]:
    listed = [{"field": path, "description": text} for path, text in fields]
    return {"error": {"code": "INVALID_ARGUMENT", "fields": listed}}


# ---- replay ----

SAMPLE_TEXT = """\
sample: legal and finished
  place 1: seat 2: net +7000; 33 points (5S 2C 4C 5C 7C TC); phỏm 5D6D7D8D
  place 2: seat 3: net -2000; 37 points (JS QC 2D 3D 9H); phỏm 2H3H4H
  place 3: seat 0: net -1000; 47 points (KS JC TD AH 5H 7H); phỏm JHQHKH
  place 4: seat 1, móm: net -4000; 72 points (3S 7S TS QS AC KC QD 6H 8H); phỏm –
  event 17: seat 3 pays seat 0 1000 (stakes: 1) for an eaten card (rule 4.4)
  at the end: seat 3 pays seat 2 1000 (stakes: 1) for its place (rule 7.3)
  at the end: seat 0 pays seat 2 2000 (stakes: 2) for its place (rule 7.3)
  at the end: seat 1 pays seat 2 4000 (stakes: 4) for móm (rule 7.3)
"""


def test_replay_for_people(run: Run) -> None:
    assert run("replay", SAMPLE) == (0, SAMPLE_TEXT, "")


def test_replay_as_json(run: Run) -> None:
    code, out, _ = run("replay", SAMPLE, "--json")
    (verdict,) = _objects(out)
    assert code == 0
    assert (verdict["gameId"], verdict["status"]) == ("sample", "STATUS_FINISHED")
    # Defaults are left out, and numbers of 64 bits are strings.
    nets = {seat.get("seat", 0): seat["net"] for seat in verdict["result"]["seats"]}
    assert nets == {0: "-1000", 1: "-4000", 2: "7000", 3: "-2000"}
    assert "state" not in verdict
    assert "trace" not in verdict


@pytest.mark.parametrize(
    ("detail", "told"),
    [("result", set()), ("state", {"state"}), ("trace", {"state", "trace"})],
)
def test_replay_tells_as_much_as_asked_for(run: Run, detail: str, told: set[str]) -> None:
    _, out, _ = run("replay", SAMPLE, "--json", "--detail", detail)
    (verdict,) = _objects(out)
    assert verdict.keys() & {"state", "trace"} == told


def test_replay_with_trace_for_people(run: Run) -> None:
    _, out, _ = run("replay", SAMPLE, "--detail", "trace")
    assert out.startswith(SAMPLE_TEXT)
    assert (
        "    17: 0 eat (rule 4.2); a card of the leader's row moves, seat 0 leads (rule 3.3);"
        " seat 3 is spared its lay-down (né hạ); seat 3 pays seat 0 1000 (stakes: 1) for an eaten"
        " card (rule 4.4)\n"
    ) in out
    assert "  the table now:\n    over; last discard –; stock 0; leader seat 0;" in out
    assert "    seat 2: 5S 2C 4C 5C 7C TC (33 points); eaten –; laid 5D6D7D8D;" in out


def test_replay_explains_what_is_illegal(run: Run) -> None:
    code, out, _ = run("replay", "-", stdin=SO_FAR + "0 eat AS\n0 discard TH\n")
    assert code == 1
    lines = out.splitlines()
    assert lines[:2] == ["sample: ILLEGAL", "  event 17: 0 eat AS"]
    assert lines[2].startswith("  EAT_WRONG_CARD: only the last discard can be eaten")
    assert lines[3:5] == ["  rule 4.1:", f"    {rules.text('4.1')}"]
    assert lines[5] == "  the table before it:"
    assert lines[6].startswith("    seat 0 has to draw or eat; last discard KH;")


def test_replay_explains_an_illegal_deal(run: Run) -> None:
    code, out, _ = run("replay", "-", stdin="house go88\nfirst 0\ndeal 0 7H\ndeal 1 8H\n")
    assert code == 1
    assert out.startswith(
        "this game: ILLEGAL\n  in the deal or the opening\n  DEAL_HAND_SIZE: each hand has 9 cards"
    )


def test_replay_names_claims_that_do_not_hold(run: Run) -> None:
    text = SAMPLE.read_text("utf-8").replace("points 33 net 7000", "points 34 net 6000")
    code, out, _ = run("replay", "-", stdin=text + "claim den 1\n")
    assert code == 1
    assert out.startswith("sample: legal and finished, BUT WITH ANOTHER RESULT than claimed\n")
    assert out.endswith(
        "  den_seat: claimed 1, is nobody\n"
        "  points of seat 2: claimed 34, is 33\n"
        "  net of seat 2: claimed 6000, is 7000\n"
    )


def test_replay_of_a_game_in_progress(run: Run) -> None:
    code, out, _ = run("replay", "-", stdin=SO_FAR)
    assert code == 0
    assert out.startswith("sample: legal so far, not finished\n  seat 0: net +0; ")


def test_replay_of_an_u_names_who_pays_for_all(run: Run) -> None:
    text = """
        house bs_fyi
        first 0
        deal 0 9D 2H 4S 6H 8S TC QD KC JH 3C
        deal 1 AS2S3S 4C5C6C 7D8D KH
        deal 2 AH 3D 5H 7S 9C JS QS KD 2C
        0 discard 9D
        1 eat
        1 u
    """
    code, out, _ = run("replay", "-", stdin=text)
    assert code == 0
    assert (
        out
        == """\
this game: legal and finished
  Ù by seat 1: AS2S3S 4C5C6C 7D8D9D; seat 0 pays for all: its card was eaten in the turn of the Ù;\
 rule 7.1 c
  place 1: seat 1: net +11; 0 points (KH); phỏm AS2S3S 4C5C6C 7D8D9D
  place 2: seat 0: net -11; 69 points (4S 8S 3C TC KC QD 2H 6H JH); phỏm –
  place 2: seat 2: net +0; 63 points (7S JS QS 2C 9C 3D KD AH 5H); phỏm –
  event 1: seat 0 pays seat 1 1 (stakes: 1) for an eaten card (rule 4.4)
  at the end: seat 0 pays seat 1 10 (stakes: 10) for Ù (rule 7.1)
"""
    )


def test_replay_keeps_the_order_and_goes_on_after_what_is_no_log(run: Run) -> None:
    no_house = _with_id("c")
    no_house.ruleset.Clear()
    illegal = _with_id("e")
    illegal.events[0].seat = 1
    lines = [
        _line(_with_id("a")),
        "{no JSON",
        "",
        _line(no_house),
        '{"events": [{"seat": 0, "discard": {"card": "CARD_1S"}}], "game": 1}',
        _line(illegal),
        "\x00",
        _line(_with_id("f")),
    ]
    code, out, err = run("replay", "-", "--json", stdin="\n".join(lines))
    assert (code, err) == (2, "")
    verdicts = _objects(out)
    assert [v.get("gameId", "error" in v) for v in verdicts] == [
        "a",
        True,
        True,
        True,
        "e",
        True,
        "f",
    ]
    assert verdicts[1]["error"]["fields"][0]["field"] == "log"
    assert verdicts[1]["error"]["fields"][0]["description"].startswith("is no JSON: ")
    assert verdicts[2] == _error(("log.ruleset.house", "must be given"))
    assert verdicts[3] == _error(
        ("log.events[0].discard.card", "must be a value of phom.v1.Card"),
        ("log.game", "is no field of phom.v1.GameLog"),
    )
    assert verdicts[4]["status"] == "STATUS_ILLEGAL"


def test_replay_says_in_its_place_what_is_no_log(run: Run) -> None:
    code, out, _ = run("replay", "-", stdin="house go88\n---\nfrist 0\n---\n" + SO_FAR)
    assert code == 2
    assert out.startswith(
        "no log\n"
        "  log.first_seat: must be given\n"
        "  log.hands: must be 2 to 4 hands, one for each seat\n"
        "no log\n"
        "  log: line 3: `frist 0`: expected an event"
    )
    assert out.count("no log\n") == 2
    assert "\nsample: legal so far, not finished\n" in out


def test_replay_of_several_files(run: Run, tmp_path: Path) -> None:
    illegal = tmp_path / "illegal.phom"
    illegal.write_text(SO_FAR.replace("id sample", "id b") + "1 draw 2H\n", "utf-8")
    assert run("replay", SAMPLE, illegal)[0] == 1
    code, out, err = run("replay", illegal, tmp_path / "missing", SAMPLE, "--json")
    assert code == 2
    assert [verdict["gameId"] for verdict in _objects(out)] == ["b", "sample"]
    assert err == f"phom-referee: {tmp_path / 'missing'}: No such file or directory\n"


# ---- what an input may be ----

LOG = _with_id("one")
TWO = f"{_line(LOG)}\n{_line(_with_id('two'))}\n"


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        pytest.param(MessageToJson(LOG), ["one"], id="JSON over many lines"),
        pytest.param(MessageToJson(LOG) * 2, ["one", "one"], id="JSON one after another"),
        pytest.param("\n\n" + TWO, ["one", "two"], id="JSON lines"),
        pytest.param("\ufeff" + TWO, ["one", "two"], id="JSON lines with a byte order mark"),
        pytest.param(TWO.replace("\n", "\r\n"), ["one", "two"], id="JSON lines of Windows"),
        pytest.param("garbage\n" + TWO, [None, "one", "two"], id="JSON lines, the first is none"),
        pytest.param("{\n" + TWO, [None, "one", "two"], id="JSON lines, the first is cut"),
        pytest.param("[1]\n{\n[\n" + TWO, [None] * 3 + ["one", "two"], id="no objects first"),
        pytest.param("{a\n{b\n", [None, None], id="JSON lines, none is one"),
        pytest.param(MessageToJson(LOG)[:-9], [None], id="JSON over many lines, cut"),
        pytest.param(MessageToJson(LOG) + "x", ["one", None], id="JSON, then something"),
        pytest.param("[]", [None], id="a JSON list"),
        pytest.param("[" * 100_000, [None], id="JSON too deep"),
        pytest.param(b"\xff\xfe" + TWO.encode("utf-16-le"), [None], id="JSON lines in UTF-16"),
        pytest.param(TWO.encode() + b'{"gameId": "\xff"}', ["one", "two", None], id="not UTF-8"),
        pytest.param(notation.write(LOG), ["one"], id="notation"),
        pytest.param("\ufeff" + notation.write(LOG), ["one"], id="notation after a mark"),
        pytest.param("# {}\nid a\n---\nid b\r\n", ["a", "b"], id="notation, two logs"),
        pytest.param("id a\n---\nid b\n{\n---\nid c", ["a", None, "c"], id="notation with a brace"),
        pytest.param(b"id \xff", [None], id="notation that is not UTF-8"),
        pytest.param("garbage", [None], id="no log at all"),
        pytest.param(LOG.SerializeToString(), ["one"], id="binary"),
        pytest.param(_with_id("{" * 9).SerializeToString(), ["{" * 9], id="binary with braces"),
        pytest.param(b"\x00\x01\xff", [None], id="bytes that are nothing"),
    ],
)
def test_form_is_told_by_content(tmp_path: Path, content: str | bytes, ids: list[str]) -> None:
    file = tmp_path / "log"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    found = list(inputs.logs(str(file)))
    assert [log.game_id if isinstance(log, GameLog) else None for log in found] == ids


@pytest.mark.parametrize("content", [b"", b"\n \n", b"# nothing\n"])
def test_input_without_a_log_is_unreadable(run: Run, content: bytes) -> None:
    assert run("replay", "-", stdin=content) == (
        2,
        "",
        "phom-referee: -: there is no log in it\n",
    )


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("[]", [("log", "must be a JSON object")]),
        ('{"firstSeat": -1}', [("log.first_seat", "must be a whole number, 0 to 4294967295")]),
        ('{"gameId": 3}', [("log.game_id", "must be a string")]),
        ('{"baseStake": 0.5}', [("log.base_stake", "must be a whole number of at most 64 bits")]),
        ('{"ruleset": {"layOff": 1}}', [("log.ruleset.lay_off", "must be true or false")]),
        ('{"startedAt": "now"}', [("log.started_at", "must be a time as 2026-11-30T10:00:07Z")]),
        (
            '{"startedAt": "2026-11-30T10:00:00.1e999Z"}',
            [("log.started_at", "must be a time as 2026-11-30T10:00:07Z")],
        ),
        (r'{"\ud800": 1}', [("log.\ud800", "is no field of phom.v1.GameLog")]),
        ('{"hands": {}}', [("log.hands", "must be a list")]),
        ('{"events": [null]}', [("log.events[0]", "must be a JSON object")]),
        (
            '{"events": [{}, {"draw": {}, "eat": {}, "leave": null}]}',
            [("log.events[1].kind", "must be only one of draw, eat")],
        ),
        (
            '{"stock": ["CARD_AS", "AS", {}]}',
            [
                ("log.stock[1]", "must be a value of phom.v1.Card"),
                ("log.stock[2]", "must be a value of phom.v1.Card"),
            ],
        ),
        (
            '{"gameId": "a", "gameId": "b"}',
            [("log", "is no phom.v1.GameLog: a name stands twice in one object")],
        ),
    ],
)
def test_faults_of_json_are_named(run: Run, text: str, fields: list[tuple[str, str]]) -> None:
    code, out, _ = run("replay", "-", "--json", stdin=text)
    assert (code, _objects(out)) == (2, [_error(*fields)])


# ---- check, legal ----


def test_check_of_a_legal_action(run: Run) -> None:
    code, out, _ = run("check", "-", "0 eat", stdin=SO_FAR)
    assert code == 0
    assert out.splitlines()[:6] == [
        "legal (rule 4.2)",
        "  append: 0 eat KH",
        "  a card of the leader's row moves, seat 0 leads (rule 3.3)",
        "  seat 3 is spared its lay-down (né hạ)",
        "  seat 3 pays seat 0 1000 (stakes: 1) for an eaten card (rule 4.4)",
        "  the table after it:",
    ]


def test_check_of_an_illegal_action(run: Run) -> None:
    code, out, _ = run("check", "-", "1", "eat", stdin=SO_FAR)
    assert code == 1
    assert out.startswith("not legal\n  NOT_YOUR_TURN: it is another seat's turn")
    assert "  rule 3.1:\n    A turn: take one card (draw from the stock, or eat" in out


def test_check_of_a_draw_from_an_unknown_stock(run: Run) -> None:
    text = "\n".join(line for line in SO_FAR.splitlines() if not line.startswith("stock"))
    code, out, _ = run("check", "-", "0 draw", stdin=text)
    assert code == 0
    assert out.splitlines()[:2] == ["legal (rule 3.1)", "  append: 0 draw, and the card that comes"]


def test_check_as_json(run: Run) -> None:
    code, out, _ = run("check", "-", "0 eat", "--json", stdin=SO_FAR)
    (response,) = _objects(out)
    assert (code, response["legal"]) == (0, True)
    assert response["event"] == {"seat": 0, "eat": {"card": "CARD_KH"}}
    code, out, _ = run("check", "-", "1 draw", "--json", stdin=SO_FAR)
    (response,) = _objects(out)
    assert code == 1
    assert response["violation"]["code"] == "VIOLATION_CODE_NOT_YOUR_TURN"


def test_check_of_what_is_no_action(run: Run) -> None:
    code, out, err = run("check", SAMPLE, "0 eats")
    assert (code, out) == (2, "")
    assert err.startswith("phom-referee: `0 eats`: expected one of draw, eat,")
    code, out, _ = run("check", SAMPLE, "7 draw", "--json")
    assert (code, _objects(out)[0]["error"]["fields"][0]["field"]) == (2, "action.seat")
    code, out, err = run("check", "-", "0 draw", stdin="id a\n---\nid b\n")
    assert (code, err) == (2, "phom-referee: -: there are 2 logs in it, expected one\n")
    code, out, _ = run("check", "-", "0 draw", stdin="id a\nsecond 0\n")
    assert (code, out.splitlines()[0]) == (2, "no log")


def test_legal(run: Run) -> None:
    assert run("legal", "-", stdin=SO_FAR) == (0, "0 eat\n0 draw\n", "")
    code, out, _ = run("legal", "-", "--json", stdin=SO_FAR)
    assert (code, _objects(out)) == (
        0,
        [{"seat": 0, "actions": [{"seat": 0, "eat": {}}, {"seat": 0, "draw": {}}]}],
    )


def test_legal_after_the_end(run: Run) -> None:
    code, out, _ = run("legal", "-", stdin=SO_FAR + "0 leave\n1 leave\n2 leave\n")
    assert (code, out) == (0, "nothing can follow: the game is over\n")


def test_legal_of_an_illegal_log(run: Run) -> None:
    code, out, _ = run("legal", "-", stdin=SO_FAR + "1 eat\n")
    assert code == 1
    assert out.startswith("the log is not legal\n  event 17: 1 eat\n  NOT_YOUR_TURN: ")


# ---- hand, rulesets ----


def test_hand(run: Run) -> None:
    cards = "3H4H5H6H7H8H 3S 3D 8S 8C"
    code, out, _ = run("hand", cards, "--eaten", "4H 7H", "--offered", "8D")
    assert code == 0
    assert out.splitlines() == [
        "phỏm: 3H4H5H 6H7H8H",
        "loose: 3S 8S 8C 3D; 22 points",
        "arrangements as good: 1",
        "may discard: 3S 8S 8C 3D",
        "cạ: 3S-3D 3S-3H 8S-8C 8S-8H 8C-8H 3D-3H 3H-4H 3H-5H 4H-5H 4H-6H 5H-6H 5H-7H 6H-7H 6H-8H"
        " 7H-8H",
        "the offered card may be eaten",
    ]


def test_hand_that_is_u(run: Run) -> None:
    code, out, _ = run("hand", "3H4H5H", "6H7H8H 3S3D 8S 8C", "--json")
    (response,) = _objects(out)
    assert (code, response["uKind"], len(response["phoms"])) == (0, "U_KIND_TRON", 3)
    assert run("hand", "3H4H5H6H7H8H 3S3D 8S 8C")[1].endswith("\nthese ten cards are Ù tròn\n")


def test_hand_that_is_none(run: Run) -> None:
    assert run("hand", "7H 10D") == (
        2,
        "",
        "phom-referee: `7H 10D`: expected cards, each a rank of A23456789TJQK and a suit of SCDH;"
        " found `10D`\n",
    )
    assert run("hand", "7H", "--offered", "8H 9H")[0] == 2
    code, out, _ = run("hand", "7H 8H", "--eaten", "7H", "--json")
    assert (code, _objects(out)[0]["error"]["code"]) == (2, "INVALID_ARGUMENT")


def test_rulesets(run: Run) -> None:
    code, out, _ = run("rulesets")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()}
    assert code == 0
    assert rows["house"] == ["go88", "wikipedia", "iwin", "online", "online_ky_gui", "bs_fyi"]
    assert rows["place_payment"] == ["1,2,3", "0,0,0", "1,2,3", "0,0,0", "0,0,0", "1,2,3"]
    assert rows["lay_off"] == ["true", "true", "false", "false", "true", "true"]
    # The table of section 8 of the rules, and the digests.
    book = Path(rules.__file__).with_name("rules.md").read_text("utf-8").partition("## 8")[2]
    written = [line.strip("|").split("|") for line in book.splitlines() if line.startswith("| ")]
    for name, *values in written[1:]:
        assert rows[name.strip()] == [value.strip().lower() for value in values]
    assert len(rows) == len(written) + 1


def test_rulesets_as_json(run: Run) -> None:
    code, out, _ = run("rulesets", "--json")
    assert (code, _objects(out)) == (
        0,
        [MessageToDict(named) for named in houses.presets().rulesets],
    )


@pytest.mark.parametrize("section", ["2.1", "3.3", "3.5", "4.2", "5.2", "6.2", "7.1"])
def test_rule_texts(section: str) -> None:
    book = Path(rules.__file__).with_name("rules.md").read_text("utf-8")
    text = rules.text(section)
    start = book.index(f"\n{section} ") + 1
    assert book[start:].split()[1:][: len(text.split())] == text.split()
    # The whole section, and nothing of the next.
    assert book[start:].split()[1:][len(text.split())][0] in "#0123456789"


def test_rule_that_is_none() -> None:
    with pytest.raises(KeyError):
        rules.text("9.9")


# ---- convert, generate ----


def test_convert_goes_around_without_loss(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    log = _with_id("vòng # 1 ")
    log.events[0].at.CopyFrom(Timestamp(seconds=1_796_032_800, nanos=1))
    first = tmp_path / "first"
    first.write_text(notation.write(log), "utf-8")
    file = first
    for form in ("json", "binary", "notation"):
        assert main(["convert", str(file), "--to", form]) == 0
        file = tmp_path / form
        file.write_bytes(capsysbinary.readouterr().out)
    assert (tmp_path / "binary").read_bytes() == log.SerializeToString()
    assert file.read_bytes() == first.read_bytes()


def test_convert_of_several_logs(run: Run) -> None:
    code, out, _ = run("convert", "-", "--to", "notation", stdin='{"gameId":"a"}\n{"gameId":"b"}\n')
    assert (code, out) == (0, "id a\n---\nid b\n")
    code, out, _ = run("convert", "-", "--to", "json", stdin=out)
    assert (code, out) == (0, '{"gameId": "a"}\n{"gameId": "b"}\n')
    code, out, err = run("convert", "-", "--to", "binary", stdin=out)
    assert (code, out, err) == (2, "", "phom-referee: -: there are 2 logs in it, expected one\n")


def test_convert_of_what_is_no_log(run: Run) -> None:
    lines = '{"gameId":"a"}\n{"events":[{}]}\n{"x":1}\n{"gameId":"b"}\n'
    code, out, err = run("convert", "-", "--to", "notation", stdin=lines)
    assert (code, out) == (2, "id a\n---\nid b\n")
    assert err.splitlines() == [
        "phom-referee: log.events[0].kind: is not given",
        "phom-referee: log.x: is no field of phom.v1.GameLog",
    ]
    code, out, err = run("convert", "-", "--to", "json", stdin="id a\n---\nx\n---\nid b\n")
    first, error, second = _objects(out)
    assert (code, err, first, second) == (2, "", {"gameId": "a"}, {"gameId": "b"})
    assert error["error"]["fields"][0]["field"] == "log"
    binary = GameLog(events=[Event(seat=0, at=Timestamp(nanos=-1), leave={})]).SerializeToString()
    code, out, _ = run("convert", "-", "--to", "json", stdin=binary)
    assert (code, _objects(out)[0]["error"]["fields"][0]["field"]) == (2, "log")


def test_generate(run: Run) -> None:
    asked = ("generate", 3, "--house", "iwin", "--seats", 3, "--seed", 7)
    code, text, _ = run(*asked)
    logs = notation.parse(text)
    assert (code, [len(log.hands) for log in logs]) == (0, [3, 3, 3])
    assert {log.ruleset.house for log in logs} == {3}
    code, lines, _ = run(*asked, "--json")
    assert _objects(lines) == [MessageToDict(log) for log in logs]
    assert run(*asked)[1] == text
    assert run(*asked[:-1], 8)[1] != text
    code, out, _ = run("replay", "-", "--json", stdin=text)
    assert code == 0
    assert [verdict["status"] for verdict in _objects(out)] == ["STATUS_FINISHED"] * 3


# ---- serve, usage ----


def test_serve(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[object] = []

    def serve(chosen: Settings, signals: Signals) -> int:
        served.append((chosen.host, chosen.port, chosen.metrics_port))
        assert not signals.ended.is_set()
        return 0

    monkeypatch.setattr(server, "main", serve)
    assert run("serve") == (0, "", "")
    run("serve", "--host", "::1", "--port", "1", "--metrics-port", "2")
    assert served == [("127.0.0.1", 50051, 9464), ("::1", 1, 2)]


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["play"],
        ["replay"],
        ["check", SAMPLE],
        ["convert", SAMPLE],
        ["convert", SAMPLE, "--to", "xml"],
        ["generate", "some"],
        ["generate", "-1"],
        ["generate", "1", "--house", "mine"],
        ["generate", "1", "--seats", "5"],
    ],
)
def test_wrong_usage(run: Run, argv: list[object]) -> None:
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert err.startswith("usage: phom-referee")


def test_help_and_version(run: Run) -> None:
    assert run("--version") == (0, f"{houses.VERSION}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    for name in ("serve", "replay", "check", "legal", "hand", "rulesets", "convert", "generate"):
        assert f"\n    {name} " in out


# ---- as a process ----


def test_as_a_process() -> None:
    done = subprocess.run(
        [COMMAND, "replay", "-"], input=SAMPLE.read_bytes(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, SAMPLE_TEXT, b"")


def test_speaks_utf_8_whatever_the_terminal_does() -> None:
    environment = {"PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}
    done = subprocess.run(
        [COMMAND, "replay", SAMPLE], env=environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, SAMPLE_TEXT, b"")


def test_answers_each_line_before_the_next_is_written() -> None:
    with subprocess.Popen(
        [COMMAND, "replay", "-", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for game_id in ("a", "b", "c"):
            process.stdin.write(_line(_with_id(game_id)).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["gameId"] == game_id
        process.stdin.close()
        assert process.wait() == 0


def test_ends_quietly_when_nobody_reads_on() -> None:
    with subprocess.Popen(
        [COMMAND, "generate", "100000", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["gameId"]
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141
