"""The ways to bend one message that know the wire format and what the message may hold."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from google.protobuf.descriptor import Descriptor

from .tree import (
    BYTES,
    FIXED32,
    FIXED64,
    GROUP,
    GROUP_END,
    VARINT,
    WIDTH,
    Field,
    Message,
    delimited,
    group,
    numbers,
    shape,
    tag,
    varint,
)

Donors = dict[Descriptor, list[Message]]
Way = Callable[[Message, Random, Donors], bool]
"""Changes one message in place, but none of its fields; False: there is nothing to change so."""

EDGES = (
    *(127, 128, 16383, 16384, 86_400, 100_000, 100_001, 10**9, 10**9 + 1, 253402300799),
    *(2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1, 2**63, WIDTH - 2**31 + 1, WIDTH),
)
TEXTS = (
    *(b"", b"plain", "phỏm".encode(), "\U0010ffff\ud7ff".encode(), b"\x00", b"two\nlines"),
    *(b"g" * 128, b"g" * 129, "ỏ".encode() * 128, "\U0001f0a1".encode() * 129, b"x" * 70_000),
    # Not UTF-8: surrogates, too high, over-long, no beginning, cut off.
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xff"),
    *(b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"a\x80", b"\xbf"),
    *(b"\xc3", b"\xe1\xbb", b"\xf0\x9f\x82", b"\xc3(", b"\xe1\xbb(", b"\xf0\x9f\x82("),
)
STRANGERS = (12, 15, 16, 27, 31, 32, 33, 100, 2047, 2048, 19_000, 2**21, 2**28, 2**29 - 1)
TENTH = (0, 1, 2, 3, 0x40, 0x7F, 0x80, 0xFF)
MOST_BYTES = 20_000  # that a flood adds


# ---- helpers ----


def _place(message: Message, rng: Random) -> int:
    return rng.randint(0, len(message.fields))


def _insert(message: Message, rng: Random, *fields: Field) -> None:
    """Each at any place, but in their order."""
    places = sorted(_place(message, rng) for _ in fields)
    for at, field in reversed(list(zip(places, fields, strict=True))):
        message.fields.insert(at, field)


def _pick(message: Message, rng: Random, among: Any = None, content: Any = object) -> int:
    """Where a field is, each number as likely as any other; -1: there is none such."""
    found: dict[int, list[int]] = {}
    for at, field in enumerate(message.fields):
        if (among is None or field.number in among) and isinstance(field.content, content):
            found.setdefault(field.number, []).append(at)
    return rng.choice(rng.choice(list(found.values()))) if found else -1


def _other(value: int, rng: Random) -> int:
    """Another number: a likely one, one nearby, one that is the same in 32 bits, an extreme one."""
    roll = rng.random()
    if roll < 0.45:
        return rng.randint(0, 4) if roll < 0.25 else rng.randint(0, 54)
    if roll < 0.6:
        return (value + rng.choice((-70, -10, -1, 1, 2, 10, 70))) & WIDTH
    if roll < 0.8:
        return value & 0xFFFFFFFF | rng.choice((1, 2**31, 2**32 - 1, rng.getrandbits(32))) << 32
    return rng.choice(EDGES)


def _invented(number: int, message_type: Descriptor, rng: Random, donors: Donors) -> Field:
    known = shape(message_type)
    if (inner := known.messages.get(number)) is not None:
        found = donors.get(inner)
        return Field(number, rng.choice(found) if found else Message(inner, []))
    if number in known.texts:
        return Field(number, rng.choice(TEXTS))
    if number in known.lists and rng.random() < 0.7:
        values = [_other(1, rng) for _ in range(rng.choice((0, 1, 2, 3, 3, 3, 9, 10)))]
        return Field(number, b"".join(map(varint, values)))
    return Field(number, _other(0, rng))


# ---- order, repetition, merging ----


def shuffle(message: Message, rng: Random, _: Donors) -> bool:
    rng.shuffle(message.fields)
    return len(message.fields) > 1


def move(message: Message, rng: Random, _: Donors) -> bool:
    at = _pick(message, rng)
    if at >= 0:
        _insert(message, rng, message.fields.pop(at))
    return at >= 0


def drop(message: Message, rng: Random, _: Donors) -> bool:
    at = _pick(message, rng)
    if at >= 0:
        del message.fields[at]
    return at >= 0


def repeat(message: Message, rng: Random, _: Donors) -> bool:
    at = _pick(message, rng)
    if at >= 0:
        _insert(message, rng, message.fields[at])
    return at >= 0


def rival(message: Message, rng: Random, _: Donors) -> bool:
    """A second number for a field that takes one."""
    at = _pick(message, rng, shape(message.type).scalars, int)
    if at >= 0:
        field = message.fields[at]
        _insert(message, rng, Field(field.number, _other(field.content, rng)))
    return at >= 0


def split(message: Message, rng: Random, _: Donors) -> bool:
    """One message in two occurrences, to be merged where the field is not repeated."""
    at = _pick(message, rng, shape(message.type).messages, Message)
    if at < 0:
        return False
    field = message.fields.pop(at)
    inside = field.content.fields[:]
    if rng.random() < 0.3:
        rng.shuffle(inside)
    cut = rng.randint(0, len(inside))
    halves = [Message(field.content.type, half) for half in (inside[:cut], inside[cut:])]
    _insert(message, rng, *(Field(field.number, half) for half in halves))
    return True


def graft(message: Message, rng: Random, donors: Donors) -> bool:
    """Some fields of another message of the same type."""
    found = donors.get(message.type)
    if not found:
        return False
    fields = rng.choice(found).fields
    first = rng.randint(0, len(fields))
    _insert(message, rng, *fields[first : first + rng.choice((1, 1, 2, 4))])
    return True


def add(message: Message, rng: Random, donors: Donors) -> bool:
    known = shape(message.type).all
    if known:
        _insert(message, rng, _invented(rng.choice(known), message.type, rng, donors))
    return bool(known)


def interpose(message: Message, rng: Random, donors: Donors) -> bool:
    """The members of a oneof after each other: the last one stays, and none of what was before."""
    if not (oneofs := shape(message.type).oneofs):
        return False
    members = rng.choice(oneofs)
    at = _pick(message, rng, members)
    chosen = message.fields[at].number if at >= 0 else rng.choice(members)
    others = [rng.choice((chosen, rng.choice(members))) for _ in range(rng.choice((1, 1, 2)))]
    _insert(message, rng, *(_invented(other, message.type, rng, donors) for other in others))
    return True


def hollow(message: Message, rng: Random, _: Donors) -> bool:
    """A field of length 0 in the place of what was there."""
    at = _pick(message, rng, None, (bytes, Message))
    if at >= 0:
        message.fields[at] = Field(message.fields[at].number, b"")
    return at >= 0


def flood(message: Message, rng: Random, donors: Donors) -> bool:
    """More of a repeated field than the core has room for: events, hands, phom, cards, claims."""
    repeated = shape(message.type).repeated
    if not repeated:
        return False
    number = rng.choice(sorted(repeated))
    some = [_invented(number, message.type, rng, donors) for _ in range(4)]
    if rng.random() < 0.5:
        some += [field for field in message.fields if field.number == number][:8]
    size = max(len(field.raw) for field in some)
    count = min(rng.choice((3, 5, 9, 53, 60, 300, 1025, 1100)), MOST_BYTES // size)
    _insert(message, rng, *rng.choices(some, k=count))
    return True


# ---- numbers ----


def change(message: Message, rng: Random, _: Donors) -> bool:
    at = _pick(message, rng, None, int)
    if at >= 0:
        field = message.fields[at]
        message.fields[at] = Field(field.number, _other(field.content, rng))
    return at >= 0


def overlong(message: Message, rng: Random, _: Donors) -> bool:
    """More bytes than needed for a tag, a size or a number; some are too many."""
    at = _pick(message, rng, None, (int, bytes, Message))
    if at < 0:
        return False
    field, length = message.fields[at], rng.choice((2, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11))
    in_tag = rng.random() < 0.25
    raw = field.written(length, 1) if in_tag else field.written(1, length)
    message.fields[at] = Field(field.number, field.content, raw)
    return True


def tenth(message: Message, rng: Random, _: Donors) -> bool:
    """A number of ten bytes, or more, whose last bits have no place in 64."""
    at = _pick(message, rng, None, int)
    if at < 0:
        return False
    field = message.fields[at]
    raw = tag(field.number, VARINT) + _ten_bytes(field.content, rng)
    message.fields[at] = Field(field.number, field.content, raw)
    return True


def _ten_bytes(value: int, rng: Random) -> bytes:
    last = rng.choice(TENTH)
    return varint(value, 10)[:9] + bytes([last]) + (b"\x01" if last & 0x80 else b"")


# ---- lists ----


def repack(message: Message, rng: Random, _: Donors) -> bool:
    """A list of numbers in pieces, packed and not, with empty ones between."""
    at = _pick(message, rng, shape(message.type).lists, (int, bytes))
    if at < 0:
        return False
    number = message.fields[at].number
    values: list[int] = []
    for field in message.fields:
        if field.number == number and field.content is not None:
            values += [field.content] if isinstance(field.content, int) else numbers(field.inside())
    message.fields = [field for field in message.fields if field.number != number]
    pieces: list[Field] = []
    while values:
        size = rng.choice((0, 1, 1, 2, 5, 20))
        if rng.random() < 0.5:
            pieces += [Field(number, value) for value in values[:size]]
        else:
            pieces.append(Field(number, b"".join(map(varint, values[:size]))))
        del values[:size]
    _insert(message, rng, *pieces)
    return True


def bend_list(message: Message, rng: Random, _: Donors) -> bool:
    """One number of a packed list changed, over-long, or cut off."""
    at = _pick(message, rng, shape(message.type).lists, bytes)
    values = numbers(message.fields[at].inside()) if at >= 0 else []
    if not values:
        return False
    chosen, roll = rng.randrange(len(values)), rng.random()
    if roll < 0.6:
        bent = varint(_other(values[chosen], rng))
    elif roll < 0.8:
        bent = varint(values[chosen], rng.randint(2, 11))
    elif roll < 0.95:
        bent = _ten_bytes(values[chosen], rng)
    else:
        bent = b"\x80" * rng.randint(1, 10)
    pieces = [varint(value) for value in values]
    pieces[chosen] = bent
    message.fields[at] = Field(message.fields[at].number, b"".join(pieces))
    return True


# ---- what nobody knows ----


def stranger(message: Message, rng: Random, _: Donors) -> bool:
    """A field that is not known, or known with another wire type."""
    known = shape(message.type).all
    number = rng.choice(known if known and rng.random() < 0.4 else STRANGERS)
    _insert(message, rng, Field(number, None, _unknown(number, rng)))
    return True


def _unknown(number: int, rng: Random, depth: int = 0) -> bytes:
    kind = rng.choice((VARINT, FIXED64, FIXED32, BYTES, GROUP))
    if kind == VARINT:
        return tag(number, VARINT) + varint(rng.choice(EDGES), rng.choice((1, 1, 1, 5, 10)))
    if kind == FIXED64:
        return tag(number, FIXED64) + rng.randbytes(8)
    if kind == FIXED32:
        return tag(number, FIXED32) + rng.randbytes(4)
    if kind == BYTES:
        return delimited(number, rng.randbytes(rng.choice((0, 1, 5, 130))))
    some = rng.randint(0, 3) if depth < 3 else 0
    inside = [_unknown(rng.choice(STRANGERS), rng, depth + 1) for _ in range(some)]
    return group(number, b"".join(inside), rng.choice((1, 1, 2, 60)) if depth == 0 else 1)


def deep(message: Message, rng: Random, _: Donors) -> bool:
    """Groups about as deep as is allowed."""
    number, inner = rng.choice(STRANGERS), rng.choice(STRANGERS)
    depth = rng.randint(94, 102)
    cut = rng.choice((0, 0, rng.randint(1, depth)))
    raw = group(number, group(inner, depth=cut), depth - cut)
    _insert(message, rng, Field(number, None, raw))
    return True


def broken_group(message: Message, rng: Random, _: Donors) -> bool:
    """A group without its end or beginning, or whose end is another's."""
    number, inside = rng.choice(STRANGERS), _unknown(rng.choice(STRANGERS), rng)
    begin, end = tag(number, GROUP), tag(number, GROUP_END)
    raw = rng.choice(
        (
            begin + inside,
            end,
            begin + inside + tag(number + 1, GROUP_END),
            begin + begin + inside + end,
            begin + inside + end + end,
            begin + tag(number + 1, GROUP) + end + tag(number + 1, GROUP_END),
        )
    )
    _insert(message, rng, Field(number, None, raw))
    return True


