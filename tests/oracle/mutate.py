"""Logs changed so that they break any rule of the contract, or look as if they did and do not.

`mutate` takes any log and gives a changed copy. Its ways are small functions that change a copy in place;
`probes` holds those that look for a fault at a table on purpose.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from . import probes
from .cards import DECK, NAMES, card_name
from .events import kind_of, nanoseconds
from .games import claims, stock_of
from .overrides import random_overrides
from .player import BEGIN, Habits, Player, timestamp
from .referee import replay
from .rules import FIELDS, camel, effective

Json = dict[str, Any]
Way = Callable[[Json, Random], None]


def mutate(log: Mapping[str, Any], rng: Random) -> Json:
    """A changed copy; mostly one change, sometimes a few on top of each other."""
    changed: Json = deepcopy(dict(log))
    changed.setdefault("events", [])
    for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 3))):
        way = rng.choices(_WAYS, weights=_WEIGHTS)[0]
        way(changed, rng)
    return changed


# --- the events ---


def _place(log: Json, rng: Random) -> int:
    """The index of some event; later ones, where more can go wrong, a little more often."""
    n = len(log["events"])
    return max(rng.randrange(n), rng.randrange(n)) if n else 0


def _cut(log: Json, rng: Random) -> None:
    del log["events"][_place(log, rng) :]


def _swap(log: Json, rng: Random) -> None:
    i, events = _place(log, rng), log["events"]
    if i:
        events[i - 1], events[i] = events[i], events[i - 1]


def _drop(log: Json, rng: Random) -> None:
    if log["events"]:
        del log["events"][_place(log, rng)]


def _double(log: Json, rng: Random) -> None:
    if log["events"]:
        i = _place(log, rng)
        log["events"].insert(i, deepcopy(log["events"][i]))


def _move(log: Json, rng: Random) -> None:
    if log["events"]:
        event = log["events"].pop(_place(log, rng))
        log["events"].insert(rng.randint(0, len(log["events"])), event)


def _change_seat(log: Json, rng: Random) -> None:
    if log["events"]:
        log["events"][_place(log, rng)]["seat"] = rng.randrange(len(log["hands"]))


def _change_card(log: Json, rng: Random) -> None:
    """Another card drawn, eaten, discarded, laid off or announced."""
    with_card = [
        event for event in log["events"] if kind_of(event) not in (None, "layDown", "declareU")
    ]
    if with_card:
        event = rng.choice(with_card)
        body = event[kind_of(event)]
        if kind_of(event) not in ("timeOut", "leave"):
            body["card"] = rng.choice(NAMES)


def _change_lay_off(log: Json, rng: Random) -> None:
    lay_offs = [event["layOff"] for event in log["events"] if "layOff" in event]
    if lay_offs:
        body = rng.choice(lay_offs)
        if rng.random() < 0.5:
            body["toSeat"] = rng.randrange(len(log["hands"]))
        else:
            body["phomIndex"] = rng.choice((0, 1, 2, 3, 4_294_967_295))


def _change_arrangement(log: Json, rng: Random) -> None:
    """A card more, less or another in a lay-down or an Ù; two phỏm made one, one made two."""
    bodies = [
        event[name] for event in log["events"] for name in ("layDown", "declareU") if name in event
    ]
    if bodies:
        body = rng.choice(bodies)
        if body.get("khan"):
            del body["khan"]
        phoms = [list(phom.get("cards") or []) for phom in body.get("phoms") or []]
        probes.break_arrangement(phoms, rng)
        body["phoms"] = [{"cards": cards} for cards in phoms]


def _insert_random(log: Json, rng: Random) -> None:
    """Any event of any seat, anywhere, past the end too."""
    event = probes.random_event(rng, len(log["hands"]))
    log["events"].insert(rng.randint(0, len(log["events"])), event)


def _append_after_end(log: Json, rng: Random) -> None:
    """3.5, 3.6, 6.6: events after the log's end, of the kinds that make sense there."""
    table, violation, _ = replay(log)
    seat = table.turn.seat if violation is None else rng.randrange(len(log["hands"]))
    if rng.random() < 0.3:
        seat = rng.randrange(len(log["hands"]))
    unseen = table.next_in_stock() if table.stock_left else 0
    draw = {"seat": seat, "draw": {"card": card_name(unseen or rng.choice(sorted(DECK)))}}
    others = [{"seat": seat, "eat": {}}, {"seat": seat, "leave": {}}, {"seat": seat, "timeOut": {}}]
    log["events"].append(rng.choice([draw, *others, probes.random_event(rng, len(log["hands"]))]))


