"""What a table looks like from outside: what TableState says besides what a table itself holds."""
from libc.stdint cimport uint32_t

from phom_core.cards cimport card_t
from phom_core.table cimport MAX_SEATS, Table

cdef struct State:
    uint32_t phase            # the contract's Phase
    int turn                  # NOBODY: the game is over
    card_t last_discard       # 0: nobody can eat it any more
    card_t announced          # 0: none
    bint can_be_reopened      # by an eat of the seat whose turn it is
    int points[MAX_SEATS]     # 7.7

cdef uint32_t shown_phase(const Table* t) noexcept nogil
cdef void look_at(const Table* t, State* state) noexcept nogil
