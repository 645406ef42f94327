"""Laws A to E, as functions that yield what breaks them of a whole log; nothing, if they hold.

Each tells what a change of the log does to the verdict, legal or not:

A. All seats turned by k: the verdict is turned by k.
B. Suits permuted: the state's cards are permuted, and nothing else changes.
C. base_stake multiplied: every amount and, before the rake, every net is multiplied; the rake is rounded.
D. A right claim added: nothing changes but what a wrong one said; a claim never changes more than that.
E. Left out what the contract lets be left out: nothing changes.

How two verdicts are made alike is in likeness.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from findings import Broken, Findings
from google.protobuf import json_format
from laws_of_logs import permuted
from likeness import (
    changed,
    copied,
    multiplied,
    permuted_verdict,
    seats_told_apart,
    turned_verdict,
    without_arrangements,
    without_order,
    without_places,
    without_price_of_u,
    without_rake,
)
from oracle.rules import Rules, effective
from phom.v1 import events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom_referee.houses import presets
from positions import Core
from rawbytes import delimited, number

Log = events_pb2.GameLog
Verdict = verdict_pb2.Verdict

MOST_STAKE = 10**9
WHOLE = 10_000  # of rake_bps

_LOG = referee_pb2.ReplayRequest.DESCRIPTOR.fields_by_name["log"].number
_DETAIL = referee_pb2.ReplayRequest.DESCRIPTOR.fields_by_name["detail"].number
_TRACED = number(_DETAIL, verdict_pb2.DETAIL_TRACE)
_ENDED = (verdict_pb2.STATUS_FINISHED, verdict_pb2.STATUS_CLAIM_MISMATCH)

_CODE = verdict_pb2.ViolationCode.Value
_OF_THE_DEAL = (
    _CODE("VIOLATION_CODE_DEAL_HAND_SIZE"),
    _CODE("VIOLATION_CODE_DEAL_DUPLICATE_CARD"),
)
_OF_THE_STOCK = (
    _CODE("VIOLATION_CODE_DEAL_STOCK"),
    _CODE("VIOLATION_CODE_DEAL_DUPLICATE_CARD"),
    _CODE("VIOLATION_CODE_DRAW_NOT_NEXT_IN_STOCK"),
)


class Judged:
    """A log, what the referee says of it, and whom to ask about others. NotALog if it is none."""

    def __init__(self, log: Log, core: Core) -> None:
        self.log = log
        self.core = core
        self.verdict = self.ask(log)
        self.code = self.verdict.violation.code

    def ask(self, log: Log) -> Verdict:
        """The verdict over a log, with state and trace."""
        reply = self.core.replay(delimited(_LOG, log.SerializeToString()) + _TRACED)
        return referee_pb2.ReplayResponse.FromString(reply).verdict

    @property
    def ended(self) -> bool:
        return self.verdict.status in _ENDED

    @property
    def rules(self) -> Rules:
        """What is in force, as the oracle reads it."""
        return effective(json_format.MessageToDict(self.log.ruleset))


def laws_of_pairs(log: Log, core: Core, rng: random.Random) -> Iterator[tuple[str, Broken]]:
    """What breaks any of these laws, each with its letter."""
    judged = Judged(log, core)
    for letter, law in LAWS.items():
        for broken in law(judged, rng):
            yield letter, broken


def _same(what: str, expected: Verdict, got: Verdict) -> Findings:
    if expected != got:
        yield Broken(f"{what}: other {', '.join(changed(expected, got))}")


# ---- A: seats ----


def law_a(judged: Judged, rng: random.Random) -> Findings:
    """All seats turned by k."""
    seats = len(judged.log.hands)
    by = rng.randrange(1, seats)
    got = without_order(judged.ask(turned(judged.log, by)))
    expected = without_order(turned_verdict(judged.verdict, by, seats))
    if judged.code in _OF_THE_DEAL:
        # The first seat at fault is named, and which is first depends on where the count begins.
        expected.violation.ClearField("seat")
        got.violation.ClearField("seat")
    what = f"seats turned by {by}"
    # 7.2 ends with "then by seat": whom only that tells apart may change places with each other.
    for group in seats_told_apart(judged.verdict, judged.rules):
        before = [judged.verdict.result.seats[seat].place for seat in group]
        after = sorted((seat + by) % seats for seat in group)
        if sorted(before) != [got.result.seats[seat].place for seat in after]:
            yield Broken(f"{what}: seats {group}, told apart by nothing else, are not in order")
        if after != [(seat + by) % seats for seat in group]:
            expected, got = without_places(expected), without_places(got)
            break
    yield from _same(what, expected, got)


def turned(log: Log, by: int) -> Log:
    """A log with every seat s made seat s + by."""
    other, seats = copied(log), len(log.hands)
    del other.hands[:]
    other.hands.extend(log.hands[(seat - by) % seats] for seat in range(seats))
    claimed = other.claimed_result if other.HasField("claimed_result") else Log().claimed_result
    named = [(other, "first_seat"), (claimed, "u_seat"), (claimed, "den_seat")]
    if other.HasField("opening"):
        facts = ("creator_seat", "winner_seat", "after_winner_seat")
        named += [(other.opening, name) for name in facts]
    for holder in [*other.events, *claimed.seats]:
        named.append((holder, "seat"))
    named += [(event.lay_off, "to_seat") for event in other.events if event.HasField("lay_off")]
    for holder, name in named:
        if holder.HasField(name):
            setattr(holder, name, (getattr(holder, name) + by) % seats)
    return other


# ---- B: suits ----


def law_b(judged: Judged, rng: random.Random) -> Findings:
    """Suits permuted, over the whole log."""
    suits = rng.sample(range(4), 4)
    got = permuted_verdict(judged.ask(permuted(judged.log, suits)), range(4))
    yield from _same(f"suits {suits}", permuted_verdict(judged.verdict, suits), got)


# ---- C: stakes ----


def law_c(judged: Judged, rng: random.Random) -> Findings:
    """base_stake multiplied; it stays within its range."""
    by = rng.choice((2, 3, 7, 1000))
    one = copied(judged.log)
    one.base_stake = min(one.base_stake or 1, MOST_STAKE // by)
    for claim in one.claimed_result.seats if one.HasField("claimed_result") else ():
        claim.ClearField("net")
    many = copied(one)
    many.base_stake *= by
    few, much = judged.ask(one), judged.ask(many)
    expected, got = multiplied(without_rake(few), by), without_rake(much)
    yield from _same(f"base stake times {by}", expected, got)
    rate = judged.rules.rake_bps if judged.ended else 0
    for verdict in (few, much):
        for seat in verdict.result.seats:
            won = max(0, seat.net + seat.rake)
            if seat.rake != won * rate // WHOLE:
                yield Broken(f"base stake times {by}: seat {seat.seat} pays {seat.rake} of {won}")


# ---- D: claims ----


def law_d(judged: Judged, rng: random.Random) -> Findings:
    """Right claims, a wrong one among them, and the log's own."""
    bare = copied(judged.log)
    bare.ClearField("claimed_result")
    plain = judged.ask(bare)
    own = copied(judged.verdict)
    if judged.ended:
        del own.claim_differences[:]
        own.status = plain.status
    yield from _same("the log's own claims", plain, own)
    right = copied(bare)
    right.claimed_result.CopyFrom(right_claims(plain, rng))
    yield from _same("right claims", plain, judged.ask(right))
    place = plain.result.seats[0].place if plain.HasField("result") else 0
    for claim in right.claimed_result.seats:
        if claim.seat == 0:
            claim.place = place + 1
    if judged.ended:
        plain.status = verdict_pb2.STATUS_CLAIM_MISMATCH
        plain.claim_differences.add(
            seat=0, field="place", claimed=str(place + 1), computed=str(place)
        )
    yield from _same("one wrong claim among right ones", plain, judged.ask(right))


