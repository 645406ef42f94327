"""The result of a game, finished or not (rules 7)."""
from libc.stdint cimport int64_t, uint32_t

from phom_core.cards cimport mask_t
from phom_core.table cimport MAX_SEATS, Paid, Table
from phom_core.u cimport LAID_LIMIT

cdef struct SeatResult:
    int place                        # from 1; 0: the game is not finished
    int points
    bint mom
    bint left
    mask_t loose                     # what `points` counts
    mask_t phoms[2 * LAID_LIMIT]     # laid, then those that the unlaid cards were counted as
    int phom_count
    int64_t net                      # in the caller's unit, rake taken off
    int64_t rake

cdef struct Result:
    bint finished
    SeatResult seats[MAX_SEATS]
    int den_seat                     # NOBODY: nobody pays for all
    uint32_t den_reason              # the contract's DenReason
    Paid paid[MAX_SEATS - 1]         # at the end of the game; eats are paid at the table
    int paid_count
    int64_t rake_total

cdef void settle(const Table* t, Result* r) noexcept nogil
cdef void count_seat(const Table* t, int seat, SeatResult* r) noexcept nogil
