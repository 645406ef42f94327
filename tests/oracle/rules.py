"""The effective ruleset of a log: a preset of rules.md section 8 and the caller's overrides."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# rules.md section 8, copied as it stands there.
PRESETS = """
| field | go88 | wikipedia | iwin | online | online_ky_gui | bs_fyi |
| rounds | 4 | 4 | 4 | 4 | 4 | 4 |
| row_shift | true | true | true | true | true | false |
| after_final_discard | EAT_REOPENS | EXTRA_ROUND | EAT_REOPENS | EAT_REOPENS | EAT_REOPENS | CLOSED |
| lay_off | true | true | false | false | true | true |
| lay_off_before_lay_down | false | true | false | false | false | false |
| u_by_lay_off | true | true | false | false | false | false |
| u_khan | false | true | true | false | false | false |
| announced_card_binds | false | true | false | false | false | false |
| turn_seconds | 0 | 0 | 0 | 20 | 20 | 0 |
| turn_grace_ms | 0 | 0 | 0 | 0 | 0 | 0 |
| opening | ANY | ANY | ANY | CREATOR_THEN_WINNER | CREATOR_THEN_WINNER | ANY |
| eat_payment | 1,1,1 | 0,0,0 | 1,2,3 | 0,0,0 | 0,0,0 | 1,1,1 |
| chot | FINAL_ROUND | LAST_OF_ROUND_3 | LAST_OF_ROUND_3 | NONE | NONE | FINAL_ROUND |
| chot_payment | 4 | 0 | 3 | 0 | 0 | 4 |
| place_payment | 1,2,3 | 0,0,0 | 1,2,3 | 0,0,0 | 0,0,0 | 1,2,3 |
| mom_payment | 4 | 0 | 4 | 0 | 0 | 4 |
| u_payment | 6 | 0 | 5 | 0 | 0 | 5 |
| u_tron_payment | 12 | 0 | 10 | 0 | 0 | 10 |
| u_khan_payment | 0 | 0 | 5 | 0 | 0 | 0 |
| den_three_eaten | true | true | true | true | true | false |
| den_last_round | ANY_U | NONE | AFTER_LAY_DOWN | NONE | AFTER_LAY_DOWN | NONE |
| den_ate_this_turn | false | false | false | false | false | true |
| tie_break | LAST_DISCARD | FIRST_LAID | LAST_DISCARD | FIRST_LAID | FIRST_LAID | FIRST_LAID |
| all_mom | LOWEST_POINTS | LOWEST_POINTS | LOWEST_POINTS | FIRST_MOM | FIRST_MOM | LOWEST_POINTS |
| rake_bps | 0 | 0 | 500 | 0 | 0 | 0 |
"""

# The values of each enum field, without the field's name before them (contract.md).
ENUMS: dict[str, tuple[str, ...]] = {
    "after_final_discard": ("CLOSED", "EAT_REOPENS", "EXTRA_ROUND"),
    "opening": ("ANY", "CREATOR_THEN_WINNER"),
    "chot": ("NONE", "FINAL_ROUND", "LAST_OF_ROUND_3"),
    "den_last_round": ("NONE", "ANY_U", "AFTER_LAY_DOWN"),
    "tie_break": ("FIRST_LAID", "LAST_DISCARD"),
    "all_mom": ("LOWEST_POINTS", "FIRST_MOM"),
}


@dataclass(frozen=True)
class Rules:
    """Every field of section 8, in its order."""

    rounds: int
    row_shift: bool
    after_final_discard: str
    lay_off: bool
    lay_off_before_lay_down: bool
    u_by_lay_off: bool
    u_khan: bool
    announced_card_binds: bool
    turn_seconds: int
    turn_grace_ms: int
    opening: str
    eat_payment: tuple[int, ...]
    chot: str
    chot_payment: int
    place_payment: tuple[int, ...]
    mom_payment: int
    u_payment: int
    u_tron_payment: int
    u_khan_payment: int
    den_three_eaten: bool
    den_last_round: str
    den_ate_this_turn: bool
    tie_break: str
    all_mom: str
    rake_bps: int


FIELDS: dict[str, type] = dict(Rules.__annotations__)
PRICE_LISTS = ("eat_payment", "place_payment")


def camel(field: str) -> str:
    """The JSON mapping's name of a proto field."""
    head, *rest = field.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _read_cell(field: str, text: str) -> Any:
    """A value as the table of section 8 writes it."""
    if field in PRICE_LISTS:
        return tuple(int(part) for part in text.split(","))
    if FIELDS[field] is bool:
        return text == "true"
    return int(text) if FIELDS[field] is int else text


def _read_presets() -> dict[str, Rules]:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PRESETS.split("\n")
        if line
    ]
    houses = rows[0][1:]
    values = {row[0]: row[1:] for row in rows[1:]}
    return {
        f"HOUSE_{house.upper()}": Rules(**{f: _read_cell(f, values[f][i]) for f in FIELDS})
        for i, house in enumerate(houses)
    }


HOUSES = _read_presets()


def _read_override(field: str, value: Any) -> Any:
    """A value as the JSON mapping carries it."""
    if field in PRICE_LISTS:
        return tuple(int(price) for price in value)
    if field in ENUMS:
        return str(value).removeprefix(field.upper() + "_")
    return value if FIELDS[field] is bool else int(value)


def effective(ruleset: Mapping[str, Any]) -> Rules:
    """The house's fields, each replaced by the caller's where one is given; an empty price list is the house's."""
    values = dict(vars(HOUSES[ruleset["house"]]))
    for field in FIELDS:
        given = ruleset.get(camel(field))
        if given is not None and given != []:
            values[field] = _read_override(field, given)
    return Rules(**values)


def _written(value: Any) -> str:
    """A value as the table of section 8 writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def digest(rules: Rules) -> str:
    """contract.md: SHA-256 over `field=value` lines in the order of section 8, without the house's name."""
    lines = "".join(f"{field}={_written(getattr(rules, field))}\n" for field in FIELDS)
    return hashlib.sha256(lines.encode()).hexdigest()
