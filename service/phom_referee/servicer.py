"""The methods of phom.v1.RefereeService, as functions of bytes.

Requests and responses are not touched here: the core reads and writes the wire format itself, since
walking Python messages costs more than judging the game.
"""

from __future__ import annotations

from collections.abc import Callable

from phom.v1 import referee_pb2
from phom_core import Counts, analyze_hand

from phom_referee.houses import presets, referee

SERVICE = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].full_name

Core = Callable[[bytes, Counts], bytes]
"""Request bytes in, response bytes out; adds what was judged to the counts, and raises
phom_core.NotALog for what cannot be."""


def unary_methods() -> dict[str, Core]:
    """What answers each unary method."""
    judge = referee()
    rulesets = presets().SerializeToString()
    return {
        "Replay": judge.replay,
        "CheckAction": lambda request, _: judge.check_action(request),
        "ListLegalActions": lambda request, _: judge.list_legal_actions(request),
        "AnalyzeHand": lambda request, _: analyze_hand(request),
        "ListRulesets": lambda _, __: rulesets,
    }


def stream_methods(max_logs: int) -> dict[str, Core]:
    """What answers each message of a bidirectional stream, one by one."""
    judge = referee()
    return {"ReplayMany": lambda request, counts: judge.replay_many(request, counts, max_logs)}
