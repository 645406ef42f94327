"""What the command prints: text for people or JSON for programs, each with the exit code it means.

Errors go where the answer would stand, with the place of the log that is none; what keeps a whole
input or the command itself from being understood goes to standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from google.protobuf.json_format import MessageToDict, SerializeToJsonError
from phom.v1.events_pb2 import GameLog
from phom_core import NotALog

from phom_referee import notation, report
from phom_referee.inputs import Place
from phom_referee.typed import printable

OK, NOT_LEGAL, UNREADABLE = 0, 1, 2


def print_text(text: str) -> None:
    """Print a text at once: whoever asks line by line waits for the answer."""
    print(text, flush=True)


def print_json(value: dict[str, Any]) -> None:
    """Print a JSON object in a line of its own."""
    print_text(json.dumps(value, ensure_ascii=False))


def print_no_log(fault: NotALog, place: Place, *, as_json: bool, action: str = "") -> int:
    """Print what stands in the place of an answer; `action` is what was asked, if anything."""
    if not as_json:
        print_text(report.no_log_text(fault.fields, place, action))
        return UNREADABLE
    return print_error(
        [
            (path, text if report.is_of_action(path) else f"{text} ({place.of(path)})")
            for path, text in fault.fields
        ]
    )


def print_error(faults: Iterable[tuple[str, str]]) -> int:
    """Print the JSON of a request that is none: `(field path, description)` of each fault."""
    fields = [{"field": path, "description": text} for path, text in faults]
    print_json({"error": {"code": "INVALID_ARGUMENT", "fields": fields}})
    return UNREADABLE


def write_logs(found: Iterable[tuple[Place, GameLog | NotALog]], *, as_json: bool) -> int:
    """Write logs in a form that can be read again: JSON lines, or notation."""
    code = OK
    separator = ""
    for place, log in found:
        try:
            if isinstance(log, NotALog):
                raise log
            if as_json:
                print_json(_log_dict(log))
            else:
                print_text(separator + notation.write(log).removesuffix("\n"))
                separator = notation.SEPARATOR + "\n"
        except NotALog as fault:
            said = f"{place}: {fault}"
            code = print_no_log(fault, place, as_json=True) if as_json else complain(said)
        except notation.NotationError as error:
            code = complain(f"{place}: {error}")
    return code


def complain(error: Exception | str, command: str = "") -> int:
    """Tell on standard error what is wrong, with a whole input or how the command was called."""
    said = f"phom-referee {command}".rstrip() + f": {error}"
    print(printable(said), file=sys.stderr)
    return UNREADABLE


def _log_dict(log: GameLog) -> dict[str, Any]:
    try:
        return MessageToDict(log)
    except SerializeToJsonError as error:
        raise NotALog([("log", f"has no JSON: {error}")]) from None
