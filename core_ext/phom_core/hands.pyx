"""Hands for Python callers: cards in, the best arrangement out, without a message around it.

A card is its contract code, 1 to 52. `arrange_many` takes hands as masks instead: bit
`16 * suit + rank - 1`, suits in the order spades, clubs, diamonds, hearts, ranks from 1 (ace).
"""
from cython cimport unlikely
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from phom_core.arrange cimport (
    ARRANGED_PHOMS, EATEN_LIMIT, FEWEST_POINTS, HAND_LIMIT, Arrangement, arrange as best_of,
)
from phom_core.cards cimport DECK, DECK_SIZE, count_cards, lowest_card, mask_of, mask_t


cdef mask_t mask_of_list(list cards, int limit) except? 0:
    """The set of the cards of a list; ValueError if one is none, or there twice, or too many."""
    cdef mask_t mask = 0, card
    cdef Py_ssize_t i
    cdef int code
    if len(cards) > limit:
        raise ValueError(f"must be at most {limit} cards, not {len(cards)}")
    for i in range(len(cards)):
        code = cards[i]
        if code < 1 or code > DECK_SIZE:
            raise ValueError(f"card {i} must be a card code, 1 to 52, not {code}")
        card = mask_of(code)
        if mask & card:
            raise ValueError(f"card {i} must not be there before: {code}")
        mask |= card
    return mask


cdef int best_of_lists(list cards, list eaten, Arrangement* best) except -1:
    cdef mask_t hand = mask_of_list(cards, HAND_LIMIT)
    cdef mask_t kept = 0
    if eaten is not None:
        kept = mask_of_list(eaten, EATEN_LIMIT)
        if kept & ~hand:
            raise ValueError("the eaten cards must be among the cards")
    if not best_of(hand, kept, FEWEST_POINTS, best):
        raise ValueError("the eaten cards must have a phom each (rules 1.5)")
    return 0


def points(list cards not None, list eaten=None):
    """The fewest points that the loose cards of a hand can have (rules 1.3, 1.5).

    `cards`: up to 13 card codes; `eaten`: up to 3 of them, which must have a phom each. ValueError
    says what is wrong with them.
    """
    cdef Arrangement best
    best_of_lists(cards, eaten, &best)
    return best.points


def arrange(list cards not None, list eaten=None):
    """The best arrangement of a hand: `(points, phoms)`, each phom a list of card codes.

    Fewest points; then most cards in phom; then the smallest list of phom (contract, AnalyzeHand).
    Arguments and errors as for `points`.
    """
    cdef Arrangement best
    best_of_lists(cards, eaten, &best)
    return best.points, [codes_of(best.phoms[i]) for i in range(best.count)]


cdef list codes_of(mask_t cards):
    codes = []
    while cards:
        codes.append(lowest_card(cards))
        cards &= cards - 1
    return codes


def mask(list cards not None):
    """The mask of up to 13 cards, as `arrange_many` takes it."""
    return mask_of_list(cards, HAND_LIMIT)


def arrange_many(
    const uint64_t[::1] hands not None, uint8_t[::1] points_out not None,
    uint64_t[::1] phoms_out=None,
):
    """The best arrangement of each of many hands without eaten cards, buffer in and buffer out.

    `hands`: masks of at most 13 cards each; what is no card in a mask is not looked at.
    `points_out`: the points of each. `phoms_out`, if given: four masks for each hand, its phom in
    order, 0 for none. ValueError if a buffer has not the length that `hands` asks for, or a hand
    has too many cards.
    """
    cdef Py_ssize_t count = hands.shape[0]
    cdef Py_ssize_t wrong
    if points_out.shape[0] != count:
        raise ValueError(f"points_out must have room for {count} hands, not {points_out.shape[0]}")
    if phoms_out is not None and phoms_out.shape[0] != count * ARRANGED_PHOMS:
        raise ValueError(f"phoms_out must have room for {count * ARRANGED_PHOMS} masks")
    if count == 0:
        return
    with nogil:
        wrong = arrange_all(
            &hands[0], count, &points_out[0], &phoms_out[0] if phoms_out is not None else NULL)
    if wrong >= 0:
        raise ValueError(f"hand {wrong} must have at most {HAND_LIMIT} cards")


cdef Py_ssize_t arrange_all(
    const uint64_t* hands, Py_ssize_t count, uint8_t* points_out, uint64_t* phoms_out
) noexcept nogil:
    """The first hand with too many cards, where it stops; -1 if there is none."""
    cdef Arrangement best
    cdef mask_t hand
    cdef Py_ssize_t i
    for i in range(count):
        hand = hands[i] & DECK
        if unlikely(count_cards(hand) > HAND_LIMIT):
            return i
        memset(best.phoms, 0, sizeof(best.phoms))
        best_of(hand, 0, FEWEST_POINTS, &best)
        points_out[i] = <uint8_t>best.points
        if phoms_out != NULL:
            memcpy(phoms_out + ARRANGED_PHOMS * i, best.phoms, sizeof(best.phoms))
    return -1
