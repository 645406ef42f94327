"""What an input may be: its form told by its content, its encoding by its mark, and what is said of
one that is none: whole texts."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import random
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commandline import COMMAND, Run, error, json_line, objects, with_id
from google.protobuf.json_format import MessageToJson
from hypothesis import given
from hypothesis import strategies as st
from phom.v1.events_pb2 import GameLog
from phom_referee import inputs, json_values, notation, streams
from test_notation import LOGS
from test_typed import respell


def _read(content: bytes, monkeypatch: pytest.MonkeyPatch) -> list[tuple[inputs.Place, Any]]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    return list(inputs.logs("-"))


# ---- forms ----

LOG = with_id("one")
OTHER = with_id("two")
TWO = f"{json_line(LOG)}\n{json_line(OTHER)}\n"
MARK = "\ufeff"

# The content, and of each log its id, None where it is none, and the line it begins in.
FORMS: dict[str, tuple[str | bytes, list[tuple[str | None, int | None]]]] = {
    "JSON over many lines": (MessageToJson(LOG), [("one", 1)]),
    "JSON one after another": (
        MessageToJson(LOG, indent=None) + MessageToJson(OTHER, indent=None),
        [("one", 1), ("two", 1)],
    ),
    "JSON over many lines, one after another": (
        f"{MessageToJson(LOG)}\n\n{MessageToJson(OTHER)}",
        [("one", 1), ("two", MessageToJson(LOG).count("\n") + 3)],
    ),
    "JSON lines": ("\n\n" + TWO, [("one", 3), ("two", 4)]),
    "JSON lines with a blank one": (TWO.replace("\n", "\n \n"), [("one", 1), ("two", 3)]),
    "JSON lines without an end": (TWO.rstrip(), [("one", 1), ("two", 2)]),
    "JSON lines after a mark": (MARK + TWO, [("one", 1), ("two", 2)]),
    "JSON lines of two files with marks": (
        f"{MARK}{TWO}{MARK}{TWO}",
        [("one", 1), ("two", 2), ("one", 3), ("two", 4)],
    ),
    "JSON lines of Windows": (TWO.replace("\n", "\r\n"), [("one", 1), ("two", 2)]),
    "JSON lines of an old Mac": (TWO.replace("\n", "\r"), [("one", 1), ("two", 2)]),
    "JSON lines, the first is none": ("garbage\n" + TWO, [(None, 1), ("one", 2), ("two", 3)]),
    "JSON lines, the first is no text": (
        b"\x00\xff\n" + TWO.encode(),
        [(None, 1), ("one", 2), ("two", 3)],
    ),
    "JSON lines, the first is none, with marks": (
        f"garbage\n{MARK}{json_line(LOG)}\ngarbage\n",
        [(None, 1), ("one", 2), (None, 3)],
    ),
    "JSON lines, the first is cut": ("{\n" + TWO, [(None, 1), ("one", 2), ("two", 3)]),
    "no objects first": (
        "[1]\n{\n[\n" + TWO,
        [(None, 1), (None, 2), (None, 3), ("one", 4), ("two", 5)],
    ),
    "JSON lines with an array": (
        TWO + "[]\n" + TWO,
        [*(("one", 1), ("two", 2), (None, 3), ("one", 4), ("two", 5))],
    ),
    "JSON lines, none is one": ("{a\n{b\n", [(None, 1), (None, 2)]),
    "JSON over many lines, cut": (MessageToJson(LOG)[:-9], [(None, 1)]),
    "JSON, then something": (
        MessageToJson(LOG) + "x",
        [("one", 1), (None, MessageToJson(LOG).count("\n") + 1)],
    ),
    "a JSON array": (
        f"[\n{MessageToJson(LOG)},\n{MessageToJson(OTHER)}\n]\n",
        [("one", 2), ("two", MessageToJson(LOG).count("\n") + 3)],
    ),
    "a JSON array in a line": (f"[{json_line(LOG)},{json_line(OTHER)}]", [("one", 1), ("two", 1)]),
    "a JSON array, an element a line": (
        f"[\n{json_line(LOG)},\n{json_line(OTHER)}\n]",
        [("one", 2), ("two", 3)],
    ),
    "JSON arrays after a mark": (
        f"{MARK}[{json_line(LOG)}]\r\n{MARK}[{json_line(OTHER)}]",
        [("one", 1), ("two", 2)],
    ),
    "a JSON array with what is no log": (
        f'[{json_line(LOG)}, 3, null, "x", [{json_line(LOG)}], {{"x": 1}}, {json_line(OTHER)}]',
        [("one", 1), *[(None, 1)] * 5, ("two", 1)],
    ),
    "a JSON array that is broken": (
        f"[{json_line(LOG)},\n{{x}}, {json_line(OTHER)}]",
        [("one", 1), (None, 2)],
    ),
    "a JSON array without commas": (
        f"[{json_line(LOG)}\n{json_line(OTHER)}]",
        [("one", 1), (None, 2)],
    ),
    "a JSON array with a comma too many": (f"[{json_line(LOG)},]", [("one", 1), (None, 1)]),
    "a JSON array that is cut": (f"[{json_line(LOG)},\n", [("one", 1), (None, 2)]),
    "an array, then logs a line": ("[]\n" + TWO, [(None, 1), ("one", 2), ("two", 3)]),
    "JSON too deep": ("[" * 100_000, [(None, 1)]),
    "a JSON string": ('"house go88"', [(None, 1)]),
    "not UTF-8 in a line": (
        TWO.encode() + b'{"gameId": "\xff"}\n' + TWO.encode(),
        [("one", 1), ("two", 2), (None, 3), ("one", 4), ("two", 5)],
    ),
    "not UTF-8 in an array": (
        b'[{"gameId":"a"}, {"gameId":"\xff"}, {"gameId":"b"}]',
        [("a", 1), (None, 1), ("b", 1)],
    ),
    "notation": (notation.write(LOG), [("one", 1)]),
    "notation after a mark": (MARK + notation.write(LOG), [("one", 1)]),
    "notation, two logs": ("# {}\nid a\n---\n\nid b\r\n", [("a", 2), ("b", 5)]),
    "notation of an old Mac": ("id a\r---\rid b\r", [("a", 1), ("b", 3)]),
    "notation with a brace": (
        "id a\n---\nid b\n{\n---\nid c",
        [("a", 1), (None, 3), ("c", 6)],
    ),
    "notation that is not UTF-8": (
        b"id \xff\n---\nid b\n---\n# \xff\nid c",
        [(None, 1), ("b", 3), ("c", 6)],
    ),
    "notation with a control character": ("# \x07\nid a", [("a", 2)]),
    "no log at all": ("garbage", [(None, 1)]),
    "binary": (LOG.SerializeToString(), [("one", None)]),
    "binary with braces": (with_id("{" * 9).SerializeToString(), [("{" * 9, None)]),
    "binary that begins with blanks": (with_id("x" * 10).SerializeToString(), [("x" * 10, None)]),
    "binary that begins as JSON": (with_id("a" * 123).SerializeToString(), [("a" * 123, None)]),
    "binary that begins as an array": (with_id("a" * 91).SerializeToString(), [("a" * 91, None)]),
    "bytes that are nothing": (b"\x00\x01\xff", [(None, None)]),
}


@pytest.mark.parametrize(("content", "found"), FORMS.values(), ids=FORMS)
def test_form_is_told_by_content(
    content: str | bytes,
    found: list[tuple[str | None, int | None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = content.encode() if isinstance(content, str) else content
    read = _read(data, monkeypatch)
    ids = [log.game_id if isinstance(log, GameLog) else None for _, log in read]
    assert [(name, place.line) for name, (place, _) in zip(ids, read, strict=True)] == found
    assert [place.number for place, _ in read] == list(range(1, len(found) + 1))
    assert {place.file for place, _ in read} == {"standard input"}


# ---- encodings and packing ----

TEXTS = {name: content for name, (content, _) in FORMS.items() if isinstance(content, str)}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "UTF-16, the greater byte first": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "UTF-32": lambda text: codecs.BOM_UTF32_LE + text.encode("utf-32-le"),
    "UTF-32, the greater byte first": lambda text: codecs.BOM_UTF32_BE + text.encode("utf-32-be"),
}


def _halves(data: bytes) -> bytes:
    """Two members, as gzip >> appends them."""
    return gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])


PACKING: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip of two members": _halves,
    "gzip before zeros": lambda data: gzip.compress(data) + b"\0" * 9,
}


@pytest.mark.parametrize("pack", PACKING.values(), ids=PACKING)
@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_encoding_and_packing_change_nothing(
    encode: Callable[[str], bytes], pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in TEXTS.items():
        given = _read(pack(encode(text)), monkeypatch)
        assert str(given) == str(_read(text.encode(), monkeypatch)), name


@pytest.mark.parametrize("pack", PACKING.values(), ids=PACKING)
def test_packed_binary(pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, log),) = _read(pack(LOG.SerializeToString()), monkeypatch)
    assert log == LOG


def test_half_a_character_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{json_line(LOG)}\n{json_line(OTHER)}"
    cut = codecs.BOM_UTF16_LE + text.encode("utf-16-le")[:-1]
    (_, first), (_, second) = _read(cut, monkeypatch)
    assert first == LOG
    assert second.fields == [("log", "is no UTF-8 text; save the file as UTF-8")]
    lone = text.replace("two", "\ud800").encode("utf-16", "surrogatepass")
    (_, first), (_, second) = _read(lone, monkeypatch)
    assert (first, second.fields[0][0]) == (LOG, "log")


@given(
    st.lists(LOGS.filter(lambda log: log.ListFields()), min_size=1, max_size=3),
    st.builds(random.Random, st.integers(0, 2**32)),
    st.sampled_from([*ENCODINGS.values(), str.encode]),
    st.sampled_from(list(PACKING.values())),
)
def test_whatever_it_is_saved_as_it_is_the_same_log(
    logs: list[GameLog],
    rng: random.Random,
    encode: Callable[[str], bytes],
    pack: Callable[[bytes], bytes],
) -> None:
    typed = "---\n".join(respell(notation.write(log), rng) for log in logs)
    with pytest.MonkeyPatch.context() as patch:
        assert [log for _, log in _read(pack(encode(typed)), patch)] == logs


# ---- what cannot be read ----

KEYWORDS = "id, deal, house, set, stake, started, opening, first, stock, claim"


def _cut(data: bytes) -> bytes:
    return gzip.compress(data)[:-20]


def _damaged(data: bytes) -> bytes:
    packed = bytearray(gzip.compress(data))
    packed[-5] ^= 1  # of the checksum
    return bytes(packed)


UNREADABLE = {
    "nothing": (b"", "there is no log in it"),
    "blank lines": (b"\n \n", "there is no log in it"),
    "a comment": (b"# nothing\n", "there is no log in it"),
    "a mark": (codecs.BOM_UTF8, "there is no log in it"),
    "a mark of UTF-16": (codecs.BOM_UTF16_LE, "there is no log in it"),
    "gzip of nothing": (gzip.compress(b""), "there is no log in it"),
    "an empty array": (b"[]", "there is no log in it"),
    "an empty array over lines": (b"[\n]\n", "there is no log in it"),
    "gzip that is cut": (_cut(TWO.encode()), "is cut: its gzip has no end"),
    "gzip that has only begun": (b"\x1f\x8b", "is cut: its gzip has no end"),
    "gzip with another checksum": (_damaged(b"id a"), "is damaged: its gzip cannot be read"),
    "gzip with a damaged middle": (
        gzip.compress(b"id a")[:10] + b"\xff" * 20,
        "is damaged: its gzip cannot be read",
    ),
    "gzip and then no gzip": (
        gzip.compress(b"id a") + b"id b",
        "is damaged: its gzip cannot be read",
    ),
    "gzip in gzip": (
        gzip.compress(gzip.compress(b"id a")),
        "is gzip within gzip, expected only one",
    ),
    "ZIP": (
        b"PK\x03\x04\x14\0",
        "is a ZIP archive (as .zip, .xlsx and .docx are), expected logs as text or binary; only gzip"
        " is unpacked",
    ),
    "xz": (
        b"\xfd7zXZ\0",
        "is packed by xz, expected logs as text or binary; only gzip is unpacked",
    ),
    "PDF in gzip": (
        gzip.compress(b"%PDF-1.7\n"),
        "is a PDF, expected logs as text or binary; only gzip is unpacked",
    ),
}


@pytest.mark.parametrize(("content", "text"), UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("command", ["replay", "check", "legal", "convert"])
def test_unreadable_input(
    run: Run, tmp_path: Path, command: str, content: bytes, text: str
) -> None:
    file = tmp_path / "log"
    file.write_bytes(content)
    rest = {"check": ["0 draw"], "convert": ["--to", "json"]}.get(command, [])
    for name, called in ((file, str(file)), ("-", "standard input")):
        code, out, err = run(command, name, *rest, stdin=content)
        assert (code, err) == (2, f"phom-referee: {called}: {text}\n")
        assert out == "" or command in ("replay", "convert")


def test_logs_before_the_end_of_a_cut_file_are_judged(run: Run) -> None:
    code, out, err = run("replay", "-", "--json", stdin=_cut(TWO.encode() * 300))
    assert (code, err) == (2, "phom-referee: standard input: is cut: its gzip has no end\n")
    assert len(out.splitlines()) > 100
    assert {verdict["status"] for verdict in objects(out)} == {"STATUS_FINISHED"}


# ---- what is no log: each kind of error, by its text ----

TYPE = "must be a JSON object; found "
HOUSES = ", ".join(
    f"HOUSE_{name}" for name in ("GO88", "WIKIPEDIA", "IWIN", "ONLINE", "ONLINE_KY_GUI", "BS_FYI")
)
CARD = "must be a card, CARD_AS to CARD_KH; found "
UINT32 = "must be a whole number, 0 to 4294967295; found "
INT64 = "must be a whole number of at most 64 bits; found "
TIME = "must be a time as 2026-11-30T10:00:07Z; found "
GAME_LOG = "is no field of phom.v1.GameLog"
CHOT = "must be one of CHOT_NONE, CHOT_FINAL_ROUND, CHOT_LAST_OF_ROUND_3; found "

FAULTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    # shapes
    "a number": ("[3]", [("log", TYPE + "3")]),
    "null": ("[null]", [("log", TYPE + "null")]),
    "a string": ('"x"', [("log", TYPE + '"x"')]),
    "a list": ("[[]]", [("log", TYPE + "a list")]),
    "no object": ('{"ruleset": "go88"}', [("log.ruleset", TYPE + '"go88"')]),
    "no list": ('{"hands": {}}', [("log.hands", "must be a list; found an object")]),
    "null in a list": ('{"events": [null]}', [("log.events[0]", TYPE + "null")]),
    "two kinds": (
        '{"events": [{}, {"draw": {}, "eat": {}, "leave": null}]}',
        [("log.events[1].kind", "must be only one of draw, eat")],
    ),
    # names
    "a field": (
        '{"ruleset": {"lay_of": true, "roundes": 4, "xyz": 1}}',
        [
            (
                "log.ruleset.lay_of",
                "is no field of phom.v1.Ruleset, did you mean `lay_off`?",
            ),
            ("log.ruleset.roundes", "is no field of phom.v1.Ruleset, did you mean `rounds`?"),
            ("log.ruleset.xyz", "is no field of phom.v1.Ruleset"),
        ],
    ),
    "a field in another case": (
        '{"GameID": "a"}',
        [("log.GameID", f"{GAME_LOG}, did you mean `gameId`?")],
    ),
    "a field of another part": (
        '{"layOff": true, "seat": 0}',
        [
            ("log.layOff", f"{GAME_LOG}, but of phom.v1.Ruleset"),
            ("log.seat", f"{GAME_LOG}, but of phom.v1.Event"),
        ],
    ),
    "a verdict": (
        '{"gameId": "g", "status": "STATUS_FINISHED", "refereeVersion": "1"}',
        [
            ("log.status", f"{GAME_LOG}, but of phom.v1.Verdict"),
            ("log.refereeVersion", f"{GAME_LOG}, but of phom.v1.Verdict"),
        ],
    ),
    "a request": (
        '{"log": {"gameId": "g"}}',
        [("log.log", f"{GAME_LOG}, but of phom.v1.CheckActionRequest")],
    ),
    "many logs of a request": (
        '{"logs": [{"gameId": "g"}]}',
        [("log.logs", f"{GAME_LOG}, but of phom.v1.ReplayManyRequest")],
    ),
    "a long name": (
        json.dumps({"x" * 200: 1}),
        [("log." + "x" * 100, GAME_LOG)],
    ),
    "a name that is no text": (r'{"\ud800": 1}', [("log.\ud800", GAME_LOG)]),
    "a name twice": (
        '{"gameId": "a", "gameId": "b"}',
        [("log", "is no phom.v1.GameLog: log.game_id is there twice")],
    ),
    "a name twice, further in": (
        '{"events": [{"seat": 0}, {"seat": 0, "leave": {}, "seat": 1}]}',
        [("log", "is no phom.v1.GameLog: log.events[1].seat is there twice")],
    ),
    # values of enums
    "a house": (
        '{"ruleset": {"house": "HOUSE_G088"}}',
        [
            (
                "log.ruleset.house",
                f'must be one of {HOUSES}; found "HOUSE_G088", did you mean HOUSE_GO88?',
            )
        ],
    ),
    "a house in notation": (
        '{"ruleset": {"house": "go88"}}',
        [
            (
                "log.ruleset.house",
                f'must be one of {HOUSES}; found "go88", did you mean HOUSE_GO88?',
            )
        ],
    ),
    "a house of nobody": (
        '{"ruleset": {"house": "HOUSE_MINE"}}',
        [("log.ruleset.house", f'must be one of {HOUSES}; found "HOUSE_MINE"')],
    ),
    "a house that is a list": (
        '{"ruleset": {"house": ["HOUSE_GO88"]}}',
        [("log.ruleset.house", f"must be one of {HOUSES}; found a list")],
    ),
    "a rule": (
        '{"ruleset": {"chot": "chot_final_round"}}',
        [("log.ruleset.chot", f'{CHOT}"chot_final_round", did you mean CHOT_FINAL_ROUND?')],
    ),
    "a number too great": (
        '{"ruleset": {"chot": 2147483648}}',
        [("log.ruleset.chot", f"{CHOT}2147483648")],
    ),
    "cards": (
        '{"stock": ["CARD_AS", "AS", "CARD_1H", "card_7h", "CARD_10H", "7♥", "CARD_XX", {}]}',
        [
            ("log.stock[1]", CARD + '"AS", did you mean CARD_AS?'),
            ("log.stock[2]", CARD + '"CARD_1H", did you mean CARD_AH?'),
            ("log.stock[3]", CARD + '"card_7h", did you mean CARD_7H?'),
            ("log.stock[4]", CARD + '"CARD_10H", did you mean CARD_TH?'),
            ("log.stock[5]", CARD + '"7♥", did you mean CARD_7H?'),
            ("log.stock[6]", CARD + '"CARD_XX"'),
            ("log.stock[7]", CARD + "an object"),
        ],
    ),
    # other values
    "a seat": ('{"firstSeat": -1}', [("log.first_seat", UINT32 + "-1")]),
    "an id": ('{"gameId": 3}', [("log.game_id", "must be a string; found 3")]),
    "a stake": ('{"baseStake": 0.5}', [("log.base_stake", INT64 + "0.5")]),
    "a stake in words": ('{"baseStake": "1k"}', [("log.base_stake", INT64 + '"1k"')]),
    "a switch": (
        '{"ruleset": {"layOff": 1}}',
        [("log.ruleset.lay_off", "must be true or false; found 1")],
    ),
    "a time": ('{"startedAt": "now"}', [("log.started_at", TIME + '"now"')]),
    "an odd time": (
        '{"startedAt": "2026-11-30T10:00:00.1e999Z"}',
        [("log.started_at", TIME + '"2026-11-30T10:00:00.1e999Z"')],
    ),
    "a long value": (
        json.dumps({"startedAt": "\x1b" + "x" * 200}),
        [("log.started_at", f'{TIME}"�{"x" * 99}"')],
    ),
    # no JSON
    "JSON that breaks off": (
        '{"gameId": "a", "events": [',
        [("log", "is no JSON: Expecting value: column 28")],
    ),
    "JSON that breaks off further on": (
        '{"gameId": "a",\n"events": [',
        [("log", "is no JSON: Expecting value: line 2 column 12")],
    ),
    "an array that breaks off": (
        '[{"events": [],\n "x"}]',
        [("log", "is no JSON: Expecting ':' delimiter: line 2 column 5")],
    ),
    "an array without its end": (
        '[{"gameId": 1}',
        [
            ("log.game_id", "must be a string; found 1"),
        ],
    ),
    "JSON too deep": ("[" * 100_000, [("log", "is no JSON: too deep")]),
    "a number of too many digits": (
        f'[{{"baseStake": {"1" * 5000}}}]',
        [
            (
                "log",
                "is no JSON: Exceeds the limit (4300 digits) for integer string conversion:"
                " value has 5000 digits; use sys.set_int_max_str_digits() to increase the limit",
            )
        ],
    ),
    # other forms
    "no text": ("\udcff", [("log", "`�`: expected text in UTF-8")]),
    "no text in an array": (
        '[{"gameId": "\udcff"}]',
        [("log", "is no UTF-8 text; save the file as UTF-8")],
    ),
    "a line of JSON too deep": ('{"a":' * 100_000, [("log", "is no JSON: too deep")]),
    "another message": (
        "\udca2\x06\x00",
        [("log", "is neither text in UTF-8 nor a whole serialized phom.v1.GameLog")],
    ),
    "no text but control characters": (
        "\x00\udcff",
        [("log", "is neither text in UTF-8 nor a whole serialized phom.v1.GameLog")],
    ),
    "UTF-16 without a mark": (
        "\0".join("house go88\n") + "\0",
        [("log", "is UTF-16 without a byte order mark; save the file as UTF-8")],
    ),
    "UTF-16 without a mark, the greater byte first": (
        "\0" + "\0".join("house go88\n"),
        [("log", "is UTF-16 without a byte order mark; save the file as UTF-8")],
    ),
    "a page": (
        "<!DOCTYPE html>",
        [
            (
                "log",
                "`<!DOCTYPE html>`: expected an event, which begins with a seat's number,"
                f" or one of {KEYWORDS}; found `<!DOCTYPE`",
            )
        ],
    ),
}


@pytest.mark.parametrize(("text", "fields"), FAULTS.values(), ids=FAULTS)
def test_fault_of_an_input(
    text: str, fields: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, fault), *_ = _read(text.encode("utf-8", "surrogateescape"), monkeypatch)
    assert fault.fields == fields


def test_array_without_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    comma = "is no JSON: expected `,` or `]` after an element of an array, found "
    for text, found in (
        ('[{"gameId": "a"}', "the end of the text: line 1 column 17"),
        ('[{"gameId": "a"}\n  {"gameId": "b"}]', "`{`: line 2 column 3"),
    ):
        (_, first), (_, fault) = _read(text.encode(), monkeypatch)
        assert (first.game_id, fault.fields) == ("a", [("log", comma + found)])


def test_place_of_a_fault_far_into_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the text before it is not kept."""
    text = f"[{','.join([json_line(LOG)] * 100)}, {{x}}]"
    *_, (place, fault) = _read(text.encode(), monkeypatch)
    column = text.index("{x}") + 2
    why = "Expecting property name enclosed in double quotes"
    assert fault.fields == [("log", f"is no JSON: {why}: line 1 column {column}")]
    assert place == inputs.Place("standard input", 101, 1)
    text = "\n".join([text[:-5], "", "{x}]"])
    *_, (place, fault) = _read(text.encode(), monkeypatch)
    assert fault.fields == [("log", f"is no JSON: {why}: line 3 column 2")]


