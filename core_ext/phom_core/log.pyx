"""The memory of a log: taken once, cleared for each request, given back when it has grown large."""
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from phom_core.table cimport MAX_SEATS, NO_KIND, NOBODY, Instant, gather_deal


cdef Log* new_log() except NULL:
    cdef Log* log = <Log*>calloc(1, sizeof(Log))
    if log == NULL:
        raise MemoryError
    return log


cdef void free_log(Log* log) noexcept:
    free(log.spans)
    free(log.cards)
    free(log)


cdef void trim_log(Log* log, size_t limit) noexcept:
    """Give up the lists that have grown beyond `limit` bytes."""
    if log.span_room * sizeof(Span) > limit:
        free(log.spans)
        log.spans = NULL
        log.span_room = 0
    if log.card_room > limit:
        free(log.cards)
        log.cards = NULL
        log.card_room = 0


cdef void clear_log(Log* log) noexcept nogil:
    """Ready for the next log; moves are cleared as they are read, memory is kept."""
    log.game_id_size = 0
    log.overrides.house = 0
    if log.overrides.any:
        memset(&log.overrides, 0, sizeof(Overrides))
    log.deal.seats = 0
    log.deal.first_seat = NOBODY
    memset(log.deal.hand_sizes, 0, sizeof(log.deal.hand_sizes))
    log.deal.stock_size = 0
    log.deal.base_stake = 0
    clear_instant(&log.deal.started_at)
    log.deal.game_number = 0
    log.deal.creator_seat = NOBODY
    log.deal.winner_seat = NOBODY
    log.deal.after_winner_seat = NOBODY
    log.hand_count = 0
    log.event_count = 0
    log.rare_count = 0
    log.greatest_plain_seat = NOBODY
    clear_claims(&log.claims)
    log.span_count = 0
    log.card_count = 0
    log.out_of_memory = False
    clear_move(log, ACTION_SLOT)


cdef void clear_claims(Claims* claims) noexcept nogil:
    claims.seat_count = 0
    claims.u = NO_CLAIM
    claims.u_seat = 0
    claims.no_u = False
    claims.den_given = False
    claims.den_seat = 0


cdef inline void clear_instant(Instant* at) noexcept nogil:
    at.seconds = 0
    at.nanos = 0
    at.known = False


cdef void clear_move(Log* log, uint32_t index) noexcept nogil:
    """A move before anything of it is read."""
    log.moves[index].seat = NOBODY
    clear_instant(&log.moves[index].at)
    clear_kind(log, index, NO_KIND)


cdef void clear_kind(Log* log, uint32_t index, Kind kind) noexcept nogil:
    """Another member of the oneof than before: nothing of that one stays."""
    cdef Move* m = &log.moves[index]
    m.kind = kind
    m.card = 0
    m.khan = False
    m.to_seat = NOBODY
    m.phom_index = NOBODY
    m.phom_count = 0
    log.first_phom[index] = log.span_count


cdef void finish_log(Log* log) noexcept nogil:
    """All is read, the lists have stopped moving: point the moves at their phom, find the sets."""
    cdef uint32_t i
    for i in range(log.rare_count):
        link_phoms(log, log.rare[i])
    link_phoms(log, ACTION_SLOT)
    log.deal.seats = <int>min(log.hand_count, <uint32_t>MAX_SEATS)
    gather_deal(&log.deal)


cdef inline void link_phoms(Log* log, uint32_t index) noexcept nogil:
    log.moves[index].cards = log.cards
    log.moves[index].phoms = log.spans + log.first_phom[index]


cdef bint room_for_span(Log* log) noexcept nogil:
    cdef void* grown
    if log.span_count < log.span_room:
        return True
    grown = realloc(log.spans, (2 * log.span_room + 64) * sizeof(Span))
    if grown == NULL:
        log.out_of_memory = True
        return False
    log.spans = <Span*>grown
    log.span_room = 2 * log.span_room + 64
    return True


cdef bint room_for_cards(Log* log, size_t more) noexcept nogil:
    cdef void* grown
    if log.card_count + more <= log.card_room:
        return True
    grown = realloc(log.cards, 2 * log.card_room + more + 256)
    if grown == NULL:
        log.out_of_memory = True
        return False
    log.cards = <card_t*>grown
    log.card_room = <uint32_t>(2 * log.card_room + more + 256)
    return True
