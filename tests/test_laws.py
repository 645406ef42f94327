"""The laws of docs/laws.md on random games; that their checks can fail; the runners.

The long runs are `python tests/laws.py` and `python tests/dead_ends.py`; law 8 is in test_counted_truths.py.
"""

import random
from functools import cache

import canonical
import dead_ends
import laws
import laws_of_logs as of_logs
import laws_of_moves as of_moves
import lies
import positions
import pytest
from findings import Broken, as_game_file
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from laws_of_pairs import LAWS as PAIRS
from laws_of_pairs import Judged, laws_of_pairs
from likeness import seats_told_apart
from oracle.overrides import random_overrides
from oracle.referee import replay
from oracle.rules import FIELDS, effective
from oracle.table import Table
from phom.v1 import events_pb2, rules_pb2, verdict_pb2
from phom_referee import notation
from phom_referee.houses import referee
from positions import HOUSES, Position

settings.register_profile("laws", derandomize=True, max_examples=50, deadline=None, database=None)
LAWS = settings.get_profile("laws")


@st.composite
def logs(draw: st.DrawFn) -> events_pb2.GameLog:
    """A finished game of any house, half of them with other rules."""
    overrides = (
        random_overrides(random.Random(draw(st.integers(0, 999)))) if draw(st.booleans()) else {}
    )
    house, seats = draw(st.sampled_from(HOUSES)), draw(st.integers(2, 4))
    return positions.generated_game(draw(st.integers(0, 1 << 32)), house, seats, overrides)


@st.composite
def states(draw: st.DrawFn) -> Position:
    """A game cut after any of its events; half of the cuts in its last part, where most rules apply."""
    log = draw(logs())
    length = len(log.events)
    earliest = draw(st.sampled_from((0, max(0, length - 15))))
    return positions.position(log, draw(st.integers(earliest, length)))


def broken(law: int, at: Position, findings: of_logs.Findings) -> list[str]:
    """What was found, each as a file that could become a game of tests/games."""
    return [as_game_file(law, at.log, found) for found in findings]


def answered(at: Position) -> of_moves.Answers:
    return of_moves.answers(at, of_moves.candidates(at, random.Random(0), 1.0))


def oracles_table(at: Position) -> Table:
    table, violation, _ = replay(json_format.MessageToDict(at.log))
    assert violation is None
    return table


@LAWS
@given(states())
def test_1_an_illegal_event_changes_nothing(at: Position) -> None:
    answers = answered(at)
    refused = {a: answer for a, answer in answers.items() if not of_moves.said_yes(answer)}
    assert not broken(1, at, of_moves.law_1(at, refused))
    assert not broken(1, at, of_moves.named_cards(at, answers))


@LAWS
@given(states())
def test_2_what_is_listed_is_legal_and_nothing_else(at: Position) -> None:
    assert not broken(2, at, of_moves.law_2(at, answered(at)))
    assert not broken(2, at, of_moves.apart(at))


@settings(LAWS, max_examples=300)
@given(states())
def test_2_the_oracle_lists_the_same(at: Position) -> None:
    assert not broken(2, at, of_moves.as_the_oracle_sees_it(at, oracles_table(at)))


@LAWS
@given(logs())
def test_3_a_legal_log_cut_anywhere_is_legal(log: events_pb2.GameLog) -> None:
    cuts = [*positions.positions(log)]
    for at in cuts:
        assert not broken(3, at, of_logs.law_3(at))
        assert not broken(3, at, of_logs.same_trace(at, cuts[-1].verdict))


@LAWS
@given(logs())
def test_4_nets_and_rake_are_0_and_each_payment_is_traced_once(log: events_pb2.GameLog) -> None:
    for at in positions.positions(log):
        assert not broken(4, at, of_logs.law_4(at))


@LAWS
@given(st.lists(states(), min_size=2, max_size=4))
def test_5_same_request_same_bytes(several: list[Position]) -> None:
    for at in several:
        assert not broken(5, at, of_logs.law_5(at))


@LAWS
@given(logs())
def test_6_convert_loses_nothing(log: events_pb2.GameLog) -> None:
    assert [*of_logs.law_6(log)] == []


@LAWS
@given(states(), st.randoms(use_true_random=False))
def test_7_suits_are_alike(at: Position, rng: random.Random) -> None:
    assert not broken(7, at, of_logs.law_7(at, rng))


