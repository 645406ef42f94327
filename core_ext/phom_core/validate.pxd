"""What makes a request no log at all: each field at fault, what was expected and what was found."""
from libc.stdint cimport int64_t, uint32_t

from phom_core.cards cimport card_t
from phom_core.log cimport Log

cdef enum:
    GAME_ID_LIMIT = 128       # characters
    STAKE_LIMIT = 1000000000
    FAULT_LIMIT = 100         # faults that are listed one by one

# Which field a fault is in; PATHS in validate.pyx has their texts, in the same order.
cdef enum Where:
    AT_GAME_ID
    AT_HOUSE
    AT_RULE                 # i: index in FIELDS
    AT_FIRST_SEAT
    AT_HANDS
    AT_HAND_CARD            # i: hand, j: card
    AT_STOCK_CARD           # i
    AT_BASE_STAKE
    AT_STARTED_AT
    AT_CREATOR_SEAT
    AT_WINNER_SEAT
    AT_AFTER_WINNER_SEAT
    AT_EVENTS
    AT_EVENT                # i, here and in what follows
    AT_EVENT_SEAT
    AT_EVENT_TIME
    AT_DRAW_CARD
    AT_EAT_CARD
    AT_DISCARD_CARD
    AT_LAID_CARD            # j: phom, k: card
    AT_LAID_OFF_CARD
    AT_TO_SEAT
    AT_PHOM_INDEX
    AT_U_CARD               # j: phom, k: card
    AT_U_PHOMS
    AT_ANNOUNCED_CARD
    AT_CLAIM_SEAT           # i
    AT_CLAIM_U_SEAT
    AT_CLAIM_DEN_SEAT

# What is wrong with it; REASONS in validate.pyx has their texts, in the same order.
cdef enum Wrong:
    NOT_GIVEN
    NO_SUCH_SEAT
    NO_SUCH_CARD
    NO_SUCH_HOUSE
    OUT_OF_RANGE
    TOO_LONG_A_LINE
    NOT_PRINTABLE
    NOT_TWO_TO_FOUR
    NOT_THREE_PRICES
    TOO_MANY_EVENTS
    NO_KIND_GIVEN
    NO_VALID_SECONDS
    NO_VALID_NANOS
    PHOMS_BESIDE_KHAN
    CLAIMED_TWICE

cdef struct Fault:
    Where where
    Wrong wrong
    int64_t found             # the number that is no valid value, where it is one
    uint32_t i
    uint32_t j
    uint32_t k

cdef struct Faults:
    Fault list[FAULT_LIMIT]
    uint32_t count            # also beyond FAULT_LIMIT
    int seats                 # of the game; where its hands are at fault: of any

cdef void report(
    Faults* faults, Where where, Wrong wrong, int64_t found=*, uint32_t i=*, uint32_t j=*,
    uint32_t k=*
) noexcept nogil
cdef void validate_log(const Log* log, Faults* faults) noexcept nogil
cdef void validate_action(const Log* log, Faults* faults) noexcept nogil
cdef list fault_texts(const Faults* faults, str log_path)
cdef str no_card(card_t code)