def test_a_hundred_faults_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, fault),) = _read(json.dumps({"stock": ["x"] * 200}).encode(), monkeypatch)
    assert len(fault.fields) == 100


@pytest.mark.parametrize("as_json", [True, False])
def test_place_of_what_is_no_log(run: Run, tmp_path: Path, *, as_json: bool) -> None:
    file = tmp_path / "games.json"
    file.write_text('[{"gameId": "a"},\n{"gameId": "b"}, 3]', "utf-8")
    code, out, err = run("replay", file, *["--json"] * as_json)
    assert (code, err) == (2, "")
    if as_json:
        assert objects(out)[2] == error(
            ("log", f"must be a JSON object; found 3 ({file}, log 3, line 2)")
        )
    else:
        assert out.endswith(
            f"{file}, log 3, line 2: no log\n  log: must be a JSON object; found 3\n"
        )


# A log with every kind of line, and of each path the line that says it.
LINES = """\
# a game
house go88
set rounds 9

set place_payment 1,2
id x
stake -1
opening creator 7
first 8
deal 1 7H
deal 0 8H
stock 9H
0 draw 5S
9 leave
claim den 9
claim 9 place 1
claim 1
claim 1
claim u 9
"""
SEAT = "must be a seat of this game, 0 to 1; found "
LINE_FAULTS = [
    ("log.ruleset.rounds", 3, "must be 1 to 4; found 9"),
    ("log.ruleset.place_payment", 5, "must be empty or exactly 3 prices; found 2"),
    ("log.first_seat", 9, SEAT + "8"),
    ("log.base_stake", 7, "must be 0 to 1,000,000,000; found -1"),
    ("log.opening.creator_seat", 8, SEAT + "7"),
    ("log.events[1].seat", 14, SEAT + "9"),
    ("log.claimed_result.seats[0].seat", 16, SEAT + "9"),
    ("log.claimed_result.seats[2].seat", 18, "must be claimed only once; found seat 1 again"),
    ("log.claimed_result.u_seat", 19, SEAT + "9"),
    ("log.claimed_result.den_seat", 15, SEAT + "9"),
]


