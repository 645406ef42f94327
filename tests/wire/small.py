"""Small requests, written out in bytes, to put something into."""

from __future__ import annotations

from typing import Any

from phom.v1 import events_pb2, rules_pb2

from .tree import VARINT, delimited, tag, varint

# Field numbers.
LOG, DETAIL, ACTION = 1, 2, 2  # of the requests
RULESET, HANDS, STOCK, STARTED_AT, OPENING, EVENTS, CLAIMS = 2, 4, 5, 7, 8, 9, 10
LAY_DOWN, DECLARE_U = 6, 8


def log_bytes(**fields: Any) -> bytes:
    """A log of two seats that is one, but for what `fields` change."""
    deck = list(range(1, 53))
    given: dict[str, Any] = {
        "game_id": "g",
        "ruleset": rules_pb2.Ruleset(house=rules_pb2.HOUSE_GO88),
        "first_seat": 0,
        "hands": [{"cards": deck[:10]}, {"cards": deck[10:19]}],
        "stock": deck[19:],
        "base_stake": 5,
        "events": [events_pb2.Event(seat=0, discard={"card": 1})],
    }
    return events_pb2.GameLog(**(given | fields)).SerializeToString()


def replay(log: bytes, detail: int = 3) -> bytes:
    return delimited(LOG, log) + tag(DETAIL, VARINT) + varint(detail)
