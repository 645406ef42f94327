"""Referees that lie, each in one way that a law forbids."""

from collections.abc import Callable
from typing import Any

from phom.v1 import events_pb2, referee_pb2, verdict_pb2
from phom_referee.houses import referee

Lie = Callable[[str, Any], None]
Misreading = Callable[[events_pb2.GameLog, verdict_pb2.Verdict], None]


class Liar:
    """A referee that tells the truth but for one lie, told of parsed responses."""

    def __init__(self, lie: Lie) -> None:
        self.lie = lie

    def replay(self, request: bytes) -> bytes:
        return self._told("replay", request, referee_pb2.ReplayResponse())

    def check_action(self, request: bytes) -> bytes:
        return self._told("check_action", request, referee_pb2.CheckActionResponse())

    def list_legal_actions(self, request: bytes) -> bytes:
        return self._told("list_legal_actions", request, referee_pb2.ListLegalActionsResponse())

    def _told(self, method: str, request: bytes, response: Any) -> bytes:
        response.ParseFromString(getattr(referee(), method)(request))
        self.lie(method, response)
        return bytes(response.SerializeToString())


def forgets_the_state(method: str, response: Any) -> None:
    if method == "replay" and response.verdict.status == verdict_pb2.STATUS_ILLEGAL:
        response.verdict.state.stock_left += 1


def gives_another_reason(method: str, response: Any) -> None:
    if method == "check_action" and not response.legal:
        response.violation.code = verdict_pb2.VIOLATION_CODE_NOT_U


def leaves_one_out(method: str, response: Any) -> None:
    if method == "list_legal_actions" and response.actions:
        response.actions.pop()


def names_one_more(method: str, response: Any) -> None:
    if method == "list_legal_actions" and response.HasField("seat"):
        response.actions.add(seat=response.seat).lay_off.to_seat = 0


def allows_everything(method: str, response: Any) -> None:
    if method == "check_action":
        response.legal = True


def forgets_who_ate(method: str, response: Any) -> None:
    if method == "check_action" and response.legal:
        response.event.seat = 3 - response.event.seat


def promises_another_state(method: str, response: Any) -> None:
    if method == "check_action" and response.HasField("state"):
        response.state.seats[0].discard_count += 1


def promises_a_result(method: str, response: Any) -> None:
    if method == "check_action" and response.legal:
        response.result.SetInParent()


def ends_too_early(method: str, response: Any) -> None:
    if method == "replay" and response.verdict.status == verdict_pb2.STATUS_IN_PROGRESS:
        response.verdict.status = verdict_pb2.STATUS_FINISHED


def keeps_one_coin(method: str, response: Any) -> None:
    if method == "replay" and response.verdict.HasField("result"):
        response.verdict.result.seats[1].net -= 1


def forgets_a_payment(method: str, response: Any) -> None:
    if method == "replay" and response.verdict.trace:
        del response.verdict.trace[-1].payments[:]


def looks_at_suits(method: str, response: Any) -> None:
    if method == "replay" and response.verdict.HasField("result"):
        for seat in response.verdict.result.seats:
            seat.points += sum(card <= 13 for card in seat.loose)


def ends_the_list(method: str, response: Any) -> None:
    """Names nothing where only discards are left."""
    kinds = {str(action.WhichOneof("kind")) for action in getattr(response, "actions", ())}
    if method == "list_legal_actions" and kinds == {"discard"}:
        del response.actions[:]


class Dice:
    """Says something else each time, as a clock or a random number would."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, method: str, response: Any) -> None:
        self.times += 1
        if method == "replay":
            response.verdict.referee_version = f"0.{self.times}"


# ---- about whole logs: what is told depends on what was asked ----


class Misreader(Liar):
    """A referee that tells the truth of a log and its verdict but for one thing."""

    def __init__(self, misreads: Misreading) -> None:
        super().__init__(lambda method, response: None)
        self.misreads = misreads

    def replay(self, request: bytes) -> bytes:
        response = referee_pb2.ReplayResponse.FromString(super().replay(request))
        self.misreads(referee_pb2.ReplayRequest.FromString(request).log, response.verdict)
        return response.SerializeToString()


def favours_seat_0(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    verdict.state.seats[0].points += 1


def names_seat_0(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    if verdict.violation.HasField("event_index"):
        verdict.violation.seat = 0


def knows_the_ace_of_spades(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    if 1 in log.hands[0].cards:
        verdict.state.stock_left += 1


def counts_in_thousands(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    for payment in verdict.result.payments:
        payment.amount -= payment.amount % 1000


def rounds_the_rake_up(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    for seat in verdict.result.seats:
        seat.rake, seat.net = seat.rake + (seat.net > 0), seat.net - (seat.net > 0)


def believes_claims(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    for claim in log.claimed_result.seats:
        verdict.state.seats[claim.seat].points = claim.points


def overlooks_claims(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    if verdict.status == verdict_pb2.STATUS_CLAIM_MISMATCH:
        verdict.status = verdict_pb2.STATUS_FINISHED


def wants_eaten_cards_named(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    for event, entry in zip(log.events, verdict.trace, strict=False):
        entry.row_shifted |= event.HasField("eat") and not event.eat.card


def wants_times(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    verdict.state.target += log.HasField("started_at")


def wants_an_arrangement(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    if verdict.result.HasField("u") and not log.events[-1].declare_u.phoms:
        verdict.result.u.den_seat = 0


def knows_houses(log: events_pb2.GameLog, verdict: verdict_pb2.Verdict) -> None:
    verdict.state.target += log.ruleset.HasField("rounds")
