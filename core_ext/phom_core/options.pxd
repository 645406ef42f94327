"""Everything that the seat to move may do."""
from phom_core.arrange cimport ARRANGED_PHOMS, HAND_LIMIT
from phom_core.cards cimport card_t
from phom_core.table cimport Move, Span, Table

cdef enum:
    ARRANGEMENT_LIMIT = 64     # arrangements to lay down that are listed (contract)
    OPTION_LIMIT = 256         # more than can be legal at once: see options.pyx

cdef struct Options:
    int count
    bint truncated             # there are more arrangements
    Move moves[OPTION_LIMIT]
    Span spans[ARRANGEMENT_LIMIT * ARRANGED_PHOMS]
    card_t cards[ARRANGEMENT_LIMIT * HAND_LIMIT]
    int span_count
    int card_count

cdef void list_options(const Table* t, Options* options) noexcept nogil
