"""What may be done after a log: an action is tried on its table; of candidates the legal are kept.

There are at most 208 options: an eat, a draw, ten discards, 64 arrangements and mom, ten cards on
each of twelve laid phom (of which few fit), u, khan, ten announcements.
"""
from phom_core.arrange cimport Arrangement, best_arrangements
from phom_core.cards cimport lowest_card, mask_t
from phom_core.contract cimport STATUS_ILLEGAL
from phom_core.play cimport judge_end, play_move
from phom_core.state cimport look_at
from phom_core.table cimport (
    ANNOUNCE, DECLARE_U, DISCARD, DRAW, EAT, LAY_DOWN, LAY_OFF, NOBODY, NOT_ENDED, OVER, Kind, Seat,
    can_be_reopened, check,
)


# ---- may this be done? ----

cdef void check_action(
    Judgement* j, const Move* asked, int index, Check* checked
) noexcept nogil:
    """Make the move that is asked about, as event `index` after the log that was judged in `j`.

    A violation of the log's own stands.
    """
    checked.legal = False
    if j.status == STATUS_ILLEGAL:
        return
    checked.event = asked[0]
    name_card(&j.table, &checked.event)
    checked.legal = play_move(j, &checked.event, index, &checked.step)
    if checked.legal:
        judge_end(j, &checked.step)
        look_at(&j.table, &j.state)
        checked.state_known = asked.kind != DRAW or checked.event.card != 0


cdef void name_card(const Table* t, Move* m) noexcept nogil:
    """What follows from the log: the discard that is eaten, the next card of a known stock."""
    if m.kind == EAT and m.card == 0:
        m.card = t.last_discard
    elif m.kind == DRAW and t.stock_known and t.stock_left > 0:
        m.card = t.stock[t.stock_drawn]


# ---- what may be done? ----

cdef void list_options(const Table* t, Options* options) noexcept nogil:
    """Fill `options`: eat, draw, discard, lay down, lay off, u, announce (the contract's order)."""
    cdef const Seat* s = &t.seats[t.turn]
    options.seat = t.turn if t.ending == NOT_ENDED or can_be_reopened(t) else NOBODY
    options.count = 0
    options.truncated = False
    options.span_count = 0
    options.card_count = 0
    if t.phase == OVER:
        return
    add(t, options, EAT)
    add(t, options, DRAW)
    add_cards(t, options, DISCARD, s.hand)
    add_arrangements(t, options)
    add_lay_offs(t, options)
    add(t, options, DECLARE_U)
    add_khan(t, options)
    add_cards(t, options, ANNOUNCE, s.hand)


cdef Move* candidate(const Table* t, Options* options, Kind kind) noexcept nogil:
    """A move of the seat to move in the next free place, to be kept if it is legal."""
    cdef Move* m = &options.moves[options.count]
    m.kind = kind
    m.seat = t.turn
    m.card = 0
    m.khan = False
    m.to_seat = NOBODY
    m.phom_index = NOBODY
    m.phoms = options.spans
    m.cards = options.cards
    m.phom_count = 0
    m.at.known = False
    return m


cdef inline bint keep_if_legal(const Table* t, Options* options) noexcept nogil:
    if check(t, &options.moves[options.count]).code:
        return False
    options.count += 1
    return True


cdef void add(const Table* t, Options* options, Kind kind) noexcept nogil:
    candidate(t, options, kind)
    keep_if_legal(t, options)


cdef void add_khan(const Table* t, Options* options) noexcept nogil:
    candidate(t, options, DECLARE_U).khan = True
    keep_if_legal(t, options)


cdef void add_cards(const Table* t, Options* options, Kind kind, mask_t cards) noexcept nogil:
    while cards:
        candidate(t, options, kind).card = lowest_card(cards)
        keep_if_legal(t, options)
        cards &= cards - 1


cdef void add_arrangements(const Table* t, Options* options) noexcept nogil:
    """The best arrangements first (5.1), or none: mom (5.2)."""
    cdef const Seat* s = &t.seats[t.turn]
    cdef Arrangement found[ARRANGEMENT_LIMIT]
    cdef int i, count
    candidate(t, options, LAY_DOWN)
    if keep_if_legal(t, options) or not t.last_round or t.laid_down:
        return
    count = best_arrangements(s.hand, s.eaten, found, ARRANGEMENT_LIMIT, &options.truncated)
    for i in range(count):
        fill_arrangement(candidate(t, options, LAY_DOWN), options, &found[i])
        keep_if_legal(t, options)


cdef void fill_arrangement(Move* m, Options* options, const Arrangement* a) noexcept nogil:
    cdef mask_t cards
    cdef int i
    m.phoms = &options.spans[options.span_count]
    m.phom_count = a.count
    for i in range(a.count):
        options.spans[options.span_count].first = options.card_count
        cards = a.phoms[i]
        while cards:
            options.cards[options.card_count] = lowest_card(cards)
            options.card_count += 1
            cards &= cards - 1
        options.spans[options.span_count].count = (
            options.card_count - options.spans[options.span_count].first)
        options.span_count += 1


cdef void add_lay_offs(const Table* t, Options* options) noexcept nogil:
    cdef int seat, i
    cdef mask_t cards = t.seats[t.turn].hand
    cdef Move* m
    while cards:
        for seat in range(t.seat_count):
            for i in range(t.seats[seat].laid_count):
                m = candidate(t, options, LAY_OFF)
                m.card = lowest_card(cards)
                m.to_seat = seat
                m.phom_index = i
                keep_if_legal(t, options)
        cards &= cards - 1
