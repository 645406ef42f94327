"""The core reads wire bytes as protobuf's own parser does: same accept or reject, same values.

Everything asks `check`, which raises where the two differ. It compares what the core answers to the
bytes with what it answers to protobuf's reading of them, written out plainly. The long run is
`python tests/fuzz_decoder.py`; the beginning of it, with a seed of its own, is here.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from google.protobuf.internal import api_implementation
from phom.v1 import events_pb2, referee_pb2
from wire.compare import (
    ANSWERED,
    FAULTY,
    NO_MESSAGE,
    ORACLE_EVERY,
    REFUSED,
    REQUESTS,
    Tally,
    answer,
    check,
    check_faults,
    check_mutants,
)
from wire.mutations import BLIND, WEIGHTS, Mutator
from wire.requests import requests
from wire.small import CLAIMS, EVENTS, HANDS, LAY_DOWN, LOG, RULESET, STOCK, log_bytes, replay
from wire.tree import FIXED64, GROUP, GROUP_END, VARINT, delimited, group, shape, tag, varint

MUTANTS = 100_000
SEED = 1


@pytest.fixture(scope="module")
def some() -> dict[str, list[Any]]:
    return requests(SEED)


@pytest.fixture(scope="module")
def mutator(some: dict[str, list[Any]]) -> Mutator:
    return Mutator(some, SEED)


# ---- what the comparison rests on ----


def test_protobuf_parses_in_c() -> None:
    """What is malformed is a little different in protobuf's implementation in Python."""
    assert api_implementation.Type() == "upb"


def _leaves(message_type: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for field in message_type.fields:
        if field.message_type is None:
            yield *path, field.name
        else:
            yield from _leaves(field.message_type, (*path, field.name))


def _holders(message: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """Every message that holds the last field of the path."""
    if len(path) == 1:
        yield message
        return
    field = message.DESCRIPTOR.fields_by_name[path[0]]
    if field.is_repeated:
        for inner in getattr(message, path[0]):
            yield from _holders(inner, path[1:])
    elif message.HasField(path[0]):
        yield from _holders(getattr(message, path[0]), path[1:])


def _others(holder: Any, name: str) -> Iterator[None]:
    """Change the field to some other values, and back again."""
    before = type(holder)()
    before.CopyFrom(holder)
    field = holder.DESCRIPTOR.fields_by_name[name]
    if field.is_repeated:
        values: list[Any] = [[*getattr(holder, name), 1], getattr(holder, name)[1:], [1, 1, 1]]
    elif field.type == field.TYPE_STRING:
        values = ["another"]
    else:
        values = [True, False] if field.type == field.TYPE_BOOL else [0, 1, 2, 3, 50, 500_000_000]
    for value in values:
        holder.ClearField(name)
        if field.is_repeated:
            getattr(holder, name).extend(value)
        else:
            setattr(holder, name, value)
        yield
        holder.CopyFrom(before)


REQUESTED = [("replay", ("log", *path)) for path in _leaves(events_pb2.GameLog.DESCRIPTOR)] + [
    (call, path)
    for call in ("replay", "check_action", "analyze_hand")
    for path in _leaves(REQUESTS[call].DESCRIPTOR)
    if path[0] != "log"
]


@pytest.mark.parametrize(
    ("call", "path"), REQUESTED, ids=lambda p: p if isinstance(p, str) else ".".join(p)
)
def test_every_field_shows_in_an_answer(
    some: dict[str, list[Any]], call: str, path: tuple[str, ...]
) -> None:
    """Else a wrong reading of it would not be seen; that it is at fault does not count."""
    for given in some[call]:
        request = REQUESTS[call].FromString(given.SerializeToString())
        before = answer(call, request.SerializeToString())
        for holder in _holders(request, path):
            for _ in _others(holder, path[-1]):
                after = answer(call, request.SerializeToString())
                if isinstance(before, bytes) and isinstance(after, bytes) and before != after:
                    return
    pytest.fail("no other value of it is answered differently")


# ---- random mutants ----


def test_mutants(mutator: Mutator) -> None:
    tally = check_mutants(mutator.mutants(0, MUTANTS))
    assert tally.shown == []
    assert tally.total() == MUTANTS
    _is_worth_it(tally)


def _is_worth_it(tally: Tally) -> None:
    """Nothing is refused or read so often that the other is not tried."""
    for outcome in (ANSWERED, FAULTY, REFUSED):
        assert tally.total(outcome) > MUTANTS / 10, str(tally)
    for call in REQUESTS:
        assert tally.outcomes[call, ANSWERED] > MUTANTS / 100, str(tally)
    names = {way.__name__ for way in (*WEIGHTS, *BLIND)}
    assert {way for way, _ in tally.ways} == names
    for way in names:
        assert tally.ways[way, False] > 0, way
        assert tally.ways[way, True] > 0, way
    assert tally.by_oracle > MUTANTS / ORACLE_EVERY / 4


def test_mutants_are_the_same_again(mutator: Mutator, some: dict[str, list[Any]]) -> None:
    again = Mutator(some, SEED)
    assert [again.mutant(n) for n in range(100, 150)] == list(mutator.mutants(100, 50))


def test_answers_do_not_depend_on_what_was_asked_before(mutator: Mutator) -> None:
    mutants = list(mutator.mutants(MUTANTS, 3000))
    before = [answer(m.call, m.data) for m in mutants]
    order = random.Random(SEED).sample(range(len(mutants)), len(mutants))
    assert [answer(mutants[n].call, mutants[n].data) for n in order] == [before[n] for n in order]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda m: answer(m.call, m.data), mutants, chunksize=50)) == before


