"""A GameLog in the core: decoding fills it, validation looks at it, play goes through it."""
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from phom_core.cards cimport card_t
from phom_core.ruleset cimport Overrides
from phom_core.table cimport Deal, Kind, Move, Span

cdef enum:
    EVENT_LIMIT = 1024
    ACTION_SLOT = EVENT_LIMIT         # the move that a request asks about, beside its log
    OVERFLOW_SLOT = EVENT_LIMIT + 1   # events beyond the limit are read into it, never judged
    MOVE_SLOTS = EVENT_LIMIT + 2
    CLAIM_LIMIT = 8           # claimed seats that are kept; more than four are a fault anyway
    UNKNOWN_CARD = 255        # any card code from this one on; none of them exists
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

# Nearly all events are of the plain form (events.pxd), which is found to be in order as it is read;
# only the others, the rare ones, have to be looked at again.
cdef struct Log:
    const char* game_id            # within the bytes that were decoded
    size_t game_id_size
    Overrides overrides
    Deal deal
    uint32_t hand_count
    uint32_t event_count           # also beyond EVENT_LIMIT
    uint32_t rare_count
    int greatest_plain_seat        # of all plain events; NOBODY: there are none
    uint16_t rare[MOVE_SLOTS]      # the slots of the moves that are not plain, as they came
    Move moves[MOVE_SLOTS]
    uint32_t first_phom[MOVE_SLOTS]    # where in `spans` a rare move's phom begin
    Claims claims
    Span* spans                    # the phom of all moves
    uint32_t span_count
    uint32_t span_room
    card_t* cards                  # the cards of all spans
    uint32_t card_count
    uint32_t card_room
    bint out_of_memory


cdef inline card_t as_card(uint64_t value) noexcept nogil:
    """An enum is cut to 32 bits, and what is far out of range to UNKNOWN_CARD."""
    cdef uint32_t code = <uint32_t>value
    return <card_t>code if code < UNKNOWN_CARD else <card_t>UNKNOWN_CARD


cdef inline int as_seat(uint64_t value) noexcept nogil:
    """A uint32 that names a seat or a phom; what is far out of range stays out of range."""
    cdef uint32_t number = <uint32_t>value
    return <int>number if number < FAR else FAR


cdef Log* new_log() except NULL
cdef void free_log(Log* log) noexcept
cdef void trim_log(Log* log, size_t limit) noexcept
cdef void clear_log(Log* log) noexcept nogil
cdef void clear_move(Log* log, uint32_t index) noexcept nogil
cdef void clear_kind(Log* log, uint32_t index, Kind kind) noexcept nogil
cdef void finish_log(Log* log) noexcept nogil
cdef bint room_for_span(Log* log) noexcept nogil
cdef bint room_for_cards(Log* log, size_t more) noexcept nogil
