"""Laws 1 and 2, as functions that yield what breaks them at a state; nothing, if they hold.

1. An illegal event changes nothing: the state before it is the state reported.
2. Every action that ListLegalActions names is accepted by CheckAction and by Replay, and none outside
   it is.

Requests are put together as bytes and answers compared as bytes, since a state has some hundred
candidates. Where the bytes differ the messages decide: only what they say matters.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping

import canonical
from findings import Broken, Findings
from google.protobuf import json_format
from oracle.arrange import listed, loose
from oracle.cards import points
from oracle.legal import canonical as oracle_canonical
from oracle.legal import legal_at
from oracle.table import Table
from phom.v1 import actions_pb2, events_pb2, referee_pb2, verdict_pb2
from positions import Position
from rawbytes import delimited, number, tag

ARRANGEMENTS_LISTED = 64

_CHECK = {field.name: field.number for field in referee_pb2.CheckActionResponse.DESCRIPTOR.fields}
_VERDICT = {field.name: field.number for field in verdict_pb2.Verdict.DESCRIPTOR.fields}
_REPLY = referee_pb2.ReplayResponse.DESCRIPTOR.fields_by_name["verdict"].number
_YES = number(_CHECK["legal"], 1)
_VIOLATION = tag(_VERDICT["violation"], delimited=True)
_DRAWS = {canonical.bare(seat, "draw"): seat for seat in range(4)}

Answers = dict[bytes, bytes]
"""Actions in canonical form, each with CheckAction's response."""


def answers(at: Position, actions: Collection[bytes]) -> Answers:
    """CheckAction's answer about each."""
    return {action: at.check(action) for action in actions}


def candidates(at: Position, rng: random.Random, share: float) -> list[bytes]:
    """All that the mover might do, and a share of the candidates that are illegal on their face."""
    unlikely = [*canonical.unlikely(at.state, at.mover)]
    chosen = unlikely if share == 1 else rng.sample(unlikely, int(len(unlikely) * share))
    return [*canonical.likely(at.state, at.mover), *chosen]


def said_yes(answer: bytes) -> bool:
    """Whether a CheckActionResponse says that the action is legal."""
    return answer.startswith(_YES)


# ---- 1 ----


def law_1(at: Position, refused: Mapping[bytes, bytes]) -> Findings:
    """`refused`: actions, each with CheckAction's no. As events they get the same no, and the state stays."""
    own = _verdict_of(at.replay(detail=verdict_pb2.DETAIL_STATE))
    head = verdict_pb2.Verdict(game_id=own.game_id, status=verdict_pb2.STATUS_ILLEGAL)
    for field in ("game_id", "status", "result"):
        own.ClearField(field)
    before, after = head.SerializeToString(), own.SerializeToString()
    for action, answer in refused.items():
        event = _as_event(at, action)
        reply = at.replay(event, detail=verdict_pb2.DETAIL_STATE)
        # An answer that is no is a violation and nothing else.
        if reply != delimited(_REPLY, before + _VIOLATION + answer[1:] + after):
            yield from _changed(at, event, answer, reply)


def _verdict_of(reply: bytes) -> verdict_pb2.Verdict:
    return referee_pb2.ReplayResponse.FromString(reply).verdict


def _as_event(at: Position, action: bytes) -> bytes:
    """An event must name the card that is drawn."""
    if action not in _DRAWS:
        return action
    return canonical.with_card(_DRAWS[action], "draw", min(at.draws(), default=1))


def _changed(at: Position, event: bytes, answer: bytes, reply: bytes) -> Findings:
    """In what an illegal event's verdict differs from the state before it and CheckAction's no."""
    verdict = _verdict_of(reply)
    said = referee_pb2.CheckActionResponse.FromString(answer)
    if [field.name for field, _ in said.ListFields()] != ["violation"]:
        yield Broken("CheckAction says no, and more than why", event)
    if verdict.status != verdict_pb2.STATUS_ILLEGAL:
        yield Broken("CheckAction refuses it, and Replay does not", event)
        return
    if verdict.state != at.state:
        yield Broken("the state before it is not the state reported", event)
    # The wording may know more of an event's draw than of an action's.
    said.violation.message = verdict.violation.message
    if verdict.violation != said.violation:
        yield Broken("CheckAction and Replay give other reasons", event)
    if verdict.HasField("result") or verdict.trace:
        yield Broken("more is said of an illegal log than was asked for", event)


def named_cards(at: Position, answered: Answers) -> Findings:
    """Both laws for events that are no action: a draw and an eat of each card there is."""
    seat = at.mover
    eaten = {at.state.last_discard} if said_yes(answered[canonical.bare(seat, "eat")]) else set()
    drawn = at.draws() if said_yes(answered[canonical.bare(seat, "draw")]) else set()
    for kind, legal in (("draw", drawn), ("eat", eaten)):
        for card in range(1, 53):
            event = canonical.with_card(seat, kind, card)
            reply = at.replay(event, detail=verdict_pb2.DETAIL_STATE)
            verdict = _verdict_of(reply)
            if (verdict.status != verdict_pb2.STATUS_ILLEGAL) != (card in legal):
                yield Broken("Replay takes a card that cannot come, or refuses one that can", event)
            elif card not in legal and verdict.state != at.state:
                yield Broken("the state before it is not the state reported", event)


# ---- 2 ----