def _leave_somewhere(log: Json, rng: Random) -> None:
    """3.7: a seat leaves, perhaps long after its time is over, and its later events stay or go."""
    i, seat = _place(log, rng), rng.randrange(len(log["hands"]))
    later = log["events"][i:]
    leave: Json = {"seat": seat, "leave": {}}
    if rng.random() < 0.5:
        later = [event for event in later if event.get("seat") != seat]
    elif i and "at" in log["events"][i - 1]:
        leave["at"] = timestamp(nanoseconds(log["events"][i - 1]["at"]) + 100 * 10**9)
        later = []
    log["events"][i:] = [leave, *later]


def _play_on(log: Json, rng: Random) -> None:
    """Cut, perhaps somebody leaves, and the game goes on in another way: legal."""
    _cut(log, rng)
    table, violation, _ = replay(log)
    if violation is None:
        log.pop("claimedResult", None)
        player = Player(rng, table, log, Habits.random(rng))
        if rng.random() < 0.5:
            player.do({"seat": rng.choice(table.still_in()), "leave": {}})
        log["events"] += player.play(rng.choice((3, 20, 400)))


def _probe(log: Json, rng: Random) -> None:
    """Look at some tables of the game for a fault that can be made there, the rarest code first."""
    probes.insert_fault(log, rng)


# --- times ---


def _stamp(log: Json, rng: Random) -> None:
    """3.8: times on all or some events, within any limit or not."""
    now = BEGIN
    log["startedAt"] = timestamp(now)
    longest = rng.choice((0, 10**6, 10**9, 6 * 10**9, 30 * 10**9))
    share = rng.choice((0.5, 1.0))
    for event in log["events"]:
        now += rng.randint(0, longest)
        if rng.random() < share:
            event["at"] = timestamp(now)
        else:
            event.pop("at", None)


def _unstamp(log: Json, rng: Random) -> None:
    keep = rng.choice((0.0, 0.5, 0.9))
    for event in log["events"]:
        if rng.random() >= keep:
            event.pop("at", None)
    if rng.random() >= keep:
        log.pop("startedAt", None)


def _shift_time(log: Json, rng: Random) -> None:
    """One event earlier or later, or all from there on later; or the start of the game later."""
    if "startedAt" in log and rng.random() < 0.15:
        log["startedAt"] = timestamp(nanoseconds(log["startedAt"]) + rng.choice((1, 10**9, 10**11)))
        return
    timed = [i for i, event in enumerate(log["events"]) if "at" in event]
    if timed:
        i = rng.choice(timed)
        by = rng.choice((-(10**9), -1, 1, 500 * 10**6, 5 * 10**9, 20 * 10**9, 100 * 10**9))
        for event in log["events"][i : None if by > 0 and rng.random() < 0.8 else i + 1]:
            if "at" in event:
                event["at"] = timestamp(nanoseconds(event["at"]) + by)


def _time_out_somewhere(log: Json, rng: Random) -> None:
    """3.8: a timeout of the seat of the event before which it comes, at about that event's time."""
    if log["events"]:
        i = _place(log, rng)
        event: Json = {"seat": log["events"][i].get("seat", 0), "timeOut": {}}
        if "at" in log["events"][i]:
            event["at"] = log["events"][i]["at"]
        log["events"].insert(i, event)


def _drop_time_outs(log: Json, rng: Random) -> None:
    """The late events are then late (3.8)."""
    log["events"] = [
        event for event in log["events"] if "timeOut" not in event or rng.random() < 0.3
    ]


# --- rules, deal and claims ---


def _override(log: Json, rng: Random) -> None:
    log.setdefault("ruleset", {}).update(random_overrides(rng))


