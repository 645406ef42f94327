"""Work for callgrind: judge batches of games, and nothing else that grows with their number.

    python tests/bench/replays.py TIMES

TIMES times a message of the same 240 four-handed games, forty of each house.
"""

import sys

from judge import batch, generated
from phom_referee.houses import referee

GAMES = 240


def main() -> None:
    """Judge them all, so many times."""
    request = batch(generated(GAMES))
    judge = referee()
    for _ in range(int(sys.argv[1])):
        judge.replay_many(request)


if __name__ == "__main__":
    main()
