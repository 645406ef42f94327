"""Where the command's logs come from: a file or standard input, in any form, told by its content.

- JSON lines, where the first line is a JSON object by itself: a log a line.
- JSON: an object over several lines, several such objects one after another, or an array of logs.
- The log notation: any other text.
- Binary: one serialized phom.v1.GameLog.

How each may be packed and encoded, streams.py says. Logs are read as they come: memory is that of
one log, and who writes a JSON line and waits for the answer gets it.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import IO, NamedTuple

from google.protobuf.json_format import Parse, ParseError
from google.protobuf.message import DecodeError
from phom.v1.events_pb2 import GameLog
from phom_core import NotALog

from phom_referee import notation
from phom_referee.json_faults import json_faults
from phom_referee.json_values import values
from phom_referee.streams import UnreadableError, lines, name_of, opened, rewound
from phom_referee.typed import LONGEST

_MARK = b"\xef\xbb\xbf"
# Every serialized log has some of these (tags, lengths, cards); text has none.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
# Every second byte of a text is one of these where it is UTF-16 of mostly plain letters.
_UTF_16 = re.compile(rb"(?:[\t\n\r -~]\x00){4}|(?:\x00[\t\n\r -~]){4}")
_NO_TEXT = "is no UTF-8 text; save the file as UTF-8"
_NO_FORM = "is neither text in UTF-8 nor a whole serialized phom.v1.GameLog"
_NO_MARK = "is UTF-16 without a byte order mark; save the file as UTF-8"

_Found = tuple[int | None, GameLog | NotALog, Mapping[str, int]]
"""What stands in the place of a log, between the line it begins in, if it has one, and the lines of
its fields, if each has one."""


class Place(NamedTuple):
    """Where a log stands: in which file, as which of its logs, from 1, and from which line on.

    `lines` has the lines of its fields, by their paths, where each has one.
    """

    file: str
    number: int
    line: int | None = None
    lines: Mapping[str, int] = MappingProxyType({})

    @property
    def name(self) -> str:
        return f"{self.file}, log {self.number}"

    def line_of(self, path: str) -> int | None:
        """The line of a field, or of what it is a part of; None: it has none of its own."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path)

    def of(self, path: str) -> Place:
        """Where a field of the log stands."""
        return self._replace(line=self.line_of(path) or self.line)

    def __str__(self) -> str:
        return self.name if self.line is None else f"{self.name}, line {self.line}"


def logs(name: str) -> Iterator[tuple[Place, GameLog | NotALog]]:
    """Read the logs of a file, or of standard input, one by one; there must be some.

    What stands in the place of a log and is none comes as NotALog, and ends nothing.
    """
    number = 0
    with opened(name) as stream:
        for number, (line, log, fields) in enumerate(_read(stream), 1):
            yield Place(name_of(name), number, line, fields), log
    if not number:
        raise UnreadableError(f"{name_of(name)}: there is no log in it")


def one_log(name: str) -> tuple[Place, GameLog | NotALog]:
    """Read the only log of a file."""
    read = logs(name)
    only = next(read)
    more = sum(1 for _ in read)
    if more:
        raise UnreadableError(f"{name_of(name)}: there are {more + 1} logs in it, expected one")
    return only


def _read(stream: IO[bytes]) -> Iterator[_Found]:
    head = _first_line(stream)
    if _is_object(head):
        return _read_json_lines(lines(rewound(head, stream)))
    head += stream.read(max(0, LONGEST - len(head)))
    if _CONTROL.search(head):
        binary = _read_binary(head, stream)
        if binary is not None:
            return iter([(None, binary, {})])
    if _is_json_lines(head):
        return _read_json_lines(lines(rewound(head, stream)))
    if head.lstrip().removeprefix(_MARK)[:1] in (b"{", b"[", b'"'):
        return _read_values(rewound(head, stream))
    return _read_notation(lines(rewound(head, stream)))