# ---- everything, of something small ----


@pytest.mark.parametrize("call", REQUESTS)
def test_truncated_anywhere(some: dict[str, list[Any]], call: str) -> None:
    for request in sorted(some[call], key=lambda r: r.ByteSize())[::10]:
        data = request.SerializeToString()
        outcomes = {check(call, data[:end]) for end in range(len(data))}
        assert REFUSED in outcomes


@pytest.mark.parametrize("call", REQUESTS)
def test_every_byte_replaced(some: dict[str, list[Any]], call: str) -> None:
    if call == "replay_many":
        data = delimited(1, log_bytes(hands=[], stock=[])) * 2 + b"\x10\x03"
    else:
        data = min(some[call], key=lambda r: r.ByteSize()).SerializeToString()
    for at in range(min(len(data), 160)):
        for byte in range(256):
            check(call, data[:at] + bytes([byte]) + data[at + 1 :])


# ---- more than there is room for ----


def _event(card: int = 1) -> bytes:
    return delimited(EVENTS, tag(1, VARINT) + b"\0" + delimited(5, tag(1, VARINT) + varint(card)))


def _phoms(count: int, cards: int) -> bytes:
    phoms = delimited(1, delimited(1, bytes([5]) * cards)) * count
    return delimited(EVENTS, tag(1, VARINT) + b"\0" + delimited(LAY_DOWN, phoms))


def _hand(cards: bytes) -> bytes:
    return delimited(HANDS, delimited(1, cards))


def _claim(seat: int) -> bytes:
    return delimited(CLAIMS, delimited(1, tag(1, VARINT) + varint(seat) + b"\x10\x01"))


