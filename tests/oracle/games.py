"""Random legal games, with their deal, their stock, their opening facts and their claims."""

from dataclasses import replace
from random import Random
from typing import Any

from .cards import card_name
from .deals import random_deal
from .player import BEGIN, Habits, Player, timestamp
from .rules import HOUSES
from .settle import result_json
from .table import Table, open_table

Json = dict[str, Any]


def random_log(rng: Random, house: str, overrides: Json) -> Json:
    """A legal log under this house (HOUSE_GO88, ...) with these overrides, played to its end or cut before."""
    n = rng.choice((2, 2, 3, 3, 4, 4, 4))
    habits = Habits.random(rng)
    extra_round = overrides.get("afterFinalDiscard", f"AFTER_FINAL_DISCARD_{HOUSES[house].after_final_discard}")
    if extra_round == "AFTER_FINAL_DISCARD_EXTRA_ROUND" and rng.random() < 0.3:
        # 3.6: a stock runs dry before the end where a seat left and the last discard is eaten all the same.
        n, habits = 4, replace(habits, eat=1.0, feed=1.0, leave=0.02)
    first_seat = rng.randrange(n)
    hands, stock = random_deal(rng, n, first_seat)
    log: Json = {
        "gameId": f"oracle-{rng.randrange(10**9)}",
        "ruleset": {"house": house, **overrides},
        "firstSeat": first_seat,
        "hands": [{"cards": [card_name(card) for card in hand]} for hand in hands],
        "events": [],
    }
    if rng.random() < 0.5:
        log["stock"] = [card_name(card) for card in stock]
    if rng.random() < 0.7:
        log["baseStake"] = rng.choice((0, 1, 7, "1000", "999983", "1000000000"))
    if rng.random() < 0.6:
        log["opening"] = _opening(rng, n, first_seat)
    if rng.random() < habits.timed:
        log["startedAt"] = timestamp(BEGIN)
    table = open_table(log)
    log["events"] = Player(rng, table, 0, habits).play(rng.choice((400, 400, 400, 400, rng.randrange(60))))
    if table.ending is not None and rng.random() < 0.3:
        log["claimedResult"] = claims(rng, table)
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


def claims(rng: Random, table: Table) -> Json:
    """The computed result as a claim, some of it left out."""
    result = result_json(table)
    claimed: Json = {"seats": []}
    for seat in result["seats"]:
        if rng.random() < 0.9:
            kept = {field: seat[field] for field in ("place", "points", "net") if rng.random() < 0.8}
            claimed["seats"].append({"seat": seat["seat"], **kept})
    u = result.get("u")
    if u and rng.random() < 0.7:
        claimed["uSeat"] = u["seat"]
        if "denSeat" in u:
            claimed["denSeat"] = u["denSeat"]
    if not u and rng.random() < 0.7:
        claimed["noU"] = True
    return claimed
