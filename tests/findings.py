"""What breaks a law at a state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Broken(NamedTuple):
    """What is wrong, and the action or event that shows it, serialized (empty: the log alone does)."""

    what: str
    event: bytes = b""


Findings = Iterator[Broken]
