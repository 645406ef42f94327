"""Cards and sets of cards (rules 1.1).

A card is its contract code, 1..52: spades, clubs, diamonds, hearts, each A to K; 0 is no card.
A set of cards is a 64-bit mask with a suit in each 16-bit lane, the ace lowest, so that bits
ascend as codes do, a run is a shift within its lane, and the three spare bits of a lane keep
shifts by one and two from reaching the next suit.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

ctypedef uint64_t mask_t
ctypedef uint8_t card_t

cdef extern from *:
    """
    #define phom_popcount(m) __builtin_popcountll(m)
    #define phom_lowest_bit(m) __builtin_ctzll(m)
    """
    int count_cards "phom_popcount"(mask_t cards) noexcept nogil
    int lowest_bit "phom_lowest_bit"(mask_t cards) noexcept nogil

cdef enum:
    DECK_SIZE = 52
    RANKS = 13
    LANE = 16              # bits from one suit to the next
    LANE_CARDS = 0x1FFF    # the thirteen ranks of a suit

cdef extern from *:
    """
    #define PHOM_DECK        0x1FFF1FFF1FFF1FFFULL
    #define PHOM_EVERY_LANE  0x0001000100010001ULL
    /* The cards whose rank number (A=1 .. K=13) has the bit of value 1, 2, 4, 8. */
    #define PHOM_RANK_BIT_1  0x1555155515551555ULL
    #define PHOM_RANK_BIT_2  0x0666066606660666ULL
    #define PHOM_RANK_BIT_4  0x1878187818781878ULL
    #define PHOM_RANK_BIT_8  0x1F801F801F801F80ULL
    """
    const mask_t DECK "PHOM_DECK"
    const mask_t EVERY_LANE "PHOM_EVERY_LANE"
    const mask_t RANK_BIT_1 "PHOM_RANK_BIT_1"
    const mask_t RANK_BIT_2 "PHOM_RANK_BIT_2"
    const mask_t RANK_BIT_4 "PHOM_RANK_BIT_4"
    const mask_t RANK_BIT_8 "PHOM_RANK_BIT_8"

cdef extern from *:
    """
    /* The set that holds the card of a code, by its code: cheaper than to divide by 13. It is as
       long as a byte has values, so that a byte that is no card can be looked up too. */
    #define PHOM_SUIT(lane) \
        1ULL << (lane), 2ULL << (lane), 4ULL << (lane), 8ULL << (lane), 16ULL << (lane), \
        32ULL << (lane), 64ULL << (lane), 128ULL << (lane), 256ULL << (lane), 512ULL << (lane), \
        1024ULL << (lane), 2048ULL << (lane), 4096ULL << (lane)
    static const unsigned long long PHOM_MASKS[256] = {
        0, PHOM_SUIT(0), PHOM_SUIT(16), PHOM_SUIT(32), PHOM_SUIT(48)
    };
    """
    const mask_t MASKS "PHOM_MASKS"[256]


cdef inline mask_t mask_of(int card) noexcept nogil:
    """The set that holds one card, of code 1..52; the empty set for any other byte."""
    return MASKS[<uint8_t>card]


cdef inline bint is_card(card_t code) noexcept nogil:
    return MASKS[code] != 0


cdef inline mask_t mask_of_all(const card_t* cards, uint32_t count) noexcept nogil:
    """The set of the cards of a list; it has `count` cards only if they are cards, and differ."""
    cdef mask_t mask = 0
    cdef uint32_t i
    for i in range(count):
        mask |= MASKS[cards[i]]
    return mask


cdef inline mask_t lowest(mask_t cards) noexcept nogil:
    """The card of `cards` with the smallest code, as a set; empty for the empty set."""
    return cards & (~cards + 1)


cdef inline card_t lowest_card(mask_t cards) noexcept nogil:
    """The smallest code in a set that is not empty."""
    cdef int bit = lowest_bit(cards)
    return <card_t>(bit - 3 * (bit // LANE) + 1)


cdef inline int points_of(mask_t cards) noexcept nogil:
    """The sum of the rank numbers (1.1), four counts instead of a walk over the cards."""
    return (count_cards(cards & RANK_BIT_1) + 2 * count_cards(cards & RANK_BIT_2)
            + 4 * count_cards(cards & RANK_BIT_4) + 8 * count_cards(cards & RANK_BIT_8))


cdef inline mask_t ranks_of(mask_t cards) noexcept nogil:
    """The ranks that occur, as thirteen bits of the lowest lane."""
    cards |= cards >> 2 * LANE
    return (cards | cards >> LANE) & LANE_CARDS


cdef inline mask_t of_ranks(mask_t ranks) noexcept nogil:
    """All four cards of each rank in `ranks` (bits of the lowest lane)."""
    return ranks * EVERY_LANE
