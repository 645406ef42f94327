"""How the log notation spells its parts: the words of a line, numbers, times, values of the rules.

Names of enum values come from the .proto files. Words are read in either case. Reading raises
UnexpectedError, which says what was expected; who reads the line knows where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1.cards_pb2 import Card, Phom

from phom_referee.cards import read_cards, read_phoms
from phom_referee.typed import UnexpectedError, nearest, plain, unwritable

if TYPE_CHECKING:
    from google._upb import _message
    from google.protobuf import descriptor

    # Which of the two it is depends on how protobuf was built.
    EnumDescriptor = descriptor.EnumDescriptor | _message.EnumDescriptor
    FieldDescriptor = descriptor.FieldDescriptor | _message.FieldDescriptor

UINT32 = range(2**32)
INT64 = range(-(2**63), 2**63)

UNSPECIFIED = "unspecified"

_NUMBER = re.compile(r"-?[0-9]{1,20}")
# Timestamp's own reader takes more than this, as 2026-1-1.
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)


class Words:
    """The words of a line, taken from the left by readers that say what they expect."""

    def __init__(self, line: str) -> None:
        self.left = facts(line).split()

    def take(self, expected: str) -> str:
        if not self.left:
            raise UnexpectedError(expected, "")
        return self.left.pop(0)

    def is_next(self, *words: str) -> bool:
        """Whether the next word is one of these."""
        return bool(self.left) and self.left[0].casefold() in words

    def is_number_next(self) -> bool:
        """Whether the next word is meant to be a number."""
        return bool(self.left) and self.left[0][0].isdigit()

    def one_of(self, choices: Iterable[str]) -> str:
        known = list(choices)
        # It can be said of what has no value, and nobody needs it.
        expected = f"one of {', '.join(name for name in known if name != UNSPECIFIED)}"
        word = self.take(expected)
        if word.casefold() not in known:
            raise UnexpectedError(expected, word, near=nearest(word, known))
        return word.casefold()

    def number(self, expected: str, allowed: range = UINT32) -> int:
        return read_number(self.take(expected), expected, allowed)

    def seat(self) -> int:
        return self.number("a seat's number")

    def flag(self) -> bool:
        return self.one_of(("true", "false")) == "true"

    def card(self) -> Card:
        expected = "one card, as 7H"
        word = self.take(expected)
        cards = read_cards(word)
        if len(cards) != 1:
            raise UnexpectedError(expected, word)
        return cards[0]

    def cards(self) -> list[Card]:
        return read_cards(" ".join(self.rest()))

    def phoms(self) -> list[Phom]:
        return read_phoms(self.rest())

    def rest(self) -> list[str]:
        rest, self.left = self.left, []
        return rest

    def end(self) -> None:
        if self.left:
            raise UnexpectedError("the end of the line", self.left[0])


def facts(line: str) -> str:
    """A line in its plain form, without its comment."""
    text = plain(line).partition("#")[0].strip()
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UnexpectedError("text in UTF-8") from None
    return text


def read_number(word: str, expected: str, allowed: range = UINT32) -> int:
    """Read a whole number in decimal digits."""
    if not _NUMBER.fullmatch(word):
        raise UnexpectedError(f"{expected}, in digits alone", word)
    number = int(word)
    if number not in allowed:
        raise UnexpectedError(f"{expected}, {allowed[0]} to {allowed[-1]}", word)
    return number


def read_time(time: Timestamp, word: str) -> None:
    """Read a time, as `2026-11-30T10:00:07Z`, into `time`."""
    try:
        if not _TIME.fullmatch(word):
            raise ValueError(word)
        time.FromJsonString(word)
    except ValueError:
        raise UnexpectedError("a time as 2026-11-30T10:00:07Z", word) from None


def time_word(time: Timestamp, field: str) -> str:
    """The time with as many digits as it needs, in UTC."""
    try:
        return time.ToJsonString()
    except ValueError:
        raise unwritable(field, "is no valid time") from None


def enum_words(enum: EnumDescriptor) -> dict[str, int]:
    """The values as people write them: lower case, without the enum's own name before them."""
    prefix = enum_prefix(enum)
    return {value.name.removeprefix(prefix).lower(): value.number for value in enum.values}


def enum_prefix(enum: EnumDescriptor) -> str:
    """What the names of an enum's values begin with, as `CARD_`."""
    return enum.values_by_number[0].name.removesuffix(UNSPECIFIED.upper())


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
