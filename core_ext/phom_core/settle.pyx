"""Settlement: places, points, who pays whom, and the rake. The table is only read.

Law: the nets of all seats and the rake are 0 together (7.5).
"""
from phom_core.arrange cimport FEWEST_POINTS, HAND_LIMIT, Arrangement, arrange
from phom_core.cards cimport count_cards, points_of
from phom_core.contract cimport *
from phom_core.table cimport (
    ENDED_BY_U, NOBODY, NOT_ENDED, Eaten, Seat, fill_payment, is_in, seats_in,
)


cdef void settle(const Table* t, Result* r) noexcept nogil:
    """The result as the table stands: of a game in progress, the payments so far and no places."""
    cdef int seat
    r.finished = t.ending != NOT_ENDED
    r.den_seat = NOBODY
    r.den_reason = DEN_REASON_UNSPECIFIED
    r.paid_count = 0
    for seat in range(t.seat_count):
        count_seat(t, seat, &r.seats[seat])
    if t.ending == ENDED_BY_U:
        settle_u(t, r)
    elif r.finished:
        settle_places(t, r)
    settle_nets(t, r)


# ---- points (7.7) ----

cdef void count_seat(const Table* t, int seat, SeatResult* r) noexcept nogil:
    """The points shown for a seat, and the cards that they count (7.7); no place yet."""
    cdef const Seat* s = &t.seats[seat]
    cdef Arrangement best
    cdef int i
    r.place = 0
    r.mom = is_mom(t, seat)
    r.left = not is_in(t, seat)
    r.loose = s.hand
    r.phom_count = s.laid_count
    for i in range(s.laid_count):
        r.phoms[i] = s.laid[i]
    if t.u_seat == seat:
        r.loose = t.u.loose
        r.phom_count = t.u.count
        for i in range(t.u.count):
            r.phoms[i] = t.u.phoms[i]
    elif is_arranged(t, seat) and arrange(s.hand, s.eaten, FEWEST_POINTS, &best):
        r.loose = best.loose
        for i in range(best.count):
            r.phoms[r.phom_count] = best.phoms[i]
            r.phom_count += 1
    r.points = points_of(r.loose)
    if t.u_seat == seat and t.u.kind != U_KIND_KHAN:
        r.points = 0


cdef bint is_arranged(const Table* t, int seat) noexcept nogil:
    """Whether the unlaid cards are counted as arranged at their best (7.7).

    An illegal deal (2.1) may show a hand of any size, of which nothing is arranged.
    """
    return not counts_as_laid(t, seat) and count_cards(t.seats[seat].hand) <= HAND_LIMIT


cdef bint counts_as_laid(const Table* t, int seat) noexcept nogil:
    """Whether only laid phom count: the seat is in at an end without u, not alone (7.7)."""
    return (t.ending != NOT_ENDED and t.ending != ENDED_BY_U
            and is_in(t, seat) and seats_in(t) > 1)


cdef bint is_mom(const Table* t, int seat) noexcept nogil:
    """Mom: still in at an end without u, not alone, and never laid a phom (7.2)."""
    return counts_as_laid(t, seat) and t.seats[seat].laid_count == 0


# ---- with u (7.1) ----

cdef void settle_u(const Table* t, Result* r) noexcept nogil:
    cdef int seat
    cdef uint32_t price = t.rules.u_payment
    if t.u.kind == U_KIND_TRON:
        price = t.rules.u_tron_payment
    elif t.u.kind == U_KIND_KHAN:
        price = t.rules.u_khan_payment
    find_den(t, r)
    for seat in range(t.seat_count):
        r.seats[seat].place = 1 if seat == t.u_seat else 2
        if seat != t.u_seat and r.den_seat == NOBODY:
            pay_at_end(t, r, seat, t.u_seat, price, PAYMENT_REASON_U)
    if r.den_seat != NOBODY:
        price *= <uint32_t>(t.seat_count - 1)
        pay_at_end(t, r, r.den_seat, t.u_seat, price, PAYMENT_REASON_U)


cdef void find_den(const Table* t, Result* r) noexcept nogil:
    """Who pays for all, tested in this order, the next only where one names nobody (7.1)."""
    r.den_reason = DEN_REASON_THREE_EATEN
    r.den_seat = den_three_eaten(t)
    if r.den_seat == NOBODY:
        r.den_reason = DEN_REASON_LAST_ROUND_EATER
        r.den_seat = den_last_round(t)
    if r.den_seat == NOBODY:
        r.den_reason = DEN_REASON_ATE_THIS_TURN
        r.den_seat = den_ate_this_turn(t)
    if r.den_seat == NOBODY:
        r.den_reason = DEN_REASON_UNSPECIFIED


cdef int den_three_eaten(const Table* t) noexcept nogil:
    """7.1 a: of whom the winner ate three cards."""
    cdef int seat
    if t.rules.den_three_eaten:
        for seat in range(t.seat_count):
            if t.gave[seat][t.u_seat] >= 3:
                return seat
    return NOBODY


