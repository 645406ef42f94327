"""The command `phom-referee`.

Exit codes: 0, all logs are legal and their claims hold; 1, some are not or do not; 2, there was
something that cannot be read (a log that is no log too), or the command was called wrongly.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, cast

from google.protobuf.json_format import MessageToDict, SerializeToJsonError
from phom.v1 import referee_pb2, verdict_pb2
from phom.v1.events_pb2 import GameLog
from phom.v1.rules_pb2 import House

from phom_core import NotALog, analyze_hand
from phom_referee import notation, report
from phom_referee.houses import VERSION, presets, referee
from phom_referee.inputs import NoLog, UnreadableError, logs, one_log
from phom_referee.spelling import enum_words, parse_cards

if TYPE_CHECKING:
    from google.protobuf.message import Message

OK, NOT_LEGAL, UNREADABLE = 0, 1, 2
CLOSED_PIPE = 128 + signal.SIGPIPE  # what a shell says of any other filter that nobody reads

_DETAILS = {
    "result": verdict_pb2.DETAIL_RESULT,
    "state": verdict_pb2.DETAIL_STATE,
    "trace": verdict_pb2.DETAIL_TRACE,
}
_HOLDS = (verdict_pb2.STATUS_IN_PROGRESS, verdict_pb2.STATUS_FINISHED)
_HOUSES = {word: number for word, number in enum_words(House.DESCRIPTOR).items() if number}


def main(argv: list[str] | None = None) -> int:
    """Run the command; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Notation and JSON are UTF-8 whatever the terminal's language.
            stream.reconfigure(encoding="utf-8")
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else UNREADABLE
    run = cast("Callable[[argparse.Namespace], int]", arguments.run)
    try:
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except (UnreadableError, notation.NotationError) as error:
        return _complain(error)
    return code


# ---- the subcommands ----


def _serve(arguments: argparse.Namespace) -> int:
    # Only here: no other subcommand needs a server.
    from phom_referee import server

    return server.main(arguments.host, arguments.port, arguments.metrics_port)


def _replay(arguments: argparse.Namespace) -> int:
    code = OK
    for name in arguments.files:
        try:
            for log in logs(name):
                code = max(code, _replay_one(log, arguments))
        except UnreadableError as error:
            code = _complain(error)
    return code


def _replay_one(log: GameLog | NoLog, arguments: argparse.Namespace) -> int:
    if isinstance(log, NoLog):
        return _print_no_log(log.fields, arguments.json)
    request = referee_pb2.ReplayRequest(log=log, detail=_DETAILS[arguments.detail])
    try:
        answer = referee().replay(request.SerializeToString())
    except NotALog as fault:
        return _print_no_log(fault.fields, arguments.json)
    verdict = referee_pb2.ReplayResponse.FromString(answer).verdict
    _print(verdict, lambda: report.verdict_text(log, verdict) + "\n", arguments.json)
    return OK if verdict.status in _HOLDS else NOT_LEGAL


def _check(arguments: argparse.Namespace) -> int:
    action = notation.parse_action(" ".join(arguments.action))
    log = one_log(arguments.log)
    if isinstance(log, NoLog):
        return _print_no_log(log.fields, arguments.json)
    request = referee_pb2.CheckActionRequest(log=log, action=action)
    try:
        answer = referee().check_action(request.SerializeToString())
    except NotALog as fault:
        return _print_no_log(fault.fields, arguments.json)
    response = referee_pb2.CheckActionResponse.FromString(answer)
    _print(response, lambda: report.check_text(response, log), arguments.json)
    return OK if response.legal else NOT_LEGAL


def _legal(arguments: argparse.Namespace) -> int:
    log = one_log(arguments.log)
    if isinstance(log, NoLog):
        return _print_no_log(log.fields, arguments.json)
    request = referee_pb2.ListLegalActionsRequest(log=log)
    try:
        answer = referee().list_legal_actions(request.SerializeToString())
    except NotALog as fault:
        return _print_no_log(fault.fields, arguments.json)
    response = referee_pb2.ListLegalActionsResponse.FromString(answer)
    _print(response, lambda: report.legal_text(response, log), arguments.json)
    return NOT_LEGAL if response.HasField("violation") else OK


def _hand(arguments: argparse.Namespace) -> int:
    request = referee_pb2.AnalyzeHandRequest(
        cards=parse_cards(" ".join(arguments.cards), "cards"),
        eaten=parse_cards(arguments.eaten, "eaten"),
    )
    offered = parse_cards(arguments.offered, "offered")
    if len(offered) > 1:
        raise notation.NotationError(f"`{arguments.offered}`: expected one card", field="offered")
    if offered:
        request.offered = offered[0]
    try:
        answer = analyze_hand(request.SerializeToString())
    except NotALog as fault:
        return _print_no_log(fault.fields, arguments.json)
    response = referee_pb2.AnalyzeHandResponse.FromString(answer)
    _print(response, lambda: report.hand_text(response, offered=bool(offered)), arguments.json)
    return OK


def _rulesets(arguments: argparse.Namespace) -> int:
    if arguments.json:
        for named in presets().rulesets:
            _print_json(MessageToDict(named))
    else:
        print(report.rulesets_text(presets().rulesets))
    return OK


def _convert(arguments: argparse.Namespace) -> int:
    if arguments.to == "binary":
        log = one_log(arguments.file)
        if isinstance(log, NoLog):
            return _print_no_log(log.fields, as_json=False)
        sys.stdout.buffer.write(log.SerializeToString(deterministic=True))
        sys.stdout.buffer.flush()
        return OK
    return _write_logs(logs(arguments.file), as_json=arguments.to == "json")


def _generate(arguments: argparse.Namespace) -> int:
    # Only here: no other subcommand plays.
    from phom_referee.generate import games

    house = cast("House", _HOUSES[arguments.house])
    played = games(arguments.count, house=house, seats=arguments.seats, seed=arguments.seed)
    return _write_logs(played, as_json=arguments.json)


# ---- printing ----


def _write_logs(found: Iterable[GameLog | NoLog], *, as_json: bool) -> int:
    """Write logs in one of the forms that can be read again."""
    ...
