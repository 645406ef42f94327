"""Hands for Python callers: cards in, the best arrangement out, without a message around it.

A card is its contract code, 1 to 52. `arrange_many` takes hands as masks instead: bit
`16 * suit + rank - 1`, suits in the order spades, clubs, diamonds, hearts, ranks from 1 (ace).
"""
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF
from cython cimport likely, unlikely
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from phom_core.arrange cimport (
    ARRANGED_PHOMS, EATEN_LIMIT, FEWEST_POINTS, HAND_LIMIT, Arrangement, arrange as best_of,
    fewest_points, nothing_to_choose, put_phoms, search_best,
)
from phom_core.cards cimport DECK, DECK_SIZE, count_cards, lowest_card, mask_of, mask_t, points_of


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
    if eaten is None:
        return fewest_points(mask_of_list(cards, HAND_LIMIT))
    best_of_lists(cards, eaten, &best)
    return best.points


def arrange(list cards not None, list eaten=None):
    """The best arrangement of a hand: `(points, phoms)`, each phom a list of card codes.

    Fewest points; then most cards in phom; then the smallest list of phom (contract, AnalyzeHand).
    Arguments and errors as for `points`.
    """
    cdef Arrangement best
    cdef list phoms = []
    cdef int i
    best_of_lists(cards, eaten, &best)
    for i in range(best.count):
        phoms.append(codes_of(best.phoms[i]))
    return best.points, phoms


cdef list codes_of(mask_t cards):
    cdef list codes = PyList_New(count_cards(cards))
    cdef object code
    cdef Py_ssize_t i = 0
    while cards:
        code = lowest_card(cards)
        Py_INCREF(code)                     # for PyList_SET_ITEM, which takes it over
        PyList_SET_ITEM(codes, i, code)
        i += 1
        cards &= cards - 1
    return codes


def mask(list cards not None):
    """The mask of up to 13 cards, as `arrange_many` takes it."""
    return mask_of_list(cards, HAND_LIMIT)


def arrange_many(
    const uint64_t[::1] hands not None, uint8_t[::1] points_out not None,
    uint64_t[::1] phoms_out=None, const uint64_t[::1] eaten=None,
):
    """The best arrangement of each of many hands, buffer in and buffer out.

    `hands`: masks of at most 13 cards each; what is no card in a mask is not looked at.
    `points_out`: the points of each. `phoms_out`, if given: four masks for each hand, its phom in
    order, 0 for none. `eaten`, if given: the mask of each hand's eaten cards, which are at most 3
    of its cards and must have a phom each. ValueError if a buffer has not the length that `hands`
    asks for, or names the first hand at fault; the hands before it are arranged then.
    """
    cdef Py_ssize_t count = hands.shape[0]
    cdef const uint64_t* eaten_of = NULL
    cdef uint64_t* phoms_of = NULL
    cdef Py_ssize_t done
    if points_out.shape[0] != count:
        raise ValueError(f"points_out must have room for {count} hands, not {points_out.shape[0]}")
    if phoms_out is not None and phoms_out.shape[0] != count * ARRANGED_PHOMS:
        raise ValueError(f"phoms_out must have room for {count * ARRANGED_PHOMS} masks")
    if eaten is not None and eaten.shape[0] != count:
        raise ValueError(f"eaten must have {count} masks, not {eaten.shape[0]}")
    if count == 0:
        return
    if phoms_out is not None:
        phoms_of = &phoms_out[0]
    if eaten is not None:
        eaten_of = &eaten[0]
    with nogil:
        if eaten_of != NULL:
            done = arrange_with_eaten(&hands[0], eaten_of, count, &points_out[0], phoms_of)
        elif phoms_of != NULL:
            done = arrange_into_phoms(&hands[0], count, &points_out[0], phoms_of)
        else:
            done = arrange_for_points(&hands[0], count, &points_out[0])
    if done == count:
        return
    if count_cards(hands[done] & DECK) > HAND_LIMIT:
        raise ValueError(f"hand {done} must have at most {HAND_LIMIT} cards")
    raise ValueError(
        f"the eaten cards of hand {done} must be at most {EATEN_LIMIT} of its cards, with a phom"
        " each (rules 1.5)")


# Each gives the number of hands that it has arranged: it stops at one with too many cards.

cdef Py_ssize_t arrange_for_points(
    const uint64_t* hands, Py_ssize_t count, uint8_t* points_out
) noexcept nogil:
    cdef mask_t hand
    cdef Py_ssize_t i
    for i in range(count):
        hand = hands[i] & DECK
        if unlikely(count_cards(hand) > HAND_LIMIT):
            return i
        points_out[i] = <uint8_t>fewest_points(hand)
    return count


cdef Py_ssize_t arrange_into_phoms(
    const uint64_t* hands, Py_ssize_t count, uint8_t* points_out, uint64_t* phoms_out
) noexcept nogil:
    cdef Arrangement best
    cdef mask_t hand, sets, runs
    cdef Py_ssize_t i
    for i in range(count):
        hand = hands[i] & DECK
        if unlikely(count_cards(hand) > HAND_LIMIT):
            return i
        memset(phoms_out, 0, sizeof(best.phoms))
        if likely(nothing_to_choose(hand, &sets, &runs)):
            points_out[i] = <uint8_t>points_of(hand ^ sets ^ runs)
            put_phoms(phoms_out, sets, runs)
        else:
            search_best(hand, 0, FEWEST_POINTS, &best)
            points_out[i] = <uint8_t>best.points
            memcpy(phoms_out, best.phoms, best.count * sizeof(mask_t))
        phoms_out += ARRANGED_PHOMS
    return count


cdef Py_ssize_t arrange_with_eaten(
    const uint64_t* hands, const uint64_t* eaten, Py_ssize_t count, uint8_t* points_out,
    uint64_t* phoms_out
) noexcept nogil:
    """It stops too at eaten cards that are too many, not in the hand, or cannot all be kept."""
    cdef Arrangement best
    cdef mask_t hand
    cdef Py_ssize_t i
    for i in range(count):
        hand = hands[i] & DECK
        if count_cards(hand) > HAND_LIMIT or count_cards(eaten[i]) > EATEN_LIMIT:
            return i
        if eaten[i] & ~hand or not best_of(hand, eaten[i], FEWEST_POINTS, &best):
            return i
        points_out[i] = <uint8_t>best.points
        if phoms_out != NULL:
            memset(phoms_out + ARRANGED_PHOMS * i, 0, sizeof(best.phoms))
            memcpy(phoms_out + ARRANGED_PHOMS * i, best.phoms, best.count * sizeof(mask_t))
    return count
