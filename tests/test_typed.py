"""What people type is read as its one plain form: cards, phỏm, words in either case."""
# ruff: noqa: RUF001 - letters and signs as people type them

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phom.v1.cards_pb2 import Card
from phom.v1.events_pb2 import GameLog
from phom_referee.cards import card_words, nearest_card, read_cards
from phom_referee.notation import parse, parse_action, write, write_action
from phom_referee.typed import nearest, plain, printable, quoted
from test_notation import ALL_FORMS, LOGS

# ---- cards ----

SPELLINGS = {
    "7H": ["7h", "7♥", "7♡", "7❤", "7♥️", "7♥︎", "７Ｈ", "７♥", "7️⃣♥️", "7\u200bH", " 7H ", "7H,"],
    "TD": ["td", "Td", "tD", "10D", "10d", "10♦", "T♦", "t♢", "１０Ｄ", "10♦️", "T♢"],
    "AS": ["as", "a♠", "A♤", "ａ♠️"],
    "KC": ["kc", "K♣", "k♧", "\ufeffKC"],
    "7H 8H 9H": [
        *("7H8H9H", "7h8h9h", "7H,8H,9H", "7H, 8H, 9H", "7H ,8H ,9H", "7H;8H;9H", "7H; 8H; 9H"),
        *("7H  8H\t9H", "7H\u00a08H\u20099H", "7H\u30008H　9H", "7H，8H，9H", "7H；8H；9H"),
        *(",7H,,8H,9H,", "7♥8♥9♥", "7♥️8♥️9♥️", "7♥️,8♥️ 9♥️", "7H\u200b8H\u200b9H", "7H\n8H\r\n9H\r\n"),
    ],
    "7H 8H 9H TS TD TC": [
        "7h8h9h 10s10d10c",
        "7H8H9HTSTDTC",
        "7H8H9H10S10D10C",
        "7h8h9h,10s10d10c",
    ],
    "": [" ", ",", " ; ,\u00a0"],
}


@pytest.mark.parametrize(
    ("typed", "codes"), [(one, codes) for codes, typed in SPELLINGS.items() for one in typed]
)
def test_cards(typed: str, codes: str) -> None:
    assert " ".join(card_words(read_cards(typed), "cards")) == codes


def test_every_card_in_every_spelling() -> None:
    signs = {"S": "♠♤", "C": "♣♧", "D": "♦♢", "H": "♥♡❤"}
    for name, number in list(Card.items())[1:]:
        rank, suit = name[-2], name[-1]
        for one in (rank, rank.lower(), *(["10"] if rank == "T" else [])):
            for sign in (suit, suit.lower(), *signs[suit]):
                assert read_cards(one + sign) == [number]


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        *(("1H", "AH"), ("14♥", "AH"), ("11s", "JS"), ("12S", "QS"), ("13S", "KS"), ("0C", "TC")),
        *(("1OD", "TD"), ("lod", "TD"), ("♦10", "TD"), ("d10", "TD"), ("H7", "7H"), ("♥A", "AH")),
        *(("s13", "KS"), ("CARD_7H", "7H"), ("card_1h", "AH"), ("7HH", "7H")),
        *(("7", None), ("H", None), ("XX", None), ("7X", None), ("15S", "5S"), ("", None)),
    ],
)
def test_nearest_card(typed: str, near: str | None) -> None:
    assert nearest_card(typed) == near


# ---- phỏm ----

LAID = {
    "7H8H9H 4S4D4C": [
        *(
            "7h8h9h 4s4d4c",
            "7H,8H,9H 4S,4D,4C",
            "7H8H9H,4S4D4C",
            "7H8H9H, 4S4D4C",
            "7H8H9H ,4S4D4C",
        ),
        *(
            "7H8H9H; 4S4D4C",
            "7H8H9H , 4S4D4C",
            "7H8H9H,4S4D4C,",
            "7♥8♥9♥ 4♠4♦4♣",
            "7H;8H;9H 4S;4D;4C",
        ),
        *("7H,8H,9H, 4S,4D,4C", "7H8H9H\u00a04S4D4C", "7H，8H，9H　4S，4D，4C"),
    ],
    "7H8H9H": ["7H,8H,9H", "7H,8H,9H,", "7H8H9H,", "7H8H9H ,"],
    # As it is written: each blank ends a phỏm, also one of a single card.
    "7H 8H 9H": ["7h 8h 9h", "7H  8H\t9H"],
    "7H": ["7h", "7H,"],
    "- 7H8H9H": ["-  7h8h9h"],
    "": [",", " , "],
}


@pytest.mark.parametrize("verb", ["lay", "u"])
@pytest.mark.parametrize(
    ("typed", "written"), [(one, written) for written, typed in LAID.items() for one in typed]
)
def test_phoms(verb: str, typed: str, written: str) -> None:
    assert write_action(parse_action(f"2 {verb} {typed}")) == f"2 {verb} {written}".strip()


# ---- words ----


