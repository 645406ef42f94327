"""Fields of messages put together as bytes, where building an object would cost more than asking."""

from __future__ import annotations

_VARINT, _BYTES = 0, 2
_ONE_BYTE = [bytes([value]) for value in range(0x80)]


def varint(value: int) -> bytes:
    """A number below 2^64 as the wire format writes it."""
    if value < 0x80:
        return _ONE_BYTE[value]
    return bytes([value & 0x7F | 0x80]) + varint(value >> 7)


def tag(field: int, *, delimited: bool) -> bytes:
    """What stands before a field's value."""
    return varint(field << 3 | (_BYTES if delimited else _VARINT))


def number(field: int, value: int) -> bytes:
    """A field that holds a number."""
    return varint(field << 3 | _VARINT) + varint(value)


def delimited(field: int, content: bytes) -> bytes:
    """A field that holds a message, a text or packed numbers."""
    return varint(field << 3 | _BYTES) + varint(len(content)) + content
