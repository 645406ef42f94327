"""A GameLog as the core reads it from wire bytes."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from phom_core.cards cimport DECK_SIZE, card_t
from phom_core.ruleset cimport Overrides
from phom_core.table cimport Deal, Move, Span
from phom_core.wire cimport Reader

cdef enum:
    EVENT_LIMIT = 1024
    ACTION_SLOT = EVENT_LIMIT         # the move that a request asks about, beside its log
    OVERFLOW_SLOT = EVENT_LIMIT + 1   # events beyond the limit are read into it, never judged
    MOVE_SLOTS = EVENT_LIMIT + 2
    CLAIM_LIMIT = 8           # claimed seats that are kept; more than four are a fault anyway
    UNKNOWN_CARD = 255        # a card code that does not exist
    FAR = 1 << 20             # any greater number of a seat or a phom

cdef struct ClaimedSeat:
    int seat
    bint place_given
    bint points_given
    bint net_given
    uint32_t place
    uint32_t points
    int64_t net

cdef enum ClaimedU:
    NO_CLAIM
    CLAIMED_SEAT
    CLAIMED_NO_U

cdef struct Claims:
    ClaimedSeat seats[CLAIM_LIMIT]
    uint32_t seat_count
    ClaimedU u
    int u_seat
    bint no_u
    bint den_given
    int den_seat

cdef struct Log:
    const char* game_id            # within the bytes that were decoded
    size_t game_id_size
    Overrides overrides
    Deal deal
    uint32_t hand_count
    int64_t base_stake
    Move moves[MOVE_SLOTS]
    uint32_t first_phom[MOVE_SLOTS]    # where in `spans` each move's phom begin
    uint32_t event_count           # also beyond EVENT_LIMIT
    Claims claims
    Span* spans                    # the phom of all moves
    uint32_t span_count
    uint32_t span_room
    card_t* cards                  # the cards of all spans
    uint32_t card_count
    uint32_t card_room
    bint out_of_memory

cdef bint read_cards(
    Reader* r, uint32_t tag, card_t* out, uint32_t room, uint32_t* count
) noexcept nogil


cdef inline card_t as_card(uint64_t value) noexcept nogil:
    """An enum is cut to 32 bits; a code that does not exist is UNKNOWN_CARD."""
    cdef uint32_t code = <uint32_t>value
    return <card_t>code if code <= DECK_SIZE else <card_t>UNKNOWN_CARD


cdef Log* new_log() except NULL
cdef void free_log(Log* log) noexcept
cdef void trim_log(Log* log, size_t limit) noexcept
cdef void clear_log(Log* log) noexcept nogil
cdef bint read_log(Reader* r, Log* log) noexcept nogil
cdef bint read_action(Reader r, Log* log) noexcept nogil
cdef void finish_log(Log* log) noexcept nogil
