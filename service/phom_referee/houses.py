"""The houses: their rulesets, read from the text file that stands beside this module."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.metadata import version

from google.protobuf import text_format
from phom.v1 import referee_pb2
from phom_core import Referee

VERSION = version("phom-referee")


@cache
def presets() -> referee_pb2.ListRulesetsResponse:
    """Every house with all fields of rules.md section 8 filled in, digests included."""
    text = resources.files(__package__).joinpath("houses.txtpb").read_text(encoding="utf-8")
    houses = text_format.Parse(text, referee_pb2.ListRulesetsResponse())
    for named in houses.rulesets:
        named.digest = _made(houses).digest(named.ruleset.house)
    return houses


@cache
def referee() -> Referee:
    """The referee that knows every house."""
    return _made(presets())


def _made(houses: referee_pb2.ListRulesetsResponse) -> Referee:
    return Referee([named.ruleset.SerializeToString() for named in houses.rulesets], VERSION)
