"""Reading a GameLog: wire bytes to the core's structs.

Laws, held by a test against protobuf's own parser on mutated bytes:
- a reader says False where protobuf's parser would refuse the bytes;
- otherwise it finds the same values: the last of a field wins, submessages merge, lists append,
  a oneof keeps the member that came last, numbers are cut to their width.
"""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from phom_core.cards cimport DECK_SIZE
from phom_core.contract cimport *
from phom_core.events cimport read_cards, read_event, read_instant, skip_plain_event
from phom_core.log cimport (
    ACTION_SLOT, CLAIM_LIMIT, CLAIMED_NO_U, CLAIMED_SEAT, EVENT_LIMIT, OVERFLOW_SLOT, ClaimedSeat,
    Claims, as_seat, clear_move,
)
from phom_core.ruleset cimport FIELD_OF_NUMBER, FIELD_NUMBERS, FIELDS, PRICES, Overrides
from phom_core.table cimport MAX_SEATS, NOBODY
from phom_core.wire cimport (
    BYTES, VARINT, read_inside, read_message, read_tag, read_varint, skip_field, tag_of,
)


cdef bint read_log(Reader* r, Log* log) noexcept nogil:
    """Read one occurrence of a GameLog into `log`, merging with what is there."""
    cdef uint32_t tag
    while r.at < r.end:
        r.at = skip_plain_events(r.at, r.end, log)
        if r.at < r.end:
            if not read_tag(r, &tag) or not read_log_field(r, tag, log):
                return False
    return not log.out_of_memory


cdef inline const uint8_t* skip_plain_events(
    const uint8_t* at, const uint8_t* end, Log* log
) noexcept nogil:
    """Read the plain events that stand next, if any; where the first other field begins.

    This loop reads most of a log, so it touches nothing in memory but the bytes and the moves.
    """
    cdef uint32_t count = log.event_count
    cdef int greatest = log.greatest_plain_seat
    cdef const uint8_t* start = NULL
    while start != at and count < EVENT_LIMIT:
        start = at
        at = skip_plain_event(at, end, &log.moves[count])
        if start != at:
            greatest = max(greatest, log.moves[count].seat)
            count += 1
    log.event_count = count
    log.greatest_plain_seat = greatest
    return at


cdef bint read_log_field(Reader* r, uint32_t tag, Log* log) noexcept nogil:
    cdef Reader inside
    cdef uint64_t value
    if tag == tag_of(GameLog_events, BYTES):
        return read_message(r, &inside) and read_rare_event(inside, log)
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
        log.deal.base_stake = <int64_t>value
        return True
    return skip_field(r, tag)


cdef bint read_rare_event(Reader r, Log* log) noexcept nogil:
    """Any event that skip_plain_events has not taken."""
    cdef uint32_t index = log.event_count if log.event_count < EVENT_LIMIT else OVERFLOW_SLOT
    log.event_count += 1
    if index != OVERFLOW_SLOT:
        log.rare[log.rare_count] = <uint16_t>index
        log.rare_count += 1
    clear_move(log, index)
    return read_event(r, log, index)


cdef bint read_action(Reader r, Log* log) noexcept nogil:
    """Read one occurrence of a request's Action, after the log: its phom must be neighbours."""
    return read_event(r, log, ACTION_SLOT) and not log.out_of_memory


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
