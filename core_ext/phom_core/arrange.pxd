"""The arrangement of a hand into phom and loose cards, eaten cards kept (rules 1.3 and 1.5)."""
from phom_core.cards cimport mask_t

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

cdef bint arrange(mask_t hand, mask_t eaten, Aim aim, Arrangement* best) noexcept nogil
cdef bint keeps_eaten(mask_t hand, mask_t eaten) noexcept nogil
cdef int compare(const Arrangement* a, const Arrangement* b) noexcept nogil
cdef int best_arrangements(
    mask_t hand, mask_t eaten, Arrangement* out, int room, bint* truncated
) noexcept nogil
cdef int count_equal(mask_t hand, mask_t eaten, const Arrangement* best) noexcept nogil
