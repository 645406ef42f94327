"""Where the command's logs come from: a file or standard input, in any form, told by its content.

- JSON lines, where the first line is a JSON object by itself: a log a line.
- JSON: an object over several lines, or several such objects one after another.
- The log notation: any other text.
- Binary: one serialized phom.v1.GameLog.

JSON lines are read as they come, and any text line by line: memory is that of one log, and who
writes a line and waits for the answer gets it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import chain
from pathlib import Path
from typing import IO

from google.protobuf.json_format import Parse, ParseError
from google.protobuf.message import DecodeError
from phom.v1.events_pb2 import GameLog
from phom_core import NotALog

from phom_referee import notation
from phom_referee.json_faults import json_faults

STANDARD_INPUT = "-"

# How much is looked at to tell what it is: far more than the longest log has.
_LIMIT = 16 * 2**20
_BOM = b"\xef\xbb\xbf"
# Every serialized log has some of these (tags, lengths, cards); text has none.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_BLANK = re.compile(r"[ \t\r\n]*")


class UnreadableError(Exception):
    """An input that cannot be opened or read, or holds another number of logs than it should."""


def logs(name: str) -> Iterator[GameLog | NotALog]:
    """Read the logs of a file, or of standard input, one by one; there must be some.

    What stands in the place of a log and is none comes as NotALog, and ends nothing.
    """
    empty = True
    try:
        with _opened(name) as stream:
            for log in _read(stream):
                empty = False
                yield log
    except OSError as error:
        raise UnreadableError(f"{name}: {error.strerror or error}") from None
    if empty:
        raise UnreadableError(f"{name}: there is no log in it")


def one_log(name: str) -> GameLog:
    """Read the only log of a file; NotALog is raised if it is none."""
    found = list(logs(name))
    if len(found) != 1:
        raise UnreadableError(f"{name}: there are {len(found)} logs in it, expected one")
    (log,) = found
    if isinstance(log, NotALog):
        raise log
    return log


def _opened(name: str) -> AbstractContextManager[IO[bytes]]:
    return nullcontext(sys.stdin.buffer) if name == STANDARD_INPUT else Path(name).open("rb")


def _read(stream: IO[bytes]) -> Iterator[GameLog | NotALog]:
    head = _first_line(stream)
    if _is_object(head):
        return _read_json_lines(chain([head], stream))
    head += stream.read(_LIMIT)
    lines = _lines(head, stream)
    binary = _read_binary(head) if _CONTROL.search(head) else None
    if binary is not None:
        return iter([binary])
    opening = head.lstrip()[:1]
    by_line = any(_is_object(line) for line in head.split(b"\n"))
    if opening not in (b"{", b"[") and not by_line:
        return _read_notation(lines)
    documents = _documents(head)
    if documents is None and (by_line or _all_open(head)):
        return _read_json_lines(lines)
    return _read_documents(documents or [head], stream)


def _first_line(stream: IO[bytes]) -> bytes:
    """The first line that is not blank, blank ones before it included."""
    head = stream.readline().removeprefix(_BOM)
    while head.isspace() and (line := stream.readline()):
        head += line
    return head


def _lines(head: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    *whole, cut = head.split(b"\n")
    yield from whole
    yield cut + stream.readline()
    yield from stream


# ---- JSON ----


def _is_object(line: bytes) -> bool:
    """Whether a line is a JSON object by itself."""
    try:
        return line.lstrip().startswith(b"{") and isinstance(json.loads(line.decode()), dict)
    except (ValueError, RecursionError):
        return False


def _all_open(text: bytes) -> bool:
    """Whether each line begins a value of its own, so that several faults are as many logs."""
    lines = [line.lstrip() for line in text.split(b"\n")]
    return all(line[:1] in (b"{", b"[") for line in lines if line)


def _read_json_lines(lines: Iterable[bytes]) -> Iterator[GameLog | NotALog]:
    for line in lines:
        if line and not line.isspace():
            yield _read_json(line)


def _read_json(value: bytes | str) -> GameLog | NotALog:
    try:
        text = value if isinstance(value, str) else value.decode()
    except UnicodeDecodeError:
        return NotALog([("log", "is no UTF-8 text")])
    # protobuf takes an empty list or string for an empty message.
    if text.lstrip().startswith("{"):
        with suppress(ParseError):
            return Parse(text, GameLog())
    return NotALog(json_faults(text))


def _documents(head: bytes) -> Iterator[str] | None:
    """The JSON values of a text whose first is an object over several lines; else None."""
    try:
        text = head.decode()
        values = _values(text)
        first = next(values)
    except (ValueError, RecursionError, StopIteration):
        return None
    return chain([first], values) if first.startswith("{") and "\n" in first else None


def _values(text: str) -> Iterator[str]:
    """Each JSON value of a text; what is none comes as one last piece, unless it is the first."""
    decoder = json.JSONDecoder()
    start = at = _skip_blank(text, 0)
    while at < len(text):
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if at == start:
                raise
            end = len(text)
        yield text[at:end]
        at = _skip_blank(text, end)


def _skip_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return at if blank is None else blank.end()


def _read_documents(
    documents: Iterable[bytes | str], stream: IO[bytes]
) -> Iterator[GameLog | NotALog]:
    for document in documents:
        yield _read_json(document)
    if stream.read(1):
        yield NotALog([("log", "is too long a text; many logs are JSON lines, a log a line")])


# ---- other forms ----


def _read_binary(data: bytes) -> GameLog | None:
    try:
        return GameLog.FromString(data)
    except DecodeError:
        return None


def _read_notation(lines: Iterable[bytes]) -> Iterator[GameLog | NotALog]:
    try:
        for log in notation.read(line.removesuffix(b"\n").decode() for line in lines):
            if isinstance(log, notation.NotationError):
                yield NotALog([(log.field, str(log))])
            else:
                yield log
    except UnicodeDecodeError:
        yield NotALog([("log", "is neither UTF-8 text nor a serialized phom.v1.GameLog")])
