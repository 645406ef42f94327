"""Every mutant of the rules is killed by a test, or named in equivalent.toml with the reason.

    python tests/mutants/run.py [--jobs 2] [--module settle] [--only TEXT] [--anew]

What is known of a mutant is kept in .cache/mutants/fates.jsonl: an interrupted run goes on, and after a new
test only what no game kills is judged again; a changed core makes all of it void, and so does --anew.
Exits with 1 if a mutant survives, or an entry of equivalent.toml names one that is killed or is not there.
"""

# ruff: noqa: T201, S301 - it speaks to who runs it, and reads what it has written itself.
# ruff: noqa: PLC0415 - what imports the core may be imported only once the mutant is chosen.

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import itertools
import json
import os
import pickle
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from mutants.build import MODULES, SCRATCH, build, digest, every_mutant
from mutants.judge import CORPUS, GAMES, TESTS, Fate, Judge, Question, fates, with_core
from mutants.mutator import Mutant

FATES = SCRATCH / "fates.jsonl"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")

# What a child needs beside the core: loaded once, before the children are forked.
LOADED_ONCE = (
    "google.protobuf.json_format",
    "hypothesis",
    "oracle.deform",
    "oracle.games",
    "pytest",
)
LOADED_ONCE += ("phom.v1.events_pb2", "phom.v1.referee_pb2", "phom.v1.verdict_pb2", "oracle.mutate")

# What is asked of a survivor of all games and of the corpus: the tests of what no log shows.
TEST_FILES = {
    "arrange": (
        "test_hands.py",
        "test_solver.py",
        "test_laws.py::test_2_the_cap_cuts_off_only_the_worst",
    ),
    "phom": ("test_hands.py", "test_solver.py"),
    "play": ("test_encoder.py", "test_live_calls.py", "test_replay_many.py"),
    "validate": ("test_fault_texts.py",),
}
# The corpus has the hands of brute force.
# A mutant that crashes is dead: its stack is no news.
TEST_OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler")
TEST_OPTIONS += ("-k", "not brute and not the_run_reaches")
TEST_OPTIONS += ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # of what is imported already


def equivalent() -> dict[str, str]:
    """The mutants that change nothing, each with the reason."""
    groups = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("same", [])
    return {name: group["why"] for group in groups for name in group["mutants"]}


# ---- in the child ----


def _record(into: Path, part: str, _: int) -> Iterator[tuple[str, str]]:
    with_core(0)
    from mutants import corpus

    into.write_bytes(pickle.dumps(getattr(corpus, part)()))
    yield "record", ""


def _judge(
    questions: Sequence[Question], modules: Mapping[int, str], number: int
) -> Iterator[tuple[str, str]]:
    """The stages as they begin, each empty, then the one that kills the mutant, with what does."""
    yield GAMES, ""
    with_core(number)
    from mutants import corpus

    for stage in (GAMES, CORPUS):
        yield stage, ""
        for question in questions:
            if question.stage == stage and corpus.fails(question):
                yield stage, f"{question.kind} {question.name}"
    yield TESTS, ""
    if number in modules and modules[number] not in TEST_FILES:
        return
    # The core as it is has to pass all of them.
    names = TEST_FILES.get(modules.get(number, ""), {*itertools.chain(*TEST_FILES.values())})
    yield TESTS, _failing_test(names)


def _failing_test(names: Iterable[str]) -> str:
    """The first failing test of these files, or nothing."""
    import pytest

    failed: list[str] = []

    class First:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                failed.append(report.nodeid)

    files = [str(Path(__file__).parents[1] / name) for name in names]
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        code = pytest.main([*TEST_OPTIONS, *files], plugins=[First()])
    return failed[0] if failed else f"pytest ended with {code}" if code else ""


# ---- what is known ----


def _tests() -> str:
    """What the games and tests are now."""
    folder = Path(__file__).parents[1]
    return digest(
        *folder.glob("*.py"),
        *folder.glob("oracle/*.py"),
        *folder.glob("*/*.json*"),
        *folder.glob("games/*.phom"),
    )


