"""Where a JSON log is none: the path of every field at fault, as the core names them, with what was
expected, what was found, and the name that was perhaps meant.

protobuf's own reader stops at the first fault, and often without saying where it is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor as AnyFieldDescriptor
from google.protobuf.json_format import Parse, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1.cards_pb2 import Card
from phom.v1.events_pb2 import ClaimedResult, ClaimedSeat, Event, GameLog, Opening
from phom.v1.referee_pb2 import CheckActionRequest, ReplayManyRequest
from phom.v1.rules_pb2 import Ruleset
from phom.v1.verdict_pb2 import Verdict

from phom_referee.cards import nearest_card
from phom_referee.spelling import enum_prefix
from phom_referee.typed import nearest, quoted

if TYPE_CHECKING:
    from google._upb._message import EnumDescriptor as UpbEnumDescriptor
    from google._upb._message import FieldDescriptor as UpbFieldDescriptor
    from google.protobuf.descriptor import EnumDescriptor as AnyEnumDescriptor

    # Which of the two it is depends on how protobuf was built.
    EnumDescriptor = AnyEnumDescriptor | UpbEnumDescriptor
    FieldDescriptor = AnyFieldDescriptor | UpbFieldDescriptor

Fault = tuple[str, str]

_LISTED = 100  # faults of one log, as many as the core lists
_NAMED = 100  # characters of a name that is no field's
_EXPECTED = {
    AnyFieldDescriptor.TYPE_BOOL: "must be true or false",
    AnyFieldDescriptor.TYPE_UINT32: "must be a whole number, 0 to 4294967295",
    AnyFieldDescriptor.TYPE_INT64: "must be a whole number of at most 64 bits",
    AnyFieldDescriptor.TYPE_STRING: "must be a string",
    AnyFieldDescriptor.TYPE_MESSAGE: "must be a time as 2026-11-30T10:00:07Z",
}
# What a field that stands in the wrong place may be of: other parts of a log, and what is sent
# with one or answered to it.
_ELSEWHERE: tuple[type[Message], ...] = (
    *(GameLog, Ruleset, Opening, Event, ClaimedResult, ClaimedSeat),
    *(Verdict, CheckActionRequest, ReplayManyRequest),
)


class _Object(dict[str, Any]):
    """A JSON object that remembers which names it has twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        times = Counter(name for name, _ in pairs)
        self.twice = [name for name in self if times[name] > 1] if len(self) < len(pairs) else []


def json_faults(text: str) -> list[Fault]:
    """`(field path, description)` of what is wrong with a text that protobuf refused as a log.

    The text is JSON, or else a single line.
    """
    try:
        value = json.loads(text, object_pairs_hook=_Object)
    except json.JSONDecodeError as error:
        return [("log", f"is no JSON: {error.msg}: column {error.colno}")]
    except RecursionError:
        return [("log", "is no JSON: too deep")]
    except ValueError as error:
        return [("log", f"is no JSON: {error}")]
    faults = list(islice(_message_faults(value, GameLog, "log"), _LISTED))
    if faults:
        return faults
    twice = list(islice(_given_twice(value, GameLog, "log"), 1))
    why = f": {twice[0]} is there twice" if twice else ""
    return [("log", f"is no phom.v1.GameLog{why}")]


def _message_faults(value: Any, message: type[Message], path: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield path, f"must be a JSON object; found {_shown(value)}"
        return
    fields = _fields(message)
    for name, item in value.items():
        field = fields.get(name)
        if field is None:
            yield f"{path}.{name[:_NAMED]}", _no_field(name, message)
        elif item is not None:
            yield from _field_faults(item, field, message, f"{path}.{field.name}")
    for oneof in message.DESCRIPTOR.oneofs:
        members = {field.name for field in oneof.fields}
        given = [
            n
            for n, item in value.items()
            if item is not None and n in fields and fields[n].name in members
        ]
        if len({fields[name].name for name in given}) > 1:
            yield f"{path}.{oneof.name}", f"must be only one of {', '.join(given)}"


def _fields(message: type[Message]) -> dict[str, FieldDescriptor]:
    """The fields of a message by each of their two names."""
    fields = {field.json_name: field for field in message.DESCRIPTOR.fields}
    fields.update(message.DESCRIPTOR.fields_by_name)
    return fields


def _field_faults(
    value: Any, field: FieldDescriptor, message: type[Message], path: str
) -> Iterator[Fault]:
    if not field.is_repeated:
        yield from _value_faults(value, field, message, path)
    elif not isinstance(value, list):
        yield path, f"must be a list; found {_shown(value)}"
    else:
        for i, item in enumerate(value):
            yield from _value_faults(item, field, message, f"{path}[{i}]")


def _value_faults(
    value: Any, field: FieldDescriptor, message: type[Message], path: str
) -> Iterator[Fault]:
    inner = _inner(field)
    if inner is not None:
        yield from _message_faults(value, inner, path)
        return
    try:
        # Parse and not ParseDict, which lets other exceptions through.
        Parse(json.dumps({field.name: [value] if field.is_repeated else value}), message())
    except ParseError:
        if field.enum_type is not None:
            yield path, _no_value(value, field.enum_type)
        else:
            yield path, f"{_EXPECTED[field.type]}; found {_shown(value)}"


def _inner(field: FieldDescriptor) -> type[Message] | None:
    """The message that a field holds; a time is written as a string, and is none."""
    inner: Any = field.message_type
    if inner is None or inner.full_name == Timestamp.DESCRIPTOR.full_name:
        return None
    return GetMessageClass(inner)


def _given_twice(value: Any, message: type[Message], path: str) -> Iterator[str]:
    """The path of each field whose name an object has twice."""
    fields = _fields(message)
    yield from (f"{path}.{fields[name].name}" for name in value.twice)
    for name, item in value.items():
        inner = _inner(fields[name])
        if inner is None or item is None:
            continue
        inside = f"{path}.{fields[name].name}"
        for i, one in enumerate(item if isinstance(item, list) else [item]):
            yield from _given_twice(one, inner, inside + f"[{i}]" * isinstance(item, list))


# ---- texts ----


def _no_field(name: str, message: type[Message]) -> str:
    text = f"is no field of {message.DESCRIPTOR.full_name}"
    for other in _ELSEWHERE:
        if name in _fields(other):
            return f"{text}, but of {other.DESCRIPTOR.full_name}"
    near = nearest(name, _fields(message))
    return f"{text}, did you mean `{near}`?" if near else text


def _no_value(value: Any, enum: EnumDescriptor) -> str:
    """Of a value that is none of an enum, be it another name, or nothing that could be one."""
    prefix = enum_prefix(enum)
    names = [name.removeprefix(prefix) for name in enum.values_by_name]
    names.remove("UNSPECIFIED")
    expected = f"one of {', '.join(prefix + name for name in names)}"
    near = None
    if enum.full_name == Card.DESCRIPTOR.full_name:
        expected = f"a card, {prefix}{names[0]} to {prefix}{names[-1]}"
        near = nearest_card(value) if isinstance(value, str) else None
    elif isinstance(value, str):
        near = nearest(value.upper().removeprefix(prefix), names)
    hint = f", did you mean {prefix}{near}?" if near else ""
    return f"must be {expected}; found {_shown(value)}{hint}"


def _shown(value: Any) -> str:
    """A JSON value, as far as an error repeats it."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'"{quoted(value)}"'
    return quoted(json.dumps(value))
