"""The result: places, who pays whom, nets and rake (rules 7)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .arrange import best, best_points, loose
from .cards import card_name, points
from .table import Payment, Seat, Table


@dataclass(frozen=True)
class Den:
    """Who pays for all, and why."""

    seat: int
    reason: str


@dataclass(frozen=True)
class Settled:
    """A game's result; of a game in progress only the payments so far."""

    places: list[int]  # 0: none yet
    points: list[int]
    mom: list[bool]
    loose: list[frozenset[int]]
    den: Den | None
    payments: list[Payment]
    nets: list[int]
    rakes: list[int]


def settle(table: Table) -> Settled:
    """The result of the table as it stands."""
    n = len(table.seats)
    mom = [is_mom(table, number) for number in range(n)]
    den = None
    closing: list[Payment] = []
    places = [0] * n
    if table.u is not None:
        den = who_pays_for_all(table)
        places = [1 if number == table.u.seat else 2 for number in range(n)]  # 7.1
        closing = _u_payments(table, den)
    elif table.ending is not None:
        places = _places(table, mom)
        closing = _place_payments(table, places, mom)
    payments = [payment for payment in table.payments + closing if payment.stakes]  # 7.4
    nets, rakes = _nets(table, payments)
    return Settled(
        places=places,
        points=[shown_points(table, number) for number in range(n)],
        mom=mom,
        loose=[loose_cards(table, number) for number in range(n)],
        den=den,
        payments=payments,
        nets=nets,
        rakes=rakes,
    )


def is_mom(table: Table, number: int) -> bool:
    """7.2: still in, not alone, never laid a phỏm; only in a game that ended without Ù."""
    if table.ending is None or table.u is not None:
        return False
    seat = table.seats[number]
    return not seat.left and len(table.still_in()) > 1 and not seat.laid


def _laid_is_final(table: Table, number: int) -> bool:
    """7.7: whether what is not laid is loose: without Ù, still in and not alone."""
    ended_by_count = table.ending in ("ROUNDS", "DRY")
    return ended_by_count and not table.seats[number].left


def loose_cards(table: Table, number: int) -> frozenset[int]:
    """7.7: the cards whose points are shown, and of the Ù winner those left over."""
    seat = table.seats[number]
    if table.u is not None and table.u.seat == number:
        return table.u.left_over
    hand = frozenset(seat.hand)
    if _laid_is_final(table, number):
        return hand
    packing = best(hand, seat.eaten_unlaid())
    return loose(hand, packing or ())


def shown_points(table: Table, number: int) -> int:
    """7.7."""
    seat = table.seats[number]
    if table.u is not None and table.u.seat == number:
        return points(seat.hand) if table.u.kind == "U_KIND_KHAN" else 0
    # A hand of more than 13 cards is in a deal that is refused; trying everything would take for ever.
    if _laid_is_final(table, number) or len(seat.hand) > 13:
        return points(seat.hand)
    return best_points(seat.hand, seat.eaten_unlaid())


# --- 7.1: with Ù ---


def who_pays_for_all(table: Table) -> Den | None:
    """7.1: a, then b, then c, the next only where one names nobody."""
    tests: tuple[Callable[[Table], Den | None], ...] = (
        _three_eaten,
        _last_round_eater,
        _ate_this_turn,
    )
    return next((den for test in tests if (den := test(table)) is not None), None)


def _winner(table: Table) -> int:
    if table.u is None:
        raise ValueError("nobody is Ù")
    return table.u.seat


def _three_eaten(table: Table) -> Den | None:
    """7.1 a."""
    if not table.rules.den_three_eaten:
        return None
    givers = [eat.giver for eat in table.eats if eat.by == _winner(table)]
    three = [giver for giver in givers if givers.count(giver) >= 3]
    return Den(three[0], "DEN_REASON_THREE_EATEN") if three else None


def _last_round_eater(table: Table) -> Den | None:
    """7.1 b."""
    winner = _winner(table)
    eats = [eat for eat in table.eats if eat.thrown_in_last_round]
    eater = None
    if table.rules.den_last_round == "ANY_U" and _is_last_round_turn(table):
        eater = eats[-1].by if eats else None
    if table.rules.den_last_round == "AFTER_LAY_DOWN":
        seat = table.seats[winner]
        if seat.laid_at is not None and seat.laid_turn != table.turn.number:
            after = [eat.by for eat in eats if eat.index > seat.laid_at and eat.by != winner]
            eater = after[-1] if after else None
    if eater is None or eater == winner:
        return None
    return Den(eater, "DEN_REASON_LAST_ROUND_EATER")


def _is_last_round_turn(table: Table) -> bool:
    """3.4. An Ù khan comes before the take: its turn is taken by the count it opened with (only if R is 1)."""
    return table.mover.d >= table.rules.rounds - 1


