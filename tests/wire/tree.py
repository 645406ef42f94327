"""A message as a tree of its fields, which can be written in ways that no serializer writes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

VARINT, FIXED64, BYTES, GROUP, GROUP_END, FIXED32 = range(6)
WIDTH = (1 << 64) - 1

_SHORT = [bytes([value]) for value in range(128)]


def varint(value: int, length: int = 1) -> bytes:
    """`value`, of which 64 bits are taken, in at least `length` bytes."""
    value &= WIDTH
    if value < 128 and length == 1:
        return _SHORT[value]
    out = bytearray()
    while value > 0x7F or len(out) < length - 1:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, wire_type: int, length: int = 1) -> bytes:
    return varint(number << 3 | wire_type, length)


def delimited(number: int, content: bytes) -> bytes:
    return tag(number, BYTES) + varint(len(content)) + content


def group(number: int, content: bytes = b"", depth: int = 1) -> bytes:
    """`depth` groups of one number, each in the one before, `content` in the innermost."""
    return tag(number, GROUP) * depth + content + tag(number, GROUP_END) * depth


class Field:
    """One field as it stands in a message; `raw` is all its bytes, and what counts.

    `content` is what they are meant to hold: a number, the bytes of a string or of a packed list, a
    message, or None of what is no field that anybody knows.
    """

    __slots__ = ("content", "number", "raw")

    def __init__(
        self, number: int, content: int | bytes | Message | None, raw: bytes | None = None
    ) -> None:
        self.number = number
        self.content = content
        self.raw = self.written() if raw is None else raw

    def written(self, tag_length: int = 1, length: int = 1) -> bytes:
        """The bytes of tag and content, with `length` for the number, or for the size."""
        if isinstance(self.content, int):
            return tag(self.number, VARINT, tag_length) + varint(self.content, length)
        content = self.inside()
        return tag(self.number, BYTES, tag_length) + varint(len(content), length) + content

    def inside(self) -> bytes:
        """The content of a length-delimited field."""
        if isinstance(self.content, Message):
            return self.content.encoded()
        assert isinstance(self.content, bytes)
        return self.content


class Message:
    """The fields of a message, in the order in which they are written."""

    __slots__ = ("_messages", "fields", "type")

    def __init__(self, message_type: Descriptor, fields: list[Field]) -> None:
        self.type = message_type
        self.fields = fields
        self._messages: list[list[int]] | None = None

    def messages(self) -> list[list[int]]:
        """Where its submessages are, those of each number together; once asked, it must not change."""
        if self._messages is None:
            found: dict[int, list[int]] = {}
            for at, field in enumerate(self.fields):
                if isinstance(field.content, Message):
                    found.setdefault(field.number, []).append(at)
            self._messages = list(found.values())
        return self._messages

    def encoded(self) -> bytes:
        return b"".join([field.raw for field in self.fields])


def parsed(message_type: Descriptor, data: bytes) -> Message:
    """The tree of bytes that protobuf itself has written."""
    message, at = Message(message_type, []), 0
    known = message_type.fields_by_number
    while at < len(data):
        head, at = _number(data, at)
        content: Any
        content, at = _number(data, at)
        if head & 7 == BYTES:
            content, at = data[at : at + content], at + content
            if (inner := known[head >> 3].message_type) is not None:
                content = parsed(inner, content)
        message.fields.append(Field(head >> 3, content))
    return message


def numbers(packed: bytes) -> list[int]:
    """The numbers of a packed list, as far as it is well-formed."""
    values, at = [], 0
    while at < len(packed):
        try:
            value, at = _number(packed, at)
        except IndexError:
            break
        values.append(value)
    return values


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


@dataclass(frozen=True)
class Shape:
    """The fields that a type of message has, by what they hold: numbers."""

    all: tuple[int, ...]
    scalars: frozenset[int]
    lists: frozenset[int]
    texts: frozenset[int]
    messages: dict[int, Descriptor]
    repeated: frozenset[int]
    oneofs: tuple[tuple[int, ...], ...]


@cache
def shape(message_type: Descriptor) -> Shape:
    fields = message_type.fields
    texts = {f.number for f in fields if f.type == FieldDescriptor.TYPE_STRING}
    messages = {f.number: f.message_type for f in fields if f.message_type is not None}
    repeated = {f.number for f in fields if f.is_repeated}
    plain = {f.number for f in fields} - texts - messages.keys()
    members = [tuple(f.number for f in oneof.fields) for oneof in message_type.oneofs]
    return Shape(
        all=tuple(f.number for f in fields),
        scalars=frozenset(plain - repeated),
        lists=frozenset(plain & repeated),
        texts=frozenset(texts),
        messages=messages,
        repeated=frozenset(repeated),
        # A field that is `optional` is in a oneof of its own.
        oneofs=tuple(member for member in members if len(member) > 1),
    )
