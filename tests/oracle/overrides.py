"""Random rulesets: a house and any of its fields changed, each within its whole range (rules 8)."""

from random import Random
from typing import Any

from .faults import MAX_PRICE, UINT32
from .rules import ENUMS, FIELDS, HOUSES, PRICE_LISTS, camel

# What a number may be, the ends included (contract.md); the prices are all alike.
RANGES = {
    "rounds": (1, 4),
    "turn_seconds": (0, 86_400),
    "turn_grace_ms": (0, UINT32),
    "rake_bps": (0, 10_000),
}
PRICES = (0, MAX_PRICE)

# The values by which most rules show.
_USUAL: dict[str, tuple[int, ...]] = {
    "rounds": (1, 2, 2, 3, 3, 4, 4, 4),
    "turn_seconds": (0, 0, 1, 5, 20),
    "turn_grace_ms": (0, 1, 500, 3000),
    "rake_bps": (0, 0, 33, 500, 1000, 9999),
}
_USUAL_PRICES = (0, 0, 1, 1, 2, 3, 4, 5, 7, 11, 20)

HOUSE_NAMES = tuple(HOUSES)


def random_value(field: str, rng: Random) -> Any:
    """Any value that this field of section 8 may have, in the JSON mapping."""
    if field in PRICE_LISTS:
        return [_number(rng, _USUAL_PRICES, PRICES) for _ in range(3)]
    if field in ENUMS:
        return f"{field.upper()}_{rng.choice(ENUMS[field])}"
    if FIELDS[field] is bool:
        return rng.random() < 0.5
    return _number(rng, _USUAL.get(field, _USUAL_PRICES), RANGES.get(field, PRICES))


def _number(rng: Random, usual: tuple[int, ...], limits: tuple[int, int]) -> int:
    """Mostly a usual value, else one at an end of the range, or any number of digits in it."""
    low, high = limits
    how = rng.random()
    if how < 0.75:
        return rng.choice(usual)
    if how < 0.85:
        return rng.choice((low, low + 1, high - 1, high))
    if how < 0.93:
        return rng.randint(low, high)
    return rng.randint(low, min(high, 10 ** rng.randint(1, len(str(high)))))


def random_overrides(rng: Random, share: float | None = None) -> dict[str, Any]:
    """Random values for this share of the fields; without one for any, from none to all of them."""
    if share is None:
        share = rng.choice((0.0, 0.1, 0.2, 0.4, 0.8, 1.0))
    return {camel(field): random_value(field, rng) for field in FIELDS if rng.random() < share}
