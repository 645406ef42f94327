"""Random deals: plain ones, and ones with many phỏm or with hands that have no cạ."""

from random import Random

from .cards import DECK, PHOMS, Phom, is_ca, suit


def random_deal(rng: Random, n: int, first_seat: int, style: str | None = None) -> list[list[int]]:
    """Hands of 9 cards, 10 for the first seat (2.1), in a style or a random one."""
    if style is None:
        style = rng.choices(("plain", "cạ", "phỏm", "suits", "khan"), weights=(4, 4, 2, 2, 1))[0]
    free = set(DECK)
    hands: list[list[int]] = []
    for seat in range(n):
        size = 10 if seat == first_seat else 9
        hand: list[int] = []
        if style == "khan" and rng.random() < 0.7:
            hand = _without_ca(rng, free, size)
        elif style in ("cạ", "phỏm"):
            hand = _with_phoms(rng, free, size, whole=style == "phỏm")
        elif style == "suits":
            hand = _of_one_suit(rng, free)
        free -= set(hand)
        hands.append(hand)
    for seat, hand in enumerate(hands):
        size = 10 if seat == first_seat else 9
        filling = rng.sample(sorted(free), size - len(hand))
        free -= set(filling)
        hand.extend(filling)
        rng.shuffle(hand)
    return hands


def _with_phoms(rng: Random, free: set[int], size: int, whole: bool) -> list[int]:
    """A hand with some phỏm, or with phỏm that lack a card, as far as the free cards allow."""
    hand: set[int] = set()
    wanted = rng.randint(1, 3)
    for _ in range(wanted * 3):
        phom = _short_phom(rng)
        taken = phom if whole else phom - {rng.choice(sorted(phom))}
        if taken <= free - hand and len(hand) + len(taken) <= size:
            hand |= taken
            wanted -= 1
        if wanted == 0:
            break
    return sorted(hand)


def _of_one_suit(rng: Random, free: set[int]) -> list[int]:
    """Some cards of one suit, for long runs with more than one eaten card in them."""
    of_suit = rng.randrange(4)
    suited = [card for card in sorted(free) if suit(card) == of_suit]
    return rng.sample(suited, min(len(suited), rng.randint(4, 7)))


def _short_phom(rng: Random) -> Phom:
    """A phỏm of 3, 4 or seldom 5 cards."""
    while True:
        phom = rng.choice(PHOMS)
        if len(phom) <= 4 or (len(phom) == 5 and rng.random() < 0.2):
            return phom


def _without_ca(rng: Random, free: set[int], size: int) -> list[int]:
    """A hand without any cạ (6.5), or none where chance does not find one."""
    for _ in range(20):
        hand: list[int] = []
        for card in rng.sample(sorted(free), len(free)):
            if not any(is_ca(card, held) for held in hand):
                hand.append(card)
            if len(hand) == size:
                return hand
    return []
