"""The wire format in small, each thing at every place: tags, depth, numbers, texts, merging.

As in test_decoder.py, what is asked is whether the core and protobuf's own parser agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from phom.v1 import actions_pb2, events_pb2
from wire.compare import ANSWERED, REFUSED, answer, check
from wire.requests import handed_logs, rich_logs
from wire.small import (
    ACTION,
    CLAIMS,
    DETAIL,
    EVENTS,
    HANDS,
    LAY_DOWN,
    LOG,
    OPENING,
    RULESET,
    STARTED_AT,
    STOCK,
    log_bytes,
    replay,
)
from wire.tree import (
    BYTES,
    FIXED32,
    GROUP,
    GROUP_END,
    VARINT,
    delimited,
    group,
    tag,
    varint,
)
from wire.ways import STRANGERS, TEXTS

# ---- tags ----

# Where a message of each type stands: how its content becomes a request.
PLACES: dict[str, Any] = {
    "request": lambda inside: replay(log_bytes()) + inside,
    "log": lambda inside: replay(log_bytes() + inside),
    "ruleset": lambda inside: replay(log_bytes() + delimited(RULESET, inside)),
    "hand": lambda inside: replay(log_bytes() + delimited(HANDS, inside)),
    "time": lambda inside: replay(log_bytes() + delimited(STARTED_AT, inside)),
    "opening": lambda inside: replay(log_bytes() + delimited(OPENING, inside)),
    "event": lambda inside: replay(log_bytes() + delimited(EVENTS, inside)),
    **{
        kind.name: lambda inside, kind=kind: replay(
            log_bytes() + delimited(EVENTS, tag(1, VARINT) + b"\1" + delimited(kind.number, inside))
        )
        for kind in events_pb2.Event.DESCRIPTOR.oneofs_by_name["kind"].fields
    },
    "phom": lambda inside: replay(
        log_bytes() + delimited(EVENTS, delimited(LAY_DOWN, delimited(1, inside)))
    ),
    "claims": lambda inside: replay(log_bytes() + delimited(CLAIMS, inside)),
    "claimed seat": lambda inside: replay(log_bytes() + delimited(CLAIMS, delimited(1, inside))),
}
DEEPER = {"request": 0, "log": 1, "event": 2, "phom": 4, "claimed seat": 3}


@pytest.mark.parametrize("place", PLACES)
def test_every_tag(place: str) -> None:
    contents = (
        *(b"", b"\0", b"\1", b"\4", b"\x7f", b"\x01\x05", b"\x02\x08\x01", b"\x03\x01\x02\x03"),
        *(b"\0" * 4, b"\0" * 8, b"\x80\x01", b"\xff" * 9 + b"\x7f", b"\x80" * 10 + b"\0"),
    )
    for number, wire_type in itertools.product((*range(28), *STRANGERS), range(8)):
        for content in contents:
            check("replay", PLACES[place](tag(number, wire_type) + content))
        check("replay", PLACES[place](tag(number, wire_type, 5) + b"\x01\x05"))
        end = tag(number, GROUP_END)
        check("replay", PLACES[place](tag(number, GROUP) + tag(number, wire_type) + b"\0" + end))


@pytest.mark.parametrize("place", DEEPER)
@pytest.mark.parametrize("depth", range(93, 106))
def test_depth(place: str, depth: int) -> None:
    """Submessages and groups of unknown fields may be a hundred deep together."""
    for content in (b"", tag(15, VARINT) + b"\1", delimited(16, b"abc"), tag(3, FIXED32) + b"1234"):
        for number in (1, 13, 2**29 - 1):
            outcome = check("replay", PLACES[place](group(number, content, depth)))
            assert (outcome == REFUSED) == (depth + DEEPER[place] > 100)


def test_depth_is_given_back() -> None:
    for place in DEEPER:
        for groups in (group(13, depth=60) * 3, group(13, group(14, depth=40) * 3, 50)):
            assert check("replay", PLACES[place](groups)) != REFUSED


# ---- numbers ----

# Where a number may stand: the bytes before it, what may be changed being the number itself.
NUMBERS: dict[str, Any] = {
    "tag": lambda n: replay(log_bytes() + n + b"\1"),
    "tag in group": lambda n: replay(log_bytes() + tag(13, GROUP) + n + b"\1" + tag(13, GROUP_END)),
    "size of unknown": lambda n: replay(log_bytes() + tag(13, BYTES) + n + b"x" * 48),
    "size of text": lambda n: replay(log_bytes() + tag(1, BYTES) + n + b"x" * 48),
    "size of message": lambda n: replay(log_bytes() + tag(CLAIMS, BYTES) + n + b"\x18\x01" * 24),
    "size of packed": lambda n: replay(log_bytes(stock=[]) + tag(STOCK, BYTES) + n + b"\1" * 48),
    "card": lambda n: replay(log_bytes(stock=[]) + tag(STOCK, VARINT) + n),
    "packed card": lambda n: replay(log_bytes(stock=[]) + delimited(STOCK, b"\1" + n)),
    "enum": lambda n: replay(log_bytes() + delimited(RULESET, tag(1, VARINT) + n)),
    "detail": lambda n: replay(log_bytes()) + tag(DETAIL, VARINT) + n,
    "uint32": lambda n: replay(log_bytes() + delimited(RULESET, tag(2, VARINT) + n)),
    "optional seat": lambda n: replay(log_bytes() + tag(3, VARINT) + n),
    "bool": lambda n: replay(log_bytes() + delimited(RULESET, tag(3, VARINT) + n)),
    "price": lambda n: replay(log_bytes() + delimited(RULESET, tag(13, VARINT) + n)),
    "int64": lambda n: replay(log_bytes() + tag(6, VARINT) + n),
    "seconds": lambda n: replay(log_bytes() + delimited(STARTED_AT, tag(1, VARINT) + n)),
    "nanos": lambda n: replay(log_bytes() + delimited(STARTED_AT, tag(2, VARINT) + n)),
    "unknown": lambda n: replay(log_bytes() + tag(13, VARINT) + n),
}


@pytest.mark.parametrize("where", NUMBERS)
def test_numbers(where: str) -> None:
    for value in (
        0,
        1,
        2,
        3,
        48,
        49,
        110,
        2**31,
        2**32,
        2**32 + 1,
        2**63,
        2**64 - 1,
        2**64 - 2**31,
    ):
        for length in range(1, 13):
            check("replay", NUMBERS[where](varint(value, length)))
    for last in range(256):
        check("replay", NUMBERS[where](varint(2, 10)[:9] + bytes([last])))
        check("replay", NUMBERS[where](varint(48, 5)[:4] + bytes([last])))


def test_numbers_longer_than_needed_are_read() -> None:
    """Ten bytes for a number, five for a tag or a size; what has no place in 64 bits is lost."""
    data = replay(log_bytes())
    assert answer("replay", data + tag(13, VARINT) + b"\x80" * 9 + b"\x7f") == answer(
        "replay", data
    )
    assert check("replay", data + tag(13, VARINT) + b"\x80" * 10 + b"\0") == REFUSED
    for size, outcome in ((5, ANSWERED), (6, REFUSED)):
        assert check("replay", data + tag(13, BYTES) + varint(1, size) + b"x") == outcome
        assert check("replay", data + tag(13, VARINT, size) + b"\1") == outcome


# ---- texts ----


def test_texts() -> None:
    for text in TEXTS:
        for around in (b"", b"a", b"\xc3\xa9", b"x" * 60):
            check("replay", replay(log_bytes() + delimited(1, around + text + around)))


def test_texts_of_few_bytes() -> None:
    """All of two bytes; of three and four, all that are near a border of what UTF-8 allows."""
    edges = (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
    leads = range(0xE0, 0x100)
    texts = itertools.chain(
        itertools.product(range(256), repeat=2),
        itertools.product(leads, edges, edges),
        itertools.product(leads, edges, edges, (0x7F, 0x80, 0xBF, 0xC0)),
    )
    for text in texts:
        check("replay", delimited(LOG, delimited(1, bytes(text))))


# ---- merging ----


def test_log_in_two_occurrences() -> None:
    for log in rich_logs(1, 1):
        whole = answer("replay", replay(log.SerializeToString()))
        for cut in range(0, len(log.events) + 1, 3):
            first, rest = events_pb2.GameLog(), events_pb2.GameLog()
            first.CopyFrom(log)
            rest.CopyFrom(log)
            del first.events[cut:], rest.events[:cut]
            del first.claimed_result.seats[1:], rest.claimed_result.seats[:1]
            del first.hands[1:], rest.hands[:1]
            del first.stock[7:], rest.stock[:7]
            rest.ruleset.ClearField("eat_payment")
            rest.ruleset.ClearField("place_payment")
            data = delimited(LOG, first.SerializeToString()) + replay(rest.SerializeToString())
            assert check("replay", data) == ANSWERED
            assert answer("replay", data) == whole


def _kinds(kinds: dict[int, list[bytes]], most: int) -> Iterator[bytes]:
    members = [delimited(number, content) for number, all_ in kinds.items() for content in all_]
    for count in range(1, most + 1):
        for chosen in itertools.product(members, repeat=count):
            yield b"".join(chosen)


PHOM = delimited(1, delimited(1, b"\x02\x03\x04"))
KINDS = {
    3: [tag(1, VARINT) + b"\x14"],
    4: [b"", tag(1, VARINT) + b"\1"],
    5: [tag(1, VARINT) + b"\2"],
    6: [b"", PHOM],
    7: [tag(2, VARINT) + b"\1", tag(1, VARINT) + b"\3" + tag(3, VARINT) + b"\0"],
    8: [tag(2, VARINT) + b"\1", PHOM],
    9: [tag(1, VARINT) + b"\4"],
    10: [b""],
    11: [b""],
}


def test_kinds_of_an_event() -> None:
    """The last member stays, merged with what of it came directly before, and of no other."""
    for kinds in _kinds(KINDS, 3):
        event = tag(1, VARINT) + b"\0" + kinds
        check("replay", replay(log_bytes(events=[]) + delimited(EVENTS, event)))
        check("check_action", delimited(LOG, log_bytes(events=[])) + delimited(ACTION, event))


def test_kinds_of_an_event_that_is_open_to_all() -> None:
    """The same where the game has gone on: what an eat, a lay-down, a lay-off say is looked at."""
    (log,) = (log for log in rich_logs(1, 1) if log.ruleset.house == 1 and len(log.hands) == 4)
    late = [i for i, event in enumerate(log.events) if event.WhichOneof("kind") == "lay_down"]
    event = log.events[late[0]]
    del log.events[late[0] :]
    data = delimited(LOG, log.SerializeToString())
    for kinds in _kinds(KINDS, 2):
        action = event.SerializeToString() + kinds
        check("check_action", data + delimited(ACTION, action))
        check("check_action", data + delimited(ACTION, kinds + event.SerializeToString()))


def test_action_in_two_occurrences_with_the_log_between() -> None:
    """The phom of one lay-down, though those of the log's were read in between."""
    for log in (*rich_logs(1, 2), *handed_logs()):
        for at, event in enumerate(log.events):
            phoms = len(event.lay_down.phoms) or len(event.declare_u.phoms)
            if not phoms:
                continue
            begun = events_pb2.GameLog()
            begun.CopyFrom(log)
            del begun.events[at:]
            rest = actions_pb2.Action()
            kind = event.WhichOneof("kind")
            getattr(rest, kind).phoms.append(getattr(event, kind).phoms[-1])
            del getattr(event, kind).phoms[-1]
            halves = [event.SerializeToString(), rest.SerializeToString()]
            first, last = [delimited(ACTION, half) for half in halves]
            data = delimited(LOG, begun.SerializeToString())
            assert check("check_action", first + data + last) == ANSWERED
            assert answer("check_action", first + data + last) == answer(
                "check_action", data + first + last
            )


def test_who_is_claimed_to_be_u() -> None:
    members = [tag(2, VARINT) + bytes([seat]) for seat in range(3)]
    members += [tag(3, VARINT) + bytes([no]) for no in range(2)]
    for log in list(rich_logs(1, 1))[::2]:
        log.ClearField("claimed_result")
        data = log.SerializeToString()
        for chosen in itertools.product(members, repeat=3):
            for cut in range(4):
                claims = b"".join(chosen[:cut]), b"".join(chosen[cut:])
                halves = [delimited(CLAIMS, claim) for claim in claims]
                check("replay", replay(data + b"".join(halves)))
