"""A log judged from its deal to its end: status, violation, result, state and trace."""

from collections.abc import Mapping
from typing import Any

from . import checks
from .arrange import can_eat
from .checks import Violation
from .claims import differences
from .events import Event, read_event
from .moves import make
from .rules import digest
from .settle import payment_json, result_json, settle
from .state import state_json
from .table import Table, open_table


def start(log: Mapping[str, Any]) -> tuple[Table, Violation | None]:
    """The table after the deal, and what is wrong with the deal or the opening."""
    table = open_table(log)
    return table, checks.deal(log) or checks.opening(log, table.rules.opening)


def can_be_reopened(table: Table) -> bool:
    """contract.md: only if the next seat could in fact eat the card (4.2)."""
    if table.ending not in ("ROUNDS", "DRY") or table.thrown is None:
        return False
    seat = table.mover
    return can_eat(frozenset(seat.hand), seat.eaten_unlaid(), table.thrown.card)


def phase(table: Table) -> str:
    """A finished game that can be reopened waits for the take; any other is over."""
    if table.ending is not None and not can_be_reopened(table):
        return "PHASE_OVER"
    return "PHASE_ACT" if table.turn.taken else "PHASE_TAKE"


def replay(
    log: Mapping[str, Any], traced: bool = False
) -> tuple[Table, Violation | None, list[dict[str, Any]]]:
    """Play the log up to its first violation: the table before it, the violation, and the trace."""
    table, violation = start(log)
    trace: list[dict[str, Any]] = []
    if violation is not None:
        return table, violation, trace
    for index, message in enumerate(log.get("events") or []):
        event = read_event(index, message)
        violation = checks.check(table, event)
        if violation is not None:
            return table, violation, trace
        before = table.clone() if traced else table
        make(table, event)
        if traced:
            trace.append(_trace_of(before, table, event))
    return table, None, trace


def judge(log: Mapping[str, Any], detail: str = "RESULT") -> dict[str, Any]:
    """The verdict over a log that `faults` finds nothing in; detail is RESULT, STATE or TRACE."""
    table, violation, trace = replay(log, traced=detail == "TRACE")
    verdict: dict[str, Any] = {"status": "STATUS_IN_PROGRESS", "digest": digest(table.rules)}
    if violation is not None:
        verdict["status"] = "STATUS_ILLEGAL"
        verdict["violation"] = _violation_json(violation)
    else:
        verdict["result"] = result_json(table)
        if table.ending is not None:
            verdict["status"] = "STATUS_FINISHED"
            verdict["claimDifferences"] = differences(
                log.get("claimedResult") or {}, verdict["result"]
            )
            if verdict["claimDifferences"]:
                verdict["status"] = "STATUS_CLAIM_MISMATCH"
    verdict.setdefault("claimDifferences", [])
    if violation is not None or detail in ("STATE", "TRACE"):
        verdict["state"] = state_json(table, phase(table), can_be_reopened(table))
    if detail == "TRACE":
        _settle_last(table, trace, violation)
        verdict["trace"] = trace
    return verdict


def _violation_json(violation: Violation) -> dict[str, Any]:
    written: dict[str, Any] = {"code": violation.code, "rule": violation.rule}
    if violation.index is not None:
        written["eventIndex"] = violation.index
    if violation.seat is not None:
        written["seat"] = violation.seat
    return written


def _trace_of(before: Table, table: Table, event: Event) -> dict[str, Any]:
    """The trace of one event: everything as it stands after it."""
    now = phase(table)
    entry: dict[str, Any] = {
        "eventIndex": event.index,
        "seat": event.seat,
        "phase": now,
        "leaderSeat": table.leader,
        "rowShifted": False,
        "discardCounts": [seat.d for seat in table.seats],
        "stockLeft": table.stock_left,
        "target": table.target,
        "lastRoundTurn": now == "PHASE_ACT" and table.turn.in_last_round,
        "payments": [
            payment_json(table, payment)
            for payment in table.payments
            if payment.index == event.index and payment.stakes
        ],
    }
    if now != "PHASE_OVER":
        entry["turnSeat"] = table.turn.seat
    leader = before.leader
    if event.kind == "eat" and table.seats[leader].d < before.seats[leader].d:  # 3.3
        entry["rowShifted"] = True
        if before.seats[leader].laid_at is not None:
            entry["furtherTurnSeat"] = leader
        elif before.seats[leader].d == table.rules.rounds - 1:
            entry["sparedSeat"] = leader
    return entry


def _settle_last(table: Table, trace: list[dict[str, Any]], violation: Violation | None) -> None:
    """The payments that end a game stand with the event that ended it, the last of the log."""
    if violation is None and table.ending is not None and trace:
        closing = (payment for payment in settle(table).payments if payment.index is None)
        trace[-1]["payments"] += [payment_json(table, payment) for payment in closing]