@LAWS
@given(states())
def test_7_an_eaten_mark_never_lowers_the_points(at: Position) -> None:
    assert not broken(7, at, of_logs.marks(at))


@LAWS
@given(states())
def test_9_no_dead_ends(at: Position) -> None:
    assert not broken(9, at, of_logs.law_9(at.verdict.status, at.options))


def test_9_no_dead_ends_in_games_without_taste() -> None:
    tally = dead_ends.run(10_000, seed=20261207)
    assert [as_game_file(9, *found) for found in tally.broken] == []
    assert tally.states == 10_000
    assert min(tally.overridden[field] for field in FIELDS) > 30
    assert set(tally.ends) >= {"rounds", "alone", "u"}


@st.composite
def whole_logs(draw: st.DrawFn) -> events_pb2.GameLog:
    """A game by no rule of its house's own; every second one is changed, and mostly illegal."""
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    house = draw(st.sampled_from(HOUSES))
    return laws.ruled_otherwise(rng, house, mutant=draw(st.booleans()))


@pytest.mark.parametrize("letter", PAIRS)
@LAWS
@given(whole_logs(), st.randoms(use_true_random=False))
def test_a_changed_log_changes_its_verdict(
    letter: str, log: events_pb2.GameLog, rng: random.Random
) -> None:
    found = PAIRS[letter](Judged(log, referee()), rng)
    assert [as_game_file(letter, log, each) for each in found] == []


def test_a_seats_that_only_their_number_tells_apart() -> None:
    verdict = verdict_pb2.Verdict()
    for seat, points in enumerate((7, 5, 7, 7)):
        verdict.result.seats.add(seat=seat, place=1, points=points, mom=True, left=seat == 3)
        verdict.state.seats.add(seat=seat, discards=[1])
    by_lay_down = effective({"house": "HOUSE_GO88", "tieBreak": "TIE_BREAK_FIRST_LAID"})
    assert [*seats_told_apart(verdict, by_lay_down)] == [[0, 2]]
    assert [*seats_told_apart(verdict, effective({"house": "HOUSE_ONLINE"}))] == [[0, 1, 2]]
    assert [*seats_told_apart(verdict, effective({"house": "HOUSE_GO88"}))] == []
    verdict.state.seats[2].lay_down_order = 1
    assert [*seats_told_apart(verdict, by_lay_down)] == []


# ---- states that random play hardly comes to ----

TEN_IN_A_ROW = """\
house go88
set rounds 1
first 0
deal 0 2S 3S 4S 5S 6S 7S 8S 9S TS JS
deal 1 AC 3D 5H 7C 9D JH KC 2D 4H
"""


def test_2_the_cap_cuts_off_only_the_worst() -> None:
    (log,) = notation.parse(TEN_IN_A_ROW)
    at = positions.position(log, 0)
    lay_downs = [a for a in at.options.actions if a.WhichOneof("kind") == "lay_down"]
    assert (len(lay_downs), at.options.truncated) == (64, True)
    assert len(lay_downs[0].lay_down.phoms) == 3  # 2-4, 5-7 and 8-J, the smallest list of no points
    answers = answered(at)
    assert sum(map(of_moves.said_yes, answers.values())) > len(at.options.actions)
    assert not broken(2, at, of_moves.law_2(at, answers))


# Seat 0 could add QH to its queens, so that TS TC TH are a set and JH is left over; or make TH JH QH a run, and
# then two tens are, which cost less than what that set leaves at first. 9H and 6D, laid off before the lay-down,
# count as in phỏm (5.5, 6.2, 6.4).
TWO_PLACES_FOR_A_QUEEN = """\
house wikipedia
set rounds 1
first 0
deal 0 QS QC QD QH JH TS TC 9H 6D 9D
deal 1 9S 9C 3D 4D 5D AC 7S 8C 2H
0 lay QSQCQD
0 discard 9D
1 eat
1 lay 9S9C9D 3D4D5D
1 discard AC
0 draw TH
0 off 9H 1.0
0 off 6D 1.1
0 u
"""


