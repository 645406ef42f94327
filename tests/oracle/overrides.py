"""Random rulesets: a house and any of its fields changed (rules 8)."""

from random import Random
from typing import Any

from .rules import ENUMS, FIELDS, HOUSES, PRICE_LISTS, camel

# What the numbers are drawn from; the prices are all alike.
_NUMBERS: dict[str, tuple[int, ...]] = {
    "rounds": (1, 2, 2, 3, 3, 4, 4, 4),
    "turn_seconds": (0, 0, 1, 5, 20, 86_400),
    "turn_grace_ms": (0, 1, 500, 3000),
    "rake_bps": (0, 0, 33, 500, 1000, 9999, 10_000),
}
_PRICES = (0, 0, 1, 1, 2, 3, 4, 5, 7, 11, 20, 100_000)

HOUSE_NAMES = tuple(HOUSES)


def random_value(field: str, rng: Random) -> Any:
    """Any value that this field of section 8 may have, in the JSON mapping."""
    if field in PRICE_LISTS:
        return [rng.choice(_PRICES) for _ in range(3)]
    if field in ENUMS:
        return f"{field.upper()}_{rng.choice(ENUMS[field])}"
    if FIELDS[field] is bool:
        return rng.random() < 0.5
    return rng.choice(_NUMBERS.get(field, _PRICES))


def random_overrides(rng: Random) -> dict[str, Any]:
    """Random values for any of the fields, from none to nearly all of them."""
    share = rng.choice((0.0, 0.1, 0.2, 0.4, 0.8))
    return {camel(field): random_value(field, rng) for field in FIELDS if rng.random() < share}
