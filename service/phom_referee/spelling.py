"""How the log notation spells its parts: cards, numbers, times, values of the rules.

Names of enum values come from the .proto files. Reading raises UnexpectedError, which says what was
expected; who reads the line knows where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1.cards_pb2 import Card, Phom

if TYPE_CHECKING:
    from google._upb import _message
    from google.protobuf import descriptor

    # Which of the two it is depends on how protobuf was built.
    EnumDescriptor = descriptor.EnumDescriptor | _message.EnumDescriptor
    FieldDescriptor = descriptor.FieldDescriptor | _message.FieldDescriptor

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
    """The words of a line are not what they should be; says what was expected, what was found."""


def unreadable(
    line: str, expected: UnexpectedError, *, number: int | None = None, field: str = "log"
) -> NotationError:
    """The error of a line: its number, if it has one, the line, and what was expected."""
    place = "" if number is None else f"line {number}: "
    # A line of a file that is no text at all must not reach a terminal as it is.
    quoted = "".join(c if c.isprintable() else "�" for c in line.strip()[:_QUOTED])
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
            raise UnexpectedError(f"{expected}, found the end of the line")
        return self.left.pop(0)

    def one_of(self, choices: Iterable[str]) -> str:
        names = ", ".join(choices)
        word = self.take(f"one of {names}")
        if word not in choices:
            raise UnexpectedError(f"one of {names}; found `{word}`")
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
            raise UnexpectedError(f"one card, found `{word}`")
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
            raise UnexpectedError(f"the end of the line, found `{self.left[0]}`")


def read_cards(word: str) -> list[Card]:
    """Read cards that stand together, as `7H8H9H`."""
    codes = [word[i : i + 2] for i in range(0, len(word), 2)]
    if not all(code in _CARDS for code in codes):
        raise UnexpectedError(
            f"cards, each a rank of A23456789TJQK and a suit of SCDH; found `{word}`"
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
        raise UnexpectedError(f"{expected}, found `{word}`")
    number = int(word)
    if number not in allowed:
        raise UnexpectedError(f"{expected}, {allowed[0]} to {allowed[-1]}; found `{word}`")
    return number


def read_time(time: Timestamp, word: str) -> None:
    """Read a time, as `2026-11-30T10:00:07Z`, into `time`."""
    try:
        if not _TIME.fullmatch(word):
            raise ValueError(word)
        time.FromJsonString(word)
    except ValueError:
        raise UnexpectedError(f"a time as 2026-11-30T10:00:07Z, found `{word}`") from None


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


def rule_word(rule: FieldDescriptor, value: Any, field: str) -> str:
    """A value of a ruleset's field, as `true`, `1,2,3` or `last_of_round_3`."""
    if rule.is_repeated:
        return ",".join(str(number) for number in value)
    if rule.enum_type is None:
        return str(value).lower()
    for word, number in enum_words(rule.enum_type).items():
        if number == value:
            return word
    raise unwritable(field, f"{value} is no value of {rule.enum_type.full_name}")


def parse_cards(text: str, field: str) -> list[Card]:
    """Read cards, as `7H 8H 9H`; `field` is what an error names."""
    try:
        return Words(text.split()).cards()
    except UnexpectedError as error:
        raise unreadable(text, error, field=field) from None
