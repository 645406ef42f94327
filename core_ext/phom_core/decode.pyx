"""Reading a GameLog: wire bytes to the core's structs.

Laws, held by a test against protobuf's own parser on mutated bytes:
- a reader says False where protobuf's parser would refuse the bytes;
- otherwise it finds the same values: the last of a field wins, submessages merge, lists append,
  a oneof keeps the member that came last, numbers are cut to their width.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from phom_core.cards cimport DECK_SIZE
from phom_core.contract cimport *
from phom_core.ruleset cimport FIELD_NUMBERS, FIELD_OF_NUMBER, FIELDS, PRICES, Overrides
from phom_core.table cimport (
    ANNOUNCE, DECLARE_U, DISCARD, DRAW, EAT, LAY_DOWN, LAY_OFF, LEAVE, MAX_SEATS, NO_KIND, NOBODY,
    TIME_OUT, Instant, Kind,
)
from phom_core.wire cimport (
    BYTES, VARINT, read_inside, read_message, read_tag, read_varint, skip_all, skip_field, tag_of,
)

cdef enum:
    EVENT_FIELDS = 16     # more than the highest field number of an Event


# ---- memory ----

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
    memset(&log.overrides, 0, sizeof(Overrides))
    log.deal.seats = 0
    log.deal.first_seat = NOBODY
    memset(log.deal.hand_sizes, 0, sizeof(log.deal.hand_sizes))
    log.deal.stock_size = 0
    clear_instant(&log.deal.started_at)
    log.deal.game_number = 0
    log.deal.creator_seat = NOBODY
    log.deal.winner_seat = NOBODY
    log.deal.after_winner_seat = NOBODY
    log.hand_count = 0
    log.base_stake = 0
    log.event_count = 0
    memset(&log.claims, 0, sizeof(Claims))
    log.span_count = 0
    log.card_count = 0
    log.out_of_memory = False
    clear_move(log, ACTION_SLOT)


cdef inline void clear_instant(Instant* at) noexcept nogil:
    at.known = False
    at.seconds = 0
    at.nanos = 0


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


# ---- numbers, cards, times ----

cdef inline int as_seat(uint64_t value) noexcept nogil:
    """A uint32 that names a seat or a phom; what is far out of range stays out of range."""
    cdef uint32_t number = <uint32_t>value
    return <int>number if number < FAR else FAR


cdef bint read_cards(
    Reader* r, uint32_t tag, card_t* out, uint32_t room, uint32_t* count
) noexcept nogil:
    """One occurrence of a repeated Card, packed or not; what has no room is counted only."""
    cdef Reader packed
    cdef uint64_t value
    if tag & 7 == VARINT:
        if not read_varint(r, &value):
            return False
        if count[0] < room:
            out[count[0]] = as_card(value)
        count[0] += 1
        return True
    if not read_inside(r, &packed):
        return False
    # Every code that exists is one byte.
    while packed.at < packed.end and packed.at[0] < 0x80 and count[0] < room:
        out[count[0]] = as_card(packed.at[0])
        count[0] += 1
        packed.at += 1
    while packed.at < packed.end:
        if not read_varint(&packed, &value):
            return False
        if count[0] < room:
            out[count[0]] = as_card(value)
        count[0] += 1
    return True


cdef bint read_one_card(Reader r, int number, card_t* card) noexcept nogil:
    """A message that holds a single Card."""
    cdef uint32_t tag
    cdef uint64_t value
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag == tag_of(number, VARINT):
            if not read_varint(&r, &value):
                return False
            card[0] = as_card(value)
        elif not skip_field(&r, tag):
            return False
    return True


cdef bint read_instant(Reader* field, Instant* at) noexcept nogil:
    """A google.protobuf.Timestamp: seconds in field 1, nanos in field 2."""
    cdef Reader r
    cdef uint32_t tag
    cdef uint64_t value
    if not read_message(field, &r):
        return False
    at.known = True
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag == tag_of(1, VARINT) or tag == tag_of(2, VARINT):
            if not read_varint(&r, &value):
                return False
            if tag == tag_of(1, VARINT):
                at.seconds = <int64_t>value
            else:
                at.nanos = <int32_t><uint32_t>value
        elif not skip_field(&r, tag):
            return False
    return True


# ---- the log ----

cdef bint read_log(Reader* r, Log* log) noexcept nogil:
    """Read one occurrence of a GameLog into `log`, merging with what is there."""
    cdef uint32_t tag
    while r.at < r.end:
        if not read_tag(r, &tag):
            return False
        if not read_log_field(r, tag, log):
            return False
    return not log.out_of_memory


cdef bint read_log_field(Reader* r, uint32_t tag, Log* log) noexcept nogil:
    cdef Reader inside
    cdef uint64_t value
    if tag == tag_of(GameLog_events, BYTES):
        log.event_count += 1
        if log.event_count <= EVENT_LIMIT:
            clear_move(log, log.event_count - 1)
            if not read_message(r, &inside):
                return False
            if read_plain_event(&inside, &log.moves[log.event_count - 1]):
                return True
            return read_event(inside, log, log.event_count - 1)
        clear_move(log, OVERFLOW_SLOT)
        return read_message(r, &inside) and read_event(inside, log, OVERFLOW_SLOT)
    if tag == tag_of(GameLog_hands, BYTES):
        log.hand_count += 1
        return read_message(r, &inside) and read_hand(inside, log)
    if tag == tag_of(GameLog_stock, BYTES) or tag == tag_of(GameLog_stock, VARINT):
        return read_cards(r, tag, log.deal.stock, DECK_SIZE + 1, &log.deal.stock_size)
    if tag == tag_of(GameLog_ruleset, BYTES):
        return read_message(r, &inside) and read_ruleset(inside, &log.overrides)
    if tag == tag_of(GameLog_game_id, BYTES):
        return read_game_id(r, log)
    if tag == tag_of(GameLog_started_at, BYTES):
        return read_instant(r, &log.deal.started_at)
    if tag == tag_of(GameLog_opening, BYTES):
        return read_message(r, &inside) and read_opening(inside, log)
    if tag == tag_of(GameLog_claimed_result, BYTES):
        return read_message(r, &inside) and read_claims(inside, &log.claims)
    if tag == tag_of(GameLog_first_seat, VARINT):
        if not read_varint(r, &value):
            return False
        log.deal.first_seat = as_seat(value)
        return True
    if tag == tag_of(GameLog_base_stake, VARINT):
        if not read_varint(r, &value):
            return False
        log.base_stake = <int64_t>value
        return True
    return skip_field(r, tag)


cdef bint read_action(Reader r, Log* log) noexcept nogil:
    """Read one occurrence of a request's Action, after the log: its phom must be neighbours."""
    return read_event(r, log, ACTION_SLOT) and not log.out_of_memory