def _ate_this_turn(table: Table) -> Den | None:
    """7.1 c."""
    if not table.rules.den_ate_this_turn or table.turn.ate_from is None:
        return None
    return Den(table.turn.ate_from, "DEN_REASON_ATE_THIS_TURN")


def _u_payments(table: Table, den: Den | None) -> list[Payment]:
    """7.1: every loser's share, those that left too; a đền seat pays them all in one payment."""
    winner, rules = _winner(table), table.rules
    kind = table.u.kind if table.u else ""
    prices = {
        "U_KIND_PLAIN": rules.u_payment,
        "U_KIND_TRON": rules.u_tron_payment,
        "U_KIND_KHAN": rules.u_khan_payment,
    }
    losers = [number for number in range(len(table.seats)) if number != winner]
    if den is not None:
        return [Payment(den.seat, winner, prices[kind] * len(losers), "U")]
    return [Payment(loser, winner, prices[kind], "U") for loser in losers]


# --- 7.2, 7.3: without Ù ---


def _or_last(moment: int | None) -> tuple[bool, int]:
    """7.2: who has no such time sorts last."""
    return moment is None, moment or 0


def _places(table: Table, mom: list[bool]) -> list[int]:
    """7.2."""
    rules = table.rules
    all_mom = all(mom[number] for number in table.still_in())

    def order(number: int) -> tuple[Any, ...]:
        seat = table.seats[number]
        if seat.left_at is not None:
            return 2, -seat.left_at  # the first to leave lowest
        if all_mom and rules.all_mom == "FIRST_MOM":
            return 1, _or_last(seat.laid_at), number
        return int(mom[number]), points(seat.hand), _tie(table, seat), number

    ranking = sorted(range(len(table.seats)), key=order)
    return [ranking.index(number) + 1 for number in range(len(table.seats))]


def _tie(table: Table, seat: Seat) -> tuple[bool, int]:
    """7.2: the earlier lay-down, or the earlier last discard, is better."""
    return _or_last(seat.laid_at if table.rules.tie_break == "FIRST_LAID" else seat.last_discard_at)


def _place_payments(table: Table, places: list[int], mom: list[bool]) -> list[Payment]:
    """7.3."""
    first = places.index(1)
    payments = []
    for number, seat in enumerate(table.seats):
        if number == first:
            continue
        # contract.md writes "LEFT: any seat that left", but the handed cases say LEFT only of a seat that pays
        # as a móm one because it left without a phỏm; a seat that left with one, or lost an Ù, keeps PLACE or U.
        left_without = seat.left and not seat.laid
        reason = "LEFT" if left_without else "MOM" if mom[number] else "PLACE"
        dear = left_without or mom[number]
        stakes = table.rules.mom_payment if dear else table.rules.place_payment[places[number] - 2]
        payments.append(Payment(number, first, stakes, reason))
    return payments


def _nets(table: Table, payments: list[Payment]) -> tuple[list[int], list[int]]:
    """7.4, 7.5."""
    nets = [0] * len(table.seats)
    for payment in payments:
        nets[payment.giver] -= payment.stakes * table.base_stake
        nets[payment.taker] += payment.stakes * table.base_stake
    over = table.ending is not None
    rakes = [net * table.rules.rake_bps // 10_000 if over and net > 0 else 0 for net in nets]
    return [net - rake for net, rake in zip(nets, rakes, strict=True)], rakes


# --- the JSON form ---


def payment_json(table: Table, payment: Payment) -> dict[str, Any]:
    """A payment as the handed cases write it."""
    written: dict[str, Any] = {
        "fromSeat": payment.giver,
        "toSeat": payment.taker,
        "stakes": payment.stakes,
        "amount": payment.stakes * table.base_stake,
        "reason": payment.reason,
    }
    if payment.index is not None:
        written["eventIndex"] = payment.index
    return written


def result_json(table: Table) -> dict[str, Any]:
    """The result as the handed cases write it, with the loose cards besides."""
    settled = settle(table)
    result: dict[str, Any] = {
        "seats": [
            {
                "seat": number,
                "place": settled.places[number],
                "points": settled.points[number],
                "mom": settled.mom[number],
                "left": seat.left,
                "loose": [card_name(card) for card in sorted(settled.loose[number])],
                "net": settled.nets[number],
                "rake": settled.rakes[number],
            }
            for number, seat in enumerate(table.seats)
        ],
        "payments": [payment_json(table, payment) for payment in settled.payments],
        "rakeTotal": sum(settled.rakes),
    }
    if table.u is not None:
        result["u"] = {"seat": table.u.seat, "kind": table.u.kind}
        if settled.den is not None:
            result["u"] |= {"denSeat": settled.den.seat, "denReason": settled.den.reason}
    return result
