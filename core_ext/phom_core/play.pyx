"""Playing a log through to its verdict: the table makes the moves, settlement counts, claims are
compared. No rule is known here."""
from phom_core.contract cimport *
from phom_core.log cimport CLAIMED_NO_U, CLAIMED_SEAT, ClaimedSeat, Claims
from phom_core.settle cimport settle
from phom_core.table cimport (
    DRAW, EAT, NOBODY, NOT_ENDED, TAKE, can_be_reopened, deal, make, rule_of,
)


cdef void judge_log(Log* log, const Rules* rules, Step* steps, Judgement* j) noexcept nogil:
    """Judge a log that has no faults; `j.detail` says whether `steps` are wanted.

    Fills `j` but for the digest.
    """
    cdef uint32_t i
    j.stake = log.base_stake if log.base_stake > 0 else 1       # 7.4
    j.difference_count = 0
    j.step_count = 0
    j.fault_index = NOBODY
    j.fault_move = NULL
    j.dealt = &log.deal
    j.status = STATUS_ILLEGAL
    j.refusal = deal(&j.table, rules, &log.deal, &j.fault_seat)
    if j.refusal.code:
        return
    for i in range(log.event_count):
        if not play_move(j, &log.moves[i], i, &steps[i] if j.detail == DETAIL_TRACE else NULL):
            return
    settle(&j.table, j.stake, &j.result)
    j.status = STATUS_IN_PROGRESS
    if j.result.finished:
        compare_claims(&log.claims, j)
        j.status = STATUS_FINISHED if j.difference_count == 0 else STATUS_CLAIM_MISMATCH


cdef bint play_move(Judgement* j, const Move* m, int index, Step* step) noexcept nogil:
    """Make one move, and note what it did in `step` (NULL: nobody asks); False if it is illegal."""
    cdef bint last_round = j.table.last_round
    cdef int paid_before = j.table.paid_count
    j.refusal = make(&j.table, m)
    if j.refusal.code:
        j.status = STATUS_ILLEGAL
        j.fault_index = index
        j.fault_seat = m.seat
        j.fault_move = m
        return False
    if step != NULL:
        # Whether a turn is a last-round turn is known from its take on (3.4).
        if m.kind == DRAW or m.kind == EAT:
            last_round = j.table.last_round
        take_step(&j.table, m, last_round, paid_before, step)
        j.step_count += 1
    return True


cdef void take_step(
    const Table* t, const Move* m, bint last_round, int paid_before, Step* step
) noexcept nogil:
    """Note what the move that was just made has led to; `last_round` is its turn's."""
    cdef int seat
    step.seat = m.seat
    step.phase = shown_phase(t)
    step.turn = NOBODY if step.phase == PHASE_OVER else t.turn
    step.leader = t.leader
    step.shift = t.shift
    for seat in range(t.seat_count):
        step.counted[seat] = t.seats[seat].counted
    step.stock_left = t.stock_left
    step.target = t.target
    step.last_round = last_round
    step.paid_before = paid_before
    step.paid_count = t.paid_count
    step.rule = rule_of(t, m)


cdef uint32_t shown_phase(const Table* t) noexcept nogil:
    """A finished game is over unless the next seat could in fact eat and go on (contract)."""
    if t.ending != NOT_ENDED and not can_be_reopened(t):
        return PHASE_OVER
    return PHASE_TAKE if t.phase == TAKE else PHASE_ACT


# ---- claims ----

cdef void differ(
    Judgement* j, int seat, const char* field, int64_t claimed, bint claimed_nobody,
    int64_t computed, bint computed_nobody
) noexcept nogil:
    cdef Difference* d = &j.differences[j.difference_count]
    if claimed_nobody == computed_nobody and (claimed_nobody or claimed == computed):
        return
    d.seat = seat
    d.field = field
    d.claimed = claimed
    d.claimed_nobody = claimed_nobody
    d.computed = computed
    d.computed_nobody = computed_nobody
    j.difference_count += 1


cdef void compare_claims(const Claims* claims, Judgement* j) noexcept nogil:
    """Every difference: u_seat, den_seat, then each seat: place, points, net (contract)."""
    cdef int u = j.table.u_seat, den = j.result.den_seat
    cdef const ClaimedSeat* claim
    cdef int seat
    cdef uint32_t i
    if claims.u == CLAIMED_SEAT:
        differ(j, NOBODY, b"u_seat", claims.u_seat, False, u, u == NOBODY)
    elif claims.u == CLAIMED_NO_U and claims.no_u:
        differ(j, NOBODY, b"u_seat", 0, True, u, u == NOBODY)
    if claims.den_given:
        differ(j, NOBODY, b"den_seat", claims.den_seat, False, den, den == NOBODY)
    for seat in range(j.table.seat_count):
        for i in range(claims.seat_count):
            claim = &claims.seats[i]
            if claim.seat != seat:
                continue
            if claim.place_given:
                differ(j, seat, b"place", claim.place, False, j.result.seats[seat].place, False)
            if claim.points_given:
                differ(j, seat, b"points", claim.points, False, j.result.seats[seat].points, False)
            if claim.net_given:
                differ(j, seat, b"net", claim.net, False, j.result.seats[seat].net, False)