cdef void finish_log(Log* log) noexcept nogil:
    """All is read and the lists have stopped moving: point the moves at their phom."""
    cdef uint32_t i
    for i in range(min(log.event_count, <uint32_t>EVENT_LIMIT)):
        if log.moves[i].phom_count > 0:
            link_phoms(log, i)
    link_phoms(log, ACTION_SLOT)
    log.deal.seats = <int>min(log.hand_count, <uint32_t>MAX_SEATS)


cdef inline void link_phoms(Log* log, uint32_t index) noexcept nogil:
    log.moves[index].cards = log.cards
    log.moves[index].phoms = log.spans + log.first_phom[index]


cdef bint read_game_id(Reader* r, Log* log) noexcept nogil:
    cdef Reader text
    cdef const uint8_t* at
    if not read_inside(r, &text):
        return False
    log.game_id = <const char*>text.at
    log.game_id_size = text.end - text.at
    at = text.at
    while at < text.end:
        if at[0] >= 0x80:
            return is_utf8(log.game_id, log.game_id_size)
        at += 1
    return True


cdef bint is_utf8(const char* text, size_t size) noexcept with gil:
    try:
        text[:size].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


cdef bint read_hand(Reader r, Log* log) noexcept nogil:
    cdef uint32_t hand = log.hand_count - 1
    cdef uint32_t tag, ignored = 0
    cdef bint kept = hand < MAX_SEATS
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag == tag_of(Hand_cards, BYTES) or tag == tag_of(Hand_cards, VARINT):
            if not read_cards(
                &r, tag, log.deal.hands[hand] if kept else NULL, DECK_SIZE if kept else 0,
                &log.deal.hand_sizes[hand] if kept else &ignored,
            ):
                return False
        elif not skip_field(&r, tag):
            return False
    return True


cdef bint read_ruleset(Reader r, Overrides* overrides) noexcept nogil:
    cdef uint32_t tag, number, type
    cdef uint64_t value
    cdef Reader packed
    cdef int field, slot
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        number = tag >> 3
        type = tag & 7
        field = FIELD_OF_NUMBER[number] if number < FIELD_NUMBERS else -1
        if field >= 0 and type == BYTES and FIELDS[field].slots == PRICES:
            if not read_inside(&r, &packed):
                return False
            overrides.any = True
            while packed.at < packed.end:
                if not read_varint(&packed, &value):
                    return False
                append_price(overrides, FIELDS[field].slot, value)
        elif type == VARINT and (field >= 0 or number == Ruleset_house):
            if not read_varint(&r, &value):
                return False
            if field < 0:
                overrides.house = as_seat(value)
                continue
            slot = FIELDS[field].slot
            overrides.any = True
            if FIELDS[field].slots == PRICES:
                append_price(overrides, slot, value)
                continue
            # A bool is whether any bit is set; the other fields are cut to 32 bits.
            overrides.value[slot] = <uint32_t>value
            if FIELDS[field].most == 1 and FIELDS[field].least == 0:
                overrides.value[slot] = value != 0
            overrides.given[slot] = 1
        elif not skip_field(&r, tag):
            return False
    return True


