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
cdef int search_points(mask_t hand) noexcept nogil
cdef bint finds_phoms(mask_t hand, mask_t eaten) noexcept nogil
cdef int compare(const Arrangement* a, const Arrangement* b) noexcept nogil
cdef int best_arrangements(
    mask_t hand, mask_t eaten, Arrangement* out, int room, bint* truncated
) noexcept nogil
cdef int count_equal(mask_t hand, mask_t eaten, const Arrangement* best) noexcept nogil


cdef inline bint nothing_to_choose(mask_t hand, mask_t* sets, mask_t* runs) noexcept nogil:
    """Find the cards that lie in sets and in runs; whether no card lies in both.

    That is so in most hands, and then all of both are taken.
    """
    sets[0] = set_cards(hand)
    runs[0] = run_cards(hand)
    return sets[0] & runs[0] == 0


cdef inline bint arrange(mask_t hand, mask_t eaten, Aim aim, Arrangement* best) noexcept nogil:
    """The best arrangement of up to HAND_LIMIT cards; False if `eaten` cannot all be kept (1.5).

    `eaten` is part of `hand`, at most EATEN_LIMIT cards. What is best without them is best with
    them too, if it happens to give each a phom of its own.
    """
    cdef mask_t sets, runs
    if likely(nothing_to_choose(hand, &sets, &runs)):
        best.loose = hand ^ sets ^ runs
        best.points = points_of(best.loose)
        best.count = put_phoms(best.phoms, sets, runs)
        if likely(keeps_apart(best, eaten)):
            return True
    return search_best(hand, eaten, aim, best)


cdef inline int fewest_points(mask_t hand) noexcept nogil:
    """The points of the best arrangement of up to HAND_LIMIT cards, none of them eaten."""
    cdef mask_t sets, runs
    if likely(nothing_to_choose(hand, &sets, &runs)):
        return points_of(hand ^ sets ^ runs)
    return search_points(hand)


cdef inline bint keeps_apart(const Arrangement* a, mask_t eaten) noexcept nogil:
    """Whether each card of `eaten` is in a phom, and no two are in the same (1.5)."""
    cdef mask_t here
    cdef int i
    if eaten == 0:
        return True
    for i in range(a.count):
        here = a.phoms[i] & eaten
        if here & (here - 1):
            return False
    return a.loose & eaten == 0


cdef inline int put_phoms(mask_t* into, mask_t sets, mask_t runs) noexcept nogil:
    """Write whole sets, and runs as their smallest list: threes, and the rest in the last.

    Always the phom of the lowest card that is left, so that the list is sorted (contract); how
    many there are. The two masks have no card in common.
    """
    cdef mask_t first, phom
    cdef int count = 0
    while sets | runs:
        first = lowest(sets | runs)
        if first & sets:
            phom = sets & of_ranks((<mask_t>1) << (lowest_bit(first) & (LANE - 1)))
            sets ^= phom
        else:
            phom = runs & ~(runs + first)       # the consecutive cards from the first on
            if phom & phom >> 5:                # six or more
                phom = first | first << 1 | first << 2
            runs ^= phom
        into[count] = phom
        count += 1
    return count


cdef inline bint keeps_eaten(mask_t hand, mask_t eaten) noexcept nogil:
    """Whether each card of `eaten` can have a phom of its own in `hand` (1.5)."""
    return eaten == 0 or finds_phoms(hand, eaten)
