"""Referee and oracle, written apart from the same rules, say the same of any log.

The long run is `python tests/differential.py`; this is a part of it with other seeds.
"""

import pytest
from differential import run, run_jobs
from met import EVERYTHING, HOUSE_NAMES, as_table, seldom


@pytest.mark.parametrize("seed", range(1, 9))
def test_referee_and_oracle_agree(seed: int) -> None:
    tally = run(seed=seed, count=400)
    assert tally.disagreements == []
    assert tally.logs == 400


def test_the_run_reaches_what_it_is_for() -> None:
    tally = run(seed=100, count=400)
    assert set(tally.all("status")) == {*EVERYTHING["status"]}
    assert len(tally.all("code")) >= 30, tally.all("code")
    assert {house for _, _, house in tally.met} == {*HOUSE_NAMES}


def test_processes_share_the_logs() -> None:
    tally = run_jobs(seed=1, count=21, jobs=2)
    assert tally.logs == sum(tally.all("status").values()) == 21
    alone = [run(seed=f"1/{job}", count=count) for job, count in enumerate((11, 10))]
    assert tally.met == alone[0].met + alone[1].met


def test_what_was_met_is_a_table() -> None:
    tally = run(seed=100, count=40)
    kind, name, house = next(iter(tally.met))
    assert name in EVERYTHING[kind]
    assert house in HOUSE_NAMES
    lines = as_table(tally.met).splitlines()
    assert {line.count("|") for line in lines} == {len(HOUSE_NAMES) + 3}
    assert seldom(tally.met, 1).keys() <= seldom(tally.met, 2).keys()
