"""Playing a log through to its verdict: the table makes the moves, settlement counts, claims are
compared. No rule is known here."""
from phom_core.contract cimport *
from phom_core.log cimport CLAIMED_NO_U, CLAIMED_SEAT, ClaimedSeat, Claims
from phom_core.settle cimport settle
from phom_core.state cimport look_at, shown_phase
from phom_core.table cimport DRAW, EAT, NOBODY, deal, make, rule_of


cdef void judge_log(Log* log, const Rules* rules, Step* steps, Judgement* j) noexcept nogil:
    """Judge a log that has no faults; `j.detail` says whether `steps` are wanted.

    Fills `j` but for the digest.
    """
    j.tells_trace = j.detail == DETAIL_TRACE
    play_log(log, rules, steps, j)
    if j.status != STATUS_ILLEGAL:
        judge_end(j, &steps[j.step_count - 1] if j.step_count > 0 else NULL)
        compare_claims(&log.claims, j)
    j.tells_state = (
        j.status == STATUS_ILLEGAL or j.detail == DETAIL_STATE or j.detail == DETAIL_TRACE)
    if j.tells_state:
        look_at(&j.table, &j.state)


cdef void play_log(Log* log, const Rules* rules, Step* steps, Judgement* j) noexcept nogil:
    """Deal, and make the moves up to the first that is illegal."""
    cdef uint32_t i
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
        if not make_move(j, &log.moves[i], i, &steps[i] if j.tells_trace else NULL):
            return
    j.status = STATUS_IN_PROGRESS


cdef void judge_end(Judgement* j, Step* last) noexcept nogil:
    """What the moves have come to; `last` is the step of the last one (NULL: nobody asks)."""
    settle(&j.table, &j.result)
    if j.result.finished:
        j.status = STATUS_FINISHED
    if last != NULL:
        last.ends = j.result.finished


cdef bint play_move(Judgement* j, const Move* m, int index, Step* step) noexcept nogil:
    """Make one move, and note what it did in `step` (NULL: nobody asks); False if it is illegal."""
    return make_move(j, m, index, step)


cdef inline bint make_move(Judgement* j, const Move* m, int index, Step* step) noexcept nogil:
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
    step.ends = False
    step.rule = rule_of(t, m)


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
    """Every difference: u_seat, den_seat, then each seat: place, points, net (contract).

    Claims on an unfinished game are not looked at.
    """
    cdef int u = j.table.u_seat, den = j.result.den_seat
    cdef const ClaimedSeat* claim
    cdef int seat
    cdef uint32_t i
    if not j.result.finished:
        return
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
    if j.difference_count > 0:
        j.status = STATUS_CLAIM_MISMATCH
