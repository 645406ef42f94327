"""The text of the rules, by section: what a verdict's `rule` number stands for."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from textwrap import dedent

# A numbered paragraph and the indented lines that belong to it.
_SECTION = re.compile(r"^([0-9]+\.[0-9]+) (.*(?:\n +.*)*)", re.MULTILINE)


def text(section: str) -> str:
    """The paragraph of a section, as "4.2", without its number; KeyError if there is none."""
    return _sections()[section]


@cache
def _sections() -> dict[str, str]:
    rules = resources.files(__package__).joinpath("rules.md").read_text(encoding="utf-8")
    return {number: dedent("    " + body) for number, body in _SECTION.findall(rules)}
