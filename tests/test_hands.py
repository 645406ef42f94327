"""AnalyzeHand: brute force says the same of any hand; what is no hand is told by its fields.

The long run is `python tests/hands.py`; the handed hands are in test_handed_cases.py.
"""

import pytest
from hands import Hand, difference, referee_says, run
from oracle.cards import NUMBERS
from phom.v1 import referee_pb2, verdict_pb2
from phom_core import NotALog, analyze_hand


def hand(cards: str, eaten: str = "", offered: str = "") -> Hand:
    given = [tuple(NUMBERS[f"CARD_{code}"] for code in text.split()) for text in (cards, eaten)]
    return Hand(given[0], given[1], NUMBERS[f"CARD_{offered}"] if offered else 0)


def analyzed(asked: Hand) -> referee_pb2.AnalyzeHandResponse:
    assert difference(asked) == "", asked
    says = referee_says(asked)
    assert isinstance(says, referee_pb2.AnalyzeHandResponse)
    return says


# ---- brute force ----


@pytest.mark.parametrize("seed", range(101, 105))
def test_brute_force_says_the_same(seed: int) -> None:
    tally = run(seed=seed, count=1000)
    assert [f"{asked}: {found}" for asked, found in tally.differences] == []


def test_the_run_reaches_what_it_is_for() -> None:
    tally = run(seed=105, count=1000)
    assert {f"{size} cards" for size in range(14)} <= tally.seen.keys()
    assert {f"{count} eaten" for count in range(4)} <= tally.seen.keys()
    others = ["tied", "offered can be eaten", "without cạ", "a discard is forbidden"]
    others += ["eaten without phỏm", "U_KIND_PLAIN", "U_KIND_TRON"]
    assert {name: tally.seen[name] for name in others if tally.seen[name] < 10} == {}


# ---- hands that people would ask about ----


def test_no_cards() -> None:
    assert analyzed(hand("")) == referee_pb2.AnalyzeHandResponse(khan=True, arrangements=1)


def test_the_worked_example_of_the_rules() -> None:
    cards = "3H 4H 5H 6H 7H 8H 3S 3D 8S 8C"
    assert analyzed(hand(cards, eaten="4H 7H")).points == 22
    assert analyzed(hand(cards)).u_kind == verdict_pb2.U_KIND_TRON


@pytest.mark.parametrize(
    ("cards", "arrangements"),
    [
        ("AS 2S 3S 4S 5S 6S", 2),  # one run or two
        ("AS AC AD 2S 2C 2D 3S 3C 3D", 2),  # three sets or three runs
        ("KS KC KD KH", 1),
        ("2S 4C 6D", 1),  # the one that has no phỏm
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", 28),  # 13 as a sum of numbers from 3 on
    ],
)
def test_ties_are_counted(cards: str, arrangements: int) -> None:
    assert analyzed(hand(cards)).arrangements == arrangements


def test_thirteen_cards_in_four_phom() -> None:
    says = analyzed(hand("AS 2S 3S AC 2C 3C AD 2D 3D AH 2H 3H 4H"))
    assert (says.points, len(says.phoms)) == (0, 4)


def test_offered_card_with_three_eaten_in_thirteen_cards() -> None:
    held = "AS 2S 3S 4C 5C 6C 7D 8D 9D JH QH 2C 4D"
    assert analyzed(hand(held, eaten="AS 4C 7D", offered="KH")).can_eat


def test_offered_card_that_needs_an_eaten_one() -> None:
    says = analyzed(hand("5S 6S 7S KC", eaten="6S", offered="8S"))
    assert not says.can_eat


def test_an_eaten_card_and_its_phom_are_not_to_be_discarded() -> None:
    says = analyzed(hand("5S 6S 7S 8S KC", eaten="6S"))
    assert [*says.legal_discards] == [NUMBERS["CARD_5S"], NUMBERS["CARD_8S"], NUMBERS["CARD_KC"]]


def test_order_of_the_cards_given_does_not_matter() -> None:
    one, other = hand("5S 6S 7S KC KD", "6S", "KH"), hand("KD 7S KC 6S 5S", "6S", "KH")
    assert referee_says(one) == referee_says(other)


# ---- what is no hand ----

FOURTEEN = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AC"


FAULTS = {
    "fourteen cards": (hand(FOURTEEN), ["cards"]),
    "a card twice": (hand("5S 6S 5S"), ["cards[2]"]),
    "an unknown card": (Hand((5, 53)), ["cards[1]"]),
    "no card": (Hand((0, 5)), ["cards[0]"]),
    "eaten, not held": (hand("5S 6S 7S", eaten="8S"), ["eaten[0]"]),
    "eaten twice": (hand("5S 6S 7S", eaten="6S 6S"), ["eaten[1]"]),
    "an unknown card eaten": (Hand((5, 6, 7), eaten=(99,)), ["eaten[0]"]),
    "four eaten": (hand("AS 2S 3S 4C 5C 6C 7D 8D 9D JH QH KH", eaten="AS 4C 7D JH"), ["eaten"]),
    "eaten without phỏm": (hand("5S 6S 9C", eaten="5S"), ["eaten"]),
    "two eaten in one phỏm": (hand("5S 6S 7S", eaten="5S 6S"), ["eaten"]),
    "offered and held": (hand("5S 6S 7S", offered="6S"), ["offered"]),
    "an unknown card offered": (Hand((5, 6, 7), offered=53), ["offered"]),
    "all at once": (
        Hand((5, 5, 60), eaten=(9,), offered=61),
        ["cards[1]", "cards[2]", "eaten[0]", "offered"],
    ),
}


@pytest.mark.parametrize(("asked", "paths"), FAULTS.values(), ids=FAULTS.keys())
def test_each_field_at_fault_is_named(asked: Hand, paths: list[str]) -> None:
    assert referee_says(asked) == paths


def test_what_is_no_message_names_the_cards() -> None:
    with pytest.raises(NotALog) as raised:
        analyze_hand(b"\x0a\x7f\x01")
    assert [path for path, _ in raised.value.fields] == ["cards"]
