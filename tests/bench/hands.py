"""Work for callgrind: arrange hands, and nothing else that grows with their number.

    python tests/bench/hands.py KIND COUNT

KIND: `points` or `phoms` (what is written out), or `eaten` (both are, and each hand has one or two
eaten cards). Hands are random ten-card ones, the same each time.
"""

import array
import random
import sys

from phom_core import hands

DIFFERENT = 2000


def random_hands(rng: random.Random) -> list[list[int]]:
    """Ten cards of the deck each."""
    return [rng.sample(range(1, 53), 10) for _ in range(DIFFERENT)]


def dense_hands(rng: random.Random) -> list[list[int]]:
    """Ten of the sixteen cards of four ranks in a row: sets and runs all over each other."""
    found = []
    for _ in range(DIFFERENT):
        lowest = rng.randrange(1, 11)
        pool = [13 * suit + rank for suit in range(4) for rank in range(lowest, lowest + 4)]
        found.append(rng.sample(pool, 10))
    return found


def hands_with_eaten(rng: random.Random) -> tuple[list[list[int]], list[list[int]]]:
    """Random hands, and of each one card that lies in a phom, or two of different phom."""
    found: list[list[int]] = []
    eaten: list[list[int]] = []
    while len(found) < DIFFERENT:
        cards = rng.sample(range(1, 53), 10)
        phoms = hands.arrange(cards)[1]
        if phoms:
            found.append(cards)
            eaten.append([rng.choice(phom) for phom in phoms[: rng.choice((1, 2))]])
    return found, eaten


def main() -> None:
    """Arrange COUNT hands, DIFFERENT ones over and over."""
    kind, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(5)
    cards, eaten = hands_with_eaten(rng) if kind == "eaten" else (random_hands(rng), None)
    masks = array.array("Q", map(hands.mask, cards))
    eaten_masks = array.array("Q", map(hands.mask, eaten)) if eaten else None
    points = array.array("B", bytes(DIFFERENT))
    phoms = None if kind == "points" else array.array("Q", bytes(8 * 4 * DIFFERENT))
    for _ in range(count // DIFFERENT):
        hands.arrange_many(masks, points, phoms, eaten_masks)


if __name__ == "__main__":
    main()
