"""Random legal games, with their deal, their stock, their opening facts and their claims."""

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from .cards import DECK, card_name
from .deals import random_deal
from .events import card_of
from .player import BEGIN, Habits, Player, timestamp
from .rules import Rules, effective
from .settle import result_json
from .table import Table, open_table

Json = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What a game is steered to: its seats' habits before and at the end, how it is dealt, for how many."""

    habits: tuple[Habits, ...]  # none: random ones
    styles: tuple[str | None, ...] = (None,)
    seats: tuple[int, ...] = (2, 2, 3, 3, 4, 4, 4)
    late_leave: bool = False


_FREE = Plan(())
# 7.1 b: Ù in the last round, after cards that were thrown in it have been eaten.
_LATE_U = Plan(
    (
        Habits(eat=0.5, feed=0.0, luck=0.1, keep=1.0, care=1.0, declare=0.0),
        Habits(
            feed=1.0,
            plot=0.4,
            luck=1.0,
            keep=1.0,
            care=1.0,
            declare=0.4,
            lay_off=0.2,
            announce=0.05,
        ),
    ),
    styles=("cạ", "suits"),
)
# 7.2: everybody is móm, or nearly.
_POOR = Plan((Habits(eat=0.1, feed=0.0, keep=0.0, care=0.0), Habits(eat=0.1, feed=0.0, care=0.0)))
# 5.3 to 5.6, 6.4: hands that are laid off to the last card.
_LAY_OFFS = Plan(
    (
        Habits(eat=0.9, feed=0.3, luck=0.4, keep=1.0, care=1.0, declare=0.0),
        Habits(eat=1.0, feed=0.8, luck=1.0, care=1.0, declare=0.0, lay_off=1.0),
    ),
    styles=("phỏm",),
)
# 3.6: the stock runs dry before the end of an extra round where a seat left late and the last discard
# is eaten all the same: the seats keep their cạ, and eat in the last round only.
_TO_DRY = Plan(
    (
        Habits(eat=0.1, feed=0.0, keep=1.0, declare=0.0),
        Habits(eat=1.0, feed=1.0, keep=1.0, declare=0.0, lay_off=0.2),
    ),
    styles=("cạ",),
    seats=(4,),
    late_leave=True,
)


def random_log(rng: Random, house: str, overrides: Json) -> Json:
    """A legal log of this house (HOUSE_GO88, ...) with overrides, played to its end or cut before."""
    plan = _plan(rng, effective({"house": house, **overrides}))
    timed = rng.choice((0.0, 0.0, 0.6, 0.9, 1.0))
    habits = [replace(some, timed=timed) for some in plan.habits or (Habits.random(rng),)]
    log = _dealt(rng, rng.choice(plan.seats), rng.choice(plan.styles))
    log["ruleset"] = {"house": house, **overrides}
    if rng.random() < timed:
        log["startedAt"] = timestamp(BEGIN)
    table = open_table(log)
    player = Player(rng, table, log, *habits)
    if plan.late_leave:
        player.play(rng.randint(14, 29))
        player.do({"seat": rng.choice(table.still_in()), "leave": {}})
    log["events"] = player.play(rng.choice((400, 400, 400, 400, rng.randrange(60))))
    if rng.random() < 0.5:
        log["stock"] = stock_of(log, rng)
    if table.ending is not None and rng.random() < 0.3:
        log["claimedResult"] = claims(rng, table)
    return log


def _plan(rng: Random, rules: Rules) -> Plan:
    extra_round = rules.after_final_discard == "EXTRA_ROUND" and rules.rounds == 4
    if extra_round and rng.random() < 0.4:
        return _TO_DRY
    return rng.choices((_FREE, _LATE_U, _POOR, _LAY_OFFS), weights=(11, 6, 1, 3))[0]


def _dealt(rng: Random, n: int, style: str | None) -> Json:
    """A log without rules or events."""
    first_seat = rng.randrange(n)
    hands = random_deal(rng, n, first_seat, style)
    log: Json = {
        "gameId": f"oracle-{rng.randrange(10**9)}",
        "firstSeat": first_seat,
        "hands": [{"cards": [card_name(card) for card in hand]} for hand in hands],
        "events": [],
    }
    if rng.random() < 0.7:
        log["baseStake"] = rng.choice((0, 1, 7, "1000", "999983", "1000000000"))
    if rng.random() < 0.6:
        log["opening"] = _opening(rng, n, first_seat)
    return log


def _opening(rng: Random, n: int, first_seat: int) -> Json:
    """Facts that agree with the first seat, or say nothing about it (2.3)."""
    number = rng.choice((0, 1, 1, 2, 9))
    facts: Json = {"gameNumber": number, "creatorSeat": rng.randrange(n)}
    if number == 1:
        facts["creatorSeat"] = first_seat
    elif number > 1:
        facts["afterWinnerSeat"] = first_seat
        if rng.random() < 0.5:
            facts |= {"winnerSeat": first_seat, "afterWinnerSeat": rng.randrange(n)}
    return {name: value for name, value in facts.items() if name != "gameNumber" or value}


def stock_of(log: Json, rng: Random) -> list[str]:
    """2.2: a stock in the order in which the log draws, and what it does not draw in any order."""
    dealt = {card_of(card) for hand in log["hands"] for card in hand.get("cards") or []}
    drawn = [card_of(event["draw"].get("card")) for event in log["events"] if "draw" in event]
    order = [card for card in dict.fromkeys(drawn) if card and card not in dealt]
    rest = sorted(DECK - dealt - set(order))
    return [card_name(card) for card in order + rng.sample(rest, len(rest))]


def claims(rng: Random, table: Table) -> Json:
    """The computed result as a claim, some of it left out."""
    result = result_json(table)
    claimed: Json = {"seats": []}
    for seat in result["seats"]:
        if rng.random() < 0.9:
            kept = {
                field: seat[field] for field in ("place", "points", "net") if rng.random() < 0.8
            }
            claimed["seats"].append({"seat": seat["seat"], **kept})
    u = result.get("u")
    if u and rng.random() < 0.7:
        claimed["uSeat"] = u["seat"]
        if "denSeat" in u:
            claimed["denSeat"] = u["denSeat"]
    if not u and rng.random() < 0.7:
        claimed["noU"] = True
    return claimed