cdef inline void append_price(Overrides* overrides, int slot, uint64_t value) noexcept nogil:
    if overrides.given[slot] < PRICES:
        overrides.value[slot + overrides.given[slot]] = <uint32_t>value
    overrides.given[slot] += 1


cdef bint read_opening(Reader r, Log* log) noexcept nogil:
    cdef uint32_t tag
    cdef uint64_t value
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag & 7 != VARINT or tag >> 3 > Opening_after_winner_seat:
            if not skip_field(&r, tag):
                return False
            continue
        if not read_varint(&r, &value):
            return False
        if tag >> 3 == Opening_game_number:
            log.deal.game_number = <uint32_t>value
        elif tag >> 3 == Opening_creator_seat:
            log.deal.creator_seat = as_seat(value)
        elif tag >> 3 == Opening_winner_seat:
            log.deal.winner_seat = as_seat(value)
        else:
            log.deal.after_winner_seat = as_seat(value)
    return True


# ---- events ----

cdef inline void clear_move(Log* log, uint32_t index) noexcept nogil:
    cdef Move* m = &log.moves[index]
    m.seat = NOBODY
    clear_instant(&m.at)
    clear_kind(log, index, NO_KIND)


cdef inline void clear_kind(Log* log, uint32_t index, Kind kind) noexcept nogil:
    """Another member of the oneof than before: nothing of that one stays."""
    cdef Move* m = &log.moves[index]
    m.kind = kind
    m.card = 0
    m.khan = False
    m.to_seat = NOBODY
    m.phom_index = NOBODY
    m.phom_count = 0
    log.first_phom[index] = log.span_count


# Which kind of move a field of Event (or Action) holds, by its number.
cdef Kind KINDS[EVENT_FIELDS]
memset(KINDS, NO_KIND, sizeof(KINDS))
KINDS[<int>Event_draw] = DRAW
KINDS[<int>Event_eat] = EAT
KINDS[<int>Event_discard] = DISCARD
KINDS[<int>Event_lay_down] = LAY_DOWN
KINDS[<int>Event_lay_off] = LAY_OFF
KINDS[<int>Event_declare_u] = DECLARE_U
KINDS[<int>Event_announce_card] = ANNOUNCE
KINDS[<int>Event_time_out] = TIME_OUT
KINDS[<int>Event_leave] = LEAVE


cdef inline Kind kind_of_tag(uint32_t tag) noexcept nogil:
    return KINDS[tag >> 3] if tag & 7 == BYTES and tag >> 3 < EVENT_FIELDS else NO_KIND


cdef inline bint read_plain_event(const Reader* r, Move* m) noexcept nogil:
    """The form that nearly all events have: a seat, and a kind that holds one card, no time.

    Six bytes: `seat` tag and seat, kind tag and a length of 2, `card` tag and card. False for any
    other form, of which nothing has been read then.
    """
    cdef const uint8_t* at = r.at
    cdef Kind kind
    if r.end - at != 6 or at[0] != tag_of(Event_seat, VARINT) or at[1] >= 0x80:
        return False
    if at[3] != 2 or at[4] != tag_of(Discard_card, VARINT) or at[5] >= 0x80 or r.depth == 0:
        return False
    kind = kind_of_tag(at[2])
    if kind != DISCARD and kind != DRAW and kind != EAT:
        return False
    m.seat = at[1]
    m.kind = kind
    m.card = as_card(at[5])
    return True


cdef bint read_event(Reader r, Log* log, uint32_t index) noexcept nogil:
    """Read an Event, or an Action, whose numbers are the same, into a cleared move."""
    cdef Move* m = &log.moves[index]
    cdef Reader inside
    cdef uint32_t tag
    cdef uint64_t value
    cdef Kind kind
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        kind = kind_of_tag(tag)
        if kind != NO_KIND:
            if kind != m.kind:
                clear_kind(log, index, kind)
            if not read_message(&r, &inside) or not read_kind(inside, log, index):
                return False
        elif tag == tag_of(Event_seat, VARINT):
            if not read_varint(&r, &value):
                return False
            m.seat = as_seat(value)
        elif tag == tag_of(Event_at, BYTES):
            if not read_instant(&r, &m.at):
                return False
        elif not skip_field(&r, tag):
            return False
    return True


cdef bint read_kind(Reader r, Log* log, uint32_t index) noexcept nogil:
    """What an Event's numbers hold, which are an Action's; but an Action's draw names no card."""
    cdef Move* m = &log.moves[index]
    if m.kind == DRAW and index != ACTION_SLOT:
        return read_one_card(r, Draw_card, &m.card)
    if m.kind == DISCARD:
        return read_one_card(r, Discard_card, &m.card)
    if m.kind == EAT:
        return read_one_card(r, Eat_card, &m.card)
    if m.kind == ANNOUNCE:
        return read_one_card(r, AnnounceCard_card, &m.card)
    if m.kind == LAY_DOWN:
        return read_phoms(r, log, m, LayDown_phoms, 0)
    if m.kind == DECLARE_U:
        return read_phoms(r, log, m, DeclareU_phoms, DeclareU_khan)
    if m.kind == LAY_OFF:
        return read_lay_off(r, m)
    return skip_all(r)


cdef bint read_phoms(Reader r, Log* log, Move* m, int phoms, int khan) noexcept nogil:
    """A list of phom in field `phoms`, and in field `khan` whether it is (0: no such field)."""
    cdef uint32_t tag
    cdef uint64_t value
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag == tag_of(phoms, BYTES):
            if not read_phom(&r, log):
                return False
            m.phom_count += 1
        elif khan != 0 and tag == tag_of(khan, VARINT):
            if not read_varint(&r, &value):
                return False
            m.khan = value != 0
        elif not skip_field(&r, tag):
            return False
    return True


cdef bint read_phom(Reader* field, Log* log) noexcept nogil:
    cdef Reader r
    cdef Span* span
    cdef uint32_t tag
    if not read_message(field, &r) or not room_for_span(log):
        return False
    if not room_for_cards(log, r.end - r.at):       # a card takes at least a byte
        return False
    span = &log.spans[log.span_count]
    log.span_count += 1
    span.first = log.card_count
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag == tag_of(Phom_cards, BYTES) or tag == tag_of(Phom_cards, VARINT):
            if not read_cards(&r, tag, log.cards, log.card_room, &log.card_count):
                return False
        elif not skip_field(&r, tag):
            return False
    span.count = log.card_count - span.first
    return True


cdef bint read_lay_off(Reader r, Move* m) noexcept nogil:
    cdef uint32_t tag
    cdef uint64_t value
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag & 7 != VARINT or tag >> 3 > LayOff_phom_index:
            if not skip_field(&r, tag):
                return False
            continue
        if not read_varint(&r, &value):
            return False
        if tag >> 3 == LayOff_card:
            m.card = as_card(value)
        elif tag >> 3 == LayOff_to_seat:
            m.to_seat = as_seat(value)
        else:
            m.phom_index = as_seat(value)
    return True


# ---- claims ----

cdef bint read_claims(Reader r, Claims* claims) noexcept nogil:
    cdef Reader inside
    cdef uint32_t tag
    cdef uint64_t value
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag == tag_of(ClaimedResult_seats, BYTES):
            if not read_message(&r, &inside) or not read_claimed_seat(inside, claims):
                return False
        elif tag == tag_of(ClaimedResult_u_seat, VARINT):
            if not read_varint(&r, &value):
                return False
            claims.u = CLAIMED_SEAT
            claims.u_seat = as_seat(value)
        elif tag == tag_of(ClaimedResult_no_u, VARINT):
            if not read_varint(&r, &value):
                return False
            claims.u = CLAIMED_NO_U
            claims.no_u = value != 0
            claims.u_seat = 0
        elif tag == tag_of(ClaimedResult_den_seat, VARINT):
            if not read_varint(&r, &value):
                return False
            claims.den_given = True
            claims.den_seat = as_seat(value)
        elif not skip_field(&r, tag):
            return False
    return True


cdef bint read_claimed_seat(Reader r, Claims* claims) noexcept nogil:
    cdef ClaimedSeat seat
    cdef uint32_t tag
    cdef uint64_t value
    memset(&seat, 0, sizeof(seat))
    seat.seat = NOBODY
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag & 7 != VARINT or tag >> 3 > ClaimedSeat_net:
            if not skip_field(&r, tag):
                return False
            continue
        if not read_varint(&r, &value):
            return False
        if tag >> 3 == ClaimedSeat_seat:
            seat.seat = as_seat(value)
        elif tag >> 3 == ClaimedSeat_place:
            seat.place_given = True
            seat.place = <uint32_t>value
        elif tag >> 3 == ClaimedSeat_points:
            seat.points_given = True
            seat.points = <uint32_t>value
        else:
            seat.net_given = True
            seat.net = <int64_t>value
    if claims.seat_count < CLAIM_LIMIT:
        claims.seats[claims.seat_count] = seat
    claims.seat_count += 1
    return True
