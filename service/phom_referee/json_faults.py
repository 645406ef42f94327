"""Where a JSON log is none: the path of every field at fault, as the core names them.

protobuf's own reader stops at the first fault, and often without saying where it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor as AnyFieldDescriptor
from google.protobuf.json_format import Parse, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from phom.v1.events_pb2 import GameLog

if TYPE_CHECKING:
    from google._upb._message import FieldDescriptor as UpbFieldDescriptor

    # Which of the two it is depends on how protobuf was built.
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


def json_faults(text: str) -> list[Fault]:
    """`(field path, description)` of what is wrong with a text that protobuf refused as a log."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return [("log", f"is no JSON: {error}")]
    faults = list(islice(_message_faults(value, GameLog, "log"), _LISTED))
    return faults or [("log", "is no phom.v1.GameLog: a name stands twice in one object")]


def _message_faults(value: Any, message: type[Message], path: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield path, "must be a JSON object"
        return
    fields = {field.json_name: field for field in message.DESCRIPTOR.fields}
    fields.update(message.DESCRIPTOR.fields_by_name)
    for name, item in value.items():
        field = fields.get(name)
        if field is None:
            yield f"{path}.{name[:_NAMED]}", f"is no field of {message.DESCRIPTOR.full_name}"
        elif item is not None:
            yield from _field_faults(item, field, message, f"{path}.{field.name}")
    for oneof in message.DESCRIPTOR.oneofs:
        members = {field.name for field in oneof.fields}
        given = [
            n
            for n, item in value.items()
            if item is not None and n in fields and fields[n].name in members
        ]
        if len(given) > 1:
            yield f"{path}.{oneof.name}", f"must be only one of {', '.join(given)}"


def _field_faults(
    value: Any, field: FieldDescriptor, message: type[Message], path: str
) -> Iterator[Fault]:
    if not field.is_repeated:
        yield from _value_faults(value, field, message, path)
    elif not isinstance(value, list):
        yield path, "must be a list"
    else:
        for i, item in enumerate(value):
            yield from _value_faults(item, field, message, f"{path}[{i}]")


def _value_faults(
    value: Any, field: FieldDescriptor, message: type[Message], path: str
) -> Iterator[Fault]:
    inner: Any = field.message_type
    if inner is not None and inner.full_name != Timestamp.DESCRIPTOR.full_name:
        yield from _message_faults(value, GetMessageClass(inner), path)
        return
    try:
        # Parse and not ParseDict, which lets other exceptions through.
        Parse(json.dumps({field.name: [value] if field.is_repeated else value}), message())
    except ParseError:
        if field.enum_type is not None:
            yield path, f"must be a value of {field.enum_type.full_name}"
        else:
            yield path, _EXPECTED[field.type]
