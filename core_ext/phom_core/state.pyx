"""What a table looks like from outside. Here is decided what is shown; encode writes it down."""
from phom_core.contract cimport *
from phom_core.settle cimport SeatResult, count_seat
from phom_core.table cimport NOBODY, NOT_ENDED, TAKE, can_be_reopened


cdef uint32_t shown_phase(const Table* t) noexcept nogil:
    """A finished game is over unless the next seat could in fact eat and go on (contract)."""
    if t.ending != NOT_ENDED and not can_be_reopened(t):
        return PHASE_OVER
    return PHASE_TAKE if t.phase == TAKE else PHASE_ACT


cdef void look_at(const Table* t, State* state) noexcept nogil:
    """Fill `state`; of a game that is over nothing is left to be done, eaten or discarded."""
    cdef SeatResult counted
    cdef int seat
    state.phase = shown_phase(t)
    state.turn = t.turn
    state.last_discard = t.last_discard
    state.announced = t.announced
    state.can_be_reopened = t.ending != NOT_ENDED
    if state.phase == PHASE_OVER:
        state.turn = NOBODY
        state.last_discard = 0
        state.announced = 0
        state.can_be_reopened = False
    for seat in range(t.seat_count):
        count_seat(t, seat, &counted)
        state.points[seat] = counted.points
