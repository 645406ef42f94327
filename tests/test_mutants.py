"""The mutator of `make mutants` itself: which faults it makes of a source, and how it names them."""

from pathlib import Path

import pytest
from mutants.build import every_mutant, with_mutants
from mutants.mutator import Constant, Mutant, mutants
from mutants.run import equivalent

SOURCE = '''\
"""A module; `if a < b` is text here."""
cdef enum:
    LIMIT = 3

cdef int first(const int* t, int seat) noexcept nogil:
    """No code: a == b."""
    cdef mask_t rest = <mask_t>t[0] & ~t[1], none
    cdef int i
    if t.ending != NOT_ENDED and not may_reopen(t):
        i += 1
        return LIMIT if seat == 0 else -2
    for i in range(seat, LIMIT - 1):
        while (i < seat
               or t[i] > seat):        # a comment, and a line that goes on
            i = min(i, 7)
    return i
'''
KNOWN = {
    "LIMIT": Constant("first", ("(LIMIT + 1)", "(LIMIT - 1)")),
    "NOT_ENDED": Constant("table", ("ENDED_BY_U",)),
}
EXPECTED = {
    "cdef mask_t rest = <mask_t>t[0] & ~t[1], none": [
        "& -> |",
        "without ~",
        "1 -> 2",
        "1 -> 0",
    ],
    "if t.ending != NOT_ENDED and not may_reopen(t):": [
        "never",
        "always",
        "!= -> ==",
        "NOT_ENDED -> ENDED_BY_U",
        "and -> or",
        "without not",
        "without and not may_reopen(t)",
        "without t.ending != NOT_ENDED and",
    ],
    "i += 1": ["left out", "+= -> -=", "1 -> 2"],
    "return LIMIT if seat == 0 else -2": [
        "left out",
        "LIMIT -> (LIMIT + 1)",
        "LIMIT -> (LIMIT - 1)",
        "== -> !=",
        "0 -> 1",
        "without -",
        "2 -> 3",
        "2 -> 1",
        "other way round",
    ],
    "for i in range(seat, LIMIT - 1):": [
        "LIMIT -> (LIMIT + 1)",
        "LIMIT -> (LIMIT - 1)",
        "- -> +",
        "1 -> 2",
        "1 -> 0",
    ],
    "while (i < seat or t[i] > seat):": [
        "never",
        "< -> <=",
        "< -> >=",
        "or -> and",
        "> -> >=",
        "> -> <=",
        "without or t[i] > seat",
        "without i < seat or",
    ],
    "i = min(i, 7)": ["left out", "min -> max", "7 -> 8", "7 -> 6"],
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "first.pyx"
    path.write_text(SOURCE)
    return path


def found(path: Path) -> list[Mutant]:
    return [*mutants(path, KNOWN)]


def test_every_kind_of_fault_and_none_of_what_is_no_rule(source: Path) -> None:
    by_line: dict[str, list[str]] = {}
    for mutant in found(source):
        line, _, words = mutant.name.partition(" :: ")
        by_line.setdefault(line.removeprefix("first.pyx first: "), []).append(words)
    assert by_line == EXPECTED


def test_a_name_says_no_line_and_stays_when_others_move(source: Path) -> None:
    before = [mutant.name for mutant in found(source)]
    source.write_text(
        SOURCE.replace("cdef enum:", "# More.\ncdef int other():\n    return 1\n\ncdef enum:")
    )
    assert [mutant.name for mutant in found(source)][2:] == before


def test_the_same_change_of_the_same_statement_is_numbered(source: Path) -> None:
    source.write_text(SOURCE + "    i += 1\n    x = 1 + 1\n")
    names = [mutant.name.partition(": ")[2] for mutant in found(source)]
    assert len(set(names)) == len(names)
    assert {"i += 1 :: left out (2)", "x = 1 + 1 :: 1 -> 2 (2)"} <= set(names)


def test_each_mutant_is_a_way_of_its_region(source: Path) -> None:
    numbered = [*enumerate(found(source), 1)]
    text = with_mutants(SOURCE, numbered)
    assert all(
        text.count(f"MUTANT == {number}:") + text.count(f"MUTANT == {number} ") == 1
        for number, _ in numbered
    )
    assert "elif MUTANT == " in text
    assert "not not ((i < seat\n" in text


def test_all_names_differ_and_equivalent_mutants_are_there() -> None:
    names = [mutant.name for mutant in every_mutant()]
    assert len(set(names)) == len(names) > 2000
    assert equivalent().keys() - set(names) == set()
    assert all(equivalent().values())