def right_claims(verdict: Verdict, rng: random.Random) -> events_pb2.ClaimedResult:
    """What the referee found, as a claim: in any order, some of it left out."""
    claimed, result = events_pb2.ClaimedResult(), verdict.result
    for seat in rng.sample([*result.seats], len(result.seats)):
        claim = claimed.seats.add(seat=seat.seat)
        for name in ("place", "points", "net"):
            if rng.random() < 0.8:
                setattr(claim, name, getattr(seat, name))
    if result.HasField("u"):
        claimed.u_seat = result.u.seat
        if result.u.HasField("den_seat"):
            claimed.den_seat = result.u.den_seat
    else:
        claimed.no_u = True
    return claimed


# ---- E: what may be left out ----


def law_e(judged: Judged, rng: random.Random) -> Findings:
    """Each thing that the contract lets be left out, on its own."""
    for what, leave_out in _WAYS.items():
        other = copied(judged.log)
        if leave_out(other, judged) and other != judged.log:
            yield from _same(what, judged.verdict, judged.ask(other))
    yield from _arrangement_of_u(judged)


def _eaten_cards(log: Log, judged: Judged) -> bool:
    """4.1: of the eats that were judged legal."""
    for event in log.events[: len(judged.verdict.trace)]:
        if event.HasField("eat"):
            event.eat.ClearField("card")
    return True


