"""The solver from Python, against OpenSpiel's gin rummy, which solves the like of it by list."""

from __future__ import annotations

import array
import random
from functools import partial

from hands import DIFFERENT, dense_hands, random_hands
from measure import Figure, in_turns, nanos_each
from phom_core import hands

TIMES = 5
OPEN_SPIEL = "OpenSpiel min_deadwood"


def _figures(
    kind: str, cards: list[list[int]], rounds: int, goals: tuple[str, str]
) -> list[Figure]:
    import pyspiel  # noqa: PLC0415 - only here, for nobody else needs it

    min_deadwood = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood
    numbered = [[card - 1 for card in hand] for hand in cards]  # suits of thirteen, from 0
    masks = array.array("Q", map(hands.mask, cards))
    points = array.array("B", bytes(DIFFERENT))
    phoms = array.array("Q", bytes(8 * 4 * DIFFERENT))
    work = {
        OPEN_SPIEL: lambda: [min_deadwood(hand) for hand in numbered],
        "points": lambda: [hands.points(hand) for hand in cards],
        "arrange": lambda: [hands.arrange(hand) for hand in cards],
        "many": lambda: hands.arrange_many(masks, points),
        "many, with phỏm": lambda: hands.arrange_many(masks, points, phoms),
    }
    values = in_turns(
        {name: partial(nanos_each, do, TIMES, DIFFERENT) for name, do in work.items()}, rounds
    )
    names = {
        "points": ("`hands.points`, by list", goals[0]),
        "arrange": ("`hands.arrange`, by list, phỏm as lists", ""),
        "many": ("`hands.arrange_many`, points", goals[1]),
        "many, with phỏm": ("`hands.arrange_many`, points and phỏm", goals[1]),
    }
    return [
        Figure(
            f"{kind} hands: {text}",
            "ns a hand",
            values[name],
            OPEN_SPIEL,
            values[OPEN_SPIEL],
            goal,
            "lower",
        )
        for name, (text, goal) in names.items()
    ]


def figures(rounds: int) -> list[Figure]:
    """Random and dense hands, by list and by buffer."""
    rng = random.Random(5)
    return [
        *_figures("random", random_hands(rng), rounds, ("≥ 13", "≥ 150")),
        *_figures("dense", dense_hands(rng), rounds, ("≥ 60", "")),
    ]
