"""A stranger's program: whole games against the service, by nothing but what the service says.

    python tests/stranger.py localhost:50051 --games 20 --seed 1

It knows no rule. It deals, asks ListLegalActions what may be done, picks one, lets CheckAction turn it
into an event, and appends that to its own log. A log that is finished is judged by Replay, the result that
CheckAction gave claimed in it: both must say the same. Exits with 1 if they do not.
"""

# ruff: noqa: T201 - it speaks to who runs it.

from __future__ import annotations

import argparse
import random
import sys

import grpc
from phom.v1 import (
    actions_pb2,
    cards_pb2,
    events_pb2,
    referee_pb2,
    referee_pb2_grpc,
    rules_pb2,
    verdict_pb2,
)

DECK = [card for card in cards_pb2.Card.values() if card]
# How gladly it does what it may.
GLADLY = {"eat": 8, "lay_down": 5, "lay_off": 4, "declare_u": 5, "announce_card": 0.1}


class SurprisedError(Exception):
    """The service contradicts itself."""


class Stranger:
    """One game; its log is all that it keeps, and the stock if the log is not to tell its order."""

    def __init__(
        self,
        stub: referee_pb2_grpc.RefereeServiceStub,
        rng: random.Random,
        house: rules_pb2.House,
        seats: int,
        *,
        stock_known: bool,
    ) -> None:
        self.stub = stub
        self.rng = rng
        deck = rng.sample(DECK, len(DECK))
        first = rng.randrange(seats)
        self.log = events_pb2.GameLog(first_seat=first, base_stake=rng.choice((0, 1, 1000)))
        self.log.ruleset.house = house
        for seat in range(seats):
            size = 10 if seat == first else 9
            self.log.hands.add(cards=deck[:size])
            del deck[:size]
        self.stock = deck
        if stock_known:
            self.log.stock.extend(deck)
        self.result: verdict_pb2.GameResult | None = None

    def play(self) -> None:
        """Play until nothing can follow, or nothing that it would like."""
        while True:
            request = referee_pb2.ListLegalActionsRequest(log=self.log)
            options = self.stub.ListLegalActions(request)
            if options.HasField("violation"):
                raise SurprisedError(f"the service's own events are illegal: {options.violation}")
            if not options.HasField("seat") or (self.result and self.rng.random() < 0.4):
                return
            self.do(self._pick(options))

    def _pick(self, options: referee_pb2.ListLegalActionsResponse) -> actions_pb2.Action:
        if not options.actions:
            # Possible where a lay-off may come before the lay-down: the seat must leave.
            return actions_pb2.Action(seat=options.seat, leave={})
        weights = [GLADLY.get(str(action.WhichOneof("kind")), 1) for action in options.actions]
        return self.rng.choices(options.actions, weights)[0]

    def do(self, action: actions_pb2.Action) -> None:
        """Ask whether it may be done, and do it."""
        request = referee_pb2.CheckActionRequest(log=self.log, action=action)
        answer = self.stub.CheckAction(request)
        if not answer.legal:
            raise SurprisedError(f"listed, and illegal: {action} {answer.violation}")
        event = answer.event
        if event.HasField("draw"):
            card = self.stock.pop(0)
            if event.draw.card not in (cards_pb2.CARD_UNSPECIFIED, card):
                raise SurprisedError(f"another card than the stock's: {event}")
            event.draw.card = card
        self.log.events.append(event)
        self.result = answer.result if answer.HasField("result") else None

    def judge(self) -> verdict_pb2.Verdict:
        """What Replay says of the finished log, claims included."""
        if self.result is None:
            raise SurprisedError("nothing can follow, and no event brought a result")
        claims = self.log.claimed_result
        for seat in self.result.seats:
            claims.seats.add(seat=seat.seat, place=seat.place, points=seat.points, net=seat.net)
        if self.result.HasField("u"):
            claims.u_seat = self.result.u.seat
        else:
            claims.no_u = True
        verdict = self.stub.Replay(referee_pb2.ReplayRequest(log=self.log)).verdict
        if verdict.status != verdict_pb2.STATUS_FINISHED or verdict.result != self.result:
            raise SurprisedError(f"Replay says something else: {verdict}")
        return verdict


def main() -> int:
    """Run from the command line; 1 if the service contradicted itself."""
    parser = argparse.ArgumentParser(description="Plays whole games against a referee.")
    parser.add_argument("target", help="as localhost:50051")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    houses = [house for house in rules_pb2.House.values() if house]
    with grpc.insecure_channel(given.target) as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        for _ in range(given.games):
            house, seats = rng.choice(houses), rng.choice((2, 3, 4))
            game = Stranger(stub, rng, house, seats, stock_known=rng.random() < 0.5)
            try:
                game.play()
                verdict = game.judge()
            except SurprisedError as surprise:
                print(f"{surprise}\n{game.log}")
                return 1
            nets = ", ".join(f"{seat.net:+}" for seat in verdict.result.seats)
            print(f"{rules_pb2.House.Name(house)}: {len(game.log.events)} events, nets {nets}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