def _times(log: Log, judged: Judged) -> bool:
    """3.8: where there is no limit, times only must not run backwards."""
    log.ClearField("started_at")
    for event in log.events:
        event.ClearField("at")
    runs_back = judged.code == verdict_pb2.VIOLATION_CODE_TIME_RUNS_BACK
    return judged.rules.turn_seconds == 0 and not runs_back


def _stock(log: Log, judged: Judged) -> bool:
    """2.2: where nothing was wrong with it."""
    del log.stock[:]
    return judged.code not in _OF_THE_STOCK


def _opening(log: Log, judged: Judged) -> bool:
    """2.3."""
    log.ClearField("opening")
    return judged.code != verdict_pb2.VIOLATION_CODE_OPENING_SEAT


def _stake(log: Log, judged: Judged) -> bool:
    """7.4: none is one."""
    log.base_stake = 0
    return judged.log.base_stake == 1


def _house_rules(log: Log, judged: Judged) -> bool:
    """The other way round: every field of the house written out where the log overrides nothing."""
    (house,) = (n.ruleset for n in presets().rulesets if n.ruleset.house == log.ruleset.house)
    whole = rules_pb2.Ruleset()
    whole.CopyFrom(house)
    for field, _ in log.ruleset.ListFields():
        whole.ClearField(field.name)
    whole.MergeFrom(log.ruleset)
    log.ruleset.CopyFrom(whole)
    return True


_WAYS: dict[str, Callable[[Log, Judged], bool]] = {
    "the eaten cards left out": _eaten_cards,
    "times left out": _times,
    "the stock left out": _stock,
    "the opening left out": _opening,
    "a base stake of one left out": _stake,
    "the house's rules written out": _house_rules,
}


def _arrangement_of_u(judged: Judged) -> Findings:
    """6.2, 6.3: left out, the best one is found, by which a plain Ù may become tròn; that one written out."""
    log = copied(judged.log)
    log.ClearField("claimed_result")
    if judged.code or not log.events or not log.events[-1].HasField("declare_u"):
        return
    declared, before = log.events[-1].declare_u, judged.ask(log)
    u = before.result.u
    left_out = bool(declared.phoms)
    if left_out:
        del declared.phoms[:]
    else:
        declared.phoms.extend(u.phoms[len(before.state.seats[u.seat].laid) :])
    after = judged.ask(log)
    kinds = u.kind, after.result.u.kind
    if left_out and kinds == (verdict_pb2.U_KIND_PLAIN, verdict_pb2.U_KIND_TRON):
        before, after = without_price_of_u(before), without_price_of_u(after)
    before, after = without_arrangements(before), without_arrangements(after)
    yield from _same(f"an Ù's arrangement {'left' if left_out else 'written'} out", before, after)


LAWS: dict[str, Callable[[Judged, random.Random], Findings]] = {
    "A": law_a,
    "B": law_b,
    "C": law_c,
    "D": law_d,
    "E": law_e,
}
