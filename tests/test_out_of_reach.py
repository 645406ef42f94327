"""What no game reaches, on a table without cards: every eat and every leaving that rules 3 allow, in any order.

Reasons in mutants/equivalent.toml rest on it. A house without row shift has no shifts to look at: there a
seat's d only grows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

NOTHING, EARLY, LATE = range(
    3
)  # the last discard: none, or one of a last-round turn, or of another
EXTRA_ROUNDS = 2


@dataclass(frozen=True)
class Bare:
    """A table as rules 3 see it; of a seat that left, d is 0."""

    d: tuple[int, ...]
    left: tuple[bool, ...]
    said: tuple[bool, ...]  # who has a lay-down time (5.2)
    stock: int
    target: int
    leader: int = 0
    turn: int = 0
    taken: bool = True
    last_round: bool = False
    discard: int = NOTHING
    giver: int = 0
    late_eaten: bool = False  # a card of a last-round turn has been eaten
    ended: bool = False
    by_rounds: bool = False

    def next_in(self, seat: int) -> int:
        order = [(seat + k) % len(self.d) for k in range(1, len(self.d) + 1)]
        return next(s for s in order if not self.left[s])

    def tested(self) -> "Bare":
        """3.5 and 3.6, where a turn is about to open."""
        over = all(gone or d >= self.target for d, gone in zip(self.d, self.left, strict=True))
        return replace(self, ended=over or self.stock == 0, by_rounds=over)

    def took(self, rounds: int, **changes: object) -> "Bare":
        now = replace(self, taken=True, ended=False, **changes)  # type: ignore[arg-type]
        return replace(now, last_round=now.d[now.turn] >= rounds - 1)


def with_item(items: tuple, index: int, item: object) -> tuple:
    return (*items[:index], item, *items[index + 1 :])


def following(at: Bare, rounds: int) -> Iterator[Bare]:
    if at.taken:
        d = with_item(at.d, at.turn, at.d[at.turn] + 1)
        said = with_item(at.said, at.turn, at.said[at.turn] or at.last_round)
        made = LATE if at.last_round else EARLY
        to = replace(at, d=d, said=said, discard=made, giver=at.turn, taken=False)
        yield replace(to, turn=at.next_in(at.turn), last_round=False).tested()
    elif at.discard:
        yield from eaten(at, rounds)
    if not at.ended and not at.taken:
        yield at.took(rounds, stock=at.stock - 1)
    for seat in range(len(at.d)):
        if not at.ended and not at.left[seat] and at.left.count(False) > 2:
            yield without(at, seat)


def eaten(at: Bare, rounds: int) -> Iterator[Bare]:
    """3.3, and 3.5 with and without an extra round."""
    late = at.late_eaten or at.discard == LATE
    changes: dict[str, object] = {"discard": NOTHING, "late_eaten": late}
    if not at.left[at.giver]:
        changes["d"] = with_item(at.d, at.leader, at.d[at.leader] - 1)
        changes["leader"] = at.next_in(at.leader)
    yield at.took(rounds, **changes)
    if at.by_rounds and at.ended and at.stock > 0 and at.target < rounds + EXTRA_ROUNDS:
        yield at.took(rounds, **changes, target=at.target + 1)


def without(at: Bare, seat: int) -> Bare:
    """3.7: a seat leaves."""
    gone = replace(at, left=with_item(at.left, seat, True), d=with_item(at.d, seat, 0))
    leader = gone.next_in(seat) if seat == at.leader else at.leader
    if seat == at.turn:
        turn = gone.next_in(seat)
        return replace(gone, leader=leader, turn=turn, taken=False, last_round=False).tested()
    gone = replace(gone, leader=leader)
    return gone if at.taken else gone.tested()


def every_state(seats: int, rounds: int) -> set[Bare]:
    none = (False,) * seats
    first = Bare((0,) * seats, none, none, 52 - 9 * seats - 1, rounds, last_round=rounds == 1)
    seen, todo = {first}, [first]
    while todo:
        for state in following(todo.pop(), rounds):
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return seen


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_out_of_reach(seats: int, rounds: int) -> None:
    states = every_state(seats, rounds)
    # Whoever is still in when others are too has said móm or laid down before the end (7.2).
    ended = [s for s in states if s.ended]
    assert all(s.said[i] or s.left[i] for s in ended for i in range(seats))
    # After an eat of a card of a last-round turn every turn is one (7.1 b).
    assert all(s.last_round for s in states if s.late_eaten and s.taken)
    # And what is discarded after a last-round turn is of one.
    assert all(
        s.discard != EARLY for s in states if any(s.said[i] and not s.left[i] for i in range(seats))
    )
    # A shift takes from a leader that has a card in its row (3.3).
    assert all(
        s.d[s.leader] > 0 for s in states if s.discard and not s.taken and not s.left[s.giver]
    )
    assert any(s.late_eaten and s.ended for s in states)
    assert any(s.target > rounds for s in states)
