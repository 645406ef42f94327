"""What breaks a law at a state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from phom.v1 import events_pb2
from phom_referee import notation


class Broken(NamedTuple):
    """What is wrong, and the action or event that shows it, serialized (empty: the log alone does)."""

    what: str
    event: bytes = b""


Findings = Iterator[Broken]


def as_game_file(law: int | str, log: events_pb2.GameLog, broken: Broken) -> str:
    """A log that breaks a law, in notation, so that it can become a game of tests/games."""
    said = f"# law {law}: {' '.join(broken.what.split())}\n"
    if not broken.event:
        return said + notation.write(log)
    event = events_pb2.Event.FromString(broken.event)
    if event.HasField("draw") and not event.draw.card:
        return said + notation.write(log) + f"# {event.seat} draw\n"
    return said + notation.write(log) + notation.write_action(event) + "\n"
