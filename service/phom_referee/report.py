"""What the command prints for people: plain text, in the words of the log notation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from phom.v1 import referee_pb2, verdict_pb2
from phom.v1.actions_pb2 import Action
from phom.v1.cards_pb2 import Card, Phom
from phom.v1.events_pb2 import Event, GameLog
from phom.v1.rules_pb2 import Ruleset

from phom_referee import rules
from phom_referee.cards import card_words, phom_words
from phom_referee.inputs import Place
from phom_referee.notation import write_action
from phom_referee.spelling import rule_word
from phom_referee.typed import printable, quoted

WIDTH = 96
NONE = "–"

_STATUS = {
    verdict_pb2.STATUS_IN_PROGRESS: "legal so far, not finished",
    verdict_pb2.STATUS_FINISHED: "legal and finished",
    verdict_pb2.STATUS_ILLEGAL: "ILLEGAL",
    verdict_pb2.STATUS_CLAIM_MISMATCH: "legal and finished, BUT WITH ANOTHER RESULT than claimed",
}
_PHASE = {
    verdict_pb2.PHASE_TAKE: "has to draw or eat",
    verdict_pb2.PHASE_ACT: "has taken its card and has to discard",
}
# What a payment is for, and the section of the rules that asks for it.
_REASON = {
    verdict_pb2.PAYMENT_REASON_EAT: ("an eaten card", "4.4"),
    verdict_pb2.PAYMENT_REASON_CHOT: ("an eaten chốt card", "4.4"),
    verdict_pb2.PAYMENT_REASON_PLACE: ("its place", "7.3"),
    verdict_pb2.PAYMENT_REASON_MOM: ("móm", "7.3"),
    verdict_pb2.PAYMENT_REASON_LEFT: ("having left", "7.3"),
    verdict_pb2.PAYMENT_REASON_U: ("Ù", "7.1"),
}
_DEN = {
    verdict_pb2.DEN_REASON_THREE_EATEN: "three of its cards were eaten by the winner; rule 7.1 a",
    verdict_pb2.DEN_REASON_LAST_ROUND_EATER: "it ate a card of the last round; rule 7.1 b",
    verdict_pb2.DEN_REASON_ATE_THIS_TURN: "its card was eaten in the turn of the Ù; rule 7.1 c",
}
_U_KIND = {
    verdict_pb2.U_KIND_PLAIN: "Ù",
    verdict_pb2.U_KIND_TRON: "Ù tròn",
    verdict_pb2.U_KIND_KHAN: "Ù khan",
}


def verdict_text(verdict: verdict_pb2.Verdict, log: GameLog, place: Place) -> str:
    """A verdict, with the event at fault and the rule it breaks quoted."""
    lines = [f"{verdict.game_id or printable(place.name)}: {_STATUS[verdict.status]}"]
    if verdict.HasField("violation"):
        lines += _violation(verdict.violation, log)
    if verdict.HasField("result"):
        lines += _result(verdict.result)
    lines += [_difference(difference) for difference in verdict.claim_differences]
    if verdict.trace:
        lines.append("  what each event did:")
        lines += [_step(step, log) for step in verdict.trace]
    if verdict.HasField("state"):
        lines += _state(verdict.state, when="before it" if verdict.HasField("violation") else "now")
    return "\n".join(lines)


def check_text(response: referee_pb2.CheckActionResponse, log: GameLog, action: Action) -> str:
    """Whether an action may be done: the event to append and what it does, or why not."""
    if not response.legal:
        return "\n".join(["not legal", *_violation(response.violation, log, action)])
    lines = [f"legal (rule {response.trace.rule})", f"  append: {_event(response.event)}"]
    lines += [f"  {effect}" for effect in _effects(response.trace)]
    if response.HasField("result"):
        lines += ["  it ends the game:", *_result(response.result)]
    if response.HasField("state"):
        lines += _state(response.state, when="after it")
    return "\n".join(lines)


def legal_text(response: referee_pb2.ListLegalActionsResponse, log: GameLog) -> str:
    """What the seat to move may do, an action a line."""
    if response.HasField("violation"):
        return "\n".join(["the log is not legal", *_violation(response.violation, log)])
    if not response.HasField("seat"):
        return "nothing can follow: the game is over"
    more = ["# and more ways to lay down"] if response.truncated else []
    return "\n".join([*map(write_action, response.actions), *more])


def hand_text(response: referee_pb2.AnalyzeHandResponse, *, offered: bool) -> str:
    """The best arrangement of a hand, and what can be done with it."""
    pairs = [f"{_cards([pair.first])}-{_cards([pair.second])}" for pair in response.ca_pairs]
    lines = [
        f"phỏm: {_phoms(response.phoms)}",
        f"loose: {_cards(response.loose)}; {response.points} points",
        f"arrangements as good: {response.arrangements}",
        f"may discard: {_cards(response.legal_discards)}",
        f"cạ: {' '.join(pairs) or NONE}",
    ]
    if response.u_kind:
        lines.append(f"these ten cards are {_U_KIND[response.u_kind]}")
    if offered:
        lines.append(f"the offered card may {'' if response.can_eat else 'not '}be eaten")
    return "\n".join(lines)


def rulesets_text(rulesets: Sequence[referee_pb2.NamedRuleset]) -> str:
    """The table of section 8 of the rules: a line a field, a column a house."""
    rows = [
        [field.name, *(_rule(named.ruleset, field.name) for named in rulesets)]
        for field in Ruleset.DESCRIPTOR.fields
    ]
    rows.append(["digest", *(f"{named.digest[:12]}…" for named in rulesets)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def no_log_text(fields: Iterable[tuple[str, str]], place: Place, action: str = "") -> str:
    """What stands in the place of a log that is none, or of what was asked after it."""
    of_log = [_fault(path, text, place) for path, text in fields if not is_of_action(path)]
    of_action = [printable(f"  {path}: {text}") for path, text in fields if is_of_action(path)]
    lines = [printable(f"{place}: no log"), *of_log] if of_log else []
    if of_action:
        lines += [f"no action: `{quoted(action)}`", *of_action]
    return "\n".join(lines)


def _fault(path: str, text: str, place: Place) -> str:
    line = place.line_of(path)
    return printable(f"  {path}: {text}" if line is None else f"  {path}: line {line}: {text}")


def is_of_action(path: str) -> bool:
    """Whether a field at fault is the action's and not the log's."""
    return path.partition(".")[0] == "action"


def _rule(ruleset: Ruleset, name: str) -> str:
    return rule_word(ruleset.DESCRIPTOR.fields_by_name[name], getattr(ruleset, name), name)


def _cards(cards: Iterable[Card]) -> str:
    return " ".join(card_words(cards, "cards")) or NONE


def _phoms(phoms: Iterable[Phom]) -> str:
    return " ".join(phom_words(phoms, "phoms")) or NONE


def _event(event: Event) -> str:
    if event.HasField("draw") and not event.draw.card:
        return f"{event.seat} draw, and the card that comes"
    return write_action(event)


def _violation(
    violation: verdict_pb2.Violation, log: GameLog, action: Action | None = None
) -> Iterator[str]:
    index = violation.event_index
    refused: Event | Action | None = action
    if not violation.HasField("event_index"):
        yield "  in the deal or the opening"
    elif index < len(log.events):
        refused = log.events[index]
        yield f"  event {index}: {_event(log.events[index])}"
    code = verdict_pb2.ViolationCode.Name(violation.code).removeprefix("VIOLATION_CODE_")
    yield f"  {code}: {violation.message}"
    if violation.code == verdict_pb2.VIOLATION_CODE_NOT_A_PHOM and _has_single_cards(refused):
        yield "  (a blank ends a phỏm: its cards are written without one, as 7H8H9H 4S4D4C)"
    yield f"  rule {violation.rule}:"
    for paragraph in rules.text(violation.rule).splitlines():
        yield from wrap(paragraph, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _has_single_cards(move: Event | Action | None) -> bool:
    """Whether what was laid is apart card by card, as it is where blanks were typed between."""
    laid = [] if move is None else [*move.lay_down.phoms, *move.declare_u.phoms]
    return any(len(phom.cards) == 1 for phom in laid)


def _result(result: verdict_pb2.GameResult) -> Iterator[str]:
    if result.HasField("u"):
        yield _u(result.u)
    for seat in sorted(result.seats, key=lambda seat: (seat.place, seat.seat)):
        place = f"place {seat.place}: " if seat.place else ""
        marks = ", móm" * seat.mom + ", left" * seat.left
        yield (
            f"  {place}seat {seat.seat}{marks}: net {seat.net:+}; {seat.points} points"
            f" ({_cards(seat.loose)}); phỏm {_phoms(seat.phoms)}"
        )
    for payment in result.payments:
        index = payment.event_index
        when = f"event {index}" if payment.HasField("event_index") else "at the end"
        yield f"  {when}: {_payment(payment)}"
    if result.rake_total:
        yield f"  the house keeps {result.rake_total} (rule 7.5)"


def _u(u: verdict_pb2.UResult) -> str:
    den = (
        f"; seat {u.den_seat} pays for all: {_DEN[u.den_reason]}" if u.HasField("den_seat") else ""
    )
    return f"  {_U_KIND[u.kind]} by seat {u.seat}: {_phoms(u.phoms)}{den}"


def _payment(payment: verdict_pb2.Payment) -> str:
    what, rule = _REASON[payment.reason]
    return (
        f"seat {payment.from_seat} pays seat {payment.to_seat} {payment.amount}"
        f" (stakes: {payment.stakes}) for {what} (rule {rule})"
    )


def _difference(difference: verdict_pb2.ClaimDifference) -> str:
    whose = f" of seat {difference.seat}" if difference.HasField("seat") else ""
    claimed, computed = difference.claimed or "nobody", difference.computed or "nobody"
    return f"  {difference.field}{whose}: claimed {claimed}, is {computed}"


def _step(step: verdict_pb2.EventTrace, log: GameLog) -> str:
    effects = "".join(f"; {effect}" for effect in _effects(step))
    return f"    {step.event_index}: {_event(log.events[step.event_index])} (rule {step.rule}){effects}"


def _effects(step: verdict_pb2.EventTrace) -> Iterator[str]:
    if step.row_shifted:
        yield f"a card of the leader's row moves, seat {step.leader_seat} leads (rule 3.3)"
    if step.HasField("spared_seat"):
        yield f"seat {step.spared_seat} is spared its lay-down (né hạ)"
    if step.HasField("further_turn_seat"):
        yield f"seat {step.further_turn_seat}, which has laid down, gets a further turn"
    yield from map(_payment, step.payments)


def _state(state: verdict_pb2.TableState, *, when: str) -> Iterator[str]:
    yield f"  the table {when}:"
    turn = "over" if state.phase == verdict_pb2.PHASE_OVER else f"seat {state.turn_seat} "
    turn += _PHASE.get(state.phase, "")
    if state.can_be_reopened:
        turn = f"over, unless seat {state.turn_seat} eats"
    cards = [state.last_discard] if state.last_discard else []
    yield (
        f"    {turn}; last discard {_cards(cards)}; stock {state.stock_left};"
        f" leader seat {state.leader_seat}; ends at {state.target} discards each"
    )
    if state.announced_card:
        yield f"    announced: {_cards([state.announced_card])}"
    for seat in state.seats:
        yield (
            f"    seat {seat.seat}{', left' * seat.left}: {_cards(seat.cards)} ({seat.points} points);"
            f" eaten {_cards(seat.eaten)}; laid {_phoms(seat.laid)}; laid off {_cards(seat.laid_off)};"
            f" row {_cards(seat.row)}; counting discards {seat.discard_count}"
        )
