"""Logs that are no logs: one thing of the form broken, of which the JSON mapping can still be parsed."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from .events import KINDS, kind_of
from .rules import ENUMS, PRICE_LISTS, camel

Json = dict[str, Any]

_TOO_MUCH = {
    "rounds": (0, 5),
    "turn_seconds": (86_401,),
    "rake_bps": (10_001,),
    "u_payment": (100_001,),
}


def deform(log: Mapping[str, Any], rng: Random) -> tuple[Json, str]:
    """A copy with one fault of form, and the path that `faults` has to name."""
    broken: Json = deepcopy(dict(log))
    broken["events"] = broken.get("events") or [{"seat": 0, "leave": {}}]
    return broken, rng.choice(_WAYS)(broken, rng)


def _event(log: Json, rng: Random) -> tuple[Json, str]:
    index = rng.randrange(len(log["events"]))
    return log["events"][index], f"log.events[{index}]"


def _game_id(log: Json, rng: Random) -> str:
    log["gameId"] = rng.choice(("two\nlines", "g" * 129, "a\tb", "\x7f"))
    return "log.game_id"


def _no_house(log: Json, rng: Random) -> str:
    log["ruleset"]["house"] = rng.choice(("HOUSE_UNSPECIFIED", 7))
    return "log.ruleset.house"


def _enum(log: Json, rng: Random) -> str:
    field = rng.choice(list(ENUMS))
    log["ruleset"][camel(field)] = rng.choice((f"{field.upper()}_UNSPECIFIED", 17))
    return f"log.ruleset.{field}"


def _amount(log: Json, rng: Random) -> str:
    field = rng.choice(list(_TOO_MUCH))
    log["ruleset"][camel(field)] = rng.choice(_TOO_MUCH[field])
    return f"log.ruleset.{field}"


def _prices(log: Json, rng: Random) -> str:
    field = rng.choice(PRICE_LISTS)
    if rng.random() < 0.5:
        log["ruleset"][camel(field)] = [1] * rng.choice((1, 2, 4))
        return f"log.ruleset.{field}"
    log["ruleset"][camel(field)] = [1, 100_001, 1]
    return f"log.ruleset.{field}[1]"


def _first_seat(log: Json, rng: Random) -> str:
    log.pop("firstSeat", None)
    if rng.random() < 0.5:
        log["firstSeat"] = len(log["hands"])
    return "log.first_seat"


def _hands(log: Json, rng: Random) -> str:
    log["hands"] = log["hands"][:1] if rng.random() < 0.5 else [*log["hands"], *log["hands"]][:5]
    if len(log["hands"]) != 1:
        log["hands"] += [{}] * (5 - len(log["hands"]))
    return "log.hands"


def _dealt_card(log: Json, rng: Random) -> str:
    log["hands"][0]["cards"][3] = rng.choice(("CARD_UNSPECIFIED", 53))
    return "log.hands[0].cards[3]"


def _stake(log: Json, rng: Random) -> str:
    log["baseStake"] = rng.choice(("-1", "1000000001"))
    return "log.base_stake"


def _opening(log: Json, rng: Random) -> str:
    log.setdefault("opening", {})["winnerSeat"] = len(log["hands"])
    return "log.opening.winner_seat"


def _seat(log: Json, rng: Random) -> str:
    event, path = _event(log, rng)
    event.pop("seat")
    if rng.random() < 0.5:
        event["seat"] = len(log["hands"])
    return f"{path}.seat"


def _kind(log: Json, rng: Random) -> str:
    event, path = _event(log, rng)
    del event[str(kind_of(event))]
    return f"{path}.kind"


def _card(log: Json, rng: Random) -> str:
    event, path = _event(log, rng)
    name = rng.choice(("draw", "discard", "announceCard", "layOff", "eat"))
    del event[str(kind_of(event))]
    event[name] = {"toSeat": 0, "phomIndex": 0} if name == "layOff" else {}
    event[name]["card"] = 99
    return f"{path}.{KINDS[name]}.card"


def _lay_off(log: Json, rng: Random) -> str:
    event, path = _event(log, rng)
    del event[str(kind_of(event))]
    event["layOff"] = {"card": "CARD_5D", "toSeat": 0, "phomIndex": 0}
    field = rng.choice(("to_seat", "phom_index"))
    del event["layOff"][camel(field)]
    return f"{path}.lay_off.{field}"


def _khan(log: Json, rng: Random) -> str:
    event, path = _event(log, rng)
    del event[str(kind_of(event))]
    event["declareU"] = {"khan": True, "phoms": [{"cards": ["CARD_5D", "CARD_5H", "CARD_5S"]}]}
    return f"{path}.declare_u.phoms"


def _too_many(log: Json, rng: Random) -> str:
    log["events"] += [{"seat": 0, "timeOut": {}}] * (1025 - len(log["events"]))
    return "log.events"


def _claims(log: Json, rng: Random) -> str:
    log["claimedResult"] = {"seats": [{"seat": 0, "place": 1}]}
    second = rng.choice(({"seat": 0}, {"place": 2}, {"seat": len(log["hands"])}))
    log["claimedResult"]["seats"].append(second)
    return "log.claimed_result.seats[1].seat"


def _claimed_u(log: Json, rng: Random) -> str:
    field = rng.choice(("u_seat", "den_seat"))
    log["claimedResult"] = {camel(field): len(log["hands"])}
    return f"log.claimed_result.{field}"


_WAYS: list[Callable[[Json, Random], str]] = [
    _game_id,
    _no_house,
    _enum,
    _amount,
    _prices,
    _first_seat,
    _hands,
    _dealt_card,
    _stake,
    _opening,
    _seat,
    _kind,
    _card,
    _lay_off,
    _khan,
    _too_many,
    _claims,
    _claimed_u,
]
