"""The command phom-referee: what it prints, in which order, and its exit codes."""

import json
import subprocess
from pathlib import Path

import pytest
from commandline import COMMAND, SAMPLE, SO_FAR, Run, error, json_line, objects, with_id
from google.protobuf.json_format import MessageToDict
from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1.events_pb2 import Event, GameLog
from phom_referee import houses, notation, rules, server
from phom_referee.command import main
from phom_referee.settings import Settings
from phom_referee.signals import Signals

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
    (verdict,) = objects(out)
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
    (verdict,) = objects(out)
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
        "standard input, log 1: ILLEGAL\n  in the deal or the opening\n"
        "  DEAL_HAND_SIZE: each hand has 9 cards, the first seat's 10; seat 0, which begins, has 1\n"
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
standard input, log 1: legal and finished
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
    no_house = with_id("c")
    no_house.ruleset.Clear()
    illegal = with_id("e")
    illegal.events[0].seat = 1
    lines = [
        json_line(with_id("a")),
        "{no JSON",
        "",
        json_line(no_house),
        '{"events": [{"seat": 0, "discard": {"card": "CARD_1S"}}], "game": 1}',
        json_line(illegal),
        "\x00",
        json_line(with_id("f")),
    ]
    code, out, err = run("replay", "-", "--json", stdin="\n".join(lines))
    assert (code, err) == (2, "")
    verdicts = objects(out)
    assert [v.get("gameId", "error" in v) for v in verdicts] == [
        "a",
        True,
        True,
        True,
        "e",
        True,
        "f",
    ]
    name = "Expecting property name enclosed in double quotes"
    assert verdicts[1] == error(
        ("log", f"is no JSON: {name}: column 2 (standard input, log 2, line 2)")
    )
    assert verdicts[2] == error(
        ("log.ruleset.house", "must be given (standard input, log 3, line 4)")
    )
    place = "(standard input, log 4, line 5)"
    card = 'must be a card, CARD_AS to CARD_KH; found "CARD_1S", did you mean CARD_AS?'
    field = "is no field of phom.v1.GameLog, did you mean `gameId`?"
    assert verdicts[3] == error(
        ("log.events[0].discard.card", f"{card} {place}"), ("log.game", f"{field} {place}")
    )
    assert verdicts[4]["status"] == "STATUS_ILLEGAL"


def test_replay_says_in_its_place_what_is_no_log(run: Run) -> None:
    code, out, _ = run("replay", "-", stdin="house go88\n---\nfrist 0\n---\n" + SO_FAR)
    assert code == 2
    assert out.startswith(
        "standard input, log 1, line 1: no log\n"
        "  log.first_seat: must be given\n"
        "  log.hands: must be 2 to 4 hands, one for each seat; found 0\n"
        "standard input, log 2, line 3: no log\n"
        "  log: line 3: `frist 0`: expected an event"
    )
    assert out.count(": no log\n") == 2
    assert "\nsample: legal so far, not finished\n" in out


def test_replay_of_several_files(run: Run, tmp_path: Path) -> None:
    illegal = tmp_path / "illegal.phom"
    illegal.write_text(SO_FAR.replace("id sample", "id b") + "1 draw 2H\n", "utf-8")
    assert run("replay", SAMPLE, illegal)[0] == 1
    code, out, err = run("replay", illegal, tmp_path / "missing", SAMPLE, "--json")
    assert code == 2
    assert [verdict["gameId"] for verdict in objects(out)] == ["b", "sample"]
    assert err == f"phom-referee: {tmp_path / 'missing'}: No such file or directory\n"


def test_replay_of_several_files_says_which(run: Run, tmp_path: Path) -> None:
    nameless = SO_FAR.replace("id sample\n", "")
    first, second, third = (tmp_path / name for name in ("1.phom", "2.jsonl", "3.phom"))
    first.write_text(f"{nameless}---\n{nameless}", "utf-8")
    second.write_text(f'\n{json_line(notation.parse(nameless)[0])}\n{{"hand": 1}}\n', "utf-8")
    third.write_text("", "utf-8")
    code, out, err = run("replay", first, second, third)
    assert code == 2
    heads = [line for line in out.splitlines() if not line.startswith("  seat")]
    assert [line for line in heads if not line.startswith("  event")] == [
        f"{first}, log 1: legal so far, not finished",
        f"{first}, log 2: legal so far, not finished",
        f"{second}, log 1: legal so far, not finished",
        f"{second}, log 2, line 3: no log",
        "  log.hand: is no field of phom.v1.GameLog, did you mean `hands`?",
    ]
    assert err == f"phom-referee: {third}: there is no log in it\n"
    code, out, _ = run("replay", first, second, "--json")
    assert (code, objects(out)[3]) == (
        2,
        error(
            (
                "log.hand",
                f"is no field of phom.v1.GameLog, did you mean `hands`? ({second}, log 2, line 3)",
            )
        ),
    )


