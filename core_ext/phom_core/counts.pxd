"""How many games of which kind a call has judged, for whoever keeps metrics."""
from libc.stdint cimport int64_t, uint32_t

from phom_core.contract cimport House_SIZE, Status_SIZE, ViolationCode_SIZE
from phom_core.play cimport Judgement

# All are numbers of the same width, so that two of these are added as arrays.
cdef struct Tally:
    int64_t games[House_SIZE][Status_SIZE]
    int64_t violations[ViolationCode_SIZE]
    int64_t events
    int64_t no_logs       # what was sent as a log and cannot be judged

cdef class Counts:
    cdef Tally tally

cdef void count_game(Tally* tally, int house, const Judgement* j, uint32_t events) noexcept nogil
cdef void add_tally(Tally* into, const Tally* more) noexcept nogil