cdef int den_last_round(const Table* t) noexcept nogil:
    """7.1 b: who made the last eat of a card that was discarded in a last-round turn."""
    cdef const Seat* winner = &t.seats[t.u_seat]
    cdef const Eaten* eaten
    cdef int i
    if t.rules.den_last_round == DEN_LAST_ROUND_ANY_U and t.last_round:
        for i in range(t.eat_count - 1, -1, -1):
            if t.eats[i].last_round:
                return t.eats[i].eater if t.eats[i].eater != t.u_seat else NOBODY
    if t.rules.den_last_round == DEN_LAST_ROUND_AFTER_LAY_DOWN:
        if winner.lay_down_order == 0 or winner.lay_down_turn == t.turn_number:
            return NOBODY
        for i in range(t.eat_count - 1, -1, -1):
            eaten = &t.eats[i]
            # An eat in the turn of the lay-down came before it: an eat is a take.
            if eaten.last_round and eaten.eater != t.u_seat and eaten.turn > winner.lay_down_turn:
                return eaten.eater
    return NOBODY


cdef int den_ate_this_turn(const Table* t) noexcept nogil:
    """7.1 c: from whom the winner ate in the turn of its u."""
    cdef const Eaten* last
    if t.rules.den_ate_this_turn and t.eat_count > 0:
        last = &t.eats[t.eat_count - 1]
        if last.turn == t.turn_number and last.eater == t.u_seat:
            return last.giver
    return NOBODY


# ---- without u (7.2, 7.3) ----

cdef void settle_places(const Table* t, Result* r) noexcept nogil:
    cdef int order[MAX_SEATS]
    cdef int seat, i, place
    cdef bint by_lay_down = decided_by_lay_down_alone(t, r)
    for seat in range(t.seat_count):
        i = seat
        while i > 0 and is_better(t, r, by_lay_down, seat, order[i - 1]):
            order[i] = order[i - 1]
            i -= 1
        order[i] = seat
    for place in range(t.seat_count):
        seat = order[place]
        r.seats[seat].place = place + 1
        if place > 0:
            pay_for_place(t, r, seat, place, order[0])


cdef bint is_better(
    const Table* t, const Result* r, bint by_lay_down, int a, int b
) noexcept nogil:
    """Whether seat `a` comes before seat `b`; a total order (7.2)."""
    cdef int by = group(t, r, b) - group(t, r, a)
    if by == 0 and not is_in(t, a):
        by = t.seats[a].left_order - t.seats[b].left_order     # the first to leave is lowest
    if by == 0 and not by_lay_down:
        by = r.seats[b].points - r.seats[a].points
    if by == 0:
        by = (given_or_last(tie_order(t, by_lay_down, b))
              - given_or_last(tie_order(t, by_lay_down, a)))
    if by == 0:
        by = b - a
    return by > 0


cdef int group(const Table* t, const Result* r, int seat) noexcept nogil:
    if not is_in(t, seat):
        return 2
    return 1 if r.seats[seat].mom else 0


cdef bint decided_by_lay_down_alone(const Table* t, const Result* r) noexcept nogil:
    """All seats still in are mom, and the first to say so wins (7.2)."""
    cdef int seat
    if t.rules.all_mom != ALL_MOM_FIRST_MOM:
        return False
    for seat in range(t.seat_count):
        if is_in(t, seat) and not r.seats[seat].mom:
            return False
    return True


cdef int tie_order(const Table* t, bint by_lay_down, int seat) noexcept nogil:
    """What decides between equal points, the smaller the better; 0: the seat has none yet (7.2)."""
    if t.rules.tie_break == TIE_BREAK_FIRST_LAID or by_lay_down:
        return t.seats[seat].lay_down_order
    return t.seats[seat].last_discard


cdef inline int given_or_last(int order) noexcept nogil:
    return order if order != 0 else 1 << 20


cdef void pay_for_place(const Table* t, Result* r, int seat, int place, int first) noexcept nogil:
    """The first place is paid by each other seat (7.3); `place` counts from 0."""
    if t.seats[seat].laid_count > 0:
        pay_at_end(t, r, seat, first, t.rules.place_payment[place - 1], PAYMENT_REASON_PLACE)
    else:
        pay_at_end(
            t, r, seat, first, t.rules.mom_payment,
            PAYMENT_REASON_MOM if is_in(t, seat) else PAYMENT_REASON_LEFT)


# ---- money (7.4, 7.5) ----

cdef void pay_at_end(
    const Table* t, Result* r, int giver, int taker, uint32_t stakes, uint32_t reason
) noexcept nogil:
    if stakes == 0:                                             # 7.4
        return
    fill_payment(&r.paid[r.paid_count], t, giver, taker, stakes, reason, NOBODY)
    r.paid_count += 1


cdef void settle_nets(const Table* t, Result* r) noexcept nogil:
    cdef int seat, i
    for seat in range(t.seat_count):
        r.seats[seat].net = 0
        r.seats[seat].rake = 0
    for i in range(t.paid_count):
        add_payment(r, &t.paid[i])
    for i in range(r.paid_count):
        add_payment(r, &r.paid[i])
    r.rake_total = 0
    if not r.finished:
        return
    for seat in range(t.seat_count):
        take_rake(&r.seats[seat], t.rules.rake_bps)
        r.rake_total += r.seats[seat].rake


cdef void add_payment(Result* r, const Paid* paid) noexcept nogil:
    r.seats[paid.giver].net -= paid.amount
    r.seats[paid.taker].net += paid.amount


cdef void take_rake(SeatResult* s, int64_t rake_bps) noexcept nogil:
    """The house's share of a winning, rounded down (7.5).

    In two parts: the largest winning (prices and base stake at their limits) times 10,000 does
    not fit in 64 bits.
    """
    if s.net > 0:
        s.rake = s.net // 10000 * rake_bps + s.net % 10000 * rake_bps // 10000
        s.net -= s.rake