def _questions() -> list[Question]:
    """All that is asked, the quickest first; what the oracle had to say is kept."""
    folder = Path(__file__).parents[1]
    asked_by = ("agreement", "differential", "hands", "positions", "laws_of_moves", "canonical")
    own = [Path(__file__).with_name("corpus.py"), *folder.glob("oracle/*.py")]
    made_of = digest(*own, *(folder / f"{name}.py" for name in asked_by))
    kept = SCRATCH / f"corpus-{made_of[:12]}.pickle"
    games = SCRATCH / "games.pickle"
    if not kept.exists():
        for old in SCRATCH.glob("corpus-*.pickle"):
            old.unlink()
        _recorded(kept, "corpus")
    _recorded(games, "games")
    return [*pickle.loads(games.read_bytes()), *pickle.loads(kept.read_bytes())]


def _recorded(into: Path, part: str) -> None:
    _must_pass(partial(_record, into, part))


def _must_pass(judge: Judge) -> None:
    """Nothing can be judged where the core as it is fails."""
    (fate,) = fates([0], judge, 1)
    if fate.stage:
        raise SystemExit(f"the core itself fails: {fate.by}")


def _known(*, anew: bool) -> dict[str, Fate]:
    """The fates that still hold, by the names of the mutants."""
    if anew or not FATES.exists():
        return {}
    known = {}
    for line in FATES.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        fate = Fate(**entry["fate"])
        if entry["core"] == digest() and (fate.stage == GAMES or entry["tests"] == _tests()):
            known[entry["mutant"]] = fate
    return known


def _judge_all(chosen: dict[int, Mutant], known: dict[str, Fate], jobs: int, anew: bool) -> None:
    todo = [number for number, mutant in chosen.items() if mutant.name not in known]
    if not todo:
        return
    for name in LOADED_ONCE:
        importlib.import_module(name)
    questions = _questions()
    gc.freeze()
    judge = partial(_judge, questions, {n: Path(m.file).stem for n, m in chosen.items()})
    _must_pass(judge)
    began, core, tests = time.monotonic(), digest(), _tests()
    with FATES.open("w" if anew else "a", encoding="utf-8") as out:
        for done, fate in enumerate(fates(todo, judge, jobs), 1):
            mutant = chosen[fate.number]
            known[mutant.name] = fate
            entry = {"core": core, "tests": tests, "mutant": mutant.name, "fate": asdict(fate)}
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")
            if done % 100 == 0:
                out.flush()
                seconds = time.monotonic() - began
                print(f"{done} of {len(todo)}, {seconds:.0f} s", flush=True)


# ---- what is said ----


def _say(chosen: dict[int, Mutant], known: dict[str, Fate], *, complete: bool) -> int:
    """The counts, and what is wrong; 1 if anything is."""
    reasons = equivalent()
    mine = {mutant.name: known[mutant.name] for mutant in chosen.values()}
    survivors = [mutant for mutant in chosen.values() if not known[mutant.name].stage]
    unexplained = [mutant for mutant in survivors if mutant.name not in reasons]
    wrong = [
        f"killed by {mine[name].by}: {name}"
        for name in reasons
        if name in mine and mine[name].stage
    ]
    wrong += [f"no such mutant: {name}" for name in reasons if complete and name not in mine]
    stages = Counter(fate.stage for fate in mine.values())
    for mutant in unexplained:
        print(f"survives, line {mutant.line}: {mutant.name}")
    for line in wrong:
        print(f"equivalent.toml, {line}")
    print(
        f"{len(mine)} mutants: {stages[GAMES]} killed by games, {stages[CORPUS]} by the corpus only, "
        f"{stages[TESTS]} by other tests, {len(survivors) - len(unexplained)} equivalent, "
        f"{len(unexplained)} survive"
    )
    return 1 if unexplained or wrong else 0


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Mutants of the rules in the core.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--module", choices=MODULES)
    parser.add_argument("--only", help="mutants with this text in their name", default="")
    parser.add_argument("--anew", action="store_true", help="forget what is known")
    given = parser.parse_args()
    every = every_mutant()
    build(every, given.jobs)
    chosen = {
        number: mutant
        for number, mutant in enumerate(every, 1)
        if given.only in mutant.name and mutant.file.startswith(f"{given.module or ''}")
    }
    known = _known(anew=given.anew)
    _judge_all(chosen, known, given.jobs, given.anew)
    return _say(chosen, known, complete=len(chosen) == len(every))


if __name__ == "__main__":
    sys.exit(main())
