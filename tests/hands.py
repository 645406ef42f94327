"""AnalyzeHand against brute force on random and adversarial hands.

    python tests/hands.py --count 100000 --seed 1

Hands of 0 to 13 cards with 0 to 3 eaten, a good part of them dense in phỏm: long runs that cross sets,
four of a kind, whole blocks of neighbours. The oracle tries every choice of disjoint phỏm; the whole
answer is compared, ties counted. Exits with 1, printing the first hands as a command, if they differ.
"""

# ruff: noqa: T201 - it speaks to who runs it.

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from oracle import arrange
from oracle.cards import DECK, PHOMS, card_name, is_ca, points, rank, suit
from phom.v1 import referee_pb2, verdict_pb2
from phom_core import NotALog, analyze_hand

RANKS, SUITS, MOST = 13, 4, 13
ALL_CARDS = sorted(DECK)
SHOWN = 5
CA_WITH = {card: frozenset(c for c in ALL_CARDS if is_ca(card, c)) for card in ALL_CARDS}


@dataclass(frozen=True)
class Hand:
    """What AnalyzeHand is asked about; `offered` 0: nothing is."""

    cards: tuple[int, ...]
    eaten: tuple[int, ...] = ()
    offered: int = 0

    def __str__(self) -> str:
        cards, eaten = (" ".join(map(_code, given)) for given in (self.cards, self.eaten))
        command = f'phom-referee hand "{cards}"'
        command += f' --eaten "{eaten}"' if eaten else ""
        return command + (f" --offered {_code(self.offered)}" if self.offered else "")


def _code(card: int) -> str:
    return card_name(card).removeprefix("CARD_")


# ---- the two answers ----


def referee_says(hand: Hand) -> referee_pb2.AnalyzeHandResponse | list[str]:
    """AnalyzeHand's answer, or the paths of the fields at fault."""
    request = referee_pb2.AnalyzeHandRequest(
        cards=hand.cards, eaten=hand.eaten, offered=hand.offered
    )
    try:
        answer = analyze_hand(request.SerializeToString())
    except NotALog as error:
        return [path for path, _ in error.fields]
    return referee_pb2.AnalyzeHandResponse.FromString(answer)


def oracle_says(hand: Hand) -> referee_pb2.AnalyzeHandResponse | list[str]:
    """The same, found by trying everything."""
    cards, eaten = frozenset(hand.cards), frozenset(hand.eaten)
    best = arrange.best(cards, eaten)
    if best is None:
        return ["eaten"]
    loose = arrange.loose(cards, best)
    return referee_pb2.AnalyzeHandResponse(
        phoms=[{"cards": phom} for phom in arrange.listed(best)],
        loose=sorted(loose),
        points=points(loose),
        u_kind=verdict_pb2.UKind.Value(arrange.u_kind(cards, eaten)),
        khan=arrange.khan(cards),
        can_eat=bool(hand.offered) and arrange.can_eat(cards, eaten, hand.offered),
        legal_discards=arrange.legal_discards(cards, eaten),
        ca_pairs=[{"first": a, "second": b} for a, b in arrange.ca_pairs(cards)],
        arrangements=arrange.arrangements(cards, eaten),
    )


def difference(hand: Hand) -> str:
    """What the two say differently of a hand; empty if nothing."""
    ours, theirs = referee_says(hand), oracle_says(hand)
    if ours == theirs:
        return ""
    if isinstance(ours, list) or isinstance(theirs, list):
        return f"referee {ours}, oracle {theirs}"
    names = referee_pb2.AnalyzeHandResponse.DESCRIPTOR.fields_by_name
    different = [name for name in names if getattr(ours, name) != getattr(theirs, name)]
    return "; ".join(
        f"{name}: referee {getattr(ours, name)}, oracle {getattr(theirs, name)}"
        for name in different
    )


# ---- the hands ----


def any_hand(rng: random.Random, size: int) -> set[int]:
    """Any cards."""
    return set(rng.sample(ALL_CARDS, size))


