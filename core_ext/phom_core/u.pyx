"""Laying out an u: which loose cards the laid phom take up, and how the rest is arranged.

Whether it is one, and of which kind, is the table's matter.
"""
from phom_core.arrange cimport MOST_CARDS, Arrangement, arrange, compare
from phom_core.cards cimport LANE, count_cards, lowest, lowest_bit, of_ranks


cdef bint lay_out(UFound* found, mask_t eaten) noexcept nogil:
    """Lay out the loose cards so that fewest are left over (6.2), of ties as every best one is.

    `found` comes with the laid phom, and with the cards to lay out as its loose ones; the cards
    of `eaten` need new phom. False if they cannot all have one.
    """
    cdef UFound laid = found[0]
    cdef mask_t rest = found.loose
    cdef Arrangement best
    cdef int i
    best.count = -1             # nothing found yet
    try_from(0, &laid, rest, eaten, found, &best)
    if best.count < 0:
        return False
    for i in range(best.count):
        found.phoms[found.count] = best.phoms[i]
        found.count += 1
    found.loose = best.loose
    return True


cdef void try_from(
    int k, const UFound* laid, mask_t rest, mask_t eaten, UFound* found, Arrangement* best
) noexcept nogil:
    """Try every way to add cards of `rest` to the laid phom from the k-th on, then arrange.

    `found` gets the laid phom of the best way, `best` what it arranges beside them.
    """
    cdef UFound longer
    cdef mask_t fits
    if k == laid.count:
        arrange_rest(laid, rest, eaten, found, best)
        return
    try_from(k + 1, laid, rest, eaten, found, best)
    fits = rest & ~eaten & (beside_run(laid.phoms[k]) | rest_of_set(laid.phoms[k]))
    while fits:
        longer = laid[0]
        longer.phoms[k] |= lowest(fits)
        try_from(k, &longer, rest ^ lowest(fits), eaten, found, best)
        fits &= fits - 1


cdef void arrange_rest(
    const UFound* laid, mask_t rest, mask_t eaten, UFound* found, Arrangement* best
) noexcept nogil:
    cdef Arrangement arranged
    if not arrange(rest, eaten, MOST_CARDS, &arranged):
        return
    if best.count >= 0 and not is_better(&arranged, best):
        return
    found[0] = laid[0]
    best[0] = arranged


cdef bint is_better(const Arrangement* a, const Arrangement* b) noexcept nogil:
    cdef int order = count_cards(a.loose) - count_cards(b.loose)
    return order < 0 or (order == 0 and compare(a, b) < 0)


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
