"""Logs: one line an event, on standard error, JSON for machines and colours for a terminal."""

from __future__ import annotations

import contextlib
import json
import sys

import structlog
from structlog.typing import FilteringBoundLogger

# One encoder for all lines: json.dumps would make one for each.
_encode = json.JSONEncoder(default=repr, ensure_ascii=False).encode


def _to_json(line: object, **_: object) -> str:
    return _encode(line)


class _StandardError:
    """Where nobody reads the log any more a line is lost, and nothing else."""

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()


def logger(name: str) -> FilteringBoundLogger:
    """A logger of its own, so that nothing depends on how an embedding program configures structlog."""
    if sys.stderr.isatty():
        renderer: structlog.typing.Processor = structlog.dev.ConsoleRenderer()
    else:
        renderer = structlog.processors.JSONRenderer(serializer=_to_json)
    bound: FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(_StandardError()),  # type: ignore[arg-type]
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
    )
    return bound.bind(logger=name)
