"""The command phom-referee, run within a test: what it is given, and what it answers."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToJson
from phom.v1.events_pb2 import GameLog
from phom_referee import notation

COMMAND = Path(sys.executable).with_name("phom-referee")
SAMPLE = Path(__file__).parent / "games" / "sample.phom"
# The sample as far as the discard that seat 0 eats.
SO_FAR = SAMPLE.read_text("utf-8").partition("0 eat")[0]

Run = Callable[..., tuple[int, str, str]]
"""The fixture `run`: arguments, and `stdin`; exit code, standard output, standard error."""


def objects(out: str) -> list[dict[str, Any]]:
    """What was printed as JSON, an object a line."""
    return [json.loads(line) for line in out.splitlines()]


def error(*fields: tuple[str, str]) -> dict[str, Any]:
    """The JSON of an error with these fields at fault."""
    listed = [{"field": path, "description": text} for path, text in fields]
    return {"error": {"code": "INVALID_ARGUMENT", "fields": listed}}


def with_id(game_id: str) -> GameLog:
    """The sample under another name."""
    (log,) = notation.parse(SAMPLE.read_text("utf-8"))
    log.game_id = game_id
    return log


def json_line(log: GameLog) -> str:
    """A log as a line of JSON lines, without its end."""
    return MessageToJson(log, indent=None)
