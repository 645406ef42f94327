"""How an event or an action is read from a line of the log notation, and written as one."""

from __future__ import annotations

import re
from collections.abc import Callable

from phom.v1.actions_pb2 import Action
from phom.v1.events_pb2 import Event

from phom_referee.cards import card_word, phom_words
from phom_referee.spelling import Words, read_number, read_time, time_word
from phom_referee.typed import UnexpectedError, unreadable, unwritable

# The word for each kind.
_KINDS = {
    "draw": "draw",
    "eat": "eat",
    "discard": "discard",
    "announce": "announce_card",
    "lay": "lay_down",
    "off": "lay_off",
    "u": "declare_u",
    "timeout": "time_out",
    "leave": "leave",
}
VERBS = _KINDS.keys()
_PLACE = re.compile(r"([0-9]+)\.([0-9]+)")
_WORDS = {kind: verb for verb, kind in _KINDS.items()}


def parse_action(text: str) -> Action:
    """Read one line, as `1 draw` or `0 discard KD`, as an action; a draw names no card."""
    action = Action()
    try:
        read_event(Words(text), action)
    except UnexpectedError as error:
        raise unreadable(text, error, field="action") from None
    return action


def write_action(action: Action | Event, field: str = "action") -> str:
    """Write an action or an event as its line; `field` is the path that an error names."""
    kind = action.WhichOneof("kind")
    if kind is None:
        raise unwritable(f"{field}.kind", "is not given")
    if not action.HasField("seat"):
        raise unwritable(f"{field}.seat", "is not given")
    words = [str(action.seat), _WORDS[kind]]
    if kind in _WRITERS:
        words += _WRITERS[kind](action, f"{field}.{kind}")
    if action.HasField("at"):
        words.append("@" + time_word(action.at, f"{field}.at"))
    return " ".join(words)


def read_event(words: Words, event: Event | Action) -> None:
    """Read all words of a line into an event or an action."""
    event.seat = words.seat()
    if words.left and words.left[-1].startswith("@"):
        read_time(event.at, words.left.pop()[1:])
    kind = _KINDS[words.one_of(_KINDS)]
    # An event's kind is there even where it has no fields.
    getattr(event, kind).SetInParent()
    if kind in _READERS:
        _READERS[kind](words, event)
    words.end()


# ---- the kinds that say more than their verb, each read and written ----


def _read_draw(words: Words, event: Event | Action) -> None:
    if isinstance(event, Event):
        event.draw.card = words.card()


def _write_draw(event: Event | Action, field: str) -> list[str]:
    return [card_word(event.draw.card, f"{field}.card")] if isinstance(event, Event) else []


def _read_eat(words: Words, event: Event | Action) -> None:
    if words.left:
        event.eat.card = words.card()


def _write_eat(event: Event | Action, field: str) -> list[str]:
    return [card_word(event.eat.card, f"{field}.card")] if event.eat.card else []


def _read_discard(words: Words, event: Event | Action) -> None:
    event.discard.card = words.card()


def _write_discard(event: Event | Action, field: str) -> list[str]:
    return [card_word(event.discard.card, f"{field}.card")]


def _read_announce(words: Words, event: Event | Action) -> None:
    event.announce_card.card = words.card()


def _write_announce(event: Event | Action, field: str) -> list[str]:
    return [card_word(event.announce_card.card, f"{field}.card")]


def _read_lay_down(words: Words, event: Event | Action) -> None:
    event.lay_down.phoms.extend(words.phoms())


def _write_lay_down(event: Event | Action, field: str) -> list[str]:
    return phom_words(event.lay_down.phoms, f"{field}.phoms")


def _read_lay_off(words: Words, event: Event | Action) -> None:
    event.lay_off.card = words.card()
    expected = "a seat and the number of its phỏm, as 0.1"
    word = words.take(expected)
    place = _PLACE.fullmatch(word)
    if place is None:
        raise UnexpectedError(expected, word)
    event.lay_off.to_seat = read_number(place[1], "a seat's number")
    event.lay_off.phom_index = read_number(place[2], "the number of a phỏm")


def _write_lay_off(event: Event | Action, field: str) -> list[str]:
    off = event.lay_off
    if not off.HasField("to_seat"):
        raise unwritable(f"{field}.to_seat", "is not given")
    if not off.HasField("phom_index"):
        raise unwritable(f"{field}.phom_index", "is not given")
    return [card_word(off.card, f"{field}.card"), f"{off.to_seat}.{off.phom_index}"]


def _read_u(words: Words, event: Event | Action) -> None:
    if words.is_next("khan"):
        words.take("khan")
        event.declare_u.khan = True
    event.declare_u.phoms.extend(words.phoms())


def _write_u(event: Event | Action, field: str) -> list[str]:
    khan = ["khan"] if event.declare_u.khan else []
    return khan + phom_words(event.declare_u.phoms, f"{field}.phoms")


_READERS: dict[str, Callable[[Words, Event | Action], None]] = {
    "draw": _read_draw,
    "eat": _read_eat,
    "discard": _read_discard,
    "announce_card": _read_announce,
    "lay_down": _read_lay_down,
    "lay_off": _read_lay_off,
    "declare_u": _read_u,
}
_WRITERS: dict[str, Callable[[Event | Action, str], list[str]]] = {
    "draw": _write_draw,
    "eat": _write_eat,
    "discard": _write_discard,
    "announce_card": _write_announce,
    "lay_down": _write_lay_down,
    "lay_off": _write_lay_off,
    "declare_u": _write_u,
}