def _flip(log: Json, rng: Random) -> None:
    """One yes of the ruleset made a no, or the other way round."""
    rules = effective(log["ruleset"])
    field = rng.choice([field for field, kind in FIELDS.items() if kind is bool])
    log["ruleset"][camel(field)] = not getattr(rules, field)


def _break_deal(log: Json, rng: Random) -> None:
    """2.1: a card too many, too few, or twice; another first seat."""
    hand = rng.choice(log["hands"]).setdefault("cards", [])
    what = rng.choice(("more", "less", "twice", "first seat"))
    if what == "more":
        hand.insert(rng.randint(0, len(hand)), rng.choice(NAMES))
    elif what == "less" and hand:
        hand.pop(rng.randrange(len(hand)))
    elif what == "twice" and hand:
        hand[rng.randrange(len(hand))] = rng.choice(rng.choice(log["hands"]).get("cards") or NAMES)
    elif what == "first seat":
        log["firstSeat"] = rng.randrange(len(log["hands"]))


def _swap_dealt(log: Json, rng: Random) -> None:
    """Two cards of two hands change places: the deal stays one, the game may not."""
    one, other = (rng.choice(log["hands"]).get("cards") or [] for _ in range(2))
    if one and other:
        i, j = rng.randrange(len(one)), rng.randrange(len(other))
        one[i], other[j] = other[j], one[i]


def _break_stock(log: Json, rng: Random) -> None:
    """2.2: the stock left out, given, shuffled, short, long, or with a card that is elsewhere."""
    if not log.get("stock"):
        log["stock"] = stock_of(log, rng)
    stock = log["stock"]
    what = rng.choice(("none", "given", "shuffled", "short", "long", "twice"))
    if what == "none":
        del log["stock"]
    elif what == "shuffled":
        rng.shuffle(stock)
    elif what == "short" and stock:
        stock.pop(rng.randrange(len(stock)))
    elif what == "long":
        stock.append(rng.choice(NAMES))
    elif what == "twice" and stock:
        stock[rng.randrange(len(stock))] = rng.choice(NAMES)


def _open_wrongly(log: Json, rng: Random) -> None:
    """2.3."""
    n = len(log["hands"])
    facts: Json = {"gameNumber": rng.choice((1, 1, 2, 7))}
    for field in ("creatorSeat", "winnerSeat", "afterWinnerSeat"):
        if rng.random() < 0.7:
            facts[field] = rng.randrange(n)
    log["opening"] = facts
    if rng.random() < 0.8:
        log["ruleset"]["opening"] = "OPENING_CREATOR_THEN_WINNER"


def _claim(log: Json, rng: Random) -> None:
    """Claims that hold, or with something wrong in them."""
    table, violation, _ = replay(log)
    if violation is not None:
        return
    claimed = claims(rng, table)
    n = len(log["hands"])
    if rng.random() < 0.3:
        claimed.pop("noU", None)
        claimed["uSeat"] = rng.randrange(n)
    if rng.random() < 0.1:
        claimed.pop("uSeat", None)
        claimed["noU"] = True
    if rng.random() < 0.2:
        claimed["denSeat"] = rng.randrange(n)
    for seat in claimed["seats"]:
        if rng.random() < 0.3:
            field = rng.choice(("place", "points", "net"))
            seat[field] = max(seat.get(field, 0) + rng.choice((-1, 1)), -1 if field == "net" else 0)
    log["claimedResult"] = claimed


_WEIGHTED: dict[Way, int] = {
    _cut: 6,
    _swap: 3,
    _drop: 3,
    _double: 3,
    _move: 2,
    _change_seat: 3,
    _change_card: 4,
    _change_lay_off: 4,
    _change_arrangement: 6,
    _insert_random: 3,
    _append_after_end: 6,
    _leave_somewhere: 4,
    _play_on: 10,
    _probe: 40,
    _stamp: 4,
    _unstamp: 2,
    _shift_time: 5,
    _time_out_somewhere: 3,
    _drop_time_outs: 2,
    _override: 8,
    _flip: 6,
    _break_deal: 4,
    _swap_dealt: 2,
    _break_stock: 6,
    _open_wrongly: 3,
    _claim: 6,
}
_WAYS = list(_WEIGHTED)
_WEIGHTS = list(_WEIGHTED.values())