def bad_tag(message: Message, rng: Random, _: Donors) -> bool:
    """No wire type, no field number, or a number too high."""
    known = (*shape(message.type).all, *STRANGERS)
    raw = rng.choice(
        (
            tag(rng.choice(known), rng.choice((6, 7))) + b"\x01",
            tag(0, rng.choice((VARINT, GROUP_END)), rng.choice((1, 1, 2, 5))) + b"\x01",
            tag(0, BYTES) + b"\x00",
            group(rng.choice(known), tag(0, VARINT) + b"\x01"),
            tag(2**29, VARINT) + b"\x01",
            varint(tag(rng.choice(known), VARINT)[0] | 1 << rng.choice((32, 34, 35, 40, 63)))
            + b"\x01",
            tag(rng.choice(known), VARINT, rng.choice((6, 10, 11))) + b"\x01",
            tag(rng.choice(known), VARINT, 5)[:4]
            + bytes([rng.choice((0x10, 0x20, 0x7F))])
            + b"\x01",
        )
    )
    _insert(message, rng, Field(0, None, raw))
    return True


def wrong_type(message: Message, rng: Random, _: Donors) -> bool:
    """The number of a field that is there, with another wire type."""
    at = _pick(message, rng, None, (int, bytes, Message))
    if at < 0:
        return False
    field = message.fields[at]
    if isinstance(field.content, int):
        raw = delimited(field.number, varint(field.content))
    else:
        raw = tag(field.number, VARINT) + varint(rng.choice(EDGES))
    raw = rng.choice(
        (
            raw,
            tag(field.number, FIXED64) + rng.randbytes(8),
            tag(field.number, FIXED32) + rng.randbytes(4),
            group(field.number, b"" if isinstance(field.content, int) else field.inside()),
        )
    )
    message.fields[at] = Field(field.number, None, raw)
    return True


# ---- texts and sizes ----


def text(message: Message, rng: Random, _: Donors) -> bool:
    texts = shape(message.type).texts
    if texts:
        number, value = rng.choice(sorted(texts)), rng.choice(TEXTS)
        if rng.random() < 0.3:
            value = b"a" * rng.randint(0, 130) + value
        _insert(message, rng, Field(number, value))
    return bool(texts)


def wrong_size(message: Message, rng: Random, _: Donors) -> bool:
    """A length prefix that is not the content's."""
    at = _pick(message, rng, None, (bytes, Message))
    if at < 0:
        return False
    field = message.fields[at]
    content = field.inside()
    size = rng.choice(
        (
            *(len(content) + by for by in (-2, -1, 1, 2, 100)),
            *(2**31 - 1, 2**31, 2**32 - 1, 2**32 + len(content), 2**63, -1, -len(content)),
        )
    )
    raw = tag(field.number, BYTES) + varint(size) + content
    message.fields[at] = Field(field.number, field.content, raw)
    return True