def test_words_are_read_in_either_case() -> None:
    (log,) = parse(ALL_FORMS)
    for spell in (str.upper, str.title, str.swapcase):
        lines = [_respelled(line, spell) for line in ALL_FORMS.splitlines()]
        assert parse("\n".join(lines)) == [log], spell


def _respelled(line: str, spell: Callable[[str], str]) -> str:
    """A line in another case, but for a name and the letters of a time, which have only one."""
    if line.startswith("id "):
        return spell("id") + line[2:]
    return " ".join(word if "2026" in word else spell(word) for word in line.split(" "))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_line_ends(end: str) -> None:
    assert parse(ALL_FORMS.replace("\n", end)) == parse(ALL_FORMS)
    assert len(parse(f"{ALL_FORMS}---\n{ALL_FORMS}".replace("\n", end))) == 2


def test_byte_order_marks_of_files_put_together() -> None:
    mark = "\ufeff"
    assert parse(f"{mark}id a\n{mark}---\n{mark}id b\n{mark}first 0") == parse(
        "id a\n---\nid b\nfirst 0"
    )


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("set place_payment 1, 2, 3", "house unspecified\nset place_payment 1,2,3"),
        ("set place_payment 1 2 3", "house unspecified\nset place_payment 1,2,3"),
        ("set place_payment 1;2 ; 3", "house unspecified\nset place_payment 1,2,3"),
        ("ＦＩＲＳＴ　０", "first 0"),
        ("first\u00a00 ＃ begins", "first 0"),
        ("id\u00a0bàn 1", "id bàn 1"),
        ("0 discard kd,", "0 discard KD"),
        ("0 off q♥, 0.1", "0 off QH 0.1"),
        ("0 leave # \udcff", "0 leave"),  # what a comment holds is nobody's matter
    ],
)
def test_line(typed: str, written: str) -> None:
    assert write(parse(typed)[0]) == written + "\n"


# ---- any log, typed in any way ----

SIGNS = {"S": "S s ♠ ♤ ♠️", "C": "C c ♣ ♧ ♣️", "D": "D d ♦ ♢ ♦️", "H": "H h ♥ ♡ ♥️ ❤️"}


def respell(text: str, rng: random.Random) -> str:
    """A text in notation as somebody might type it: case, tens, signs, what stands between."""
    end = rng.choice(["\n", "\r\n", "\r"])
    return "".join(_respell_line(line, rng) + end for line in text.splitlines())


def _respell_line(line: str, rng: random.Random) -> str:
    keyword, *words = line.split(" ")
    if keyword == "id":
        return rng.choice(["id", "Id", "ID"]) + line[2:]
    blank = rng.choice([" ", "  ", "\t", "\u00a0", "\u3000"])
    if keyword in ("deal", "stock"):
        apart = rng.choice([" ", ", ", ",", "", ";", " , ", "\u3000"])
        cards = [_respell_cards(word, rng) for word in words if not word.isdecimal()]
        seat = [word for word in words if word.isdecimal()]
        return blank.join([_any_case(keyword, rng), *seat, apart.join(cards)])
    joins = words[:1] in (["lay"], ["u"])
    typed = [_respell_word(word, rng, joins=joins) for word in [keyword, *words]]
    return blank.join(typed) + rng.choice(["", " ", " # ván 1"])


_CARDS = re.compile("([A2-9TJQK][SCDH])+")


def _respell_word(word: str, rng: random.Random, *, joins: bool) -> str:
    if ":" in word:  # a time
        return word
    return (
        _respell_cards(word, rng, joins=joins) if _CARDS.fullmatch(word) else _any_case(word, rng)
    )


def _respell_cards(cards: str, rng: random.Random, *, joins: bool = False) -> str:
    apart = rng.choice(["", ","]) if joins else ""
    return apart.join(
        rng.choice([rank, rank.lower(), *(["10"] if rank == "T" else [])])
        + rng.choice(SIGNS[suit].split())
        for rank, suit in re.findall("(.)(.)", cards)
    )


def _any_case(word: str, rng: random.Random) -> str:
    return rng.choice([word, word.upper(), word.title()])


@given(LOGS.filter(lambda log: log.ListFields()), st.builds(random.Random, st.integers(0, 2**32)))
def test_what_is_typed_in_any_way_is_the_same_log(log: GameLog, rng: random.Random) -> None:
    typed = respell(write(log), rng)
    assert parse(typed) == [log], typed
    assert write(parse(typed)[0]) == write(log)


# ---- what people are told ----


def test_plain() -> None:
    assert plain("７Ｈ，\u00a0８\ufe0fＨ\u200b") == "7H, 8H"
    assert plain("7H") == "7H"


def test_printable() -> None:
    assert printable("a\x1b[2J\nb\u202ec\udcff") == "a�[2J�b�c�"
    assert quoted("x" * 200) == "x" * 100


@pytest.mark.parametrize(
    ("word", "near"),
    [("Frist", "first"), ("HOUSE_First", "first"), ("la-st", "la_st"), ("zzz", None), ("", None)],
)
def test_nearest(word: str, near: str | None) -> None:
    assert nearest(word, ["first", "stock", "la_st"]) == near
