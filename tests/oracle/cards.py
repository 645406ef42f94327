"""Cards as the numbers 1 to 52 of contract.md, and every phỏm there is (rules 1)."""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "SCDH"

# contract.md, Cards: spades, clubs, diamonds, hearts, each A to K.
NAMES = [f"CARD_{rank}{suit}" for suit in SUITS for rank in RANKS]
NUMBERS = {name: number for number, name in enumerate(NAMES, start=1)}
DECK = frozenset(range(1, 53))

Phom = frozenset[int]


def card_name(card: int) -> str:
    """The name of a card in the JSON mapping; 0 is no card."""
    return NAMES[card - 1] if card else "CARD_UNSPECIFIED"


def rank(card: int) -> int:
    """1.1: the rank is also what the card is worth in points."""
    return (card - 1) % 13 + 1


def suit(card: int) -> int:
    """0 to 3, in the order of the card codes."""
    return (card - 1) // 13


def points(cards: Iterable[int]) -> int:
    """1.3: what these cards cost when they are loose."""
    return sum(rank(card) for card in cards)


def is_phom(cards: Iterable[int]) -> bool:
    """1.2: three or four of one rank, or three or more consecutive ranks of one suit, the ace low."""
    held = list(cards)
    if len(held) < 3 or len(set(held)) != len(held):
        return False
    ranks = sorted(rank(card) for card in held)
    if ranks[0] == ranks[-1]:
        return True
    one_suit = len({suit(card) for card in held}) == 1
    return one_suit and ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def is_ca(first: int, second: int) -> bool:
    """1.4: same rank, or same suit at distance 1 or 2."""
    if rank(first) == rank(second):
        return first != second
    return suit(first) == suit(second) and abs(rank(first) - rank(second)) <= 2


def _every_phom() -> list[Phom]:
    """All sets and runs, from the definition (329 of them, architecture.md law 8)."""
    found: list[Phom] = []
    for of_rank in range(1, 14):
        four = [of_rank + 13 * of_suit for of_suit in range(4)]
        found.append(frozenset(four))
        found.extend(frozenset(four) - {card} for card in four)
    for of_suit in range(4):
        for low in range(1, 14):
            for high in range(low + 2, 14):
                found.append(frozenset(13 * of_suit + r for r in range(low, high + 1)))
    return found


PHOMS = _every_phom()
PHOMS_FROM: dict[int, list[Phom]] = {
    card: [phom for phom in PHOMS if min(phom) == card] for card in DECK
}
