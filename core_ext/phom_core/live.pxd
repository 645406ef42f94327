"""What is asked during play: may this be done now, and what may be done (CheckAction,
ListLegalActions). The table decides both, as it does for Replay."""
from phom_core.arrange cimport ARRANGED_PHOMS, HAND_LIMIT
from phom_core.cards cimport card_t
from phom_core.play cimport Judgement, Step
from phom_core.table cimport Move, Span, Table

cdef enum:
    ARRANGEMENT_LIMIT = 64     # arrangements to lay down that are listed (contract)
    OPTION_LIMIT = 256         # more than can be legal at once: see options.pyx

# What an action that was judged leads to; the state after it and the result are the Judgement's.
cdef struct Check:
    bint legal                 # if not, the Judgement says why
    Move event                 # to be appended
    Step step
    bint state_known           # not after a draw from an unknown stock

cdef struct Options:
    int seat                   # whose; NOBODY: nothing can follow
    int count
    bint truncated             # there are more arrangements
    Move moves[OPTION_LIMIT]
    Span spans[ARRANGEMENT_LIMIT * ARRANGED_PHOMS]
    card_t cards[ARRANGEMENT_LIMIT * HAND_LIMIT]
    int span_count
    int card_count

cdef void check_action(
    Judgement* j, const Move* asked, int index, Check* checked
) noexcept nogil
cdef void list_options(const Table* t, Options* options) noexcept nogil