def test_what_is_printed_reaches_no_terminal_as_it_is(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[2J"
    file.write_text('{"b\\u001b[2J": 1}', "utf-8")
    code, out, err = run("replay", file)
    assert (code, err) == (2, "")
    assert out == (
        f"{tmp_path}/a�[2J, log 1, line 1: no log\n  log.b�[2J: is no field of phom.v1.GameLog\n"
    )
    file.write_text("", "utf-8")
    assert run("replay", file)[2] == f"phom-referee: {tmp_path}/a�[2J: there is no log in it\n"


# ---- rulesets ----


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
    assert (code, objects(out)) == (
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
    log = with_id("vòng # 1 ")
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
    assert (code, out, err) == (
        2,
        "",
        "phom-referee: standard input: there are 2 logs in it, expected one\n",
    )


def test_convert_to_binary_of_what_is_no_log(run: Run) -> None:
    assert run("convert", "-", "--to", "binary", stdin='{"x":1}') == (
        2,
        "",
        "phom-referee: standard input, log 1, line 1: log.x: is no field of phom.v1.GameLog\n",
    )


def test_convert_writes_the_one_form(run: Run) -> None:
    typed = "House GO88\r\nDEAL 0 7h,10♦\r\n0 Lay 7h,8h,9h 4S,4D,4C\r\n"
    assert run("convert", "-", "--to", "notation", stdin=typed) == (
        0,
        "house go88\ndeal 0 7H TD\n0 lay 7H8H9H 4S4D4C\n",
        "",
    )


def test_convert_of_what_is_no_log(run: Run) -> None:
    lines = '{"gameId":"a"}\n{"events":[{}]}\n{"x":1}\n{"gameId":"b"}\n'
    code, out, err = run("convert", "-", "--to", "notation", stdin=lines)
    assert (code, out) == (2, "id a\n---\nid b\n")
    assert err.splitlines() == [
        "phom-referee: standard input, log 2, line 2: log.events[0].kind: is not given",
        "phom-referee: standard input, log 3, line 3: log.x: is no field of phom.v1.GameLog",
    ]
    code, out, err = run("convert", "-", "--to", "json", stdin="id a\n---\nx\n---\nid b\n")
    first, fault, second = objects(out)
    assert (code, err, first, second) == (2, "", {"gameId": "a"}, {"gameId": "b"})
    assert fault["error"]["fields"][0]["field"] == "log"
    binary = GameLog(events=[Event(seat=0, at=Timestamp(nanos=-1), leave={})]).SerializeToString()
    code, out, _ = run("convert", "-", "--to", "json", stdin=binary)
    assert (code, objects(out)[0]["error"]["fields"][0]["field"]) == (2, "log")


def test_generate(run: Run) -> None:
    asked = ("generate", 3, "--house", "iwin", "--seats", 3, "--seed", 7)
    code, text, _ = run(*asked)
    logs = notation.parse(text)
    assert (code, [len(log.hands) for log in logs]) == (0, [3, 3, 3])
    assert {log.ruleset.house for log in logs} == {3}
    code, lines, _ = run(*asked, "--json")
    assert objects(lines) == [MessageToDict(log) for log in logs]
    assert run(*asked)[1] == text
    assert run(*asked[:-1], 8)[1] != text
    code, out, _ = run("replay", "-", "--json", stdin=text)
    assert code == 0
    assert [verdict["status"] for verdict in objects(out)] == ["STATUS_FINISHED"] * 3


def test_generate_of_a_house(run: Run) -> None:
    assert run("generate", 1, "--house", "IWIN") == run("generate", 1, "--house", "iwin")
    houses_known = "go88, wikipedia, iwin, online, online_ky_gui, bs_fyi"
    for house, found in (
        ("HOUSE_GO88", "found `HOUSE_GO88`, did you mean `go88`?"),
        ("mine", "found `mine`"),
        ("", "found the end of the line"),
    ):
        code, _, err = run("generate", 1, "--house", house)
        assert code == 2
        expected = f"argument --house: expected one of {houses_known}; {found}"
        assert err.endswith(f"phom-referee generate: error: {expected}\n")
    _, _, err = run("generate", 1, "--house", "go88 iwin")
    assert err.endswith("argument --house: expected the end of the line; found `iwin`\n")


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
            process.stdin.write(json_line(with_id(game_id)).encode() + b"\n")
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