ROOM = {
    **{f"{n} events": _event() * n for n in (1023, 1024, 1025, 5000)},
    **{f"{n} wrong events": _event(0) * n for n in (98, 99, 100, 101, 1024, 1025)},
    **{f"{n} phom of {m}": _phoms(n, m) for n in (1, 63, 64, 65, 1000) for m in (0, 3, 60, 300)},
    "wrong card in a long phom": delimited(
        EVENTS,
        tag(1, VARINT)
        + b"\0"
        + delimited(LAY_DOWN, delimited(1, delimited(1, b"\5" * 59 + b"\0"))),
    ),
    "phom of all events": b"".join(_phoms(n % 7, n % 5) for n in range(1100)),
    **{f"{n} hands": _hand(bytes(range(1, 10))) * n for n in range(8)},
    **{f"hand of one card {n} times": _hand(b"\7" * n) for n in (51, 52, 53, 60, 300)},
    **{f"hand of {n} cards": _hand(bytes(range(1, n + 1))) for n in (0, 8, 13, 14, 20, 36, 52)},
    "four hands of all cards": _hand(bytes(range(1, 53))) * 4,
    **{f"fifth hand of {n}": _hand(b"\7" * n) * 5 for n in (9, 60)},
    **{f"stock of {n}": delimited(STOCK, b"\7" * n) for n in (32, 33, 34, 52, 53, 54, 60, 5000)},
    **{f"{n} claims": b"".join(_claim(i % 4) for i in range(n)) for n in range(13)},
    **{f"{n} claims of no seat": _claim(9) * n for n in (7, 8, 9, 101)},
    **{
        f"{n} prices {text}": delimited(RULESET, content)
        for n in (1, 2, 3, 4, 5, 60)
        for text, content in (
            ("packed", delimited(13, b"\2" * n)),
            ("apart", (tag(13, VARINT) + b"\2") * n),
            ("both", delimited(16, b"\2" * (n // 2)) + (tag(16, VARINT) + b"\3") * (n - n // 2)),
        )
    },
}


@pytest.mark.parametrize("name", ROOM)
def test_more_than_there_is_room_for(name: str) -> None:
    for log in (log_bytes(), log_bytes(hands=[], stock=[]), log_bytes(events=[])):
        for data in (replay(log + ROOM[name]), replay(ROOM[name] + log)):
            check("replay", data)
            check_faults(data)
        check("check_action", delimited(LOG, log) + delimited(LOG, ROOM[name]))


@pytest.mark.parametrize("count", [0, 3, 12, 13, 14, 63, 64, 65, 300])
def test_more_cards_than_a_hand_has(count: int) -> None:
    cards = bytes(1 + n % 52 for n in range(count))
    for number, data in itertools.product((1, 2), (cards, b"\0" + cards, cards + b"\x80\x01")):
        check("analyze_hand", delimited(number, data))
        apart = b"".join(tag(number, VARINT) + bytes([card]) for card in data[:count])
        check("analyze_hand", apart)
        check("analyze_hand", delimited(1, b"\1\2\3") + apart + delimited(number, data))


def test_a_hundred_thousand_phom() -> None:
    phoms = delimited(1, b"") * 100_000
    data = replay(
        log_bytes() + delimited(EVENTS, tag(1, VARINT) + b"\0" + delimited(LAY_DOWN, phoms))
    )
    assert check("replay", data) == ANSWERED


# ---- many logs ----


def test_a_broken_log_among_many() -> None:
    """Protobuf refuses the whole; here it is an error in its place, and the others are judged."""
    broken = (b"\x0a\x05ab", b"\7", b"\0\0", delimited(1, b"\xff"), group(1, depth=100), b"\x80")
    for log in broken:
        logs = [log_bytes(), log, log_bytes(game_id="h"), log]
        data = b"".join(delimited(1, one) for one in logs)
        assert check("replay_many", data) == ANSWERED
        answered = answer("replay_many", data)
        assert isinstance(answered, bytes)
        outcomes = referee_pb2.ReplayManyResponse.FromString(answered).outcomes
        assert [o.WhichOneof("outcome") for o in outcomes] == ["verdict", "error"] * 2
        (violation,) = outcomes[3].error.field_violations
        assert (violation.field, violation.description) == ("logs[3]", NO_MESSAGE)


def test_broken_around_many_logs() -> None:
    logs = delimited(1, log_bytes()) * 2
    for end in (b"\x0a", b"\x0a\x05ab", b"\7", b"\0\0", b"\x80", tag(1, GROUP), tag(1, GROUP_END)):
        assert check("replay_many", logs + end) == REFUSED
    for ok in (tag(1, VARINT) + b"\1", group(1), tag(13, FIXED64) + b"12345678", b"\x10\x83\x00"):
        assert check("replay_many", logs + ok) == ANSWERED
    for detail in (4, 2**32 - 1, 2**64 - 1, 2**31):
        assert check("replay_many", logs + tag(2, VARINT) + varint(detail)) == FAULTY


# ---- the tests' own means ----


def test_shapes_cover_the_messages() -> None:
    known = shape(events_pb2.Event.DESCRIPTOR)
    assert known.oneofs == (tuple(range(3, 12)),)
    assert known.scalars == {1}
    assert shape(events_pb2.ClaimedResult.DESCRIPTOR).oneofs == ((2, 3),)
    assert shape(events_pb2.GameLog.DESCRIPTOR).lists == {STOCK}
