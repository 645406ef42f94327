"""Well-formed requests to bend: logs in which every field says something that a verdict depends on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf import json_format
from phom.v1 import actions_pb2, events_pb2, referee_pb2, rules_pb2, verdict_pb2
from phom_referee.generate import games
from phom_referee.houses import presets, referee

CASES = Path(__file__).parents[1] / "cases"

HOUSES = [house for house in rules_pb2.House.values() if house]
DETAILS = (*[verdict_pb2.DETAIL_TRACE] * 6, *verdict_pb2.Detail.values())


def requests(seed: int, games_each: int = 3) -> dict[str, list[Any]]:
    """Requests for every call of the core, by its name; so many games of each house and size."""
    rng = Random(seed)
    logs = [*rich_logs(seed, games_each), *handed_logs()[:: max(1, 6 // games_each)]]
    made: dict[str, list[Any]] = {
        "replay": [referee_pb2.ReplayRequest(log=log, detail=rng.choice(DETAILS)) for log in logs],
        "check_action": [check_of(log, rng) for log in logs[::2]],
        "list_legal_actions": [
            referee_pb2.ListLegalActionsRequest(log=cut(log, rng)) for log in logs[::8]
        ],
        "analyze_hand": [hand_of(log, rng) for log in logs[::6]],
        "replay_many": [
            referee_pb2.ReplayManyRequest(logs=logs[i : i + 3], detail=rng.choice(DETAILS))
            for i in range(0, len(logs) - 2, 12)
        ],
    }
    # So that no mutant is spared by being long: something short for each call.
    made["replay"] += [referee_pb2.ReplayRequest(log=cut(log, rng, 4)) for log in logs[::10]]
    return made


# ---- logs ----


def rich_logs(seed: int, games_each: int) -> Iterator[events_pb2.GameLog]:
    """Finished games of every house and size, with overrides, times, an opening, and true claims."""
    rng = Random(f"logs {seed}")
    for house in HOUSES:
        for seats in (2, 3, 4):
            for number in range(games_each):
                overrides = random_overrides(rng) if number % 3 else None
                game = seed * games_each + number
                (log,) = games(1, house=house, seats=seats, seed=game, overrides=overrides)
                if number % 3 == 2:
                    log.opening.game_number = 2
                    log.opening.creator_seat = rng.randrange(seats)
                    log.opening.after_winner_seat = log.first_seat
                    if rng.random() < 0.5:
                        log.opening.winner_seat = log.first_seat
                claim(log, rng)
                yield log


def handed_logs() -> list[events_pb2.GameLog]:
    lines = (CASES / "games.jsonl").read_text("utf-8").splitlines()
    return [json_format.ParseDict(json.loads(x)["log"], events_pb2.GameLog()) for x in lines]


def random_overrides(rng: Random) -> rules_pb2.Ruleset:
    """Any of another house's rules, or all of them."""
    other = rng.choice(presets().rulesets).ruleset
    share = rng.choice((0.2, 0.5, 1.0))
    chosen = rules_pb2.Ruleset(house=other.house)
    for field, value in other.ListFields():
        if rng.random() < share:
            if field.is_repeated:
                getattr(chosen, field.name).extend(value)
            else:
                setattr(chosen, field.name, value)
    return chosen


def claim(log: events_pb2.GameLog, rng: Random) -> None:
    """Claim what is true of a finished game, or most of it."""
    request = referee_pb2.ReplayRequest(log=log)
    response = referee().replay(request.SerializeToString())
    result = referee_pb2.ReplayResponse.FromString(response).verdict.result
    claims = log.claimed_result
    for seat in rng.sample(list(result.seats), len(result.seats)):
        claimed = claims.seats.add(seat=seat.seat)
        if rng.random() < 0.9:
            claimed.place = seat.place
        if rng.random() < 0.9:
            claimed.points = seat.points
        if rng.random() < 0.9:
            claimed.net = seat.net
    if result.HasField("u"):
        claims.u_seat = result.u.seat
        if result.u.HasField("den_seat"):
            claims.den_seat = result.u.den_seat
    else:
        claims.no_u = True
        if rng.random() < 0.1:
            claims.den_seat = rng.randrange(len(result.seats))


def cut(log: events_pb2.GameLog, rng: Random, most: int = 1024) -> events_pb2.GameLog:
    """The beginning of a game."""
    begun = events_pb2.GameLog()
    begun.CopyFrom(log)
    del begun.events[rng.randint(0, min(most, len(log.events))) :]
    return begun


# ---- the other requests ----


def check_of(log: events_pb2.GameLog, rng: Random) -> referee_pb2.CheckActionRequest:
    """May what was done next be done? The rare kinds are asked about as often as the others."""
    kinds: dict[str, list[int]] = {}
    for at, event in enumerate(log.events):
        kinds.setdefault(str(event.WhichOneof("kind")), []).append(at)
    at = rng.choice(rng.choice(list(kinds.values()))) if kinds else 0
    request = referee_pb2.CheckActionRequest(log=log)
    del request.log.events[at:]
    event = log.events[at] if kinds else events_pb2.Event(seat=0, leave={})
    request.action.CopyFrom(action_of(event))
    return request


def action_of(event: events_pb2.Event) -> actions_pb2.Action:
    """The action that the event came of: the same but for the card of a draw."""
    action = actions_pb2.Action.FromString(event.SerializeToString())
    action.DiscardUnknownFields()
    return action


def hand_of(log: events_pb2.GameLog, rng: Random) -> referee_pb2.AnalyzeHandRequest:
    """A dealt hand, sometimes with a phỏm of which a card was eaten."""
    hands = [list(hand.cards) for hand in log.hands] or [[]]
    cards = rng.choice(hands)
    offered = rng.choice(rng.choice(hands) or [0])
    request = referee_pb2.AnalyzeHandRequest()
    if rng.random() < 0.5:
        first = rng.choice((1, 14, 27, 40)) + rng.randrange(11)
        run = [first, first + 1, first + 2]
        cards = [*run, *(card for card in cards if card not in run)][: rng.randint(3, 13)]
        request.eaten.append(rng.choice(run))
    rng.shuffle(cards)
    request.cards.extend(cards)
    if offered not in cards:
        request.offered = offered
    return request
