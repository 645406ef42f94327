"""What makes a message no log at all (contract.md's INVALID_ARGUMENT), as field paths in proto names."""

from collections.abc import Iterator, Mapping
from typing import Any

from .cards import NUMBERS
from .events import KINDS, nanoseconds
from .rules import ENUMS, FIELDS, HOUSES, PRICE_LISTS, camel

MAX_EVENTS = 1024
MAX_GAME_ID = 128
MAX_PRICE = 100_000
MAX_STAKE = 10**9
UINT32 = 2**32 - 1
INT64 = 2**63 - 1

# The fields of section 8 that are numbers, with what they may be; the prices are all alike.
_NUMBER_LIMITS = {
    "rounds": (1, 4),
    "turn_seconds": (0, 86_400),
    "turn_grace_ms": (0, UINT32),  # contract.md names no limit
    "rake_bps": (0, 10_000),
}


def faults(log: Mapping[str, Any]) -> list[str]:
    """The paths of everything that is wrong with the form of this log, in the order of its fields."""
    return list(_log(log))


def _integer(value: Any) -> int | None:
    """A number of the JSON mapping, which may be written as a string; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    try:
        return int(value, 10) if isinstance(value, str) else None
    except ValueError:
        return None


def _within(value: Any, low: int, high: int) -> bool:
    number = _integer(value)
    return number is not None and low <= number <= high


def _log(log: Mapping[str, Any]) -> Iterator[str]:
    game_id = log.get("gameId") or ""
    if not isinstance(game_id, str) or len(game_id) > MAX_GAME_ID or not game_id.isprintable():
        yield "log.game_id"
    yield from _ruleset(log.get("ruleset") or {})
    hands = log.get("hands") or []
    n = len(hands)
    seats = n if 2 <= n <= 4 else 4  # with no number of seats to go by, the most there can be
    if not _within(log.get("firstSeat"), 0, seats - 1):
        yield "log.first_seat"
    if n != seats:
        yield "log.hands"
    for number, hand in enumerate(hands):
        yield from _cards(hand.get("cards") or [], f"log.hands[{number}].cards")
    yield from _cards(log.get("stock") or [], "log.stock")
    if log.get("baseStake") is not None and not _within(log["baseStake"], 0, MAX_STAKE):
        yield "log.base_stake"
    yield from _time(log, "startedAt", "log.started_at")
    yield from _opening(log.get("opening") or {}, seats)
    yield from _events(log.get("events") or [], seats)
    yield from _claims(log.get("claimedResult") or {}, seats)


def _ruleset(ruleset: Mapping[str, Any]) -> Iterator[str]:
    houses = [*HOUSES]
    house = ruleset.get("house")
    if house not in HOUSES and not _within(house, 1, len(houses)):
        yield "log.ruleset.house"
    for field in FIELDS:
        value = ruleset.get(camel(field))
        if value is not None:
            yield from _override(field, value, f"log.ruleset.{field}")


def _override(field: str, value: Any, path: str) -> Iterator[str]:
    if field in PRICE_LISTS:
        if len(value) not in (0, 3):
            yield path
        yield from (
            f"{path}[{i}]" for i, price in enumerate(value) if not _within(price, 0, MAX_PRICE)
        )
    elif field in ENUMS:
        names = [f"{field.upper()}_{name}" for name in ENUMS[field]]
        if value not in names and not _within(value, 1, len(names)):
            yield path
    elif FIELDS[field] is bool:
        if not isinstance(value, bool):
            yield path
    elif not _within(value, *_NUMBER_LIMITS.get(field, (0, MAX_PRICE))):
        yield path


def _is_card(value: Any) -> bool:
    """A card that is one: by its name, or by its number."""
    return value in NUMBERS if isinstance(value, str) else _within(value, 1, 52)


def _cards(cards: list[Any], path: str) -> Iterator[str]:
    yield from (f"{path}[{i}]" for i, card in enumerate(cards) if not _is_card(card))


def _time(message: Mapping[str, Any], field: str, path: str) -> Iterator[str]:
    text = message.get(field)
    if text is None:
        return
    try:
        nanoseconds(text)
    except (TypeError, ValueError):
        yield path


def _opening(opening: Mapping[str, Any], seats: int) -> Iterator[str]:
    if opening.get("gameNumber") is not None and not _within(opening["gameNumber"], 0, UINT32):
        yield "log.opening.game_number"
    for field in ("creator_seat", "winner_seat", "after_winner_seat"):
        value = opening.get(camel(field))
        if value is not None and not _within(value, 0, seats - 1):
            yield f"log.opening.{field}"


def _events(events: list[Mapping[str, Any]], seats: int) -> Iterator[str]:
    if len(events) > MAX_EVENTS:
        yield "log.events"
    for index, event in enumerate(events):
        path = f"log.events[{index}]"
        if not _within(event.get("seat"), 0, seats - 1):
            yield f"{path}.seat"
        yield from _time(event, "at", f"{path}.at")
        kinds = [name for name in KINDS if event.get(name) is not None]
        if len(kinds) != 1:
            yield f"{path}.kind"
        for name in kinds:
            yield from _body(name, event[name], f"{path}.{KINDS[name]}", seats)


def _body(name: str, body: Mapping[str, Any], path: str, seats: int) -> Iterator[str]:
    card = body.get("card")
    if name in ("draw", "discard", "layOff", "announceCard") and not _is_card(card):
        yield f"{path}.card"
    if name == "eat" and card not in (None, 0, "CARD_UNSPECIFIED") and not _is_card(card):
        yield f"{path}.card"
    if name == "layOff":
        if not _within(body.get("toSeat"), 0, seats - 1):
            yield f"{path}.to_seat"
        if not _within(body.get("phomIndex"), 0, UINT32):
            yield f"{path}.phom_index"
    if name in ("layDown", "declareU"):
        phoms = body.get("phoms") or []
        if body.get("khan") and phoms:
            yield f"{path}.phoms"
        for i, phom in enumerate(phoms):
            yield from _cards(phom.get("cards") or [], f"{path}.phoms[{i}].cards")


def _claims(claimed: Mapping[str, Any], seats: int) -> Iterator[str]:
    path = "log.claimed_result"
    seen: set[int] = set()
    for i, claim in enumerate(claimed.get("seats") or []):
        number = _integer(claim.get("seat"))
        if number is None or not 0 <= number < seats or number in seen:
            yield f"{path}.seats[{i}].seat"
        else:
            seen.add(number)
        for field, low, high in (
            ("place", 0, UINT32),
            ("points", 0, UINT32),
            ("net", -INT64 - 1, INT64),
        ):
            if claim.get(field) is not None and not _within(claim[field], low, high):
                yield f"{path}.seats[{i}].{field}"
    for field in ("u_seat", "den_seat"):
        value = claimed.get(camel(field))
        if value is not None and not _within(value, 0, seats - 1):
            yield f"{path}.{field}"
