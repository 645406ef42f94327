"""Laws 1 to 7, 9, and A to E on states and games of random play.

    python tests/laws.py --states 100000 --house go88 --seed 1

Without --house: that many states of each of the six. Games are the product's own generated ones of 2 to 4
seats, some with random overrides, some by the oracle's player; each is cut after every event. What is
sampled: the candidates of law 2 that are illegal on their face (cards not held, phỏm nobody laid, other
seats) are all asked about on every 10th state, a random tenth of them on the others; and so is, of all
that is refused, what law 1 is asked about. The oracle's own list of legal actions is compared in every
last-round turn and on every 5th state; permuted suits and eaten marks are tried on every 10th. Laws A to E,
which are about whole logs, are held against each game, against it mutated, and against a game of which every
rule is overridden, every second one mutated. Exits with
1, printing the first logs in notation, if a law is broken; --keep FOLDER writes each into a file.
"""

# ruff: noqa: T201 - it speaks to who runs it.

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

import laws_of_logs as of_logs
import laws_of_moves as of_moves
from findings import Broken, Findings, as_game_file
from google.protobuf import json_format
from laws_of_pairs import laws_of_pairs
from oracle.events import read_event
from oracle.moves import make
from oracle.mutate import mutate
from oracle.overrides import random_overrides
from oracle.table import Table, open_table
from phom.v1 import events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom_core import NotALog
from phom_referee.houses import referee
from positions import HOUSES, Core, Position, generated_game, positions, random_game

FULL_EVERY = 10
SHARE = 0.1
ORACLE_EVERY = 5
REMEMBERED = 400
SHOWN = 5


@dataclass
class Tally:
    """What a run has seen."""

    states: int = 0
    games: int = 0
    requests: int = 0
    compared_with_oracle: int = 0
    logs_with_pairs: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    legal: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[int | str, events_pb2.GameLog, Broken]] = field(default_factory=list)
    remembered: list[tuple[str, bytes]] = field(default_factory=list)

    def add(self, law: int | str, log: events_pb2.GameLog, findings: Findings) -> None:
        """Keep what broke a law in this log."""
        self.broken += [(law, log, broken) for broken in findings]


class Counting:
    """A core that counts what it is asked, and remembers some of it."""

    def __init__(self, core: Core, tally: Tally) -> None:
        self.core = core
        self.tally = tally

    def replay(self, request: bytes) -> bytes:
        return self._ask("replay", request)

    def check_action(self, request: bytes) -> bytes:
        return self._ask("check_action", request)

    def list_legal_actions(self, request: bytes) -> bytes:
        return self._ask("list_legal_actions", request)

    def _ask(self, method: str, request: bytes) -> bytes:
        tally = self.tally
        tally.requests += 1
        if tally.requests % 997 == 0 and len(tally.remembered) < REMEMBERED:
            tally.remembered.append((method, request))
        answer: bytes = getattr(self.core, method)(request)
        return answer


def run(house: rules_pb2.House, states: int, seed: int, core: Core | None = None) -> Tally:
    """Hold the laws against so many states of a house; the same seed gives the same states."""
    tally = Tally()
    asked = Counting(core or referee(), tally)
    rng = random.Random(f"{seed}/{house}")
    for at, table in _states(rng, house, asked, tally):
        _hold(at, table, rng, tally)
        if tally.states == states:
            break
    if core is None and answered_by_another_process(tally.remembered) != digest(tally.remembered):
        tally.broken.append((5, events_pb2.GameLog(), Broken("another process, other bytes")))
    return tally


def _states(
    rng: random.Random, house: rules_pb2.House, core: Core, tally: Tally
) -> Iterator[tuple[Position, Table]]:
    """Every state of game after game, with the oracle's table of it."""
    while True:
        log = random_game(rng, house)
        tally.games += 1
        tally.add(6, log, of_logs.law_6(log))
        for other in (
            log,
            mutated(log, rng),
            ruled_otherwise(rng, house, mutant=tally.games % 2 == 0),
        ):
            _hold_pairs(other, core, rng, tally)
        whole = [*positions(log, core)]
        messages = json_format.MessageToDict(log).get("events", [])
        table = open_table(json_format.MessageToDict(whole[0].log))
        for at in whole:
            tally.states += 1
            yield at, table
            tally.add(3, at.log, of_logs.same_trace(at, whole[-1].verdict))
            if at.following is not None:
                make(table, read_event(at.length, messages[at.length]))


def mutated(log: events_pb2.GameLog, rng: random.Random) -> events_pb2.GameLog:
    """The log changed somehow, so that it is mostly illegal."""
    changed = mutate(json_format.MessageToDict(log), rng)
    return json_format.ParseDict(changed, events_pb2.GameLog())


def ruled_otherwise(
    rng: random.Random, house: rules_pb2.House, *, mutant: bool
) -> events_pb2.GameLog:
    """A game by nothing of the house's own rules, or a mutant of one."""
    overrides = random_overrides(rng, share=1.0)
    log = generated_game(rng.getrandbits(40), house, rng.choice((2, 3, 4)), overrides)
    return mutated(log, rng) if mutant else log


