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

What a message can say and no game needs is written too: `-` for a phỏm without cards, `opening`
and `claim` alone, `claim no_u false`, `house unspecified`. Names of rules and of their values are
those of the .proto files. What cannot be written is an error that names the field: an unknown
number in an enum, an event without seat or kind, a card that is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from phom.v1.cards_pb2 import Hand
from phom.v1.events_pb2 import ClaimedSeat, GameLog
from phom.v1.rules_pb2 import House, Ruleset

from phom_referee.event_lines import parse_action, read_event, write_action
from phom_referee.spelling import (
    INT64,
    UINT32,
    NotationError,
    UnexpectedError,
    Words,
    card_words,
    enum_words,
    read_number,
    read_time,
    rule_word,
    time_word,
    unreadable,
    unwritable,
)

__all__ = [
    "SEPARATOR",
    "NotationError",
    "parse",
    "parse_action",
    "read",
    "write",
    "write_action",
]

SEPARATOR = "---"

_ID = re.compile(r"[ \t]*id[ \t](.*)", re.DOTALL)
_OVERRIDES = {field.name: field for field in Ruleset.DESCRIPTOR.fields if field.name != "house"}
_OPENING = {
    "game": "game_number",
    "creator": "creator_seat",
    "winner": "winner_seat",
    "after_winner": "after_winner_seat",
}
_CLAIMS = {"place": UINT32, "points": UINT32, "net": INT64}


def parse(text: str) -> list[GameLog]:
    """Read all logs of a text. Of several bad lines the first is raised, as NotationError."""
    logs = []
    for log in read(text.split("\n")):
        if isinstance(log, NotationError):
            raise log
        logs.append(log)
    return logs


def read(lines: Iterable[str]) -> Iterator[GameLog | NotationError]:
    """Read logs one by one; one with a bad line is an error in its place and ends nothing."""
    reader = _LogReader()
    for number, line in enumerate(lines, 1):
        if _facts(line).strip() == SEPARATOR:
            yield from reader.finish()
            reader = _LogReader()
        else:
            reader.read(number, line.removesuffix("\r"))
    yield from reader.finish()


def write(log: GameLog) -> str:
    """Write a log, so that `parse` reads an equal one; NotationError where that cannot be."""
    lines = [*_write_ruleset(log), *_write_header(log), *_write_deal(log)]
    lines += [write_action(event, f"log.events[{i}]") for i, event in enumerate(log.events)]
    lines += _write_claims(log)
    if not lines:
        raise unwritable("log", "says nothing")
    return "\n".join(lines) + "\n"


# ---- reading ----


def _facts(line: str) -> str:
    """A line without its comment."""
    return line.partition("#")[0]


