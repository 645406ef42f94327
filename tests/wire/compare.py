"""What the core and protobuf's own parser make of the same bytes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError
from oracle import faults
from phom.v1 import events_pb2, referee_pb2
from phom_core import NotALog, analyze_hand
from phom_referee.houses import referee

from .mutations import Mutant
from .tree import delimited, tag, varint

Faults = list[tuple[str, str]]

NO_MESSAGE = "must be a message of phom.v1 in protobuf's wire format"
UNREADABLE: dict[str, Faults] = {
    "analyze_hand": [("cards", "must be part of a phom.v1.AnalyzeHandRequest")],
}
REQUESTS: dict[str, Any] = {
    "replay": referee_pb2.ReplayRequest,
    "check_action": referee_pb2.CheckActionRequest,
    "list_legal_actions": referee_pb2.ListLegalActionsRequest,
    "analyze_hand": referee_pb2.AnalyzeHandRequest,
    "replay_many": referee_pb2.ReplayManyRequest,
}
REFUSED, FAULTY, ANSWERED = "refused", "faulty", "answered"

ORACLE_EVERY = 300
SHOWN = 10


class DisagreementError(AssertionError):
    """The core and protobuf read the same bytes differently."""

    def __init__(self, call: str, data: bytes, what: str) -> None:
        super().__init__(f"{call}: {what}\n{data.hex()}")


def answer(call: str, data: bytes) -> bytes | Faults | None:
    """The core's response, or the faults it finds; None: it cannot read the bytes."""
    ask: Callable[[bytes], bytes] = (
        analyze_hand if call == "analyze_hand" else getattr(referee(), call)
    )
    try:
        return ask(data)
    except NotALog as error:
        unreadable = UNREADABLE.get(call, [("log", NO_MESSAGE)])
        return None if error.fields == unreadable else error.fields


def parse(message_type: Any, data: bytes) -> Any:
    """The message as protobuf reads it, or None."""
    try:
        return message_type.FromString(data)
    except DecodeError:
        return None


def check(call: str, data: bytes) -> str:
    """Whether the request was refused, faulty or answered; raises DisagreementError."""
    if call == "replay_many":
        return _check_many(data)
    ours, read = answer(call, data), parse(REQUESTS[call], data)
    if (ours is None) != (read is None):
        refuses = "the core" if ours is None else "protobuf"
        raise DisagreementError(call, data, f"only {refuses} refuses it")
    if ours is None:
        return REFUSED
    read.DiscardUnknownFields()
    plain = read.SerializeToString(deterministic=True)
    if plain != data and (theirs := answer(call, plain)) != ours:
        raise DisagreementError(call, data, f"not what protobuf reads: {ours!r} / {theirs!r}")
    return FAULTY if isinstance(ours, list) else ANSWERED


@dataclass
class Tally:
    """What became of many mutants."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    ways: Counter[tuple[str, bool]] = field(default_factory=Counter)
    by_oracle: int = 0
    wrong: int = 0
    shown: list[str] = field(default_factory=list)
    """The first disagreements, for people."""

    def add(self, other: Tally) -> None:
        self.outcomes += other.outcomes
        self.ways += other.ways
        self.by_oracle += other.by_oracle
        self.wrong += other.wrong
        self.shown = (self.shown + other.shown)[:SHOWN]

    def total(self, *outcomes: str) -> int:
        return sum(n for (_, what), n in self.outcomes.items() if not outcomes or what in outcomes)

    def __str__(self) -> str:
        parts = ", ".join(f"{self.total(what):,} {what}" for what in (ANSWERED, FAULTY, REFUSED))
        return (
            f"{self.total() + self.wrong:,} inputs: {parts}; {self.by_oracle:,} also by the oracle; "
            f"{self.wrong} disagreements"
        )


def check_mutants(mutants: Iterable[Mutant]) -> Tally:
    """Check each, and some of the logs that can be read against the oracle's faults too."""
    tally = Tally()
    for mutant in mutants:
        try:
            outcome = check(mutant.call, mutant.data)
            readable = mutant.call == "replay" and outcome != REFUSED
            if readable and mutant.number % ORACLE_EVERY == 0:
                check_faults(mutant.data)
                tally.by_oracle += 1
        except DisagreementError as error:
            tally.wrong += 1
            if len(tally.shown) < SHOWN:
                tally.shown.append(f"input {mutant.number} ({', '.join(mutant.ways)}): {error}")
            continue
        tally.outcomes[mutant.call, outcome] += 1
        for way in mutant.ways:
            tally.ways[way, outcome == REFUSED] += 1
    return tally


# ---- many logs: the documented exception ----


