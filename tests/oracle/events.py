"""Events as the referee sees them, read from the JSON mapping."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from .cards import NUMBERS

# The JSON name of each kind of event -> the proto name.
KINDS = {
    "draw": "draw",
    "eat": "eat",
    "discard": "discard",
    "layDown": "lay_down",
    "layOff": "lay_off",
    "declareU": "declare_u",
    "announceCard": "announce_card",
    "timeOut": "time_out",
    "leave": "leave",
}

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 10**9


@dataclass(frozen=True)
class Event:
    """What happened. A field that the kind does not have, or that was not given, is 0, -1 or empty."""

    index: int
    seat: int
    kind: str
    at: int | None = None  # nanoseconds since 1970
    card: int = 0
    to_seat: int = -1
    phom_index: int = -1
    phoms: tuple[tuple[int, ...], ...] = ()
    khan: bool = False


def nanoseconds(text: str) -> int:
    """A Timestamp of the JSON mapping (RFC 3339), in nanoseconds since 1970; ValueError if it is none."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"no time: {text!r}")
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    whole = (moment - _EPOCH) // timedelta(seconds=1)
    if match[9]:
        offset = int(match[10]) * 3600 + int(match[11]) * 60
        whole += -offset if match[9] == "+" else offset
    if not -62135596800 <= whole <= 253402300799:
        raise ValueError(f"out of a Timestamp's range: {text!r}")
    return whole * _SECOND + int((match[7] or "0").ljust(9, "0"))


def time_of(message: Mapping[str, Any], field: str) -> int | None:
    """The time in this field, None if there is none."""
    text = message.get(field)
    return None if text is None else nanoseconds(text)


def card_of(value: Any) -> int:
    """A card of the JSON mapping, by name or by number; 0 if it is not given."""
    if value is None or value == "CARD_UNSPECIFIED":
        return 0
    return NUMBERS[value] if isinstance(value, str) else int(value)


def kind_of(message: Mapping[str, Any]) -> str | None:
    """The JSON name of the event's kind."""
    return next((name for name in KINDS if message.get(name) is not None), None)


def read_event(index: int, message: Mapping[str, Any]) -> Event:
    """The event at this place of the log."""
    name = kind_of(message)
    if name is None:
        raise ValueError(f"event {index} has no kind")
    body = message[name]
    return Event(
        index=index,
        seat=int(message["seat"]),
        kind=KINDS[name],
        at=time_of(message, "at"),
        card=card_of(body.get("card")),
        to_seat=int(body.get("toSeat", -1)),
        phom_index=int(body.get("phomIndex", -1)),
        phoms=tuple(
            tuple(map(card_of, phom.get("cards") or [])) for phom in body.get("phoms") or []
        ),
        khan=bool(body.get("khan")),
    )
