"""The oracle against the handed cases, and the mutator against the contract's list of codes.

python -m tests.oracle.selfcheck FOLDER_OF_CASES [--mutants 3000] [--seed 1]
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from . import arrange
from .cards import NUMBERS, card_name, points
from .checks import CODES
from .faults import faults
from .games import random_log
from .legal import canonical, is_legal, legal_at
from .mutate import mutate
from .overrides import HOUSE_NAMES, random_overrides
from .referee import judge, replay

Json = dict[str, Any]


def game_differences(case: Json) -> Iterator[str]:
    """In what the verdict over a handed game differs from what is expected (cases/README.md)."""
    expected = case["expected"]
    verdict = judge(case["log"])
    if faults(case["log"]):
        yield f"no log: {faults(case['log'])}"
    for field in ("status", "claimDifferences"):
        if verdict[field] != expected.get(field, []):
            yield f"{field}: {expected.get(field)} expected, {verdict[field]} computed"
    if _violation(expected) != _violation(verdict):
        yield f"violation: {expected.get('violation')} expected, {verdict.get('violation')} computed"
    if expected["status"] != "STATUS_ILLEGAL" and "result" in verdict:
        whole = expected["status"] != "STATUS_IN_PROGRESS"
        yield from _result_differences(expected["result"], verdict["result"], whole)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _violation(verdict: Json) -> Json:
    """A violation with the seat's default filled in."""
    found: Json = verdict.get("violation") or {}
    return {"seat": 0, **found} if found else {}


def _result_differences(expected: Json, computed: Json, whole: bool) -> Iterator[str]:
    """Only payments count while the game is in progress; their order never does."""
    for seat, own in zip(
        expected.get("seats", []) if whole else [], computed["seats"], strict=False
    ):
        shown = {field: own[field] for field in seat}
        if shown != seat:
            yield f"seat: {seat} expected, {shown} computed"
    u = {field: value for field, value in (computed.get("u") or {}).items() if field != "denReason"}
    if whole and (expected.get("u") or {}) != u:
        yield f"u: {expected.get('u')} expected, {u} computed"
    payments = [sorted(map(_as_text, r.get("payments", []))) for r in (expected, computed)]
    if payments[0] != payments[1]:
        yield f"payments: {payments[0]} expected, {payments[1]} computed"
    if whole and expected.get("rakeTotal", 0) != computed["rakeTotal"]:
        yield f"rake: {expected.get('rakeTotal')} expected, {computed['rakeTotal']} computed"


def _as_text(payment: Json) -> str:
    return json.dumps(payment, sort_keys=True)


def hand_differences(case: Json) -> Iterator[str]:
    """In what the analysis of a case of hands.jsonl differs from what is expected."""
    cards = frozenset(NUMBERS[name] for name in case["cards"])
    eaten = frozenset(NUMBERS[name] for name in case["eaten"])
    packing = arrange.best(cards, eaten) or ()
    left = arrange.loose(cards, packing)
    offered = case["offered"]
    computed = {
        "points": points(left),
        "phoms": [list(map(card_name, phom)) for phom in arrange.listed(packing)],
        "loose": list(map(card_name, sorted(left))),
        "uKind": arrange.u_kind(cards, eaten),
        "khan": arrange.khan(cards),
        "canEat": arrange.can_eat(cards, eaten, NUMBERS[offered]) if offered else None,
        "legalDiscards": list(map(card_name, arrange.legal_discards(cards, eaten))),
    }
    for field, value in computed.items():
        if case[field] != value:
            yield f"{field}: {case[field]} expected, {value} computed"


def check_cases(folder: Path) -> int:
    """Print the cases that disagree; the number of them."""
    disagreeing = 0
    for name, compare in (
        ("games.jsonl", game_differences),
        ("games-2.jsonl", game_differences),
        ("hands.jsonl", hand_differences),
    ):
        with (folder / name).open(encoding="utf-8") as lines:
            cases = [json.loads(line) for line in lines if line.strip()]
        for case in cases:
            differences = list(compare(case))
            for difference in differences:
                _say(f"{case['id']}: {difference}")
            disagreeing += bool(differences)
        _say(f"{name}: {len(cases)} cases read")
    _say(f"{disagreeing} cases disagree")
    return disagreeing


def check_laws(log: Json) -> Iterator[str]:
    """What has to hold for every random game: it is legal, so is each beginning of it, and it pays out to 0."""
    verdict = judge(log, "TRACE")
    if faults(log) or verdict["status"] not in ("STATUS_FINISHED", "STATUS_IN_PROGRESS"):
        yield f"not legal: {verdict.get('violation')} {verdict['claimDifferences']} {faults(log)}"
        return
    result = verdict["result"]
    if sum(seat["net"] for seat in result["seats"]) + result["rakeTotal"]:
        yield "nets and rake are not 0"
    for cut in range(0, len(log["events"]), 7):
        table, violation, _ = replay({**log, "events": log["events"][:cut]})
        following = log["events"][cut]
        if violation is not None:
            yield f"cut at {cut}: {violation}"
        elif following.get("leave") is None and following.get("timeOut") is None:
            legal, act = legal_at(table), canonical(following)
            if act not in legal or not all(
                is_legal(table, message) for message in legal if "draw" not in message
            ):
                yield f"cut at {cut}: {act} not among the legal actions"


def check_mutants(count: int, seed: int) -> int:
    """Print how often each status and code comes up in mutated logs; the number of what is wrong."""
    rng = Random(seed)
    counted: Counter[str] = Counter()
    wrong = 0
    log: Json = {}
    for number in range(count):
        if number % 3 == 0:
            log = random_log(rng, rng.choice(HOUSE_NAMES), random_overrides(rng))
            for difference in check_laws(log):
                wrong += 1
                _say(f"{log['gameId']}: {difference}: {json.dumps(log)}")
        mutant = mutate(log, rng)
        verdict = judge(mutant)
        counted[verdict["status"]] += 1
        if "violation" in verdict:
            counted[verdict["violation"]["code"]] += 1
    for name, times in sorted(counted.items()):
        _say(f"{times:6} {name}")
    missing = sorted(set(CODES) - set(counted))
    _say(f"codes not reached in {count} mutants: {', '.join(missing) or 'none'}")
    return wrong + len(missing)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "cases", type=Path, help="the folder that holds games.jsonl, games-2.jsonl and hands.jsonl"
    )
    parser.add_argument("--mutants", type=int, default=4500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    wrong = check_cases(given.cases) + check_mutants(given.mutants, given.seed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
