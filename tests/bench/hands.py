"""Work for callgrind: arrange hands, and nothing else that grows with their number.

    python tests/bench/hands.py KIND COUNT

KIND: `points` or `phoms` (what is written out). Hands are random ten-card ones, the same each time.
"""

import array
import random
import sys

from phom_core import hands

DIFFERENT = 2000


def main() -> None:
    """Arrange COUNT hands, DIFFERENT ones over and over."""
    kind, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(5)
    deck = list(range(1, 53))
    masks = array.array("Q", [hands.mask(rng.sample(deck, 10)) for _ in range(DIFFERENT)])
    points = array.array("B", bytes(DIFFERENT))
    phoms = array.array("Q", bytes(8 * 4 * DIFFERENT)) if kind == "phoms" else None
    for _ in range(count // DIFFERENT):
        hands.arrange_many(masks, points, phoms)


if __name__ == "__main__":
    main()