def _hold_pairs(log: events_pb2.GameLog, core: Core, rng: random.Random, tally: Tally) -> None:
    """Hold laws A to E against a log, if it is one."""
    tally.logs_with_pairs += 1
    with contextlib.suppress(NotALog):
        tally.broken += [(law, log, found) for law, found in laws_of_pairs(log, core, rng)]


def _hold(at: Position, table: Table, rng: random.Random, tally: Tally) -> None:
    """Hold all laws against one state."""
    full = tally.states % FULL_EVERY == 0
    share = 1.0 if full else SHARE
    answered = of_moves.answers(at, of_moves.candidates(at, rng, share))
    refused = {a: answer for a, answer in answered.items() if not of_moves.said_yes(answer)}
    sample = refused if full else dict(rng.sample([*refused.items()], int(len(refused) * share)))
    findings = [
        (1, of_moves.law_1(at, sample)),
        (2, of_moves.law_2(at, answered)),
        (2, of_moves.apart(at)),
        (3, of_logs.law_3(at)),
        (4, of_logs.law_4(at)),
        (9, of_logs.law_9(at.verdict.status, at.options)),
    ]
    if full:
        findings += [
            (2, of_moves.named_cards(at, answered)),
            (7, of_logs.law_7(at, rng)),
            (7, of_logs.marks(at)),
        ]
    if tally.states % ORACLE_EVERY == 0 or table.turn.in_last_round:
        tally.compared_with_oracle += 1
        findings.append((2, of_moves.as_the_oracle_sees_it(at, table)))
    findings.append((5, of_logs.law_5(at)))
    for law, found in findings:
        for broken in found:
            tally.broken.append((law, at.log, broken))
    _count(at, sample, tally)


def _count(at: Position, refused: of_moves.Answers, tally: Tally) -> None:
    tally.phases[verdict_pb2.Phase.Name(at.state.phase).removeprefix("PHASE_").lower()] += 1
    tally.phases["reopened"] += at.state.can_be_reopened
    tally.legal.update(str(action.WhichOneof("kind")) for action in at.options.actions)
    for answer in refused.values():
        code = referee_pb2.CheckActionResponse.FromString(answer).violation.code
        tally.refused[verdict_pb2.ViolationCode.Name(code).removeprefix("VIOLATION_CODE_")] += 1


# ---- law 5 across processes ----


def digest(requests: list[tuple[str, bytes]]) -> str:
    """SHA-256 over the answers."""
    core, answers = referee(), hashlib.sha256()
    for method, request in requests:
        answers.update(getattr(core, method)(request))
    return answers.hexdigest()


def answered_by_another_process(requests: list[tuple[str, bytes]]) -> str:
    """The digest as a process finds it that was never asked anything else, and hashes otherwise."""
    lines = "".join(f"{method} {request.hex()}\n" for method, request in requests)
    command = [sys.executable, __file__, "--answer"]
    environment = os.environ | {"PYTHONHASHSEED": "271"}
    answer = subprocess.run(
        command, input=lines, env=environment, capture_output=True, text=True, check=True
    )
    return answer.stdout.strip()


def _answer() -> None:
    pairs = (line.split() for line in sys.stdin)
    print(digest([(method, bytes.fromhex(request)) for method, request in pairs]))


# ---- what is said ----


def _say(house: str, tally: Tally, seconds: float) -> None:
    print(
        f"{house}: {tally.states} states of {tally.games} games, {tally.requests} requests, "
        f"{tally.compared_with_oracle} states compared with the oracle, "
        f"{tally.logs_with_pairs} logs under laws A to E, "
        f"{len(tally.broken)} violations ({tally.states / seconds:.0f} states/s)"
    )
    for name in ("phases", "legal", "refused"):
        print(f"  {name}: {json.dumps(dict(getattr(tally, name).most_common()))}")


def main() -> int:
    """Run from the command line; 1 if a law was broken."""
    names = {rules_pb2.House.Name(house).removeprefix("HOUSE_").lower(): house for house in HOUSES}
    parser = argparse.ArgumentParser(description="Laws 1 to 7, 9, A to E.")
    parser.add_argument("--states", type=int, default=100_000, help="of each house")
    parser.add_argument("--house", choices=names, help="one house only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the logs that break a law")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        _answer()
        return 0
    broken = []
    for name in [given.house] if given.house else names:
        began = time.monotonic()
        tally = run(names[name], given.states, given.seed)
        _say(name, tally, time.monotonic() - began)
        broken += tally.broken
    files = [as_game_file(*found) for found in broken]
    for text in files[:SHOWN]:
        print(text)
    if given.keep and files:
        given.keep.mkdir(parents=True, exist_ok=True)
        for index, text in enumerate(files):
            (given.keep / f"broken_{index}.phom").write_text(text, encoding="utf-8")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
