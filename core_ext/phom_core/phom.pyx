"""The 329 phom, computed from the definition (rules 1.2) when the module is imported."""
from phom_core.cards cimport DECK


cdef int phoms_with(mask_t cards, mask_t card, mask_t* out) noexcept nogil:
    """Write every phom of `cards` that holds `card` to `out`; how many there are.

    `card` is one card of `cards`; `out` has room for PHOMS_OF_CARD.
    """
    cdef int count = 0
    cdef int bit = lowest_bit(card)
    cdef mask_t column = cards & of_ranks((<mask_t>1) << (bit % LANE))
    cdef mask_t lane = cards & (<mask_t>LANE_CARDS) << bit // LANE * LANE
    cdef mask_t others = column ^ card, left_out, low, high
    if count_cards(column) == 4:
        left_out = others
        while left_out:
            out[count] = column ^ lowest(left_out)
            count += 1
            left_out &= left_out - 1
    if count_cards(column) >= 3:
        out[count] = column
        count += 1
    # Every run from a first card at or below `card` to a last one at or above it.
    low = card
    while low & lane:
        high = card
        while high & lane:
            if high >= low << 2:
                out[count] = (high << 1) - low
                count += 1
            high <<= 1
        low >>= 1
    return count


cdef int fill_phoms() noexcept:
    cdef mask_t found[PHOMS_OF_CARD]
    cdef mask_t deck = DECK, card
    cdef int count = 0, here, i
    while deck:
        card = lowest(deck)
        here = phoms_with(deck, card, found)   # those whose lowest card it is
        for i in range(here):
            if count < PHOM_COUNT:
                PHOMS[count] = found[i]
            count += 1
        deck ^= card
    return count


if fill_phoms() != PHOM_COUNT:
    raise ImportError("the definition of a phom does not give 329 of them")
