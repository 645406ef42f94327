"""The bytes of an input, as all that reads them may take them: unpacked, text in UTF-8, in lines.

A file may be packed by gzip, and its text be UTF-8, or UTF-16 or UTF-32 with a byte order mark.
Everything comes through as it is read, and who writes a line and waits for the answer gets it.
What is too much for one piece (LONGEST) is cut, so that memory is bounded whatever a file unpacks to.
"""

from __future__ import annotations

import codecs
import io
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import IO, cast

from phom_referee.typed import LONGEST

STANDARD_INPUT = "-"

_GZIP = b"\x1f\x8b"
_UTF_8 = codecs.BOM_UTF8
# The mark of UTF-16 is the beginning of that of UTF-32, which therefore comes first.
_ENCODINGS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_ARCHIVES = {
    b"PK\x03\x04": "a ZIP archive (as .zip, .xlsx and .docx are)",
    b"\xfd7zX": "packed by xz",
    b"BZh9": "packed by bzip2",
    b"(\xb5/\xfd": "packed by zstd",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"%PDF": "a PDF",
}
_CHUNK = 1 << 16
# Of what is packed so much at once that it unpacks, to at most 1,032 times as much, to less than is
# asked for. Of more, the gzip module would keep a rest, and wait for other bytes before it gives it.
_PACKED, _UNPACKED = 1000, 1 << 20
_LINE_END = re.compile(rb"\r\n?|\n")
# In the place of bytes that are no text: no decoder makes it, and UTF-8 has none, so that whoever
# reads the line finds it at fault.
_NO_TEXT = "phom_referee.no_text"
codecs.register_error(_NO_TEXT, lambda error: ("\udcff", cast(UnicodeDecodeError, error).end))


class UnreadableError(Exception):
    """An input that cannot be opened or read, or holds another number of logs than it should."""


def name_of(name: str) -> str:
    """What people are told an input is called."""
    return "standard input" if name == STANDARD_INPUT else name


@contextmanager
def opened(name: str) -> Iterator[io.BufferedReader]:
    """Open a file, or standard input; UnreadableError, also later on, where it cannot be read."""
    called = name_of(name)
    try:
        with _opened(name) as stream:
            yield _unpacked(stream, called)
    except EOFError:
        raise UnreadableError(f"{called}: is cut: its gzip has no end") from None
    except (BadGzipFile, zlib.error):
        raise UnreadableError(f"{called}: is damaged: its gzip cannot be read") from None
    except OSError as error:
        raise UnreadableError(f"{called}: {error.strerror or error}") from None


def rewound(head: bytes, stream: IO[bytes]) -> io.BufferedReader:
    """A stream once more from its beginning, which was read and is `head`."""
    return io.BufferedReader(_Source(stream, head))


def lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Each line without its end, be it of Unix, Windows or an old Mac.

    Of one that is longer than LONGEST a byte more than that comes, and no more.
    """
    while line := stream.readline(LONGEST + 1):
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(LONGEST + 1)):
            pass
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        yield from _LINE_END.split(line) if len(line) <= LONGEST else [line]


class _Source(io.RawIOBase):
    """A stream whose beginning can be looked at; it gives what is there and waits for no more.

    `asked` is how many bytes it asks the stream for, and `most` how many it gives, at once.
    """

    def __init__(
        self, stream: IO[bytes], head: bytes = b"", *, asked: int = _CHUNK, most: int = _CHUNK
    ) -> None:
        self._stream = cast(io.BufferedReader, stream)
        self._ready = io.BytesIO(head)
        self._asked = asked
        self._most = most

    def begins(self, size: int) -> bytes:
        """The first bytes, fewer only where there are no more; nothing may have been read yet."""
        head = self._ready.read()
        while len(head) < size and (more := self._stream.read1(self._asked)):
            head += more
        self._ready = io.BytesIO(head)
        return head[:size]

    def skip(self, size: int) -> None:
        """Go past what `begins` has shown."""
        self._ready.seek(size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        size = min(len(buffer), self._most)
        piece = self._ready.read(size)
        if not piece:
            self._ready = io.BytesIO(self._stream.read1(self._asked))
            piece = self._ready.read(size)
        buffer[: len(piece)] = piece
        return len(piece)


class _Recoded(io.RawIOBase):
    """Text in another encoding as UTF-8, bit by bit."""

    def __init__(self, source: _Source, encoding: str) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder(encoding)(errors=_NO_TEXT)
        self._ready = io.BytesIO()
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._ready.read(len(buffer))
        while not piece and not self._ended:
            chunk = self._source.read(_CHUNK) or b""
            self._ended = not chunk
            text = self._decoder.decode(chunk, self._ended)
            self._ready = io.BytesIO(text.encode("utf-8", "surrogatepass"))
            piece = self._ready.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _opened(name: str) -> nullcontext[IO[bytes]] | IO[bytes]:
    return nullcontext(sys.stdin.buffer) if name == STANDARD_INPUT else Path(name).open("rb")


def _unpacked(stream: IO[bytes], called: str) -> io.BufferedReader:
    source = _Source(stream)
    if source.begins(2) == _GZIP:
        packed = _Source(cast(IO[bytes], io.BufferedReader(source)), most=_PACKED)
        unpacked = GzipFile(fileobj=cast(IO[bytes], packed))
        source = _Source(cast(IO[bytes], unpacked), asked=_UNPACKED)
        if source.begins(2) == _GZIP:
            raise UnreadableError(f"{called}: is gzip within gzip, expected only one")
    head = source.begins(4)
    if head in _ARCHIVES:
        raise UnreadableError(
            f"{called}: is {_ARCHIVES[head]}, expected logs as text or binary; only gzip is unpacked"
        )
    if head.startswith(_UTF_8):
        source.skip(len(_UTF_8))
    for mark, encoding in _ENCODINGS.items():
        if head.startswith(mark):
            source.skip(len(mark))
            return io.BufferedReader(_Recoded(source, encoding))
    return io.BufferedReader(source)
