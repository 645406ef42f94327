"""Random legal games, with their deal, their stock, their opening facts and their claims."""

from random import Random
from typing import Any

from .cards import DECK, card_name
from .deals import random_deal
from .events import card_of
from .player import BEGIN, Habits, Player, timestamp
from .rules import effective
from .settle import result_json
from .table import Table, open_table

Json = dict[str, Any]


# 3.6: a stock runs dry before the end of an extra round where a seat left late and the last discard is eaten
# all the same. Few games come to that by chance: these seats keep their cạ, and eat in the last round only.
_SAVING = Habits(eat=0.1, feed=0.0, keep=1.0, declare=0.0)
_SPENDING = Habits(eat=1.0, feed=1.0, keep=1.0, declare=0.0, lay_off=0.2)


def random_log(rng: Random, house: str, overrides: Json) -> Json:
    """A legal log under this house (HOUSE_GO88, ...) with these overrides, played to its end or cut before."""
    rules = effective({"house": house, **overrides})
    to_dry = rules.after_final_discard == "EXTRA_ROUND" and rules.rounds == 4 and rng.random() < 0.4
    n = 4 if to_dry else rng.choice((2, 2, 3, 3, 4, 4, 4))
    habits = [_SAVING, _SPENDING] if to_dry else [Habits.random(rng)]
    log = _dealt(rng, n, "cạ" if to_dry else None)
    log["ruleset"] = {"house": house, **overrides}
    if rng.random() < habits[0].timed:
        log["startedAt"] = timestamp(BEGIN)
    table = open_table(log)
    player = Player(rng, table, 0, *habits)
    if to_dry:
        player.play(rng.randint(14, 29))
        player.do({"seat": rng.choice(table.still_in()), "leave": {}})
    log["events"] = player.play(rng.choice((400, 400, 400, 400, rng.randrange(60))))
    if rng.random() < 0.5:
        log["stock"] = stock_of(log, rng)
    if table.ending is not None and rng.random() < 0.3:
        log["claimedResult"] = claims(rng, table)
    return log


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
