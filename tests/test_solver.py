"""The solver's own functions: by list and by buffer they say what AnalyzeHand says.

AnalyzeHand is held to brute force by test_hands.py; the hands here are of the same kinds.
"""

import array
import itertools
import random
from collections.abc import Iterator

import pytest
from hands import Hand, hands, referee_says
from oracle import arrange as oracle
from phom.v1 import referee_pb2
from phom_core import hands as solver

COUNT = 8000
PHOMS = 4  # masks for each hand

Told = tuple[Hand, referee_pb2.AnalyzeHandResponse]


@pytest.fixture(scope="module")
def told() -> list[Told]:
    """Hands whose eaten cards can be kept, and AnalyzeHand's answers."""
    return [*itertools.islice(_told(random.Random(7)), COUNT)]


def _told(rng: random.Random) -> Iterator[Told]:
    for hand in hands(rng):
        answer = referee_says(Hand(hand.cards, hand.eaten))
        if not isinstance(answer, list):
            yield hand, answer


def _masks(all_cards: list[tuple[int, ...]]) -> "array.array[int]":
    return array.array("Q", [solver.mask(list(cards)) for cards in all_cards])


def _codes(mask: int) -> list[int]:
    return [13 * (bit // 16) + bit % 16 + 1 for bit in range(64) if mask >> bit & 1]


def test_by_list(told: list[Told]) -> None:
    for hand, answer in told:
        cards, eaten = list(hand.cards), list(hand.eaten)
        phoms = [list(phom.cards) for phom in answer.phoms]
        assert solver.points(cards, eaten) == answer.points
        assert solver.arrange(cards, eaten) == (answer.points, phoms)
        if not eaten:
            assert solver.points(cards) == answer.points
            assert solver.arrange(cards) == (answer.points, phoms)


def test_the_points_alone_are_those_of_brute_force(told: list[Told]) -> None:
    # Without eaten cards they are found by a search of their own.
    for hand, _ in told[:3000]:
        assert solver.points(list(hand.cards)) == oracle.best_points(hand.cards, ())


@pytest.mark.parametrize("with_eaten", [False, True])
def test_by_buffer(told: list[Told], with_eaten: bool) -> None:
    chosen = [(hand, answer) for hand, answer in told if with_eaten or not hand.eaten]
    masks = _masks([hand.cards for hand, _ in chosen])
    eaten = _masks([hand.eaten for hand, _ in chosen]) if with_eaten else None
    points = array.array("B", bytes(len(chosen)))
    phoms = array.array("Q", [2**64 - 1] * (PHOMS * len(chosen)))
    solver.arrange_many(masks, points, phoms, eaten)
    assert list(points) == [answer.points for _, answer in chosen]
    for number, (_, answer) in enumerate(chosen):
        here = phoms[PHOMS * number : PHOMS * (number + 1)]
        found = [list(phom.cards) for phom in answer.phoms]
        assert [_codes(mask) for mask in here] == found + [[]] * (PHOMS - len(found))
    alone = array.array("B", bytes(len(chosen)))
    solver.arrange_many(masks, alone, None, eaten)
    assert alone == points


def test_the_hand_at_fault_is_named() -> None:
    good, long = list(range(1, 11)), list(range(1, 15))
    masks = _masks([tuple(good)] * 3)
    masks[1] = sum(1 << (16 * ((code - 1) // 13) + (code - 1) % 13) for code in long)
    points = array.array("B", bytes([99] * 3))
    for phoms in (None, array.array("Q", bytes(8 * PHOMS * 3))):
        with pytest.raises(ValueError, match="hand 1 must have at most 13 cards"):
            solver.arrange_many(masks, points, phoms)
    assert list(points) == [0, 99, 99]
    masks = _masks([tuple(good)] * 3)
    for eaten in ([11], [1, 2, 3, 4], [1, 2]):
        wrong = _masks([(), tuple(eaten), ()])
        if eaten == [1, 2]:  # both in one run of ten could be kept apart; in one of three not
            masks[1] = solver.mask([1, 2, 3, 20, 35])
        with pytest.raises(
            ValueError, match="eaten cards of hand 1 must be at most 3 of its cards"
        ):
            solver.arrange_many(masks, points, None, wrong)


def test_buffers_of_the_wrong_size() -> None:
    masks = _masks([(1, 2, 3)] * 2)
    points, phoms = array.array("B", bytes(2)), array.array("Q", bytes(8 * 8))
    with pytest.raises(ValueError, match="points_out must have room for 2 hands, not 1"):
        solver.arrange_many(masks, points[:1])
    with pytest.raises(ValueError, match="phoms_out must have room for 8 masks"):
        solver.arrange_many(masks, points, phoms[:7])
    with pytest.raises(ValueError, match="eaten must have 2 masks, not 1"):
        solver.arrange_many(masks, points, phoms, masks[:1])
    solver.arrange_many(masks[:0], points[:0])


@pytest.mark.parametrize(
    ("cards", "eaten", "message"),
    [
        (list(range(1, 15)), None, "must be at most 13 cards, not 14"),
        ([1, 53], None, "card 1 must be a card code, 1 to 52, not 53"),
        ([0], None, "card 0 must be a card code, 1 to 52, not 0"),
        ([5, 6, 5], None, "card 2 must not be there before: 5"),
        ([1, 2, 3], [4], "the eaten cards must be among the cards"),
        ([1, 2, 3, 10], [10], r"the eaten cards must have a phom each \(rules 1.5\)"),
        ([1, 2, 3], [1, 2], r"the eaten cards must have a phom each \(rules 1.5\)"),
    ],
)
def test_what_is_no_hand(cards: list[int], eaten: list[int] | None, message: str) -> None:
    for function in (solver.points, solver.arrange):
        with pytest.raises(ValueError, match=message):
            function(cards, eaten)
