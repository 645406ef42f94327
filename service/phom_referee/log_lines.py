"""How a line of the log notation that is no event is read, and written: rules, deal, claims."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

from phom.v1.events_pb2 import ClaimedSeat, GameLog
from phom.v1.rules_pb2 import House, Ruleset

from phom_referee.cards import card_words
from phom_referee.spelling import (
    INT64,
    UINT32,
    Words,
    enum_words,
    read_number,
    read_time,
    rule_word,
    time_word,
)
from phom_referee.typed import UnexpectedError, unwritable

_OVERRIDES = {field.name: field for field in Ruleset.DESCRIPTOR.fields if field.name != "house"}
_OPENING = {
    "game": "game_number",
    "creator": "creator_seat",
    "winner": "winner_seat",
    "after_winner": "after_winner_seat",
}
_CLAIMS = {"place": UINT32, "points": UINT32, "net": INT64}
_PRICES_APART = re.compile(r"\s*[,;]\s*|\s+")

Once = Callable[[str], None]
"""Called with a fact that a log says only once; UnexpectedError if it was said."""


def _read_house(log: GameLog, words: Words, once: Once) -> None:
    once("house")
    houses = enum_words(House.DESCRIPTOR)
    log.ruleset.SetInParent()  # also where the house is unspecified
    log.ruleset.house = cast("House", houses[words.one_of(houses)])


def _read_override(log: GameLog, words: Words, once: Once) -> None:
    field = _OVERRIDES[words.one_of(_OVERRIDES)]
    once(f"set {field.name}")
    value: int | bool
    if field.is_repeated:
        getattr(log.ruleset, field.name).extend(_read_prices(words))
        return
    if field.enum_type is not None:
        values = enum_words(field.enum_type)
        value = values[words.one_of(values)]
    elif field.type == field.TYPE_BOOL:
        value = words.flag()
    else:
        value = words.number("a number")
    setattr(log.ruleset, field.name, value)


def _read_prices(words: Words) -> list[int]:
    expected = "prices as 1,2,3"
    text = " ".join([words.take(expected), *words.rest()])
    prices = _PRICES_APART.split(text)
    if not all(price.isdecimal() for price in prices):
        raise UnexpectedError(expected, text)
    return [read_number(price, "a price") for price in prices]


def _read_stake(log: GameLog, words: Words, once: Once) -> None:
    once("stake")
    log.base_stake = words.number("an amount", INT64)


def _read_started(log: GameLog, words: Words, once: Once) -> None:
    once("started")
    read_time(log.started_at, words.take("a time as 2026-11-30T10:00:07Z"))


def _read_opening(log: GameLog, words: Words, once: Once) -> None:
    once("opening")
    log.opening.SetInParent()
    while words.left:
        name = words.one_of(_OPENING)
        once(f"opening {name}")
        setattr(log.opening, _OPENING[name], words.number("a number"))


def _read_first(log: GameLog, words: Words, once: Once) -> None:
    once("first")
    log.first_seat = words.seat()


def _read_stock(log: GameLog, words: Words, once: Once) -> None:
    once("stock")
    log.stock.extend(words.cards() or [words.card()])


def _read_claim(log: GameLog, words: Words, once: Once) -> None:
    claims = log.claimed_result
    claims.SetInParent()
    if not words.left:
        return
    if words.is_number_next():
        _read_claimed_seat(claims.seats.add(), words)
    else:
        name = words.one_of(("a seat's number", "u", "no_u", "den"))
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


# The field that a line with this keyword is about, where that does not depend on what follows.
_FIELDS = {
    "house": "ruleset.house",
    "stake": "base_stake",
    "started": "started_at",
    "opening": "opening",
    "first": "first_seat",
    "stock": "stock",
}
_CLAIMED = {"u": "u_seat", "no_u": "no_u", "den": "den_seat"}


def path_of(words: Words, log: GameLog) -> str:
    """The field that a line is about, which is read into `log` next, as an error names it."""
    keyword, what = [word.casefold() for word in (*words.left, "")[:2]]
    if words.is_number_next():
        return f"log.events[{len(log.events)}]"
    if keyword == "deal" and what.isdecimal():
        return f"log.hands[{int(what)}]"
    if keyword == "set":
        return f"log.ruleset.{what}"
    if keyword == "claim":
        seat = f"seats[{len(log.claimed_result.seats)}]"
        return f"log.claimed_result.{_CLAIMED.get(what, seat)}"
    return f"log.{_FIELDS.get(keyword, keyword)}"


# By the keyword that begins the line.
READERS: dict[str, Callable[[GameLog, Words, Once], None]] = {
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


def write_ruleset(log: GameLog) -> Iterator[str]:
    """The house and each rule that overrides it."""
    if not log.HasField("ruleset"):
        return
    # The house first, also where it is not given.
    for rule in Ruleset.DESCRIPTOR.fields:
        value = getattr(log.ruleset, rule.name)
        if rule.name == "house":
            yield f"house {rule_word(rule, value, 'log.ruleset.house')}"
        elif value if rule.is_repeated else log.ruleset.HasField(rule.name):
            yield f"set {rule.name} {rule_word(rule, value, f'log.ruleset.{rule.name}')}"


def write_header(log: GameLog) -> Iterator[str]:
    """Id, stake, time, opening, who begins."""
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


def write_deal(log: GameLog) -> Iterator[str]:
    """The hands and the stock."""
    for seat, hand in enumerate(log.hands):
        yield " ".join([f"deal {seat}", *card_words(hand.cards, f"log.hands[{seat}].cards")])
    if log.stock:
        yield " ".join(["stock", *card_words(log.stock, "log.stock")])


def write_claims(log: GameLog) -> Iterator[str]:
    """The claimed result."""
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
