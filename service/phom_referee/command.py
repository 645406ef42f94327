"""The command `phom-referee`.

Exit codes: 0, all logs are legal and their claims hold; 1, some are not or do not; 2, there was
something that cannot be read (a log that is no log too), or the command was called wrongly. Over
many logs the highest counts. When nobody reads on, or Ctrl-C is pressed, it ends without a word.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from google.protobuf.json_format import MessageToDict, SerializeToJsonError
from phom.v1 import referee_pb2, verdict_pb2
from phom.v1.events_pb2 import GameLog
from phom.v1.rules_pb2 import House
from phom_core import NotALog, analyze_hand

from phom_referee import notation, report, settings
from phom_referee.generate import games
from phom_referee.houses import VERSION, presets, referee
from phom_referee.inputs import UnreadableError, logs, one_log
from phom_referee.signals import Signals
from phom_referee.spelling import enum_words, parse_cards

if TYPE_CHECKING:
    # argparse has no public name for what add_subparsers gives.
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001

_Run = Callable[[argparse.Namespace], int]

OK, NOT_LEGAL, UNREADABLE = 0, 1, 2
# What a shell says of any other program that ends so.
CLOSED_PIPE, INTERRUPTED = 128 + signal.SIGPIPE, 128 + signal.SIGINT

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
            # Notation and JSON are UTF-8 whatever the terminal's language. A lone surrogate, which
            # JSON can bring in, has none; what it becomes is JSON too.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else UNREADABLE
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _run(arguments: argparse.Namespace) -> int:
    run: _Run = arguments.run
    try:
        return run(arguments)
    except NotALog as fault:
        return _print_no_log(fault, as_json=arguments.json)
    except (UnreadableError, notation.NotationError) as error:
        return _complain(error)


# ---- the subcommands ----


def _serve(arguments: argparse.Namespace) -> int:
    try:
        chosen = settings.read(arguments, os.environ)
        if arguments.check_config:
            print(chosen)
            return OK
        # Before what takes long to load: the first process of a container hears no signal that it
        # has not asked for.
        signals = Signals()
        # Only here: no other subcommand needs a server.
        if chosen.workers == 1:
            from phom_referee import server  # noqa: PLC0415

            return server.main(chosen, signals)
        from phom_referee import workers  # noqa: PLC0415

        return workers.main(chosen, signals)
    except settings.SettingsError as error:
        print(f"phom-referee serve: {error}", file=sys.stderr)
        return UNREADABLE


def _replay(arguments: argparse.Namespace) -> int:
    code = OK
    for name in arguments.files:
        try:
            for log in logs(name):
                code = max(code, _replay_one(log, arguments))
        except UnreadableError as error:
            code = _complain(error)
    return code


def _replay_one(log: GameLog | NotALog, arguments: argparse.Namespace) -> int:
    try:
        if isinstance(log, NotALog):
            raise log
        request = referee_pb2.ReplayRequest(log=log, detail=_DETAILS[arguments.detail])
        answer = referee().replay(request.SerializeToString())
    except NotALog as fault:
        return _print_no_log(fault, as_json=arguments.json)
    verdict = referee_pb2.ReplayResponse.FromString(answer).verdict
    if arguments.json:
        _print_json(MessageToDict(verdict))
    else:
        _print(report.verdict_text(verdict, log))
    return OK if verdict.status in _HOLDS else NOT_LEGAL


def _check(arguments: argparse.Namespace) -> int:
    action = notation.parse_action(" ".join(arguments.action))
    log = one_log(arguments.log)
    request = referee_pb2.CheckActionRequest(log=log, action=action)
    answer = referee().check_action(request.SerializeToString())
    response = referee_pb2.CheckActionResponse.FromString(answer)
    if arguments.json:
        _print_json(MessageToDict(response))
    else:
        _print(report.check_text(response, log))
    return OK if response.legal else NOT_LEGAL


def _legal(arguments: argparse.Namespace) -> int:
    log = one_log(arguments.log)
    request = referee_pb2.ListLegalActionsRequest(log=log)
    answer = referee().list_legal_actions(request.SerializeToString())
    response = referee_pb2.ListLegalActionsResponse.FromString(answer)
    if arguments.json:
        _print_json(MessageToDict(response))
    else:
        _print(report.legal_text(response, log))
    return NOT_LEGAL if response.HasField("violation") else OK


def _hand(arguments: argparse.Namespace) -> int:
    cards = parse_cards(" ".join(arguments.cards), "cards")
    eaten = parse_cards(arguments.eaten, "eaten")
    offered = parse_cards(arguments.offered, "offered")
    if len(offered) > 1:
        raise notation.NotationError(f"`{arguments.offered}`: expected one card", field="offered")
    request = referee_pb2.AnalyzeHandRequest(
        cards=cards, eaten=eaten, offered=offered[0] if offered else None
    )
    answer = analyze_hand(request.SerializeToString())
    response = referee_pb2.AnalyzeHandResponse.FromString(answer)
    if arguments.json:
        _print_json(MessageToDict(response))
    else:
        _print(report.hand_text(response, offered=bool(offered)))
    return OK


def _rulesets(arguments: argparse.Namespace) -> int:
    if arguments.json:
        for named in presets().rulesets:
            _print_json(MessageToDict(named))
    else:
        print(report.rulesets_text(presets().rulesets))
    return OK


def _convert(arguments: argparse.Namespace) -> int:
    if arguments.to != "binary":
        return _write_logs(logs(arguments.file), as_json=arguments.to == "json")
    sys.stdout.buffer.write(one_log(arguments.file).SerializeToString())
    sys.stdout.buffer.flush()
    return OK


def _generate(arguments: argparse.Namespace) -> int:
    house = cast("House", _HOUSES[arguments.house])
    played = games(arguments.count, house=house, seats=arguments.seats, seed=arguments.seed)
    return _write_logs(played, as_json=arguments.json)


# ---- printing ----


def _write_logs(found: Iterable[GameLog | NotALog], *, as_json: bool) -> int:
    """Write logs in a form that can be read again: JSON lines, or notation."""
    code = OK
    separator = ""
    for log in found:
        try:
            if isinstance(log, NotALog):
                raise log
            if as_json:
                _print_json(_log_dict(log))
            else:
                _print(separator + notation.write(log).removesuffix("\n"))
                separator = notation.SEPARATOR + "\n"
        except NotALog as fault:
            code = _print_no_log(fault, as_json=as_json) if as_json else _complain(fault)
        except notation.NotationError as error:
            code = _complain(error)
    return code


def _log_dict(log: GameLog) -> dict[str, Any]:
    try:
        return MessageToDict(log)
    except SerializeToJsonError as error:
        raise NotALog([("log", f"has no JSON: {error}")]) from None


def _print(text: str) -> None:
    # At once: whoever asks line by line waits for the answer.
    print(text, flush=True)


def _print_json(value: dict[str, Any]) -> None:
    _print(json.dumps(value, ensure_ascii=False))


def _print_no_log(fault: NotALog, *, as_json: bool) -> int:
    if as_json:
        fields = [{"field": path, "description": text} for path, text in fault.fields]
        _print_json({"error": {"code": "INVALID_ARGUMENT", "fields": fields}})
    else:
        _print(report.no_log_text(fault.fields))
    return UNREADABLE


def _complain(error: Exception) -> int:
    print(f"phom-referee: {error}", file=sys.stderr)
    return UNREADABLE


# ---- the arguments ----


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="phom-referee",
        description="Judges games of Phỏm (tá lả).",
        epilog="A FILE is JSON, JSON lines, log notation or a binary GameLog; `-` is standard input."
        " Exit code 0: all legal and as claimed; 1: not; 2: unreadable input, or wrong usage.",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_judging(commands)
    _add_making(commands)
    serve = _add(commands, "serve", _serve, "answer gRPC calls")
    settings.add_arguments(serve)
    serve.add_argument("--check-config", action="store_true", help="only check the settings")
    return parser


def _add_judging(commands: _Commands) -> None:
    replay = _add(commands, "replay", _replay, "judge whole logs", as_json=True)
    replay.add_argument("files", metavar="FILE", nargs="+")
    replay.add_argument("--detail", choices=_DETAILS, default="result", help="how much to tell")
    check = _add(commands, "check", _check, "say whether an action may be done now", as_json=True)
    check.add_argument("log", metavar="LOG", help="a FILE with the log so far")
    check.add_argument("action", metavar="ACTION", nargs="+", help="as `2 eat` or `0 discard KD`")
    legal = _add(commands, "legal", _legal, "list what the seat to move may do", as_json=True)
    legal.add_argument("log", metavar="LOG", help="a FILE with the log so far")
    hand = _add(commands, "hand", _hand, "arrange a hand", as_json=True)
    hand.add_argument("cards", metavar="CARDS", nargs="+", help='as "7H 8H 9H KD"')
    hand.add_argument("--eaten", metavar="CARDS", default="", help="which of them were eaten")
    hand.add_argument("--offered", metavar="CARD", default="", help="a discard to eat")
    _add(commands, "rulesets", _rulesets, "show the rules of every house", as_json=True)


def _add_making(commands: _Commands) -> None:
    convert = _add(commands, "convert", _convert, "write logs in another form")
    convert.add_argument("file", metavar="FILE")
    convert.add_argument("--to", choices=("json", "notation", "binary"), required=True)
    generate = _add(commands, "generate", _generate, "play random legal games", as_json=True)
    generate.add_argument("count", metavar="N", type=_count)
    generate.add_argument("--house", choices=_HOUSES, default="go88", help="(%(default)s)")
    generate.add_argument("--seats", type=int, choices=(2, 3, 4), default=4, help="(%(default)s)")
    generate.add_argument("--seed", type=int, default=0, help="same seed, same games (%(default)s)")


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected how many games, found {text!r}")
    return int(text)


def _add(
    commands: _Commands, name: str, run: _Run, text: str, *, as_json: bool = False
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run, json=False)
    if as_json:
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser
