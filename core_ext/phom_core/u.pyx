"""Laying out an u: which loose cards the laid phom take up, and how the rest is arranged.

Whether it is one, and of which kind, is the table's matter.
"""
from phom_core.arrange cimport MOST_CARDS, Arrangement, arrange
from phom_core.cards cimport LANE, count_cards, lowest, lowest_bit, of_ranks, points_of


cdef bint lay_out(UFound* found, mask_t eaten) noexcept nogil:
    """Lay out the loose cards so that fewest are left over, then of fewest points (6.2).

    `found` comes with the laid phom, and with the cards to lay out as its loose ones; the cards
    of `eaten` need new phom. False if they cannot all have one.
    """
    cdef UFound laid = found[0]
    cdef mask_t rest = found.loose
    found.count = -1            # nothing found yet
    try_from(0, &laid, rest, eaten, found)
    return found.count >= 0


cdef void try_from(
    int k, const UFound* laid, mask_t rest, mask_t eaten, UFound* best
) noexcept nogil:
    """Try every way to add cards of `rest` to the laid phom from the k-th on, then arrange."""
    cdef UFound longer
    cdef mask_t fits
    if k == laid.count:
        arrange_rest(laid, rest, eaten, best)
        return
    try_from(k + 1, laid, rest, eaten, best)
    fits = rest & ~eaten & (beside_run(laid.phoms[k]) | rest_of_set(laid.phoms[k]))
    while fits:
        longer = laid[0]
        longer.phoms[k] |= lowest(fits)
        try_from(k, &longer, rest ^ lowest(fits), eaten, best)
        fits &= fits - 1


cdef void arrange_rest(
    const UFound* laid, mask_t rest, mask_t eaten, UFound* best
) noexcept nogil:
    cdef Arrangement arranged
    cdef int i
    if not arrange(rest, eaten, MOST_CARDS, &arranged):
        return
    if best.count >= 0 and not leaves_less(arranged.loose, best.loose):
        return
    best[0] = laid[0]
    for i in range(arranged.count):
        best.phoms[best.count] = arranged.phoms[i]
        best.count += 1
    best.loose = arranged.loose


cdef bint leaves_less(mask_t a, mask_t b) noexcept nogil:
    if count_cards(a) != count_cards(b):
        return count_cards(a) < count_cards(b)
    return points_of(a) < points_of(b)


cdef void add_to_laid(UFound* found, int laid_count) noexcept nogil:
    """Add loose cards to the laid phom, the first of the list, as many as fit (6.2).

    Runs first, as long as any grows: what a set could take too, a run puts to no worse use.
    """
    cdef bint grew = True
    cdef mask_t fits
    cdef int i
    while grew:
        grew = False
        for i in range(laid_count):
            fits = found.loose & beside_run(found.phoms[i])
            if fits:
                found.phoms[i] |= fits
                found.loose ^= fits
                grew = True
    for i in range(laid_count):
        fits = found.loose & rest_of_set(found.phoms[i])
        found.phoms[i] |= fits
        found.loose ^= fits


cdef inline bint is_set(mask_t phom) noexcept nogil:
    return phom & (lowest(phom) << 1) == 0


cdef inline mask_t beside_run(mask_t phom) noexcept nogil:
    """The cards just below and just above a run; the spare bits of a lane are no cards."""
    return 0 if is_set(phom) else (phom << 1 | phom >> 1) & ~phom


cdef inline mask_t rest_of_set(mask_t phom) noexcept nogil:
    """The card that a set of three could still take."""
    if not is_set(phom):
        return 0
    return of_ranks((<mask_t>1) << lowest_bit(phom) % LANE) & ~phom
