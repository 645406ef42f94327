"""Requests bent and broken: by ways that know the wire format and the messages, and by blind ones.

A mutant is made from nothing but the requests it starts from, a seed and its own number, so that
any one of millions can be had again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from . import ways
from .tree import Field, Message, parsed

# ---- without looking ----


def truncated(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def flipped(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def inserted(data: bytes, rng: Random) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.randbytes(rng.choice((1, 1, 2, 9))) + data[at:]


def deleted(data: bytes, rng: Random) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + data[at + rng.choice((1, 1, 2, 9)) :]


def overwritten(data: bytes, rng: Random) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + bytes([rng.choice((0, 1, 0x7F, 0x80, 0xFF))]) + data[at + 1 :]


def doubled(data: bytes, rng: Random) -> bytes:
    at = rng.randint(0, len(data))
    end = at + rng.randint(0, 40)
    return data[:end] + data[at:end] + data[end:]


def concatenated(data: bytes, _: Random) -> bytes:
    return data + data


BLIND: Sequence[Callable[[bytes, Random], bytes]] = (
    *(truncated, flipped, inserted, deleted, overwritten, doubled, concatenated),
)
WEIGHTS: dict[ways.Way, int] = {
    **dict.fromkeys((ways.shuffle, ways.move, ways.drop, ways.repeat, ways.hollow), 5),
    **dict.fromkeys((ways.rival, ways.split, ways.graft, ways.add, ways.interpose), 10),
    **dict.fromkeys((ways.change, ways.repack, ways.bend_list), 10),
    **dict.fromkeys((ways.overlong, ways.tenth, ways.stranger, ways.wrong_type, ways.text), 5),
    **dict.fromkeys((ways.deep, ways.broken_group, ways.bad_tag, ways.wrong_size), 2),
    ways.flood: 1,
}
_WAYS = list(WEIGHTS)
_CUMULATED = [sum(list(WEIGHTS.values())[: i + 1]) for i in range(len(WEIGHTS))]


# ---- mutants ----


@dataclass(frozen=True)
class Mutant:
    """One mutated request: the call it is for, its bytes, and the names of what was done to it."""

    number: int
    call: str
    data: bytes
    ways: tuple[str, ...]


class Mutator:
    """Makes mutants of requests; `requests` holds for each call some messages of protobuf."""

    def __init__(self, requests: dict[str, list[Any]], seed: int) -> None:
        self.seed = seed
        self.trees = {
            call: [parsed(m.DESCRIPTOR, m.SerializeToString(deterministic=True)) for m in messages]
            for call, messages in requests.items()
        }
        self.donors: ways.Donors = {}
        for trees in self.trees.values():
            for tree in trees:
                self._give(tree)
        self.calls = list(self.trees)
        self.weights = [len(trees) for trees in self.trees.values()]

    def _give(self, message: Message) -> None:
        self.donors.setdefault(message.type, []).append(message)
        for field in message.fields:
            if isinstance(field.content, Message):
                self._give(field.content)

    def mutant(self, number: int) -> Mutant:
        """The same for the same requests, seed and number."""
        rng = Random(self.seed << 40 | number)
        (call,) = rng.choices(self.calls, self.weights)
        tree = rng.choice(self.trees[call])
        done: list[str] = []
        blind = rng.random() < 0.15
        for _ in range(rng.choice((0, 1) if blind else (1, 1, 1, 1, 2, 2, 3, 5))):
            tree, way = self._bent(tree, rng)
            done.append(way)
        data = tree.encoded()
        if blind:
            way = rng.choice(BLIND)
            data = way(data, rng)
            done.append(way.__name__)
        return Mutant(number, call, data, tuple(done))

    def mutants(self, first: int, count: int) -> Iterator[Mutant]:
        return map(self.mutant, range(first, first + count))

    def _bent(self, message: Message, rng: Random) -> tuple[Message, str]:
        """A copy of the tree, changed in one way at one place."""
        changed = Message(message.type, message.fields[:])
        if rng.random() < 0.8 and (messages := message.messages()):
            at = rng.choice(rng.choice(messages))
            field = changed.fields[at]
            inside, name = self._bent(field.content, rng)
            changed.fields[at] = Field(field.number, inside)
            return changed, name
        while True:
            (way,) = rng.choices(_WAYS, cum_weights=_CUMULATED)
            if way(changed, rng, self.donors):
                return changed, way.__name__
