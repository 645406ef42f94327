"""What the referee finds out about one log, before it is put into words or bytes."""
from libc.stdint cimport int64_t, uint32_t

from phom_core.log cimport Log
from phom_core.ruleset cimport Rules
from phom_core.settle cimport Result
from phom_core.state cimport State
from phom_core.table cimport MAX_SEATS, Deal, Move, Refusal, Rule, Shift, Table

cdef enum:
    DIGEST_SIZE = 64          # a SHA-256 in hex
    DIFFERENCE_LIMIT = 16     # u_seat, den_seat, and three for each seat

# What one event did (EventTrace); everything as it stands after the event.
cdef struct Step:
    int seat
    uint32_t phase            # the contract's Phase, as shown_phase gives it
    int turn                  # NOBODY: nobody's
    int leader
    Shift shift
    int counted[MAX_SEATS]
    int stock_left
    int target
    bint last_round
    int paid_before           # how many payments stood before the event, and after it
    int paid_count
    bint ends                 # the game ended with it: the payments of the end are its, too
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
    const Deal* dealt         # as the log says it
    uint32_t detail           # the contract's Detail
    bint tells_state          # whether the answer has the state, and the trace
    bint tells_trace
    State state               # of the table, where it is told
    int step_count
    Difference differences[DIFFERENCE_LIMIT]
    int difference_count
    char digest[DIGEST_SIZE]

cdef void judge_log(Log* log, const Rules* rules, Step* steps, Judgement* j) noexcept nogil
cdef bint play_move(Judgement* j, const Move* m, int index, Step* step) noexcept nogil
cdef void judge_end(Judgement* j, Step* last) noexcept nogil