def test_2_an_u_is_found_where_a_card_has_two_places() -> None:
    (log,) = notation.parse(TWO_PLACES_FOR_A_QUEEN)
    for at in positions.positions(log):
        assert not broken(2, at, of_moves.law_2(at, answered(at)))
        assert not broken(2, at, of_moves.as_the_oracle_sees_it(at, oracles_table(at)))
    u = at.verdict.result.u
    assert (u.seat, u.kind) == (0, verdict_pb2.U_KIND_PLAIN)


# ---- the checks can fail ----


@pytest.mark.parametrize(
    ("law", "lie"),
    [
        (1, lies.forgets_the_state),
        (1, lies.gives_another_reason),
        (2, lies.leaves_one_out),
        (2, lies.names_one_more),
        (2, lies.allows_everything),
        (2, lies.forgets_who_ate),
        (2, lies.promises_another_state),
        (2, lies.promises_a_result),
        (3, lies.ends_too_early),
        (4, lies.keeps_one_coin),
        (4, lies.forgets_a_payment),
        (5, lies.Dice()),
        (7, lies.looks_at_suits),
        (9, lies.ends_the_list),
    ],
)
def test_a_lie_breaks_the_law(law: int, lie: lies.Lie) -> None:
    tally = laws.run(rules_pb2.HOUSE_GO88, states=60, seed=1, core=lies.Liar(lie))
    assert law in {found for found, _, _ in tally.broken}


@pytest.mark.parametrize(
    ("law", "misreads"),
    [
        ("A", lies.favours_seat_0),
        ("A", lies.names_seat_0),
        ("B", lies.knows_the_ace_of_spades),
        ("C", lies.counts_in_thousands),
        ("C", lies.rounds_the_rake_up),
        ("D", lies.believes_claims),
        ("D", lies.overlooks_claims),
        ("E", lies.wants_eaten_cards_named),
        ("E", lies.wants_times),
        ("E", lies.wants_an_arrangement),
        ("E", lies.knows_houses),
    ],
)
def test_a_log_misread_breaks_the_law(law: str, misreads: lies.Misreading) -> None:
    rng, core = random.Random(1), lies.Misreader(misreads)
    found = {letter for log in _some_logs() for letter, _ in laws_of_pairs(log, core, rng)}
    assert law in found


@cache
def _some_logs() -> list[events_pb2.GameLog]:
    rng = random.Random(1)
    games = (positions.random_game(rng, HOUSES[i % 6]) for i in range(60))
    return [changed for log in games for changed in (log, laws.mutated(log, rng))]


def test_a_lie_is_found_where_nobody_plays_with_taste() -> None:
    tally = dead_ends.run(1_000, seed=1, core=lies.Liar(lies.ends_the_list))
    assert {found.what for _, found in tally.broken} == {
        "in progress, and the seat to move can only leave or time out"
    }


def test_a_notation_that_loses_something_breaks_law_6(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = notation.write
    monkeypatch.setattr(notation, "write", lambda log: honest(log).replace("first 1", "first 0"))
    tally = laws.run(rules_pb2.HOUSE_GO88, states=200, seed=1)
    assert 6 in {found for found, _, _ in tally.broken}


def test_points_that_eaten_marks_lower_break_law_7(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = of_logs.best_points

    def lower(cards: list[int], eaten: list[int]) -> int | None:
        points = honest(cards, eaten)
        return None if points is None else points - len(eaten)

    monkeypatch.setattr(of_logs, "best_points", lower)
    tally = laws.run(rules_pb2.HOUSE_GO88, states=60, seed=1)
    assert 7 in {found for found, _, _ in tally.broken}


# ---- the runner ----


@pytest.mark.parametrize("house", HOUSES, ids=rules_pb2.House.Name)
def test_the_runner_finds_nothing(house: rules_pb2.House) -> None:
    tally = laws.run(house, states=200, seed=20261130)
    assert [as_game_file(*found) for found in tally.broken] == []
    assert tally.states == 200
    assert len(tally.refused) > 15
    assert tally.remembered


def test_what_breaks_a_law_can_become_a_game_file() -> None:
    (log,) = notation.parse(TEN_IN_A_ROW)
    event = canonical.with_card(0, "discard", 2)
    text = as_game_file(2, log, Broken("a discard that\nis refused", event))
    (read,) = notation.parse(text)
    assert text.startswith("# law 2: a discard that is refused\nhouse go88\n")
    assert read.events[-1] == events_pb2.Event.FromString(event)
