"""Reading an Event, or an Action, whose numbers are the same (see decode.pyx for the laws)."""
from libc.stdint cimport uint64_t
from libc.string cimport memset

from phom_core.log cimport (
    ACTION_SLOT, as_card, as_seat, clear_kind, room_for_cards, room_for_span,
)
from phom_core.table cimport (
    ANNOUNCE, DECLARE_U, DISCARD, DRAW, EAT, LAY_DOWN, LAY_OFF, LEAVE, NO_KIND, TIME_OUT, Span,
)
from phom_core.wire cimport (
    read_inside, read_message, read_tag, read_varint, skip_all, skip_field,
)


cdef void set_kind(int field, Kind kind, bint only_a_card) noexcept:
    KINDS[tag_of(field, BYTES)] = kind
    CARD_KINDS[tag_of(field, BYTES)] = kind if only_a_card else NO_KIND


memset(KINDS, NO_KIND, sizeof(KINDS))
memset(CARD_KINDS, NO_KIND, sizeof(CARD_KINDS))
set_kind(Event_draw, DRAW, True)
set_kind(Event_eat, EAT, True)
set_kind(Event_discard, DISCARD, True)
set_kind(Event_lay_down, LAY_DOWN, False)
set_kind(Event_lay_off, LAY_OFF, False)
set_kind(Event_declare_u, DECLARE_U, False)
set_kind(Event_announce_card, ANNOUNCE, True)
set_kind(Event_time_out, TIME_OUT, False)
set_kind(Event_leave, LEAVE, False)


# ---- cards and times ----

cdef bint read_cards(
    Reader* r, uint32_t tag, card_t* out, uint32_t room, uint32_t* count
) noexcept nogil:
    """One occurrence of a repeated Card, packed or not; what has no room is counted only."""
    cdef Reader packed
    cdef uint64_t value
    cdef card_t* to
    if tag & 7 == VARINT:
        if not read_varint(r, &value):
            return False
        if count[0] < room:
            out[count[0]] = as_card(value)
        count[0] += 1
        return True
    if not read_inside(r, &packed):
        return False
    # Every code that exists is one byte; what is none is found in validation.
    if count[0] + <size_t>(packed.end - packed.at) <= room:
        to = out + count[0]
        while packed.at < packed.end and packed.at[0] < 0x80:
            to[0] = packed.at[0]
            to += 1
            packed.at += 1
        count[0] = <uint32_t>(to - out)
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


# ---- events ----

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
        kind = KINDS[tag] if tag < BYTE_VALUES else NO_KIND
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