def test_faults_of_notation_have_their_lines(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.phom"
    file.write_text(LINES, "utf-8")
    faults = "".join(f"  {path}: line {line}: {text}\n" for path, line, text in LINE_FAULTS)
    assert run("replay", file) == (2, f"{file}, log 1, line 2: no log\n{faults}", "")
    code, out, _ = run("replay", file, "--json")
    placed = [(path, f"{text} ({file}, log 1, line {line})") for path, line, text in LINE_FAULTS]
    assert (code, objects(out)) == (2, [error(*placed)])


def test_every_fact_has_its_line() -> None:
    ((first, _, lines),) = notation.read_lines(LINES.splitlines())
    assert first == 2
    assert lines == {
        "log.ruleset.house": 2,
        "log.ruleset.rounds": 3,
        "log.ruleset.place_payment": 5,
        "log.game_id": 6,
        "log.base_stake": 7,
        "log.opening": 8,
        "log.first_seat": 9,
        "log.hands[1]": 10,
        "log.hands[0]": 11,
        "log.stock": 12,
        "log.events[0]": 13,
        "log.events[1]": 14,
        "log.claimed_result.den_seat": 15,
        "log.claimed_result.seats[0]": 16,
        "log.claimed_result.seats[1]": 17,
        "log.claimed_result.seats[2]": 18,
        "log.claimed_result.u_seat": 19,
    }


# ---- memory ----

LIMIT = 2**20  # instead of LONGEST, so that the test is quick


def _gzip_of(pieces: Iterator[bytes], file: Path) -> None:
    packer = zlib.compressobj(1, wbits=31)
    with file.open("wb") as out:
        for piece in pieces:
            out.write(packer.compress(piece))
        out.write(packer.flush())


def _limit(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (inputs, streams, json_values, notation):
        monkeypatch.setattr(module, "LONGEST", limit)


def _much(piece: bytes) -> Iterator[bytes]:
    """32 times as much as is kept of one log."""
    yield from [piece * (LIMIT // len(piece))] * 32


LINE_TOO_LONG = "log: is longer than 1,048,576 bytes in one line"
LOG_TOO_LONG = "expected a log of at most 1,048,576 characters"
BOMBS: dict[str, tuple[Callable[[], Iterator[bytes]], list[str]]] = {
    "a line": (lambda: iter([b"{", *_much(b" ")]), [LINE_TOO_LONG]),
    "a line among others": (
        lambda: iter([TWO.encode(), *_much(b"{"), b"\n", TWO.encode()]),
        ["one", "two", LINE_TOO_LONG, "one", "two"],
    ),
    "lines of an old Mac": (lambda: _much(b'{"gameId": "a"}\r'), [LINE_TOO_LONG]),
    "blank lines": (lambda: iter([*_much(b" " * 1023 + b"\n"), b"id a"]), ["a"]),
    "a value": (
        lambda: iter([b'[{"gameId": "a"}, {"gameId": "', *_much(b"x")]),
        ["a", "log: is longer than 1,048,576 characters"],
    ),
    "a log": (
        lambda: _much(b"0 leave" + b" " * 1016 + b"\n"),
        [f"log: `0 leave`: {LOG_TOO_LONG}"],
    ),
    "a comment": (
        lambda: iter([*_much(b"#"), b"\n---\nid b"]),
        [f"log: `{'#' * 100}`: {LOG_TOO_LONG}", "b"],
    ),
    "zeros": (lambda: _much(b"\0"), [f"log: `{'�' * 100}`: {LOG_TOO_LONG}"]),
}


@pytest.mark.parametrize(("pieces", "told"), BOMBS.values(), ids=BOMBS)
def test_memory_is_bounded_whatever_is_in_a_gzip(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pieces: Callable[[], Iterator[bytes]],
    told: list[str],
) -> None:
    _limit(LIMIT, monkeypatch)
    file = tmp_path / "bomb.gz"
    _gzip_of(pieces(), file)
    assert file.stat().st_size < LIMIT / 2
    tracemalloc.start()
    try:
        found = [str(getattr(log, "game_id", log)) for _, log in inputs.logs(str(file))]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == told
    assert peak < 8 * LIMIT


def test_what_is_looked_at_may_end_within_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in range(99, 105):
        _limit(limit, monkeypatch)
        ((_, log),) = _read(("# \x07\nid a\n" + "# ạ\n" * 100).encode(), monkeypatch)
        assert log == GameLog(game_id="a")


@pytest.mark.parametrize("form", ["JSON lines", "array", "notation"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_memory_of_many_logs_is_not_that_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, encoding: str
) -> None:
    _limit(LIMIT, monkeypatch)
    padding = " " * 100_000
    text = {
        "JSON lines": json_line(LOG) + padding + "\n",
        "array": padding + json_line(LOG) + ",",
        "notation": f"{notation.write(LOG)}# {padding}\n---\n",
    }[form]
    count = 20 * LIMIT // len(text)
    whole = text * count
    whole = f"[{whole[:-1]}]" if form == "array" else whole
    file = tmp_path / "many.gz"
    file.write_bytes(gzip.compress(whole.encode(encoding)))
    tracemalloc.start()
    try:
        found = sum(1 for _, log in inputs.logs(str(file)) if isinstance(log, GameLog))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == count
    assert peak < 10 * LIMIT


# ---- who waits for an answer gets it ----


def _packer(encoding: str) -> Callable[[str], bytes]:
    encoder = codecs.getincrementalencoder(encoding)()
    packer = zlib.compressobj(wbits=31)
    return lambda text: packer.compress(encoder.encode(text)) + packer.flush(zlib.Z_SYNC_FLUSH)


@pytest.mark.parametrize(
    "write",
    [
        str.encode,
        codecs.getincrementalencoder("utf-8-sig")().encode,
        codecs.getincrementalencoder("utf-16")().encode,
        _packer("utf-8"),
        _packer("utf-16"),
    ],
    ids=["UTF-8", "UTF-8 with a mark", "UTF-16", "gzip", "gzip of UTF-16"],
)
def test_each_line_is_answered_before_the_next_is_written(write: Callable[[str], bytes]) -> None:
    with subprocess.Popen(
        [COMMAND, "replay", "-", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # One is of many bytes, which a packer makes few of.
        for game_id in ("a", " " * 30_000, "c"):
            process.stdin.write(write(json_line(with_id(game_id)) + "\r\n"))
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer.get("gameId", "too long") == (game_id if game_id.strip() else "too long")
        process.stdin.close()
        process.wait()


def test_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"id a"))
    monkeypatch.setattr(sys, "stdin", given)
    assert len(list(inputs.logs(streams.STANDARD_INPUT))) == 1
    assert not given.buffer.closed
