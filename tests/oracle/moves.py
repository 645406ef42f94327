"""What an event changes (rules 3 to 6). Only for events that `checks.check` does not refuse."""

from .arranged_u import declared_u, emptied_hand_u
from .events import Event
from .table import Eat, Payment, Table, Thrown, Turn, Won


def make(table: Table, event: Event) -> None:
    """Change the table by this event."""
    if event.at is not None:
        table.clock = event.at  # 3.8
    _MOVES[event.kind](table, event)


def _draw(table: Table, event: Event) -> None:
    table.mover.hand.add(event.card)
    table.seen.add(event.card)
    table.stock_left -= 1
    _taken(table, event)


def _eat(table: Table, event: Event) -> None:
    thrown = table.thrown
    if thrown is None:
        raise ValueError(f"event {event.index}: nothing to eat")
    table.thrown = None
    _pay_for_card(table, event, thrown)
    table.eats.append(Eat(event.seat, thrown.seat, thrown.in_last_round, event.index))
    _shift_rows(table, thrown)
    extra = table.rules.after_final_discard == "EXTRA_ROUND"
    if table.ending == "ROUNDS" and extra and table.stock_left > 0:
        table.target += 1  # 3.5
    table.ending = None  # 3.5, 3.6: an eat reopens
    table.mover.hand.add(thrown.card)
    table.mover.eaten.append(thrown.card)
    table.turn.ate_from = thrown.seat
    _taken(table, event)


def _pay_for_card(table: Table, event: Event, thrown: Thrown) -> None:
    """4.4: paid at once, by a seat that left too (3.7)."""
    before = sum(eat.by == event.seat and eat.giver == thrown.seat for eat in table.eats)
    stakes = table.rules.chot_payment if thrown.chot else table.rules.eat_payment[min(before, 2)]
    reason = "CHOT" if thrown.chot else "EAT"
    table.payments.append(Payment(thrown.seat, event.seat, stakes, reason, event.index))


def _shift_rows(table: Table, thrown: Thrown) -> None:
    """3.3. The eaten card lies before nobody any more, even where nothing else moves."""
    giver = table.seats[thrown.seat]
    giver.row.remove(thrown.card)
    if not table.rules.row_shift or giver.left:
        return
    leader = table.seats[table.leader]
    if leader is not giver:
        giver.row.append(leader.row.pop())
    leader.d -= 1
    table.leader = table.next_seat(table.leader)


def _taken(table: Table, event: Event) -> None:
    turn = table.turn
    turn.taken = turn.took = True
    turn.took_at = event.at
    turn.in_last_round = table.mover.d >= table.rules.rounds - 1  # 3.4


def _discard(table: Table, event: Event) -> None:
    seat, turn = table.mover, table.turn
    seat.hand.remove(event.card)
    seat.discards.append(event.card)
    seat.row.append(event.card)
    seat.d += 1  # 3.2, 3.3
    seat.last_discard_at = event.index
    if turn.in_last_round:
        _lay_down_time(table, event)  # 5.2: móm, said by discarding
    table.thrown = Thrown(event.card, event.seat, turn.in_last_round, _is_chot(table))
    _open_turn(table, event, table.next_seat(event.seat))


def _is_chot(table: Table) -> bool:
    """4.4: settled when the card is discarded, the discard counted."""
    if table.rules.chot == "FINAL_ROUND":
        return table.turn.in_last_round
    if table.rules.chot == "LAST_OF_ROUND_3":
        return all(table.seats[i].d == table.rules.rounds - 1 for i in table.still_in())
    return False


def _open_turn(table: Table, event: Event, number: int) -> None:
    table.turn = Turn(seat=number, number=table.turn.number + 1, opened_at=event.at)
    table.mover.turns += 1
    _test_for_the_end(table)


def _test_for_the_end(table: Table) -> None:
    """3.5, 3.6: while the seat to move has not taken its card."""
    if all(table.seats[i].d >= table.target for i in table.still_in()):
        table.ending = "ROUNDS"
        if table.rules.after_final_discard == "CLOSED":
            table.thrown = None
    elif table.stock_left == 0:
        table.ending = "DRY"


def _lay_down_time(table: Table, event: Event) -> None:
    """5.2: the first lay-down or the saying of móm; it never changes."""
    if table.mover.laid_at is None:
        table.mover.laid_at = event.index
        table.mover.laid_turn = table.turn.number


def _lay_down(table: Table, event: Event) -> None:
    _lay_down_time(table, event)
    table.turn.laid_down = True
    for phom in event.phoms:
        table.mover.hand.difference_update(phom)
        table.mover.laid.append(set(phom))
    _test_for_emptied_hand(table)


def _lay_off(table: Table, event: Event) -> None:
    table.mover.hand.remove(event.card)
    table.seats[event.to_seat].laid[event.phom_index].add(event.card)
    if event.to_seat != event.seat:
        table.mover.laid_off.append(event.card)
    _test_for_emptied_hand(table)


def _test_for_emptied_hand(table: Table) -> None:
    """6.4: Ù at once, without a declaration."""
    if not table.mover.hand:
        _win(table, emptied_hand_u(table, table.turn.seat))


def _declare_u(table: Table, event: Event) -> None:
    _win(table, declared_u(table, event))


def _win(table: Table, won: Won) -> None:
    table.u = won
    table.ending = "U"  # 6.6
    table.thrown = None


def _announce_card(table: Table, event: Event) -> None:
    table.turn.announced = event.card  # 3.9


def _time_out(table: Table, event: Event) -> None:
    table.turn.timed_out = True  # 3.8


def _leave(table: Table, event: Event) -> None:
    """3.7."""
    table.seats[event.seat].left_at = event.index
    if event.seat == table.leader:
        table.leader = table.next_seat(event.seat)
    if len(table.still_in()) == 1:
        table.ending, table.thrown = "ALONE", None
        return
    if event.seat == table.turn.seat:
        _open_turn(table, event, table.next_seat(event.seat))
    elif not table.turn.taken:
        _test_for_the_end(table)  # 3.5


_MOVES = {
    "draw": _draw,
    "eat": _eat,
    "discard": _discard,
    "lay_down": _lay_down,
    "lay_off": _lay_off,
    "declare_u": _declare_u,
    "announce_card": _announce_card,
    "time_out": _time_out,
    "leave": _leave,
}
