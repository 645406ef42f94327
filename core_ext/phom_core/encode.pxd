"""What the referee found out about one log, and its bytes as a Verdict."""
from libc.stdint cimport int64_t, uint32_t

from phom_core.decode cimport Claims, Log
from phom_core.settle cimport Result
from phom_core.table cimport MAX_SEATS, Move, Refusal, Rule, Shift, Table
from phom_core.wire cimport Writer

cdef enum:
    DIGEST_SIZE = 64          # a SHA-256 in hex
    DIFFERENCE_LIMIT = 16     # u_seat, den_seat, and three for each seat

# What one event did (EventTrace); everything as it stands after the event.
cdef struct Step:
    int seat
    uint32_t phase            # the contract's Phase
    int turn                  # NOBODY: nobody's
    int leader
    Shift shift
    int counted[MAX_SEATS]
    int stock_left
    int target
    bint last_round
    int paid_count            # of the table, after the event
    Rule rule

# NOBODY as a number: the claim, or the result, names no seat.
cdef struct Difference:
    int seat                  # NOBODY: the whole game
    const char* field
    int64_t claimed
    bint claimed_nobody
    int64_t computed
    bint computed_nobody

cdef struct Judgement:
    Table table               # after the last event; of an illegal log, before the illegal one
    Result result
    uint32_t status           # the contract's Status
    Refusal refusal           # of an illegal log
    int fault_index           # which event; NOBODY: the deal or the opening
    int fault_seat            # NOBODY: no seat's
    const Move* fault_move    # NULL: no event's
    uint32_t detail           # the contract's Detail
    int64_t stake             # the worth of one stake
    int step_count
    Difference differences[DIFFERENCE_LIMIT]
    int difference_count
    char digest[DIGEST_SIZE]

cdef void put_verdict(
    Writer* w, int number, const Log* log, const Judgement* j, const Step* steps,
    const char* version, size_t version_size
) noexcept nogil
cdef void put_result(Writer* w, int number, const Judgement* j) noexcept nogil
cdef void put_state(Writer* w, int number, const Judgement* j) noexcept nogil
cdef void put_violation(Writer* w, int number, const Judgement* j) noexcept nogil
cdef void put_step(Writer* w, int number, const Judgement* j, const Step* steps, int index) noexcept nogil
cdef void take_step(const Table* t, const Move* m, bint last_round, Step* step) noexcept nogil
