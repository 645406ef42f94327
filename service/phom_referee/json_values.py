"""The JSON values of a text that holds more than one a line: one after another, or in an array.

The text is read as far as the value at hand needs it, so that memory is that of one value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, NamedTuple

from phom_referee.typed import LONGEST, quoted

_CHUNK = 1 << 16
# Where files were put one after another, each brings its own byte order mark.
_BLANK = re.compile("[ \t\r\n\ufeff]*")
_DECODER = json.JSONDecoder()


class Value(NamedTuple):
    """A value with the line that it begins in; what is none has a fault, and ends the text."""

    line: int
    text: str
    fault: str = ""


def values(stream: IO[str]) -> Iterator[Value]:
    """Each value of a text; of an array that is not within another value each element."""
    text = _Text(stream)
    try:
        while text.next() != "":
            if text.next() == "[":
                yield from _elements(text)
            else:
                yield text.value()
    except _NoJSONError as error:
        yield Value(text.line(), "", str(error))


class _NoJSONError(Exception):
    """What comes next is no JSON value; says why."""


def _elements(text: _Text) -> Iterator[Value]:
    text.skip()
    if text.next() == "]":
        text.skip()
        return
    while True:
        yield text.value()
        sign = text.next()
        if sign not in (",", "]"):
            found = f"`{quoted(sign)}`" if sign else "the end of the text"
            raise _NoJSONError(
                f"is no JSON: expected `,` or `]` after an element of an array, found {found}:"
                f" {text.place()}"
            )
        text.skip()
        if sign == "]":
            return


class _Text:
    """A text of which only what is looked at is kept."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._text = ""
        self._at = 0
        # Of what is not kept: its lines, and the length of its last, unfinished one.
        self._lines = 0
        self._column = 0

    def next(self) -> str:
        """The next character that is not blank, "" at the end; it stays."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def skip(self) -> None:
        """Go past the next character."""
        self._at += 1

    def value(self) -> Value:
        """The next value; _NoJSONError if there is none."""
        self.next()
        line = self.line()
        while True:
            try:
                _, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise _NoJSONError("is no JSON: too deep") from None
            except ValueError as error:
                if not isinstance(error, json.JSONDecodeError):
                    raise _NoJSONError(f"is no JSON: {error}") from None
                if len(self._text) - self._at > LONGEST:
                    raise _NoJSONError(f"is longer than {LONGEST:,} characters") from None
                where = self.place(error.pos)
                if not self._more():
                    raise _NoJSONError(f"is no JSON: {error.msg}: {where}") from None
            else:
                text = self._text[self._at : end]
                self._at = end
                return Value(line, text)

    def line(self) -> int:
        """The number of the line that is read."""
        return self._lines + self._text.count("\n", 0, self._at) + 1

    def place(self, at: int | None = None) -> str:
        """Where a character of what is kept stands."""
        before = self._text[: self._at if at is None else at]
        column = len(before) - before.rfind("\n") - 1
        if "\n" not in before:
            column += self._column
        return f"line {self._lines + before.count(chr(10)) + 1} column {column + 1}"

    def _more(self) -> bool:
        """Read on, as much again as there is; False at the end."""
        passed = self._text[: self._at]
        self._lines += passed.count("\n")
        start = passed.rfind("\n") + 1
        self._column = len(passed) - start + (0 if start else self._column)
        more = self._stream.read(max(_CHUNK, len(self._text) - self._at))
        self._text = self._text[self._at :] + more
        self._at = 0
        return more != ""