def _shallow() -> Any:
    """ReplayManyRequest with its logs as mere bytes: a log that is none ends nothing."""
    file = descriptor_pb2.FileDescriptorProto(
        name="shallow.proto", package="shallow", syntax="proto3"
    )
    message = file.message_type.add(name="ReplayManyRequest")
    message.field.add(name="logs", number=1, type="TYPE_BYTES", label="LABEL_REPEATED")
    message.field.add(name="detail", number=2, type="TYPE_INT32", label="LABEL_OPTIONAL")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shallow.ReplayManyRequest"))


SHALLOW = _shallow()


def _check_many(data: bytes) -> str:
    """As many lone calls, each of which is compared with protobuf's reading."""
    ours, read = answer("replay_many", data), parse(SHALLOW, data)
    if (ours is None) != (read is None):
        refuses = "the core" if ours is None else "protobuf"
        raise DisagreementError("replay_many", data, f"only {refuses} refuses it, logs apart")
    if ours is None:
        return REFUSED
    if isinstance(ours, list):
        if [path for path, _ in ours] != ["detail"] or 0 <= read.detail <= 3:
            raise DisagreementError("replay_many", data, f"faults of the whole: {ours}")
        return FAULTY
    expected = referee_pb2.ReplayManyResponse()
    for index, log in enumerate(read.logs):
        expected.outcomes.append(_lone(index, log, read.detail))
    if expected.SerializeToString(deterministic=True) != ours:
        raise DisagreementError("replay_many", data, "not what lone calls answer")
    return ANSWERED


def _lone(index: int, log: bytes, detail: int) -> referee_pb2.ReplayOutcome:
    request = delimited(1, log) + tag(2, 0) + varint(detail)
    check("replay", request)
    outcome = referee_pb2.ReplayOutcome()
    answered = answer("replay", request)
    if isinstance(answered, bytes):
        outcome.verdict.CopyFrom(referee_pb2.ReplayResponse.FromString(answered).verdict)
        return outcome
    sentences = []
    for path, text in [("log", NO_MESSAGE)] if answered is None else answered:
        here = f"logs[{index}]" + path.removeprefix("log")
        outcome.error.field_violations.add(field=here, description=text)
        sentences.append(f"{here}: {text}")
    outcome.error.message = "; ".join(sentences)
    return outcome


# ---- faults by the oracle ----

_LISTED = 100  # faults that the core names one by one


def check_faults(data: bytes) -> None:
    """The faults that the core finds in a ReplayRequest are those that the oracle finds in its log."""
    log = referee_pb2.ReplayRequest.FromString(data).log
    ours = answer("replay", data)
    assert ours is not None
    found = (
        {path for path, _ in ours if path.startswith("log")} if isinstance(ours, list) else set()
    )
    if "log" in found:  # there are more than are named
        found.remove("log")
    expected = {path for path in faults(as_json(log)) if not _overlooked(path, log)}
    if found != expected and not (len(found) >= _LISTED - 10 and found <= expected):
        raise DisagreementError("replay", data, f"faults {sorted(found)} / {sorted(expected)}")


def _overlooked(path: str, log: events_pb2.GameLog) -> bool:
    """A fault that the core leaves out, since the list that it is in is itself at fault or illegal."""
    name, _, rest = path.removeprefix("log.").partition("[")
    index = int(rest.partition("]")[0]) if rest else 0
    card = int(path.rpartition("[")[2].rstrip("]")) if path.endswith("]") else 0
    if name == "hands":
        return index >= 4 or card >= 52
    if name in ("ruleset.eat_payment", "ruleset.place_payment"):
        return bool(rest) and len(getattr(log.ruleset, name.removeprefix("ruleset."))) != 3
    limits = {"stock": 53, "events": 1024, "claimed_result.seats": 8}
    return index >= limits.get(name, 1)


def as_json(message: Any) -> dict[str, Any]:
    """As protobuf's JSON mapping, but that a time out of range has a text too."""
    made: dict[str, Any] = {}
    for descriptor, value in message.ListFields():
        several = descriptor.is_repeated
        values = [_json_value(descriptor, one) for one in (value if several else [value])]
        made[descriptor.json_name] = values if several else values[0]
    return made


def _json_value(descriptor: FieldDescriptor, value: Any) -> Any:
    if descriptor.message_type is None:
        return value
    if descriptor.message_type.full_name != "google.protobuf.Timestamp":
        return as_json(value)
    if not (0 <= value.nanos < 10**9 and -62135596800 <= value.seconds <= 253402300799):
        return "no time"
    day = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=value.seconds)  # noqa: DTZ001
    return f"{day.isoformat()}.{value.nanos:09}Z"
