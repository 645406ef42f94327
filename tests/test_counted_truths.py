"""Law 8: there are 329 phỏm; 6,820,068 nine-card hands hold no cạ; 97,624 lie wholly in phỏm.

What AnalyzeHand is asked, and what is left to reasoning, stands with each count.
"""

import random
from collections.abc import Iterable, Iterator
from itertools import combinations

import pytest
from oracle.cards import DECK, PHOMS
from phom.v1 import referee_pb2
from phom_core import analyze_hand
from rawbytes import delimited

CARDS = referee_pb2.AnalyzeHandRequest.DESCRIPTOR.fields_by_name["cards"].number
NINE = 9
ALL_CARDS = sorted(DECK)


def analyzed(cards: Iterable[int]) -> referee_pb2.AnalyzeHandResponse:
    answer = analyze_hand(delimited(CARDS, bytes(cards)))
    return referee_pb2.AnalyzeHandResponse.FromString(answer)


def wholly_in_phom(cards: Iterable[int]) -> bool:
    found = analyzed(cards)
    assert bool(found.loose) == bool(found.points)
    return not found.loose


# ---- 329 phỏm ----


def test_there_are_329_phom() -> None:
    """Each phỏm of the definition is asked about: all its cards are in phỏm, a long run's in several."""
    assert len(set(PHOMS)) == 329
    for phom in PHOMS:
        found = analyzed(sorted(phom))
        assert (found.points, len(found.loose)) == (0, 0), sorted(phom)
        assert frozenset(card for part in found.phoms for card in part.cards) == phom
        assert len(found.phoms) == len(phom) // 3  # the smallest list: threes first


@pytest.mark.parametrize(
    ("size", "hands", "phoms"),
    [
        (3, 22_100, 4 * 13 + 4 * 11),
        (4, 270_725, 13 + 4 * 10),
        pytest.param(5, 2_598_960, 4 * 9, marks=pytest.mark.slow),
    ],
)
def test_nothing_else_is_a_phom(size: int, hands: int, phoms: int) -> None:
    """Every hand of 3, of 4 and of 5 cards is asked about; with 6 there may be two phỏm."""
    asked = 0
    found = set()
    for cards in combinations(ALL_CARDS, size):
        asked += 1
        if wholly_in_phom(cards):
            found.add(frozenset(cards))
    assert asked == hands
    assert len(found) == phoms
    assert found == {phom for phom in PHOMS if len(phom) == size}


# ---- nine cards wholly in phỏm ----


def _unions(size: int, start: int, taken: frozenset[int]) -> Iterator[frozenset[int]]:
    """Every union of disjoint phỏm, from the `start`-th on, that brings `taken` up to `size` cards."""
    if len(taken) == size:
        yield taken
    for index in range(start, len(PHOMS)):
        phom = PHOMS[index]
        if len(taken) + len(phom) <= size and not phom & taken:
            yield from _unions(size, index + 1, taken | phom)


def test_97_624_nine_card_hands_are_wholly_in_phom() -> None:
    """Each of them is asked about; that a hand of nine cards is one only if it is a union of disjoint phỏm is its
    definition. Most are asked about with one card changed, too.
    """
    hands = set(_unions(NINE, 0, frozenset()))
    assert len(hands) == 97_624
    rng = random.Random(9)
    for hand in hands:
        cards = sorted(hand)
        assert wholly_in_phom(cards), cards
        other = hand - {rng.choice(cards)} | {rng.choice(ALL_CARDS)}
        if len(other) == NINE:
            assert wholly_in_phom(sorted(other)) == (other in hands), sorted(other)


# ---- nine cards without cạ ----


def _without_ca(pairs: dict[int, int]) -> Iterator[tuple[list[int], int]]:
    """Every eight cards no two of which are cạ, ascending, with the higher cards that go with all of them.

    `pairs`: for each card the higher ones with which it is no cạ, one bit each.
    """
    stack = [([card], pairs[card]) for card in ALL_CARDS]
    while stack:
        cards, free = stack.pop()
        if len(cards) == NINE - 1:
            yield cards, free
            continue
        for card in _cards(free):
            stack.append(([*cards, card], free & pairs[card]))


def _cards(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _pairs() -> dict[int, int]:
    """All 1,326 pairs asked about: the higher cards with which each card is no cạ."""
    pairs = dict.fromkeys(ALL_CARDS, 0)
    for low, high in combinations(ALL_CARDS, 2):
        if analyzed((low, high)).khan:
            pairs[low] |= 1 << high
    return pairs


def test_a_hand_is_without_ca_if_all_its_pairs_are() -> None:
    """What the count of hands without cạ leaves to reasoning, asked about on 50,000 hands, most of them near."""
    pairs, rng = _pairs(), random.Random(10)
    for _ in range(50_000):
        cards = sorted(rng.sample(ALL_CARDS, rng.choice((3, 4, 5, 9))))
        found = analyzed(cards)
        ca = [(a, b) for a, b in combinations(cards, 2) if not pairs[a] >> b & 1]
        assert [(pair.first, pair.second) for pair in found.ca_pairs] == ca
        assert found.khan == (not ca)


@pytest.mark.slow
def test_6_820_068_nine_card_hands_are_without_ca() -> None:
    """Each of them is asked about, and each pair of cards. That a hand with a cạ in it is not one is left to reasoning:
    nothing is asked about the other 3.67 thousand million hands.
    """
    count = 0
    for cards, free in _without_ca(_pairs()):
        for card in _cards(free):
            assert analyzed((*cards, card)).khan, (*cards, card)
            count += 1
    assert count == 6_820_068
