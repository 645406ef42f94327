"""The command `phom-referee`.

Exit codes: 0, all logs are legal and their claims hold; 1, some are not or do not; 2, there was
something that cannot be read (a log that is no log too), or the command was called wrongly. Over
many logs the highest counts. When nobody reads on, or Ctrl-C is pressed, it ends without a word.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from google.protobuf.json_format import MessageToDict
from phom.v1 import referee_pb2, verdict_pb2
from phom.v1.cards_pb2 import Card
from phom.v1.events_pb2 import GameLog
from phom.v1.rules_pb2 import House
from phom_core import NotALog, analyze_hand

from phom_referee import notation, report, settings
from phom_referee.cards import card_word, read_cards
from phom_referee.generate import games
from phom_referee.houses import VERSION, presets, referee
from phom_referee.inputs import Place, logs, one_log
from phom_referee.printing import (
    NOT_LEGAL,
    OK,
    UNREADABLE,
    complain,
    print_error,
    print_json,
    print_no_log,
    print_text,
    write_logs,
)
from phom_referee.signals import Signals
from phom_referee.spelling import Words, enum_words
from phom_referee.streams import UnreadableError
from phom_referee.typed import UnexpectedError, quoted

if TYPE_CHECKING:
    # argparse has no public name for what add_subparsers gives.
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001

_Run = Callable[[argparse.Namespace], int]

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


class _UsageError(Exception):
    """An argument that cannot be understood."""


def _run(arguments: argparse.Namespace) -> int:
    run: _Run = arguments.run
    try:
        return run(arguments)
    except UnreadableError as error:
        return complain(error)
    except _UsageError as error:
        return complain(error, arguments.command)


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
            for place, log in logs(name):
                code = max(code, _replay_one(log, place, arguments))
        except UnreadableError as error:
            code = complain(error)
    return code


def _replay_one(log: GameLog | NotALog, place: Place, arguments: argparse.Namespace) -> int:
    try:
        if isinstance(log, NotALog):
            raise log
        request = referee_pb2.ReplayRequest(log=log, detail=_DETAILS[arguments.detail])
        answer = referee().replay(request.SerializeToString())
    except NotALog as fault:
        return print_no_log(fault, place, as_json=arguments.json)
    verdict = referee_pb2.ReplayResponse.FromString(answer).verdict
    if arguments.json:
        print_json(MessageToDict(verdict))
    else:
        print_text(report.verdict_text(verdict, log, place))
    return OK if verdict.status in _HOLDS else NOT_LEGAL


def _check(arguments: argparse.Namespace) -> int:
    asked = " ".join(arguments.action)
    try:
        action = notation.parse_action(asked)
    except notation.NotationError as error:
        raise _UsageError(f"action {error}") from None
    place, log = one_log(arguments.log)
    try:
        if isinstance(log, NotALog):
            raise log
        request = referee_pb2.CheckActionRequest(log=log, action=action)
        answer = referee().check_action(request.SerializeToString())
    except NotALog as fault:
        return print_no_log(fault, place, as_json=arguments.json, action=asked)
    response = referee_pb2.CheckActionResponse.FromString(answer)
    if arguments.json:
        print_json(MessageToDict(response))
    else:
        print_text(report.check_text(response, log, action))
    return OK if response.legal else NOT_LEGAL


def _legal(arguments: argparse.Namespace) -> int:
    place, log = one_log(arguments.log)
    try:
        if isinstance(log, NotALog):
            raise log
        request = referee_pb2.ListLegalActionsRequest(log=log)
        answer = referee().list_legal_actions(request.SerializeToString())
    except NotALog as fault:
        return print_no_log(fault, place, as_json=arguments.json)
    response = referee_pb2.ListLegalActionsResponse.FromString(answer)
    if arguments.json:
        print_json(MessageToDict(response))
    else:
        print_text(report.legal_text(response, log))
    return NOT_LEGAL if response.HasField("violation") else OK


def _hand(arguments: argparse.Namespace) -> int:
    cards = _cards("cards", " ".join(arguments.cards))
    eaten = _cards("--eaten", arguments.eaten)
    offered = _cards("--offered", arguments.offered or "")
    if not cards:
        raise _UsageError('cards: expected at least one, as "7H 8H 9H KD"; found none')
    if arguments.offered is not None and len(offered) != 1:
        asked = quoted(arguments.offered)
        raise _UsageError(f"--offered `{asked}`: expected one card; found {len(offered) or 'none'}")
    request = referee_pb2.AnalyzeHandRequest(
        cards=cards, eaten=eaten, offered=offered[0] if offered else None
    )
    try:
        answer = analyze_hand(request.SerializeToString())
    except NotALog as fault:
        return _no_hand(fault, request, as_json=arguments.json)
    response = referee_pb2.AnalyzeHandResponse.FromString(answer)
    if arguments.json:
        print_json(MessageToDict(response))
    else:
        print_text(report.hand_text(response, offered=bool(offered)))
    return OK


def _cards(argument: str, text: str) -> list[Card]:
    try:
        return read_cards(text)
    except UnexpectedError as error:
        raise _UsageError(f"{argument} `{quoted(text)}`: expected {error}") from None


def _no_hand(fault: NotALog, request: referee_pb2.AnalyzeHandRequest, *, as_json: bool) -> int:
    """What is wrong with a hand of real cards: too many, one twice, eaten cards of another hand."""
    if as_json:
        return print_error(fault.fields)
    named = {f"cards[{i}]": card for i, card in enumerate(request.cards)}
    named |= {f"eaten[{i}]": card for i, card in enumerate(request.eaten)}
    named |= {"offered": request.offered}
    for path, text in fault.fields:
        card = f" ({card_word(named[path], path)})" if path in named else ""
        complain(f"{path}{card}: {text}", "hand")
    return UNREADABLE


def _rulesets(arguments: argparse.Namespace) -> int:
    if arguments.json:
        for named in presets().rulesets:
            print_json(MessageToDict(named))
    else:
        print(report.rulesets_text(presets().rulesets))
    return OK


def _convert(arguments: argparse.Namespace) -> int:
    if arguments.to != "binary":
        return write_logs(logs(arguments.file), as_json=arguments.to == "json")
    place, log = one_log(arguments.file)
    if isinstance(log, NotALog):
        return complain(f"{place}: {log}")
    sys.stdout.buffer.write(log.SerializeToString())
    sys.stdout.buffer.flush()
    return OK


def _generate(arguments: argparse.Namespace) -> int:
    house, seats, seed = arguments.house, arguments.seats, arguments.seed
    played = games(arguments.count, house=house, seats=seats, seed=seed)
    placed = ((Place("generated", number), log) for number, log in enumerate(played, 1))
    return write_logs(placed, as_json=arguments.json)


# ---- the arguments ----


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="phom-referee",
        description="Judges games of Phỏm (tá lả).",
        epilog="A FILE is JSON, JSON lines, a JSON array of logs, log notation or a binary GameLog, as"
        " UTF-8 or as UTF-16 with its mark, perhaps packed by gzip; `-` is standard input."
        " CARDS are typed as 7H, 7h, 10d or T♦, apart by blanks, commas or nothing."
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
    hand.add_argument("cards", metavar="CARDS", nargs="+", help='as "7H 8H 9H KD" or 7h8h9hkd')
    hand.add_argument("--eaten", metavar="CARDS", default="", help="which of them were eaten")
    hand.add_argument("--offered", metavar="CARD", help="a discard to eat")
    _add(commands, "rulesets", _rulesets, "show the rules of every house", as_json=True)


def _add_making(commands: _Commands) -> None:
    convert = _add(commands, "convert", _convert, "write logs in another form")
    convert.add_argument("file", metavar="FILE")
    convert.add_argument("--to", choices=("json", "notation", "binary"), required=True)
    generate = _add(commands, "generate", _generate, "play random legal games", as_json=True)
    generate.add_argument("count", metavar="N", type=_count)
    generate.add_argument(
        "--house", type=_house, default="go88", help=f"{', '.join(_HOUSES)} (%(default)s)"
    )
    generate.add_argument("--seats", type=int, choices=(2, 3, 4), default=4, help="(%(default)s)")
    generate.add_argument("--seed", type=int, default=0, help="same seed, same games (%(default)s)")


def _house(text: str) -> House:
    try:
        words = Words(text)
        house = cast("House", _HOUSES[words.one_of(_HOUSES)])
        words.end()
    except UnexpectedError as error:
        raise argparse.ArgumentTypeError(f"expected {error}") from None
    return house


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected how many games, found {text!r}")
    return int(text)


def _add(
    commands: _Commands, name: str, run: _Run, text: str, *, as_json: bool = False
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run, command=name, json=False)
    if as_json:
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser
