"""Arrangements of a hand, found by trying everything (rules 1.2 to 1.5, contract.md under AnalyzeHand)."""

from collections.abc import Iterable
from functools import lru_cache

from .cards import PHOMS_FROM, Phom, is_ca, points

Packing = tuple[Phom, ...]
Cards = frozenset[int]


@lru_cache(maxsize=1 << 15)
def phoms_in(cards: Cards) -> tuple[Phom, ...]:
    """Every phỏm made of these cards, by its lowest card."""
    return tuple(phom for card in sorted(cards) for phom in PHOMS_FROM[card] if phom <= cards)


def holds_phom(cards: Iterable[int]) -> bool:
    """1.2: whether a phỏm lies among these cards."""
    return bool(phoms_in(frozenset(cards)))


@lru_cache(maxsize=1 << 15)
def packings(cards: Cards, eaten: Cards) -> tuple[Packing, ...]:
    """Every choice of disjoint phỏm (1.2) with at most one eaten card each and all eaten cards among them (1.5)."""
    usable = [phom for phom in phoms_in(cards) if len(phom & eaten) <= 1]  # 1.5
    found: list[Packing] = []

    def extend(chosen: Packing, start: int, free: Cards) -> None:
        if not eaten & free:  # 1.5
            found.append(chosen)
        for index in range(start, len(usable)):
            if usable[index] <= free:
                extend((*chosen, usable[index]), index + 1, free - usable[index])

    extend((), 0, cards)
    return tuple(found)


def fits(cards: Cards, eaten: Cards) -> bool:
    """1.5: whether each eaten card can have a phỏm of its own among these cards."""
    return not eaten or bool(packings(cards, eaten))


def listed(packing: Packing) -> list[list[int]]:
    """The list of phỏm that contract.md compares: each ascending, and the phỏm sorted."""
    return sorted(sorted(phom) for phom in packing)


def loose(cards: Cards, packing: Packing) -> Cards:
    """1.3: the cards in no phỏm."""
    return cards.difference(*packing)


@lru_cache(maxsize=1 << 15)
def best(cards: Cards, eaten: Cards) -> Packing | None:
    """Fewest points, then most cards in phỏm, then the smallest list; None where 1.5 cannot be kept."""

    def order(packing: Packing) -> tuple[int, int, list[list[int]]]:
        left = loose(cards, packing)
        return points(left), len(left), listed(packing)

    return min(packings(cards, eaten), key=order, default=None)


def best_points(cards: Iterable[int], eaten: Iterable[int]) -> int:
    """7.7: the points under the best arrangement, 1.5 kept."""
    held, marked = frozenset(cards), frozenset(eaten)
    packing = best(held, marked)
    if packing is None:
        raise ValueError(
            f"eaten cards {sorted(marked)} have no phỏm of their own in {sorted(held)}"
        )
    return points(loose(held, packing))


def arrangements(cards: Cards, eaten: Cards) -> int:
    """How many arrangements have the best one's points and as many cards in phỏm."""
    chosen = best(cards, eaten)
    if chosen is None:
        return 0
    left = loose(cards, chosen)
    rivals = (loose(cards, packing) for packing in packings(cards, eaten))
    return sum(points(other) == points(left) and len(other) == len(left) for other in rivals)


def u_kind(cards: Cards, eaten: Cards) -> str:
    """6.2, 6.3: what ten unlaid cards are; U_KIND_UNSPECIFIED if no Ù, or not ten cards."""
    if len(cards) == 10:
        fewest = min((len(loose(cards, packing)) for packing in packings(cards, eaten)), default=10)
        if fewest == 0:
            return "U_KIND_TRON"
        if fewest == 1:
            return "U_KIND_PLAIN"
    return "U_KIND_UNSPECIFIED"


def ca_pairs(cards: Iterable[int]) -> list[tuple[int, int]]:
    """1.4: every cạ among these cards, in ascending card codes."""
    held = sorted(cards)
    return [(a, b) for i, a in enumerate(held) for b in held[i + 1 :] if is_ca(a, b)]


def khan(cards: Iterable[int]) -> bool:
    """6.5: no cạ at all."""
    return not ca_pairs(cards)


def makes_phom(cards: Cards, eaten: Cards, offered: int) -> bool:
    """4.2: the card makes a phỏm with two or more unlaid, uneaten cards of the hand."""
    return any(offered in phom for phom in phoms_in((cards - eaten) | {offered}))


def can_eat(cards: Cards, eaten: Cards, offered: int) -> bool:
    """4.2: both halves of the condition."""
    return makes_phom(cards, eaten, offered) and fits(cards | {offered}, eaten | {offered})


def legal_discards(cards: Cards, eaten: Cards) -> list[int]:
    """4.3: uneaten, and 1.5 possible afterwards."""
    return [card for card in sorted(cards - eaten) if fits(cards - {card}, eaten)]
