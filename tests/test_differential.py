"""Referee and oracle, written apart from the same rules, say the same of any log.

The long run is `python tests/differential.py`; this is a part of it with other seeds.
"""

import pytest
from differential import run


@pytest.mark.parametrize("seed", range(1, 9))
def test_referee_and_oracle_agree(seed: int) -> None:
    tally = run(seed=seed, count=400)
    assert tally.disagreements == []
    assert tally.logs == 400


def test_the_run_reaches_what_it_is_for() -> None:
    tally = run(seed=100, count=400)
    assert set(tally.statuses) == {
        "STATUS_IN_PROGRESS",
        "STATUS_FINISHED",
        "STATUS_ILLEGAL",
        "STATUS_CLAIM_MISMATCH",
    }
    assert len(tally.codes) >= 30, tally.codes
    assert len(tally.houses) == 6
