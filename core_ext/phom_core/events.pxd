"""Reading one Event or Action: the plain form at once, inline, any other form field by field."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from phom_core.cards cimport card_t, is_card
from phom_core.contract cimport *
from phom_core.log cimport Log
from phom_core.table cimport EAT, NO_KIND, Instant, Kind, Move
from phom_core.wire cimport BYTES, VARINT, WORD, Reader, read_word, read_word_varint, tag_of

cdef enum:
    BYTE_VALUES = 256
    SECOND_NANOS = 1000000000
    CARD_TAG = Discard_card << 3 | VARINT    # in every kind that holds one card
    CARD_KIND = 4                            # bytes of such a kind: head, card tag, card

cdef extern from *:
    """
    #define PHOM_LAST_SECOND 253402300799LL    /* of the year 9999, as Timestamp has it */
    /* What is always the same in the first four bytes of a plain event: its tag, a size below 0x80,
       the seat's tag, a seat below 0x80. */
    #define PHOM_EVENT_HEAD  0x80FF80FFULL
    """
    const int64_t LAST_SECOND "PHOM_LAST_SECOND"
    const uint64_t EVENT_HEAD "PHOM_EVENT_HEAD"

# Which kind of move the field of a tag holds; NO_KIND: none, or the tag is longer than a byte.
cdef Kind KINDS[BYTE_VALUES]
# The same, of the kinds that hold a card and nothing else.
cdef Kind CARD_KINDS[BYTE_VALUES]

cdef bint read_event(Reader r, Log* log, uint32_t index) noexcept nogil
cdef bint read_instant(Reader* field, Instant* at) noexcept nogil
cdef bint read_cards(
    Reader* r, uint32_t tag, card_t* out, uint32_t room, uint32_t* count
) noexcept nogil


cdef inline const uint8_t* skip_plain_event(
    const uint8_t* at, const uint8_t* end, Move* m
) noexcept nogil:
    """Read the field at `at` if it is an event of the plain form; where it ends, else `at`.

    The plain form is what serializers make of nearly all events: a seat, perhaps a time, then a
    kind that holds one card (an eat may hold none). It has no fault but, perhaps, its seat. Of the
    move only what these kinds have is filled.
    """
    cdef const uint8_t* kind = at + 4
    cdef const uint8_t* stop
    cdef uint64_t head
    if end - at < WORD:
        return at
    head = read_word(at)
    stop = at + 2 + (head >> 8 & 0x7F)
    if head & EVENT_HEAD != (
            tag_of(GameLog_events, BYTES) | tag_of(Event_seat, VARINT) << 16) or stop > end:
        return at
    m.seat = head >> 24 & 0x7F
    m.at.known = kind[0] == tag_of(Event_at, BYTES)
    if m.at.known and not skip_plain_time(&kind, end, &m.at):
        return at
    if stop - kind == CARD_KIND and kind[1] == 2 and kind[2] == CARD_TAG and is_card(kind[3]):
        m.kind = CARD_KINDS[kind[0]]
        m.card = kind[3]
        return stop if m.kind != NO_KIND else at
    m.kind = EAT
    m.card = 0
    return stop if stop - kind == 2 and kind[0] == tag_of(Event_eat, BYTES) and kind[1] == 0 else at


cdef inline bint skip_plain_time(
    const uint8_t** at, const uint8_t* end, Instant* time
) noexcept nogil:
    """Go past an `at` of seconds and perhaps nanos, both valid, written in that order."""
    cdef const uint8_t* here = at[0] + 3
    cdef uint64_t seconds, nanos = 0
    if end - here < WORD or at[0][2] != tag_of(1, VARINT):
        return False
    here = read_word_varint(here, &seconds)
    if end - here > WORD and here[0] == tag_of(2, VARINT):
        here = read_word_varint(here + 1, &nanos)
    time.seconds = <int64_t>seconds
    time.nanos = <int32_t>nanos
    at[0] += 2 + at[0][1]
    return at[0] == here and seconds <= <uint64_t>LAST_SECOND and nanos < SECOND_NANOS
