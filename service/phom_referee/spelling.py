"""How the log notation spells its parts: cards, numbers, times, values of the rules.

Names of enum values come from the .proto files. Reading raises UnexpectedError, which says what was
expected; who reads the line knows where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1.cards_pb2 import Card, Phom

if TYPE_CHECKING:
    from google._upb._message import EnumDescriptor as UpbEnumDescriptor
    from google.protobuf.descriptor import EnumDescriptor as AnyEnumDescriptor

    # Which of the two it is depends on how protobuf was built.
    EnumDescriptor = AnyEnumDescriptor | UpbEnumDescriptor

UINT32 = range(2**32)
INT64 = range(-(2**63), 2**63)

_CARDS = {name.removeprefix("CARD_"): cast("Card", n) for name, n in Card.items() if n}
_CODES = {number: code for code, number in _CARDS.items()}
_NUMBER = re.compile(r"-?[0-9]{1,20}")
# Timestamp's own reader takes more than this, as 2026-1-1.
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_QUOTED = 100  # how much of a line an error repeats


class NotationError(ValueError):
    """What cannot be read, with its line, or cannot be written, with its field.

    `line` counts from 1 and is None where there is no text. `field` is the path of the field that
    cannot be written, as `log.events[3].discard.card`; `log` as a whole is what cannot be read.
    """

    def __init__(self, message: str, *, line: int | None = None, field: str = "log") -> None:
        super().__init__(message)
        self.line = line
        self.field = field


class UnexpectedError(Exception):
    """The words of a line are not what they should be; says what was expected."""


def unreadable(
    line: str, expected: UnexpectedError, *, number: int | None = None, field: str = "log"
) -> NotationError:
    """The error of a line: its number, if it has one, the line, and what was expected."""
    place = "" if number is None else f"line {number}: "
    quoted = line.strip()[:_QUOTED]
    return NotationError(f"{place}`{quoted}`: expected {expected}", line=number, field=field)


def unwritable(field: str, why: str) -> NotationError:
    """The error of a field that the notation has no words for."""
    return NotationError(f"{field}: {why}", field=field)


class Words:
    """The words of a line, taken from the left by readers that say what they expect."""

    def __init__(self, words: list[str]) -> None:
        self.left = words

    def take(self, expected: str) -> str:
        if not self.left:
            raise UnexpectedError(f"{expected} at the end")
        return self.left.pop(0)

    def one_of(self, choices: Iterable[str]) -> str:
        names = ", ".join(choices)
        word = self.take(f"one of {names}")
        if word not in choices:
            raise UnexpectedError(f"one of {names} in the place of `{word}`")
        return word

    def number(self, expected: str, allowed: range = UINT32) -> int:
        return read_number(self.take(expected), expected, allowed)

    def seat(self) -> int:
        return self.number("a seat")

    def flag(self) -> bool:
        return self.one_of(("true", "false")) == "true"

    def card(self) -> Card:
        word = self.take("a card, as 7H")
        cards = read_cards(word)
        if len(cards) != 1:
            raise UnexpectedError(f"one card in the place of `{word}`")
        return cards[0]

    def cards(self) -> list[Card]:
        return [card for word in self.rest() for card in read_cards(word)]

    def phoms(self) -> list[Phom]:
        return [Phom(cards=[] if word == "-" else read_cards(word)) for word in self.rest()]

    def rest(self) -> list[str]:
        rest, self.left = self.left, []
        return rest

    def end(self) -> None:
        if self.left:
            raise UnexpectedError(f"the end of the line in the place of `{self.left[0]}`")


def read_cards(word: str) -> list[Card]:
    """Read cards that stand together, as `7H8H9H`."""
    codes = [word[i : i + 2] for i in range(0, len(word), 2)]
    if not all(code in _CARDS for code in codes):
        raise UnexpectedError(
            f"cards, each a rank of A23456789TJQK and a suit of SCDH, in the place of `{word}`"
        )
    return [_CARDS[code] for code in codes]


def card_word(card: Card, field: str) -> str:
    """The code of a card, as `7H`; `field` is where it stands."""
    code = _CODES.get(card)
    if code is None:
        raise unwritable(field, f"{card} is no card")
    return code


def card_words(cards: Iterable[Card], field: str) -> list[str]:
    """The codes of the cards of a repeated field."""
    return [card_word(card, f"{field}[{i}]") for i, card in enumerate(cards)]


def phom_words(phoms: Iterable[Phom], field: str) -> list[str]:
    """One word for each phỏm; `-` is one without cards."""
    return [
        "".join(card_words(phom.cards, f"{field}[{i}].cards")) or "-"
        for i, phom in enumerate(phoms)
    ]


def read_number(word: str, expected: str, allowed: range = UINT32) -> int:
    """Read a whole number in decimal digits."""
    if not _NUMBER.fullmatch(word):
        raise UnexpectedError(f"{expected} in the place of `{word}`")
    number = int(word)
    if number not in allowed:
        raise UnexpectedError(
            f"{expected}, {allowed[0]} to {allowed[-1]}, in the place of `{word}`"
        )
    return number


def read_time(time: Timestamp, word: str) -> None:
    """Read a time, as `2026-11-30T10:00:07Z`, into `time`."""
    try:
        if not _TIME.fullmatch(word):
            raise ValueError(word)
        time.FromJsonString(word)
    except ValueError:
        raise UnexpectedError(f"a time as 2026-11-30T10:00:07Z in the place of `{word}`") from None


def time_word(time: Timestamp, field: str) -> str:
    """The time with as many digits as it needs, in UTC."""
    try:
        return time.ToJsonString()
    except ValueError:
        raise unwritable(field, "is no valid time") from None


def enum_words(enum: EnumDescriptor) -> dict[str, int]:
    """The values as people write them: lower case, without the enum's own name before them."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix).lower(): value.number for value in enum.values}


def enum_word(enum: EnumDescriptor, number: int, field: str) -> str:
    """The word of one value."""
    for word, value in enum_words(enum).items():
        if value == number:
            return word
    raise unwritable(field, f"{number} is no value of {enum.full_name}")
