"""The faults that an author might make: each mutant changes one thing in one region of the source.

A comparison becomes its neighbour and its negation; a number or a limit one more and one less; a value of
an enum the next one; `and` and `or` each other, or without an operand; `not`, `-` and `~` go; the other
operators, `min` and `max`, True and False become another; a condition holds never or always; the values of
a conditional expression change places; a statement, or an early end of a function or loop, is left out.

Left alone: declarations, sizes of arrays, texts, the step of a range, the `[0]` that follows a pointer,
`while` made endless, a `return` whose condition is already made never to hold, and the negation of a whole
condition: a test that tells neither never nor always from it is not to be had.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mutants.source import CONDITION, STATEMENT, Region, Token, casts, depths, regions

_BETWEEN = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "and": ("or",),
    "or": ("and",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "//": ("*",),
    "%": ("*",),
    "&": ("|",),
    "|": ("&",),
    "^": ("|",),
    "<<": (">>",),
    ">>": ("<<",),
    "+=": ("-=",),
    "-=": ("+=",),
    "|=": ("&=",),
    "&=": ("|=",),
    "^=": ("|=",),
    "<<=": (">>=",),
    ">>=": ("<<=",),
}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_WORDS = {"True": ("False",), "False": ("True",), "min": ("max",), "max": ("min",)}
_DROPPED_BEFORE = ("not", "-", "~")
_ENDS = ("return", "break", "continue")

Change = tuple[int, int, str, str]
"""Offsets in the source, what stands there instead, and the change in words."""


@dataclass(frozen=True)
class Mutant:
    """One fault. Its name stays the same while the function and the statement stay the same."""

    name: str
    file: str
    region: Region
    start: int
    end: int
    replacement: str

    @property
    def line(self) -> int:
        """Where the statement begins in the file."""
        return self.region.line.number


def mutants(path: Path, known: Mapping[str, Constant]) -> Iterator[Mutant]:
    """Every mutant of a file; `known` is what `constants` found."""
    text = path.read_text(encoding="utf-8")
    met: Counter[str] = Counter()
    for region in regions(text):
        for start, end, replacement, words in _changes(region, known):
            name = f"{path.name} {region.function}: {_plain(region.line.tokens)} :: {words}"
            met[name] += 1
            nth = f" ({met[name]})" if met[name] > 1 else ""
            yield Mutant(name + nth, path.name, region, start, end, replacement)


def _plain(tokens: tuple[Token, ...]) -> str:
    """The text without comments and line breaks."""
    before = tokens[0].start
    words = []
    for token in tokens:
        words.append((" " if token.start > before else "") + token.text)
        before = token.end
    return "".join(words)


def _changes(region: Region, known: Mapping[str, Constant]) -> Iterator[Change]:
    tokens = region.tokens
    if region.kind == CONDITION:
        yield region.start, region.end, "False", "never"
        if region.line.tokens[0].text != "while":
            yield region.start, region.end, "True", "always"
    elif region.kind == STATEMENT and not (region.always_met and tokens[0].text in _ENDS):
        yield region.start, region.end, "pass", "left out"
    # Where nothing else is asked, a negation is what never and always are together.
    simple = not any(token.text in ("and", "or") for token in tokens)
    skipped = casts(tokens)
    for i, token in enumerate(tokens):
        between = i > 0 and (tokens[i - 1].ends_operand or i - 1 in skipped)
        if i in skipped:
            continue
        if token.text in _DROPPED_BEFORE and not between:
            yield token.start, tokens[i + 1].start, "", f"without {token.text}"
        if "".join(word.text for word in tokens[max(i - 1, 0) : i + 2]) == "[0]":
            continue
        for other in _instead_of(token, between=between, step=_is_step(tokens), known=known):
            if other != _NEGATED.get(token.text) or region.kind != CONDITION or not simple:
                yield token.start, token.end, other, f"{token.text} -> {other}"
    yield from _without_operand(tokens)
    yield from _other_way_round(tokens)


def _instead_of(
    token: Token, *, between: bool, step: bool, known: Mapping[str, Constant]
) -> tuple[str, ...]:
    """What a token may become."""
    text = token.text
    if token.is_number:
        value = int(text, 0)
        # A 0 mostly says that there is none, and a step of 0 is a statement left out.
        return (f"{value + 1}",) if value == 0 or step else (f"{value + 1}", f"{value - 1}")
    if text in _BETWEEN:
        return _BETWEEN[text] if between else ()
    return known[text].others if text in known else _WORDS.get(text, ())


def _is_step(tokens: tuple[Token, ...]) -> bool:
    """Whether this is `x += 1`."""
    return len(tokens) > 2 and tokens[-2].text in ("+=", "-=")


def _without_operand(tokens: tuple[Token, ...]) -> Iterator[Change]:
    """`a and b` without `and b`; the first of a chain also without `a and`."""
    depth = depths(tokens)
    for i, token in enumerate(tokens):
        if token.text not in ("and", "or"):
            continue
        left, right = _operand(tokens, depth, i, -1), _operand(tokens, depth, i, 1)
        dropped = _plain(tokens[i : right + 1])
        yield token.start, tokens[right].end, "", f"without {dropped}"
        if left == 0 or tokens[left - 1].text not in ("and", "or"):  # the first of its chain
            dropped = _plain(tokens[left : i + 1])
            yield tokens[left].start, tokens[i + 1].start, "", f"without {dropped}"


def _operand(tokens: tuple[Token, ...], depth: list[int], i: int, step: int) -> int:
    """The place of the last token, in that direction, of the operand beside the i-th."""
    ends = ("and", "or", "if", "else", ",", "=", "return")
    k = i + step
    while 0 <= k < len(tokens) and depth[k] >= depth[i]:
        if depth[k] == depth[i] and tokens[k].text in ends:
            break
        k += step
    return k - step


def _other_way_round(tokens: tuple[Token, ...]) -> Iterator[Change]:
    """`a if b else c` as `c if b else a`."""
    depth = depths(tokens)
    for i, token in enumerate(tokens):
        matching = (
            k for k in range(i, len(tokens)) if tokens[k].text == "else" and depth[k] == depth[i]
        )
        close = next(matching, None)
        if token.text == "if" and close is not None:
            condition = _plain(tokens[i + 1 : close])
            yield tokens[i + 1].start, tokens[close].start, f"not ({condition}) ", "other way round"


# ---- constants ----


@dataclass(frozen=True)
class Constant:
    """The module that has it, and what may stand for it."""

    module: str
    others: tuple[str, ...]


def constants(core: Path) -> dict[str, Constant]:
    """For each name of an enum: the next of it; of a limit, which stands alone: one more, one less."""
    found: dict[str, Constant] = {}
    for path in sorted(core.glob("*.p[xy][dx]")):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^cdef enum ?(\w*):\n((?:    .*\n|\n)+)", text, re.MULTILINE):
            names = re.findall(r"^    ([A-Z]\w*)", match[2], re.MULTILINE)
            names = [name for name in names if not name.endswith("_UNSPECIFIED")]
            for name, following in zip(names, [*names[1:], names[0]], strict=True):
                limits = (f"({name} + 1)", f"({name} - 1)")
                found[name] = Constant(path.stem, (following,) if match[1] else limits)
    return found
