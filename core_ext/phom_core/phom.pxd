"""Phom and ca (rules 1.2 and 1.4), from their definitions."""
from phom_core.cards cimport (
    EVERY_LANE, LANE, LANE_CARDS, count_cards, lowest, lowest_bit, mask_t, of_ranks, ranks_of,
)

cdef enum:
    PHOM_COUNT = 329      # 65 sets and 264 runs
    PHOMS_OF_CARD = 64    # more than any card is in: 4 sets and at most 39 runs

cdef mask_t PHOMS[PHOM_COUNT]

cdef int phoms_with(mask_t cards, mask_t card, mask_t* out) noexcept nogil


cdef inline mask_t run_cards(mask_t cards) noexcept nogil:
    """The cards that lie in some run of three or more of `cards`."""
    cdef mask_t starts = cards & cards >> 1 & cards >> 2
    return starts | starts << 1 | starts << 2


cdef inline mask_t set_ranks(mask_t cards) noexcept nogil:
    """The ranks of which `cards` holds three or four, as bits of the lowest lane."""
    cdef mask_t s = cards, c = cards >> LANE, d = cards >> 2 * LANE, h = cards >> 3 * LANE
    return (s & c & (d | h) | d & h & (s | c)) & LANE_CARDS


cdef inline mask_t set_cards(mask_t cards) noexcept nogil:
    """The cards that lie in some set of three or more: two other suits hold their rank."""
    cdef mask_t a = cards >> LANE | cards << 3 * LANE
    cdef mask_t b = cards >> 2 * LANE | cards << 2 * LANE
    cdef mask_t c = cards >> 3 * LANE | cards << LANE
    return cards & (a & b | c & (a | b))


cdef inline bint has_phom(mask_t cards) noexcept nogil:
    """Whether `cards` holds a phom (1.2)."""
    return (cards & cards >> 1 & cards >> 2) != 0 or set_ranks(cards) != 0


cdef inline bint is_phom(mask_t cards) noexcept nogil:
    """Whether `cards` are one phom (1.2): one rank, or consecutive ranks of one suit."""
    if count_cards(cards) < 3:
        return False
    cdef mask_t ranks = ranks_of(cards)
    if ranks & (ranks - 1) == 0:
        return True
    # A run: in its lane, moved down to bit 0, it is all ones.
    cdef mask_t run = cards >> lowest_bit(cards)
    return run & (run + 1) == 0


cdef inline bint has_ca(mask_t cards) noexcept nogil:
    """Whether any two cards of `cards` are a ca (1.4)."""
    cdef mask_t s = cards, c = cards >> LANE, d = cards >> 2 * LANE, h = cards >> 3 * LANE
    cdef mask_t pairs = (s & c | d & h | (s | c) & (d | h)) & LANE_CARDS
    return (cards & (cards >> 1 | cards >> 2)) != 0 or pairs != 0


cdef inline bint makes_phom(mask_t others, mask_t card) noexcept nogil:
    """Whether `card` makes a phom with two or more of `others` (4.2); `card` is not among them."""
    cdef int bit = lowest_bit(card)
    cdef mask_t column = others & of_ranks((<mask_t>1) << (bit % LANE))
    if column & (column - 1) != 0:
        return True
    return run_cards(others | card) & card != 0