def law_2(at: Position, answered: Answers) -> Findings:
    """What is named is accepted, and no other candidate is."""
    options = at.options
    named = [canonical.canonical(action) for action in options.actions]
    legal = {action for action, answer in answered.items() if said_yes(answer)}
    if len(set(named)) != len(named):
        yield Broken("an action is named twice")
    if options.HasField("seat") == at.over or (not at.over and options.seat != at.mover):
        yield Broken("the seat to move is not the state's")
    if not canonical.in_order(options.actions):
        yield Broken("the kinds of actions are not in the contract's order")
    for action in set(named) - answered.keys():
        yield Broken("named, and no candidate", action)
    for action in set(named) & answered.keys() - legal:
        yield Broken("named, and CheckAction refuses it", action)
    unnamed = legal - set(named)
    for action in unnamed:
        if not _is_lay_down(action) or not options.truncated:
            yield Broken("CheckAction accepts it, and it is not named", action)
    yield from _best_first(at, unnamed)
    for action in legal:
        yield from accepted(at, action, answered[action])


def _is_lay_down(action: bytes) -> bool:
    return actions_pb2.Action.FromString(action).WhichOneof("kind") == "lay_down"


def _best_first(at: Position, unnamed: Collection[bytes]) -> Findings:
    """The arrangements stand best first, and what the cap cut off is no better than what it left."""
    hand = frozenset(at.state.seats[at.mover].cards)
    named = [action for action in at.options.actions if action.WhichOneof("kind") == "lay_down"]
    ranked = [_rank(hand, action) for action in named]
    if ranked != sorted(ranked):
        yield Broken("the arrangements are not named best first")
    if at.options.truncated and len(named) != ARRANGEMENTS_LISTED:
        yield Broken(f"said to be truncated, with {len(named)} arrangements named")
    for action in filter(_is_lay_down, unnamed):
        if ranked and _rank(hand, actions_pb2.Action.FromString(action)) < ranked[-1]:
            yield Broken("better than an arrangement that is named, and not named itself", action)


def _rank(hand: frozenset[int], action: actions_pb2.Action) -> tuple[int, int, list[list[int]]]:
    packing = tuple(frozenset(phom.cards) for phom in action.lay_down.phoms)
    left = loose(hand, packing)
    return points(left), len(left), listed(packing)


def accepted(at: Position, action: bytes, answer: bytes) -> Findings:
    """The event that CheckAction returns is the one asked for, and brings what CheckAction says."""
    said = referee_pb2.CheckActionResponse.FromString(answer)
    expected = events_pb2.Event.FromString(action)
    card_known = True
    if action in _DRAWS:
        card_known = bool(at.stock)
        expected.draw.card = min(at.draws(), default=0) if card_known else 0
    elif expected.HasField("eat"):
        expected.eat.card = at.state.last_discard
    if said.event != expected:
        yield Broken(f"CheckAction returns another event: {said.event}", action)
    yield from _same_end(at, _as_event(at, action), said, card_known)


def _same_end(
    at: Position, event: bytes, said: referee_pb2.CheckActionResponse, card_known: bool
) -> Findings:
    """State, result and trace of CheckAction are those that Replay of the longer log ends with."""
    verdict = _verdict_of(at.replay(event, detail=verdict_pb2.DETAIL_TRACE))
    if verdict.status == verdict_pb2.STATUS_ILLEGAL:
        yield Broken("CheckAction accepts it, and Replay refuses it", event)
        return
    finished = verdict.status == verdict_pb2.STATUS_FINISHED
    if said.HasField("state") != card_known or (card_known and said.state != verdict.state):
        yield Broken("CheckAction and Replay give other states after it", event)
    if said.HasField("result") != finished or (finished and said.result != verdict.result):
        yield Broken("CheckAction and Replay give other results after it", event)
    if said.trace != verdict.trace[-1] or said.HasField("violation"):
        yield Broken("CheckAction and Replay give other traces of it", event)


def apart(at: Position) -> Findings:
    """What law 2 leaves apart: who may leave, and whose time may be over (rules 3.5 to 3.8)."""
    finished = at.verdict.status == verdict_pb2.STATUS_FINISHED
    refused = {}
    for seat in at.state.seats:
        own_turn = not at.over and seat.seat == at.mover
        for kind, may in (("leave", not seat.left), ("time_out", own_turn)):
            action = canonical.bare(seat.seat, kind)
            answer = at.check(action)
            if said_yes(answer) != (may and not finished):
                yield Broken("legal though it must not be, or the other way round", action)
            elif said_yes(answer):
                yield from accepted(at, action, answer)
            else:
                refused[action] = answer
    yield from law_1(at, refused)


def as_the_oracle_sees_it(at: Position, table: Table) -> Findings:
    """ListLegalActions against the oracle's own search, at its own table of the same log."""
    yield from as_listed(at, legal_at(table))


def as_listed(at: Position, theirs: Collection[object]) -> Findings:
    """ListLegalActions against what the oracle has found to be legal."""
    ours = [oracle_canonical(json_format.MessageToDict(action)) for action in at.options.actions]
    for action in theirs:
        if action not in ours and not (at.options.truncated and "layDown" in action):
            yield Broken(f"the oracle allows it, and it is not named: {action}")
    for action in ours:
        if action not in theirs:
            yield Broken(f"named, and the oracle refuses it: {action}")
