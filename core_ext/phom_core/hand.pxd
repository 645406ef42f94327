"""One hand, analyzed: what AnalyzeHand answers."""
from libc.stdint cimport uint32_t

from phom_core.arrange cimport HAND_LIMIT, Arrangement
from phom_core.cards cimport card_t, mask_t
from phom_core.wire cimport Reader, Writer

cdef enum:
    HAND_ROOM = 64            # cards that are kept as given; more are a fault anyway

cdef struct HandRequest:
    card_t cards[HAND_ROOM]
    uint32_t card_count
    card_t eaten[HAND_ROOM]
    uint32_t eaten_count
    card_t offered

cdef struct HandAnalysis:
    Arrangement best
    int u_kind                # the contract's UKind
    bint khan
    bint can_eat
    mask_t legal_discards
    mask_t cards
    uint32_t arrangements

cdef bint read_hand_request(Reader* r, HandRequest* request) noexcept nogil
cdef list hand_faults(const HandRequest* request)
cdef bint analyze(const HandRequest* request, HandAnalysis* a) noexcept nogil
cdef void put_analysis(Writer* w, const HandAnalysis* a) noexcept nogil