def _encodable(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UnexpectedError("UTF-8") from None
    return name


class _LogReader:
    """Reads the lines of one log; after a bad one it skips the rest."""

    def __init__(self) -> None:
        self._log = GameLog()
        self._error: NotationError | None = None
        self._blank = True
        # What may be said only once, and was.
        self._said: set[str] = set()
        # By seat, each with its line, since they may come in any order.
        self._hands: dict[int, tuple[Hand, int, str]] = {}

    def read(self, number: int, line: str) -> None:
        """Read a line into the log."""
        if self._error is not None:
            return
        try:
            if name := _ID.fullmatch(line):
                self._blank = False
                self._once("id")
                self._log.game_id = _encodable(name[1])
            elif facts := _facts(line).split():
                self._blank = False
                self._read_fact(Words(facts), number, line)
        except UnexpectedError as error:
            self._error = unreadable(line, error, number=number)

    def finish(self) -> list[GameLog | NotationError]:
        """The log or its error; nothing if no line said anything."""
        for expected, (seat, (hand, number, line)) in enumerate(sorted(self._hands.items())):
            if seat != expected and self._error is None:
                missing = UnexpectedError(f"a line `deal {expected}` too")
                self._error = unreadable(line, missing, number=number)
            self._log.hands.append(hand)
        if self._error is not None:
            return [self._error]
        return [] if self._blank else [self._log]

    def _read_fact(self, words: Words, number: int, line: str) -> None:
        keyword = words.left[0]
        if keyword[0].isdigit():
            read_event(words, self._log.events.add())
        elif keyword == "deal":
            words.take("deal")
            seat = words.seat()
            self._once(f"deal {seat}")
            self._hands[seat] = (Hand(cards=words.cards()), number, line)
        elif keyword in _READERS:
            words.take(keyword)
            _READERS[keyword](self._log, words, self._once)
        else:
            known = ", ".join(("id", "deal", *_READERS))
            raise UnexpectedError(f"an event, which begins with a seat, or one of {known}")
        words.end()

    def _once(self, fact: str) -> None:
        if fact in self._said:
            raise UnexpectedError(f"`{fact}` only once in a log")
        self._said.add(fact)


_Once = Callable[[str], None]


def _read_house(log: GameLog, words: Words, once: _Once) -> None:
    once("house")
    houses = enum_words(House.DESCRIPTOR)
    log.ruleset.SetInParent()  # also where the house is unspecified
    log.ruleset.house = cast("House", houses[words.one_of(houses)])


def _read_override(log: GameLog, words: Words, once: _Once) -> None:
    field = _OVERRIDES[words.one_of(_OVERRIDES)]
    once(f"set {field.name}")
    value: int | bool
    if field.is_repeated:
        expected = "numbers as 1,2,3"
        numbers = [read_number(price, expected) for price in words.take(expected).split(",")]
        getattr(log.ruleset, field.name).extend(numbers)
        return
    if field.enum_type is not None:
        values = enum_words(field.enum_type)
        value = values[words.one_of(values)]
    elif field.type == field.TYPE_BOOL:
        value = words.flag()
    else:
        value = words.number("a number")
    setattr(log.ruleset, field.name, value)


def _read_stake(log: GameLog, words: Words, once: _Once) -> None:
    once("stake")
    log.base_stake = words.number("an amount", INT64)


def _read_started(log: GameLog, words: Words, once: _Once) -> None:
    once("started")
    read_time(log.started_at, words.take("a time"))


def _read_opening(log: GameLog, words: Words, once: _Once) -> None:
    once("opening")
    log.opening.SetInParent()
    while words.left:
        name = words.one_of(_OPENING)
        once(f"opening {name}")
        setattr(log.opening, _OPENING[name], words.number("a number"))


def _read_first(log: GameLog, words: Words, once: _Once) -> None:
    once("first")
    log.first_seat = words.seat()


def _read_stock(log: GameLog, words: Words, once: _Once) -> None:
    once("stock")
    log.stock.extend(words.cards() or [words.card()])


def _read_claim(log: GameLog, words: Words, once: _Once) -> None:
    claims = log.claimed_result
    claims.SetInParent()
    if not words.left:
        return
    if words.left[0][0].isdigit():
        _read_claimed_seat(claims.seats.add(), words)
    else:
        name = words.one_of(("a seat", "u", "no_u", "den"))
        once("claim den" if name == "den" else "claim u")
        if name == "no_u":
            claims.no_u = words.flag() if words.left else True
        elif name == "u":
            claims.u_seat = words.seat()
        else:
            claims.den_seat = words.seat()


def _read_claimed_seat(claim: ClaimedSeat, words: Words) -> None:
    claim.seat = words.seat()
    while words.left:
        name = words.one_of(_CLAIMS)
        if claim.HasField(name):
            raise UnexpectedError(f"`{name}` only once")
        setattr(claim, name, words.number("a number", _CLAIMS[name]))


_READERS: dict[str, Callable[[GameLog, Words, _Once], None]] = {
    "house": _read_house,
    "set": _read_override,
    "stake": _read_stake,
    "started": _read_started,
    "opening": _read_opening,
    "first": _read_first,
    "stock": _read_stock,
    "claim": _read_claim,
}


# ---- writing ----


def _write_ruleset(log: GameLog) -> Iterator[str]:
    if not log.HasField("ruleset"):
        return
    # The house first, also where it is not given.
    for rule in Ruleset.DESCRIPTOR.fields:
        value = getattr(log.ruleset, rule.name)
        if rule.name == "house":
            yield f"house {rule_word(rule, value, 'log.ruleset.house')}"
        elif value if rule.is_repeated else log.ruleset.HasField(rule.name):
            yield f"set {rule.name} {rule_word(rule, value, f'log.ruleset.{rule.name}')}"


def _write_header(log: GameLog) -> Iterator[str]:
    if log.game_id:
        if "\n" in log.game_id or "\r" in log.game_id:
            raise unwritable("log.game_id", "is not one line")
        yield f"id {log.game_id}"
    if log.base_stake:
        yield f"stake {log.base_stake}"
    if log.HasField("started_at"):
        yield f"started {time_word(log.started_at, 'log.started_at')}"
    if log.HasField("opening"):
        words = {field.name: str(value) for field, value in log.opening.ListFields()}
        facts = [f" {name} {words[field]}" for name, field in _OPENING.items() if field in words]
        yield "opening" + "".join(facts)
    if log.HasField("first_seat"):
        yield f"first {log.first_seat}"


def _write_deal(log: GameLog) -> Iterator[str]:
    for seat, hand in enumerate(log.hands):
        yield " ".join([f"deal {seat}", *card_words(hand.cards, f"log.hands[{seat}].cards")])
    if log.stock:
        yield " ".join(["stock", *card_words(log.stock, "log.stock")])


def _write_claims(log: GameLog) -> Iterator[str]:
    claims = log.claimed_result
    if log.HasField("claimed_result") and not claims.ListFields():
        yield "claim"
    for i, claim in enumerate(claims.seats):
        if not claim.HasField("seat"):
            raise unwritable(f"log.claimed_result.seats[{i}].seat", "is not given")
        facts = [f" {name} {getattr(claim, name)}" for name in _CLAIMS if claim.HasField(name)]
        yield f"claim {claim.seat}" + "".join(facts)
    if claims.HasField("u_seat"):
        yield f"claim u {claims.u_seat}"
    elif claims.HasField("no_u"):
        yield "claim no_u" if claims.no_u else "claim no_u false"
    if claims.HasField("den_seat"):
        yield f"claim den {claims.den_seat}"
