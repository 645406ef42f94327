"""What people type: brought to its plain form, and what they are told where it is not understood.

An error says what was expected, what was found, and which name is near it; who reads the line or
the file adds the place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 16 * 2**20
"""Characters of one log, or bytes of one line; the longest log has far fewer."""

_QUOTED = 100  # characters of what was found that an error repeats
_NEAR = 0.65  # how like a name a word is that was perhaps meant to be it, of 1
# What keyboards and chats put behind a sign, and nobody sees: which picture of it is meant.
_PICTURES = {"\ufe0e", "\ufe0f", "\u20e3"}


class NotationError(ValueError):
    """What cannot be read, with its line, or cannot be written, with its field.

    `line` counts from 1 and is None where there is no text. `field` is the path of the field that
    cannot be written, as `log.events[3].discard.card`; `log` as a whole is what cannot be read.
    """

    def __init__(self, message: str, *, line: int | None = None, field: str = "log") -> None:
        super().__init__(message)
        self.line = line
        self.field = field


class UnexpectedError(Exception):
    """The words of a line are not what they should be.

    `found` is what stands there, "" for the end of the line, None where that says nothing; `within`
    is the word that it is a part of, and `near` what was perhaps meant.
    """

    def __init__(
        self, expected: str, found: str | None = None, *, within: str = "", near: str | None = None
    ) -> None:
        text = expected
        if found is not None:
            text += f"; found `{quoted(found)}`" if found else "; found the end of the line"
        if within not in ("", found):
            text += f" in `{quoted(within)}`"
        if near is not None:
            text += f", did you mean `{near}`?"
        super().__init__(text)


def unreadable(
    line: str, expected: UnexpectedError, *, number: int | None = None, field: str = "log"
) -> NotationError:
    """The error of a line: its number, if it has one, the line, and what was expected."""
    place = "" if number is None else f"line {number}: "
    return NotationError(
        f"{place}`{quoted(line.strip())}`: expected {expected}", line=number, field=field
    )


def unwritable(field: str, why: str) -> NotationError:
    """The error of a field that the notation has no words for."""
    return NotationError(f"{field}: {why}", field=field)


def plain(text: str) -> str:
    """Text as it would be typed on a plain keyboard: full-width letters and signs made narrow,
    blanks of every kind the same, what nobody sees left out."""
    if text.isascii():
        return text
    seen = (c for c in text if c not in _PICTURES and unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", "".join(seen))


def printable(text: str) -> str:
    """A text as one line; what is not printable must not reach a terminal as it is."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "�" for c in text)


def quoted(text: str) -> str:
    """The beginning of a text, printable."""
    return printable(text[:_QUOTED])


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that a word was perhaps meant to be, whatever its case; None: no name is near."""
    folded = {name.casefold(): name for name in names}
    word = word[:_QUOTED].casefold()
    # A name as other notations have it, with what it belongs to before it.
    near = [name for name in folded if word.endswith(f"_{name}")]
    near = near or get_close_matches(word, folded, n=1, cutoff=_NEAR)
    return folded[near[0]] if near else None