def block(rng: random.Random, size: int) -> set[int]:
    """Cards of a few neighbouring ranks: every set crosses runs."""
    height = rng.randint(max(2, -(-size // SUITS)), 6)
    low = rng.randint(1, RANKS + 1 - height)
    return set(rng.sample([c for c in ALL_CARDS if low <= rank(c) < low + height], size))


def crossed_run(rng: random.Random, size: int) -> set[int]:
    """A long run, and as much as there is room for of the sets that cross it."""
    length = rng.randint(min(size, 4), min(size, RANKS))
    low, own = rng.randint(1, RANKS + 1 - length), rng.randrange(SUITS)
    run = [own * RANKS + r for r in range(low, low + length)]
    crossing = [c for c in ALL_CARDS if low <= rank(c) < low + length and suit(c) != own]
    rng.shuffle(crossing)
    crossing.sort(key=lambda card: rank(card) % rng.choice((2, 3)))
    return set((run + crossing + rng.sample(ALL_CARDS, len(ALL_CARDS)))[:size])


def two_runs(rng: random.Random, size: int) -> set[int]:
    """Runs of neighbouring ranks in two or three suits, which give each other their sets."""
    low, suits = rng.randint(1, 7), rng.sample(range(SUITS), rng.choice((2, 3)))
    ordered = [s * RANKS + r for r in range(low, low + 7) for s in suits]
    return set((ordered + rng.sample(ALL_CARDS, len(ALL_CARDS)))[:size])


def fours(rng: random.Random, size: int) -> set[int]:
    """Whole ranks, near each other, and then any cards."""
    low = rng.randint(1, RANKS - 3)
    chosen = rng.sample(range(low, low + 4), rng.choice((1, 2, 3)))
    ordered = [s * RANKS + r for r in chosen for s in range(SUITS)]
    return set((ordered + rng.sample(ALL_CARDS, len(ALL_CARDS)))[:size])


def in_phoms(rng: random.Random, size: int) -> set[int]:
    """Phỏm by phỏm; of the last what there is room for."""
    ordered: list[int] = []
    while len(set(ordered)) < size:
        ordered += rng.sample(sorted(phom := rng.choice(PHOMS)), len(phom))
    return set([*dict.fromkeys(ordered)][:size])


def without_ca(rng: random.Random, size: int) -> set[int]:
    """No cạ, as long as that can be; then perhaps one."""
    cards: set[int] = set()
    for card in rng.sample(ALL_CARDS, len(ALL_CARDS)):
        if len(cards) < size and cards.isdisjoint(CA_WITH[card]):
            cards.add(card)
    rest = rng.sample(sorted(DECK - cards), size - len(cards))
    return cards | set(rest)


WAYS: list[Callable[[random.Random, int], set[int]]] = [
    any_hand,
    block,
    crossed_run,
    two_runs,
    fours,
    in_phoms,
    without_ca,
]


def hands(rng: random.Random) -> Iterator[Hand]:
    """Hands without end; the large ones more often, for they are the hard ones."""
    while True:
        size = max(rng.randint(0, MOST), rng.choice((0, 0, 10, MOST)))
        cards = rng.choice(WAYS)(rng, size)
        yield Hand(_shuffled(rng, cards), _eaten(rng, cards), _offered(rng, cards))


def _shuffled(rng: random.Random, cards: set[int]) -> tuple[int, ...]:
    return tuple(rng.sample(sorted(cards), len(cards)))


def _eaten(rng: random.Random, cards: set[int]) -> tuple[int, ...]:
    """Marks that mostly can be; sometimes on any cards."""
    wanted = min(rng.choice((0, 0, 1, 1, 2, 2, 3)), len(cards))
    chosen: list[int] = []
    for card in rng.sample(sorted(cards), len(cards)):
        marked = frozenset([*chosen, card])
        careless = rng.random() < 0.02
        if len(chosen) < wanted and (careless or arrange.fits(frozenset(cards), marked)):
            chosen.append(card)
    return tuple(chosen)


def _offered(rng: random.Random, cards: set[int]) -> int:
    """Mostly a card that goes with one of the hand."""
    rest = sorted(DECK - cards)
    if rng.random() < 0.1:
        return 0
    near = [card for card in rest if not cards.isdisjoint(CA_WITH[card])]
    return rng.choice(near or rest) if rng.random() < 0.8 else rng.choice(rest)


# ---- the run ----


@dataclass
class Tally:
    """What a run has seen."""

    hands: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[Hand, str]] = field(default_factory=list)


def run(seed: int, count: int) -> Tally:
    """Compare so many hands; the same seed gives the same hands."""
    tally = Tally()
    for hand in hands(random.Random(seed)):
        if tally.hands == count:
            return tally
        tally.hands += 1
        if found := difference(hand):
            tally.differences.append((hand, found))
        _count(hand, tally.seen)
    raise AssertionError("hands never end")


def _count(hand: Hand, seen: Counter[str]) -> None:
    says = referee_says(hand)
    seen[f"{len(hand.cards)} cards"] += 1
    seen[f"{len(hand.eaten)} eaten"] += 1
    if isinstance(says, list):
        seen["eaten without phỏm"] += 1
        return
    seen["tied"] += says.arrangements > 1
    seen["offered can be eaten"] += says.can_eat
    seen["without cạ"] += says.khan
    seen[verdict_pb2.UKind.Name(says.u_kind)] += 1
    seen["a discard is forbidden"] += len(says.legal_discards) < len(hand.cards) - len(hand.eaten)


def main() -> int:
    """Run from the command line; 1 if there was a difference."""
    parser = argparse.ArgumentParser(description="AnalyzeHand against brute force.")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    tally = run(given.seed, given.count)
    speed = tally.hands / (time.monotonic() - began)
    print(f"{tally.hands} hands, {len(tally.differences)} differences ({speed:.0f} hands/s)")
    print(json.dumps(dict(sorted(tally.seen.items())), ensure_ascii=False))
    for hand, found in tally.differences[:SHOWN]:
        print(f"{hand}\n  {found}")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
