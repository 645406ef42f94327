"""Whether this tree answers every request with the same bytes as another revision does.

    python tests/unchanged.py --base main

For whoever moves code and means to change nothing. The other revision is built into a folder of its own;
both are served as the command serves them, and asked the same over gRPC: every game of tests/games and
tests/cases at each detail, generated games and mutated ones, actions and what may be done at random cuts,
hands, batches, and requests bent and broken. Bodies, codes, messages and details of errors must be the
same; the reference of an internal error would differ, and there must be none. Exits with 1, naming
the first requests that are answered otherwise.
"""

# ruff: noqa: T201 - it speaks to who runs it.

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

import grpc
from google.protobuf import json_format
from oracle.mutate import mutate
from phom.v1 import events_pb2, referee_pb2, verdict_pb2
from phom_referee import notation
from positions import HOUSES, generated_game, random_game
from wire.mutations import Mutator
from wire.requests import check_of, cut, hand_of, handed_logs, requests

ROOT = Path(__file__).parents[1]
SERVICE = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"]
STREAMS = {method.name for method in SERVICE.methods if method.client_streaming}
# The calls of the core, as wire.requests names them.
METHODS = {
    "replay": "Replay",
    "check_action": "CheckAction",
    "list_legal_actions": "ListLegalActions",
    "analyze_hand": "AnalyzeHand",
    "replay_many": "ReplayMany",
}
SHOWN = 5


class Asked(NamedTuple):
    """A request: the method's name, its bytes, and where it comes from."""

    method: str
    body: bytes
    of: str


class Answer(NamedTuple):
    """What came back; of an error the message and the status details too."""

    code: str
    body: bytes
    message: str
    details: bytes


# ---- what is asked ----


def asked(seed: int, count: int) -> Iterator[Asked]:
    """Every request; `count` generated logs, as many mutated ones, four times as many broken requests."""
    rng = random.Random(seed)
    yield Asked("ListRulesets", b"", "")
    written = [*_written()]
    played = [*_played(rng, count)]
    for of, log in [*written, *played]:
        yield from _about(of, log, rng)
    logs = [log for _, log in played]
    for i in range(0, len(logs), 25):
        for detail in verdict_pb2.Detail.values():
            many = referee_pb2.ReplayManyRequest(logs=logs[i : i + 25], detail=detail)
            yield Asked("ReplayMany", many.SerializeToString(), f"batch {i}")
    for mutant in Mutator(requests(seed), seed).mutants(0, 4 * count):
        yield Asked(METHODS[mutant.call], mutant.data, f"mutant {mutant.number} {mutant.ways}")


def _written() -> Iterator[tuple[str, events_pb2.GameLog]]:
    for path in sorted((ROOT / "tests" / "games").glob("*.phom")):
        yield path.stem, notation.parse(path.read_text(encoding="utf-8"))[0]
    for i, log in enumerate(handed_logs()):
        yield f"handed {i}", log


def _played(rng: random.Random, count: int) -> Iterator[tuple[str, events_pb2.GameLog]]:
    for i in range(count):
        house = rng.choice(HOUSES)
        seats = rng.choice((2, 3, 4))
        log = random_game(rng, house) if i % 2 else generated_game(i, house, seats, {})
        yield f"game {i}", log
        changed = mutate(json_format.MessageToDict(log), rng)
        yield f"mutated {i}", json_format.ParseDict(changed, events_pb2.GameLog())


def _about(of: str, log: events_pb2.GameLog, rng: random.Random) -> Iterator[Asked]:
    for detail in verdict_pb2.Detail.values():
        request: Any = referee_pb2.ReplayRequest(log=log, detail=detail)
        yield Asked("Replay", request.SerializeToString(), of)
    for request in (check_of(log, rng), check_of(cut(log, rng), rng)):
        yield Asked("CheckAction", request.SerializeToString(), of)
    request = referee_pb2.ListLegalActionsRequest(log=cut(log, rng))
    yield Asked("ListLegalActions", request.SerializeToString(), of)
    yield Asked("AnalyzeHand", hand_of(log, rng).SerializeToString(), of)


# ---- who is asked ----


@contextmanager
def served(path: str) -> Iterator[grpc.Channel]:
    """A server that imports from `path` before anything that is installed."""
    ports = ["--port", "0", "--metrics-port", "0", "--log-rpcs", "false"]
    process = subprocess.Popen(
        [sys.executable, "-m", "phom_referee", "serve", *ports, "--max-message-bytes", "67108864"],
        env={**os.environ, "PYTHONPATH": path},
        cwd="/",
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stderr.readline()  # type: ignore[union-attr]
        port = json.loads(line)["port"]
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        process.kill()
        process.wait()


def answers(channel: grpc.Channel, questions: Iterable[Asked]) -> Iterator[Answer]:
    """The answer to each, in order."""
    calls: dict[str, Any] = {}
    for method in SERVICE.methods:
        make = channel.stream_stream if method.client_streaming else channel.unary_unary
        calls[method.name] = make(f"/{SERVICE.full_name}/{method.name}")
    for question in questions:
        call = calls[question.method]
        try:
            given = call(iter([question.body]) if question.method in STREAMS else question.body)
            body = b"".join(given) if question.method in STREAMS else given
            yield Answer("OK", body, "", b"")
        except grpc.RpcError as error:
            trailers = dict(error.trailing_metadata() or ())
            details = trailers.get("grpc-status-details-bin", b"")
            yield Answer(error.code().name, b"", error.details() or "", details)


def built(base: str) -> Path:
    """Another revision, installed into a folder of its own under .cache."""
    revision = subprocess.check_output(["git", "rev-parse", base], text=True, cwd=ROOT).strip()
    folder = ROOT / ".cache" / "unchanged" / revision
    if not (folder / "installed").exists():
        (folder / "source").mkdir(parents=True, exist_ok=True)
        archive = subprocess.check_output(["git", "archive", revision], cwd=ROOT)
        subprocess.run(["tar", "-x", "-C", folder / "source"], input=archive, check=True)
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps"]
        subprocess.run([*pip, "--target", folder / "installed", folder / "source"], check=True)
    return folder / "installed"


def main() -> int:
    """Run from the command line; 1 if anything is answered otherwise."""
    parser = argparse.ArgumentParser(description="Same request, same bytes, before and after.")
    parser.add_argument("--base", default="HEAD", help="the revision to compare with (%(default)s)")
    parser.add_argument("--count", type=int, default=5000, help="generated logs (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    questions = [*asked(given.seed, given.count)]
    here = os.pathsep.join(str(ROOT / part) for part in ("proto", "service", "core_ext"))
    with served(str(built(given.base))) as before, served(here) as after:
        pairs = zip(questions, answers(before, questions), answers(after, questions), strict=True)
        others = []
        seen: Counter[str] = Counter()
        for question, was, now in pairs:
            seen[f"{question.method} {was.code}"] += 1
            if was != now:
                others.append((question, was, now))
            assert was.code not in ("INTERNAL", "UNKNOWN", "UNAVAILABLE"), (question, was)
    for question, was, now in others[:SHOWN]:
        print(f"{question.method} of {question.of}: {question.body.hex()}\n  {was}\n  {now}")
    print(json.dumps({"asked": dict(sorted(seen.items())), "otherwise": len(others)}))
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
