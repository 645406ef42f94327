"""The log notation: a game as people write it down, one line a fact.

    house go88                        # the ruleset; each `set` overrides one field of it
    set lay_off false
    set place_payment 1,2,3
    set chot last_of_round_3
    id g-42
    stake 1000
    started 2026-11-30T10:00:00Z
    opening game 2 winner 0           # also: creator 1, after_winner 3
    first 0
    deal 0 7H 8H 9H KD 2S 2C 5D JH QC AS
    stock 3C 4C …
    0 discard KD                      # events: a seat, what it did, and the time if it is known
    1 draw 5S
    1 discard 5S @2026-11-30T10:00:07Z
    2 eat                             # or: 2 eat 5S
    2 announce QH
    2 lay 7H8H9H 4S4D4C               # `2 lay` alone: móm
    2 off QH 0.1                      # onto seat 0's second phỏm
    2 u 7H8H9H TSTDTC 2S2C2D          # also: 2 u, 2 u khan
    3 timeout
    3 leave
    claim 0 place 1 points 0 net 6650
    claim u 2                         # or: claim no_u
    claim den 1

Events stand in their order, the other lines anywhere. A line `---` stands between two logs. Blank
lines are skipped, and so is what follows a `#`, with one exception: an `id` is the rest of its
line after one blank, whatever that is, so that no name of a game needs quoting.

That is what is written. What people type may be in either case, cards as cards.py reads them:
`Deal 0 7h, 8♥, 10d`. In `deal` and `stock` blanks, commas and nothing are alike. In `lay` and `u`,
where blanks part one phỏm from another, a comma without a blank joins single cards,
`7H,8H,9H 4S,4D,4C`, and parts groups of them, `7H8H9H,4S4D4C`; a comma beside a blank parts such
groups too, `7H8H9H, 4S4D4C`, and is an error beside single cards, `7H, 8H, 9H`, of which nobody
can tell where a phỏm ends. Lines end as on Unix, Windows or an old Mac.

What a message can say and no game needs is written too: `-` for a phỏm without cards, `opening`
and `claim` alone, `claim no_u false`, `house unspecified`. Names of rules and of their values are
those of the .proto files. What cannot be written is an error that names the field: an unknown
number in an enum, an event without seat or kind, a card that is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from phom.v1.cards_pb2 import Hand
from phom.v1.events_pb2 import GameLog

from phom_referee.event_lines import VERBS, parse_action, read_event, write_action
from phom_referee.log_lines import (
    READERS,
    path_of,
    write_claims,
    write_deal,
    write_header,
    write_ruleset,
)
from phom_referee.spelling import Words, facts
from phom_referee.typed import (
    LONGEST,
    NotationError,
    UnexpectedError,
    nearest,
    unreadable,
    unwritable,
)

__all__ = [
    "SEPARATOR",
    "NotationError",
    "parse",
    "parse_action",
    "read",
    "read_lines",
    "write",
    "write_action",
]

SEPARATOR = "---"

_MARK = "\ufeff"

_END = re.compile(r"\r\n|\r|\n")
_ID = re.compile(r"[ \t]*(?i:id)[ \t\xa0](.*)", re.DOTALL)
# In the place of hyphens, as text programs like to put them; a line of them is meant to part logs.
_RULE = re.compile(r"[-–—_=*]{2,}")


class Read(NamedTuple):
    """A log, or its error, with the first line that says something of it, from 1.

    `lines` has the line of each event, hand and other fact, by the path of its field.
    """

    line: int
    log: GameLog | NotationError
    lines: dict[str, int]


def parse(text: str) -> list[GameLog]:
    """Read all logs of a text. Of several bad lines the first is raised, as NotationError."""
    logs = []
    for log in read(_END.split(text)):
        if isinstance(log, NotationError):
            raise log
        logs.append(log)
    return logs


def read(lines: Iterable[str]) -> Iterator[GameLog | NotationError]:
    """Read logs one by one; one with a bad line is an error in its place and ends nothing."""
    for found in read_lines(lines):
        yield found.log


def read_lines(lines: Iterable[str]) -> Iterator[Read]:
    """As `read`, with the lines that each log was read from."""
    reader = _LogReader()
    for number, line in enumerate(lines, 1):
        if _is_separator(line):
            yield from reader.finish()
            reader = _LogReader()
        else:
            reader.read(number, line.removesuffix("\r"))
    yield from reader.finish()


def write(log: GameLog) -> str:
    """Write a log, so that `parse` reads an equal one; NotationError where that cannot be."""
    lines = [*write_ruleset(log), *write_header(log), *write_deal(log)]
    lines += [write_action(event, f"log.events[{i}]") for i, event in enumerate(log.events)]
    lines += write_claims(log)
    if not lines:
        raise unwritable("log", "says nothing")
    return "\n".join(lines) + "\n"


class _LogReader:
    """Reads the lines of one log; after a bad one it skips the rest."""

    def __init__(self) -> None:
        self._log = GameLog()
        self._error: NotationError | None = None
        self._first = 0  # the number of the line that is the first to say something; 0: none yet
        self._size = 0
        self._lines: dict[str, int] = {}
        # What may be said only once, and was.
        self._said: set[str] = set()
        # By seat, each with its line, since they may come in any order.
        self._hands: dict[int, tuple[Hand, int, str]] = {}

    def read(self, number: int, line: str) -> None:
        """Read a line into the log."""
        if self._error is not None:
            return
        try:
            if len(line) > LONGEST:
                self._grow(len(line))
            # Where files were put one after another, each brings its own mark.
            line = line.lstrip(_MARK)
            if name := _ID.fullmatch(line):
                self._first = self._first or number
                self._grow(len(line))
                self._lines["log.game_id"] = number
                self._once("id")
                self._log.game_id = _encodable(name[1])
            elif (words := Words(line)).left:
                self._first = self._first or number
                self._grow(len(line))
                self._lines[path_of(words, self._log)] = number
                self._read_fact(words, number, line)
        except UnexpectedError as error:
            self._first = self._first or number
            self._error = unreadable(line, error, number=number)

    def finish(self) -> Iterator[Read]:
        """The log or its error; nothing if no line said anything."""
        for expected, (seat, (hand, number, line)) in enumerate(sorted(self._hands.items())):
            if seat != expected and self._error is None:
                missing = UnexpectedError(f"a line `deal {expected}` too")
                self._error = unreadable(line, missing, number=number)
            self._log.hands.append(hand)
        if self._error is not None:
            yield Read(self._first, self._error, self._lines)
        elif self._first:
            yield Read(self._first, self._log, self._lines)

    def _read_fact(self, words: Words, number: int, line: str) -> None:
        keyword = words.left[0].casefold()
        if words.is_number_next():
            read_event(words, self._log.events.add())
        elif keyword == "deal":
            words.take("deal")
            seat = words.seat()
            self._once(f"deal {seat}")
            self._hands[seat] = (Hand(cards=words.cards()), number, line)
        elif keyword in READERS:
            words.take(keyword)
            READERS[keyword](self._log, words, self._once)
        else:
            raise _no_fact(keyword, words)
        words.end()

    def _grow(self, size: int) -> None:
        """Take in a line of so many characters, in so far as it says something."""
        self._size += size
        if self._size > LONGEST:
            raise UnexpectedError(f"a log of at most {LONGEST:,} characters")

    def _once(self, fact: str) -> None:
        if fact in self._said:
            raise UnexpectedError(f"`{fact}` only once in a log, and a line `---` between two logs")
        self._said.add(fact)


def _is_separator(line: str) -> bool:
    try:
        return facts(line) == SEPARATOR
    except UnexpectedError:
        return False


def _encodable(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UnexpectedError("text in UTF-8") from None
    return name


def _no_fact(keyword: str, words: Words) -> UnexpectedError:
    if keyword in VERBS:
        return UnexpectedError("a seat's number first, as `0 draw`", words.left[0])
    if keyword == "id":
        return UnexpectedError("the name of the game", "")
    known = ("id", "deal", *READERS)
    expected = f"an event, which begins with a seat's number, or one of {', '.join(known)}"
    near = SEPARATOR if _RULE.fullmatch(keyword) else nearest(keyword, known)
    return UnexpectedError(expected, words.left[0], near=near)
