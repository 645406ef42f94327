"""The wire format in small, each thing at every place: tags, depth, numbers, texts, merging.

As in test_decoder.py, what is asked is whether the core and protobuf's own parser agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from phom.v1 import actions_pb2, events_pb2, referee_pb2
from wire.compare import ANSWERED, REFUSED, answer, check, check_faults
from wire.requests import handed_logs, rich_logs
from wire.small import (
    ACTION,
    CLAIMS,
    DECLARE_U,
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
    Message,
    delimited,
    group,
    parsed,
    shape,
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


@cache
def _won_by_u() -> bytes:
    """A log of a game that ended by an Ù, with nothing claimed."""
    log = next(log for log in rich_logs(1, 3) if log.claimed_result.HasField("u_seat"))
    log.ClearField("claimed_result")
    return log.SerializeToString()


def _claiming(claims: bytes) -> bytes:
    return replay(_won_by_u() + delimited(CLAIMS, claims))


def _claiming_of_seat_1(claims: bytes) -> bytes:
    return _claiming(delimited(1, tag(1, VARINT) + b"\1" + claims))


def _declared(content: bytes) -> bytes:
    event = tag(1, VARINT) + b"\0" + delimited(DECLARE_U, content)
    return replay(log_bytes(events=[]) + delimited(EVENTS, event))


# Where a number may stand: its bytes in, a request out.
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
    "khan": lambda n: _declared(tag(2, VARINT) + n),
    "no u": lambda n: _claiming(tag(3, VARINT) + n),
    "u seat": lambda n: _claiming(tag(2, VARINT) + n),
    "den seat": lambda n: _claiming(tag(4, VARINT) + n),
    "place": lambda n: _claiming_of_seat_1(tag(2, VARINT) + n),
    "net": lambda n: _claiming_of_seat_1(tag(4, VARINT) + n),
}
VALUES = (
    *(0, 1, 2, 3, 48, 49, 110, 10**9 + 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1),
    *(2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2**31),
)


@pytest.mark.parametrize("where", NUMBERS)
def test_numbers(where: str) -> None:
    for value in VALUES:
        for length in range(1, 13):
            data = NUMBERS[where](varint(value, length))
            if check("replay", data) != REFUSED and length == 1:
                check_faults(data)
    for last in range(256):
        check("replay", NUMBERS[where](varint(2, 10)[:9] + bytes([last])))
        check("replay", NUMBERS[where](varint(48, 5)[:4] + bytes([last])))


@pytest.mark.parametrize("value", VALUES)
def test_claimed_numbers_are_repeated(value: int) -> None:
    """What is claimed of a seat comes back in the answer: 32 bits of a place, 64 of a net."""
    claims = tag(2, VARINT) + varint(value) + tag(4, VARINT) + varint(value)
    answered = answer("replay", _claiming_of_seat_1(claims))
    assert isinstance(answered, bytes)
    verdict = referee_pb2.ReplayResponse.FromString(answered).verdict
    true = verdict.result.seats[1]
    place, net = value % 2**32, value - 2**64 if value >= 2**63 else value
    said = {difference.field: difference.claimed for difference in verdict.claim_differences}
    assert said == {
        **({"place": str(place)} if place != true.place else {}),
        **({"net": str(net)} if net != true.net else {}),
    }


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


def _apart(message: Message) -> bytes:
    """Every submessage that is not repeated in as many occurrences as it has fields."""
    pieces = []
    for field in message.fields:
        if not isinstance(field.content, Message):
            pieces.append(field.raw)
        elif field.number in shape(message.type).repeated:
            pieces.append(delimited(field.number, _apart(field.content)))
        else:
            inside = [Message(field.content.type, [one]) for one in field.content.fields]
            pieces += [delimited(field.number, _apart(one)) for one in inside or [field.content]]
    return b"".join(pieces)


def test_every_message_in_pieces() -> None:
    """They merge, in an event as in a log: it is as if each were whole."""
    for log in (*rich_logs(1, 3), *handed_logs()):
        data = log.SerializeToString(deterministic=True)
        apart = replay(_apart(parsed(log.DESCRIPTOR, data)))
        assert check("replay", apart) == ANSWERED
        assert answer("replay", apart) == answer("replay", replay(data))


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


def test_draw_of_an_action_names_no_card() -> None:
    log = events_pb2.GameLog.FromString(log_bytes(stock=[]))
    data = delimited(LOG, log.SerializeToString())
    for content in (b"", tag(1, VARINT) + b"\x20", tag(1, VARINT) + b"\x99\x01", b"\0\0"):
        action = tag(1, VARINT) + b"\1" + delimited(3, content)
        assert check("check_action", data + delimited(ACTION, action)) == ANSWERED
        assert answer("check_action", data + delimited(ACTION, action)) == answer(
            "check_action", data + delimited(ACTION, tag(1, VARINT) + b"\1" + delimited(3, b""))
        )


def test_last_number_wins() -> None:
    hand = delimited(1, b"\1\2\x10\x20")
    offers = [tag(3, VARINT) + varint(card) for card in (0, 3, 40, 2**32 + 3)]
    for offered in itertools.product(offers, repeat=3):
        assert (
            check("analyze_hand", b"".join(offered[:1]) + hand + b"".join(offered[1:])) == ANSWERED
        )
    seats = [tag(3, VARINT) + varint(seat) for seat in (0, 1, 2, 2**32)]
    details = [tag(DETAIL, VARINT) + varint(detail) for detail in (0, 1, 2, 3)]
    for first, second in itertools.product(seats, repeat=2):
        check("replay", replay(first + log_bytes() + second))
    for detail, other in itertools.product(details, repeat=2):
        check("replay", detail + delimited(LOG, log_bytes()) + other)


def test_who_is_claimed_to_be_u() -> None:
    members = [tag(2, VARINT) + bytes([seat]) for seat in range(3)]
    members += [tag(3, VARINT) + bytes([no]) for no in range(2)]
    logs = list(rich_logs(1, 1))[::3]
    for log in logs:
        log.ClearField("claimed_result")
    for data in (_won_by_u(), *(log.SerializeToString() for log in logs)):
        for chosen in itertools.product(members, repeat=3):
            for cut in range(4):
                claims = b"".join(chosen[:cut]), b"".join(chosen[cut:])
                halves = [delimited(CLAIMS, claim) for claim in claims]
                check("replay", replay(data + b"".join(halves)))