def _first_line(stream: IO[bytes]) -> bytes:
    """The first line that is not blank, blank ones before it included; at most LONGEST bytes."""
    head = bytearray()
    while len(head) < LONGEST and (line := stream.readline(LONGEST - len(head))):
        head += line
        if not line.isspace():
            break
    return bytes(head)


# ---- JSON ----


def _is_object(line: bytes) -> bool:
    """Whether a line is a JSON object by itself."""
    return line.lstrip().removeprefix(_MARK).startswith(b"{") and isinstance(_value(line), dict)


def _value(line: bytes) -> object:
    """The JSON value that a line is by itself; None if it is none."""
    try:
        return json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _is_json_lines(text: bytes) -> bool:
    """Whether a text is a log a line, though perhaps its first is none."""
    found = [line for line in lines(io.BytesIO(text)) if line and not line.isspace()]
    if not found or _begins_with_object(text, lines_of_it=len(found)):
        return False
    if _is_array(found[0]):
        # By itself it is an array of logs, unless it stands before logs a line.
        return isinstance(_value(found[0]), list) and any(map(_is_object, found))
    # Where each line begins a value of its own, several faults are as many logs.
    return any(map(_is_object, found)) or all(line.lstrip()[:1] in (b"{", b"[") for line in found)


def _is_array(line: bytes) -> bool:
    return line.lstrip().removeprefix(_MARK).startswith(b"[")


def _begins_with_object(text: bytes, *, lines_of_it: int) -> bool:
    """Whether a text begins with a whole JSON object that is no line of several."""
    first = next(values(_as_text(io.BytesIO(text))), None)
    if first is None or not first.text.startswith("{"):
        return False
    return lines_of_it == 1 or "\n" in first.text


def _read_json_lines(found: Iterable[bytes]) -> Iterator[_Found]:
    for number, line in enumerate(found, 1):
        if line and not line.isspace():
            yield number, _read_json_line(line), {}


def _read_json_line(line: bytes) -> GameLog | NotALog:
    if len(line) > LONGEST:
        return _no_log(f"is longer than {LONGEST:,} bytes in one line")
    try:
        return _read_json(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _no_log(_NO_TEXT)


def _read_values(stream: IO[bytes]) -> Iterator[_Found]:
    for value in values(_as_text(stream)):
        log = _no_log(value.fault) if value.fault else _read_json(value.text)
        yield value.line, log, {}


def _as_text(stream: IO[bytes]) -> IO[str]:
    """Text with one kind of line end; bytes that are none become surrogates."""
    return io.TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape")


def _read_json(text: str) -> GameLog | NotALog:
    try:
        text.encode()
    except UnicodeEncodeError:
        return _no_log(_NO_TEXT)
    # protobuf takes an empty list or string for an empty message.
    if text.lstrip().startswith("{"):
        with suppress(ParseError):
            return Parse(text, GameLog())
    return NotALog(json_faults(text))


# ---- other forms ----


def _read_binary(data: bytes, stream: IO[bytes]) -> GameLog | NotALog | None:
    """The only log of bytes that are no text; None: they may be text after all."""
    with suppress(DecodeError):
        log = GameLog.FromString(data)
        if log.ListFields():
            return log if not stream.read(1) else _no_log(_NO_FORM)
    if _UTF_16.match(data):
        return _no_log(_NO_MARK)
    try:
        # It may end within a character, where the text goes on.
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return None if _is_json_lines(data) else _no_log(_NO_FORM)
    return None


def _read_notation(found: Iterable[bytes]) -> Iterator[_Found]:
    # What is no UTF-8 becomes surrogates, which nothing but a comment may have.
    texts = (line.decode(errors="surrogateescape") for line in found)
    for line, log, fields in notation.read_lines(texts):
        if isinstance(log, notation.NotationError):
            bad = log.line or line
            yield line, NotALog([(log.field, str(log).removeprefix(f"line {bad}: "))]), {"log": bad}
        else:
            yield line, log, fields


def _no_log(fault: str) -> NotALog:
    return NotALog([("log", fault)])
