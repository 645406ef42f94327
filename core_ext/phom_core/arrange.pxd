"""The arrangement of a hand into phom and loose cards, eaten cards kept (rules 1.3 and 1.5)."""
from cython cimport likely

from phom_core.cards cimport LANE, lowest, lowest_bit, mask_t, of_ranks, points_of
from phom_core.phom cimport run_cards, set_cards

cdef enum:
    HAND_LIMIT = 13     # cards that are arranged at once
    EATEN_LIMIT = 3     # eaten cards among them (1.5)
    ARRANGED_PHOMS = 4  # thirteen cards make at most four phom

# What is best among arrangements; the smallest list of phom decides what is left equal.
cdef enum Aim:
    FEWEST_POINTS    # then most cards in phom: the order of AnalyzeHand
    MOST_CARDS       # then fewest points: the order of an u (6.2)

cdef struct Arrangement:
    mask_t phoms[ARRANGED_PHOMS]   # sorted by their lowest card
    int count
    mask_t loose
    int points                     # of the loose cards

cdef bint search_best(mask_t hand, mask_t eaten, Aim aim, Arrangement* best) noexcept nogil
cdef bint keeps_eaten(mask_t hand, mask_t eaten) noexcept nogil
cdef int compare(const Arrangement* a, const Arrangement* b) noexcept nogil
cdef int best_arrangements(
    mask_t hand, mask_t eaten, Arrangement* out, int room, bint* truncated
) noexcept nogil
cdef int count_equal(mask_t hand, mask_t eaten, const Arrangement* best) noexcept nogil


cdef inline bint arrange(mask_t hand, mask_t eaten, Aim aim, Arrangement* best) noexcept nogil:
    """The best arrangement of up to HAND_LIMIT cards; False if `eaten` cannot all be kept (1.5).

    `eaten` is part of `hand`, at most EATEN_LIMIT cards. In most hands no set touches a run, and
    all of both are taken: that case is inline, and makes no choice.
    """
    cdef mask_t sets = set_cards(hand)
    cdef mask_t runs = run_cards(hand)
    if likely(eaten == 0 and sets & runs == 0):
        best.loose = hand ^ sets ^ runs
        best.points = points_of(best.loose)
        best.count = 0
        put_phoms(best, sets, runs)
        return True
    return search_best(hand, eaten, aim, best)


cdef inline void put_phoms(Arrangement* into, mask_t sets, mask_t runs) noexcept nogil:
    """Append whole sets, and runs as their smallest list: threes, and the rest in the last.

    Always the phom of the lowest card that is left, so that the list is sorted (contract).
    """
    cdef mask_t left = sets | runs
    cdef mask_t first, phom
    while left:
        first = lowest(left)
        if first & sets:
            phom = left & sets & of_ranks((<mask_t>1) << (lowest_bit(first) & (LANE - 1)))
        else:
            runs = left & ~sets
            phom = runs & ~(runs + first)       # the consecutive cards from the first on
            if phom & phom >> 5:                # six or more
                phom = first | first << 1 | first << 2
        into.phoms[into.count] = phom
        into.count += 1
        left ^= phom
