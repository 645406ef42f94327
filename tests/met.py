"""What a run of logs has met, by house: as counts, and as the table of docs/verification.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from oracle.checks import CODES
from oracle.rules import HOUSES

Json = dict[str, Any]
Met = Counter[tuple[str, str, str]]
"""How often: by a kind of thing, the thing, the house."""

UNKNOWN = "none"  # what is no log may name no house
HOUSE_NAMES = [name.removeprefix("HOUSE_").lower() for name in HOUSES]

# All there is to meet. What is under no kind, as a house, is counted and not asked for.
EVERYTHING: dict[str, tuple[str, ...]] = {
    "status": ("in progress", "finished", "illegal", "claim mismatch", "no log"),
    "ending": (
        "u plain",
        "u tron",
        "u khan",
        "by rounds",
        "dry stock",
        "alone",
        "could be reopened",
    ),
    "den": ("three eaten", "last round eater", "ate this turn"),
    "payment": ("eat", "chot", "place", "mom", "left", "u"),
    "code": tuple(sorted(CODES)),
}


def met_in(log: Json, verdict: Json | None) -> Iterator[tuple[str, str, str]]:
    """What this log, with the oracle's verdict (None: it is no log), has met."""
    house = str(log.get("ruleset", {}).get("house", "")).removeprefix("HOUSE_").lower()
    house = house if house in HOUSE_NAMES else UNKNOWN
    for kind, name in _things(verdict):
        yield kind, name, house


def _things(verdict: Json | None) -> Iterator[tuple[str, str]]:
    if verdict is None:
        yield "status", "no log"
        return
    yield "status", _plain(verdict["status"], "STATUS_")
    if "violation" in verdict:
        yield "code", verdict["violation"]["code"]
    result = verdict.get("result", {})
    for reason in sorted({payment["reason"] for payment in result.get("payments", ())}):
        yield "payment", _plain(reason)
    if verdict["status"] in ("STATUS_FINISHED", "STATUS_CLAIM_MISMATCH"):
        yield "ending", _ending(verdict)
        if verdict["state"]["canBeReopened"]:
            yield "ending", "could be reopened"
    if "denReason" in result.get("u", {}):
        yield "den", _plain(result["u"]["denReason"], "DEN_REASON_")


def _ending(verdict: Json) -> str:
    state, u = verdict["state"], verdict["result"].get("u")
    if u:
        return f"u {_plain(u['kind'], 'U_KIND_')}"
    still_in = [seat for seat in state["seats"] if not seat["left"]]
    if len(still_in) == 1:
        return "alone"
    reached = all(seat["discardCount"] >= state["target"] for seat in still_in)
    return "by rounds" if reached else "dry stock"


def _plain(name: str, prefix: str = "") -> str:
    return name.removeprefix(prefix).lower().replace("_", " ")


def seldom(met: Met, fewest: int) -> dict[str, int]:
    """What was met fewer times than that, of all there is to meet."""
    totals = {
        f"{kind} {name}": sum(met[kind, name, house] for house in (*HOUSE_NAMES, UNKNOWN))
        for kind, names in EVERYTHING.items()
        for name in names
    }
    return {name: times for name, times in totals.items() if times < fewest}


def as_table(met: Met) -> str:
    """A line for each thing, a column for each house, and all."""
    lines = ["| | " + " | ".join([*HOUSE_NAMES, "all"]) + " |", "|---" * 8 + "|"]
    for kind, names in EVERYTHING.items():
        lines.append(f"| **{kind}** |" + " |" * 7)
        for name in names:
            times = [met[kind, name, house] for house in HOUSE_NAMES]
            total = sum(times) + met[kind, name, UNKNOWN]
            shown = f"`{name}`" if kind == "code" else name
            lines.append(f"| {shown} | " + " | ".join(f"{n:,}" for n in [*times, total]) + " |")
    return "\n".join(lines)
