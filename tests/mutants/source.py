"""Cython source as tokens, cut into the regions that a mutant may change.

A region is one condition, one initial value or one simple statement within a function. Python's own
tokenizer reads Cython well enough: what differs is the grammar, which nobody asks about here.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

CONDITION, VALUE, STATEMENT = "condition", "value", "statement"

_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
_UNTOUCHED = ("else", "raise", "def", "try", "finally", "with", "from", "import", "pass")
_OPERAND_FOLLOWS = ("return", "and", "or", "not", "if", "else", "in", "elif", "while")


@dataclass(frozen=True)
class Token:
    """A word of the source: its text, and where it stands."""

    text: str
    start: int
    end: int
    is_number: bool
    is_name: bool

    @property
    def ends_operand(self) -> bool:
        """Whether an operator that follows stands between two operands."""
        if self.text in _OPERAND_FOLLOWS:
            return False
        return self.is_number or self.is_name or self.text in _CLOSE


@dataclass(frozen=True)
class Line:
    """A logical line: its tokens, how far it is indented, and which line of the file it is."""

    tokens: tuple[Token, ...]
    indent: int
    number: int

    @property
    def is_head(self) -> bool:
        """Whether it opens a block."""
        return self.tokens[-1].text == ":"


@dataclass(frozen=True)
class Region:
    """What one mutant changes a part of.

    `always_met`: a statement of the function itself, or the first of the block of a condition.
    """

    kind: str
    function: str
    line: Line
    tokens: tuple[Token, ...]
    always_met: bool

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end


def lines(text: str) -> Iterator[Line]:
    """The logical lines of a source, comments left out."""
    begins = [0, *(match.end() for match in re.finditer("\n", text))]
    words: list[Token] = []
    first = (0, 0)
    in_text = 0  # from Python 3.12 on, an f-string is many tokens
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        in_text += (name == "FSTRING_START") - (name == "FSTRING_END")
        if token.type == tokenize.NEWLINE:
            if words:
                yield Line(tuple(words), first[1], first[0])
            words = []
        elif token.type not in _SKIPPED and not in_text and token.string.strip():
            first = first if words else token.start
            start, end = (begins[row - 1] + column for row, column in (token.start, token.end))
            kinds = (token.type == tokenize.NUMBER, token.type == tokenize.NAME)
            words.append(Token(token.string, start, end, *kinds))


def regions(text: str) -> Iterator[Region]:
    """Every region of every function, in order."""
    function, body, after_head = "", 0, False
    for line in lines(text):
        if line.indent == 0:
            function, body = _function_of(line), 0
        elif function and not _is_text(line):
            body = body or line.indent
            for kind, tokens in _parts(line):
                yield Region(kind, function, line, tokens, after_head or line.indent == body)
        after_head = line.is_head


def _function_of(line: Line) -> str:
    """The name of the function that a line opens; empty if it opens none."""
    words = [token.text for token in line.tokens]
    if words[0] not in ("cdef", "def", "cpdef") or not line.is_head or "(" not in words:
        return ""
    return words[words.index("(") - 1]


def _is_text(line: Line) -> bool:
    return line.tokens[0].text.endswith(('"', "'"))


def _parts(line: Line) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """The parts of a line that may be changed, each with what it is."""
    word = line.tokens[0].text
    if word in ("if", "elif", "while"):
        yield CONDITION, line.tokens[1:-1]
    elif word == "for":
        for argument in _range_arguments(line.tokens):
            yield VALUE, argument
    elif word == "cdef":
        for value in _initial_values(line.tokens):
            yield VALUE, value
    elif word not in _UNTOUCHED and not line.is_head:
        yield STATEMENT, line.tokens


def _range_arguments(tokens: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """Where `for … in range(…)` begins and ends; the step is a constant to Cython, and left alone."""
    words = [token.text for token in tokens]
    if "range" not in words:
        return []
    return split(tokens[words.index("range") + 2 : -2], ",")[:2]


def _initial_values(tokens: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """The values of `cdef int a = 1, b = 2`."""
    values = []
    for part in split(tokens, ","):
        _, *value = split(part, "=")
        values += value[:1]
    return [value for value in values if value]


def split(tokens: tuple[Token, ...], separator: str) -> list[tuple[Token, ...]]:
    """The tokens between the separators that stand in no bracket."""
    at = [i for i, depth in enumerate(depths(tokens)) if depth == 0 and tokens[i].text == separator]
    return [tokens[a + 1 : b] for a, b in pairwise([-1, *at, len(tokens)])]


def depths(tokens: tuple[Token, ...]) -> list[int]:
    """In how many brackets each token stands; a bracket itself stands in those around it."""
    found, depth = [], 0
    for token in tokens:
        depth -= token.text in _CLOSE
        found.append(depth)
        depth += token.text in _OPEN
    return found


def casts(tokens: tuple[Token, ...]) -> set[int]:
    """The places of all that belongs to a `<type>` before a value."""
    found: set[int] = set()
    for i, token in enumerate(tokens):
        prefix = i == 0 or i - 1 in found or not tokens[i - 1].ends_operand
        if token.text == "<" and prefix and i not in found:
            close = next(k for k in range(i, len(tokens)) if tokens[k].text == ">")
            found.update(range(i, close + 1))
    return found
