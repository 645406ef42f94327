"""The methods of phom.v1.RefereeService, as functions of bytes.

Requests and responses are not touched here: the core reads and writes the wire format itself, since
walking Python messages costs more than judging the game.
"""

from __future__ import annotations

from collections.abc import Callable

from phom.v1 import referee_pb2
from phom_core import analyze_hand

from phom_referee.houses import presets, referee

SERVICE = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].full_name

Core = Callable[[bytes], bytes]
"""Request bytes in, response bytes out; raises phom_core.NotALog for what cannot be judged."""


def unary_methods() -> dict[str, Core]:
    """What answers each unary method."""
    judge = referee()
    rulesets = presets().SerializeToString()
    return {
        "Replay": judge.replay,
        "CheckAction": judge.check_action,
        "ListLegalActions": judge.list_legal_actions,
        "AnalyzeHand": analyze_hand,
        "ListRulesets": lambda _: rulesets,
    }


def stream_methods() -> dict[str, Core]:
    """What answers each message of a bidirectional stream, one by one."""
    return {"ReplayMany": referee().replay_many}
