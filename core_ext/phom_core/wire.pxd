"""The protobuf wire format: a bounds-checked reader, and a writer that works from the end.

A reader function returns False where protobuf's own parser would refuse the input. The writer
puts the last field first, so that the length of a submessage is known when its head is written.
"""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from phom_core.cards cimport lowest_bit

cdef enum WireType:
    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    GROUP_START = 3
    GROUP_END = 4
    FIXED32 = 5

cdef enum:
    DEPTH_LIMIT = 100     # protobuf's own limit of nesting, groups of unknown fields included

cdef struct Reader:
    const uint8_t* at
    const uint8_t* end
    int depth             # how many levels of nesting are still allowed

cdef bint read_long_varint(Reader* r, uint64_t* value) noexcept nogil
cdef bint read_long_uint32(Reader* r, uint32_t* value) noexcept nogil
cdef bint skip_field(Reader* r, uint32_t tag) noexcept nogil
cdef bint skip_all(Reader r) noexcept nogil


cdef inline bint read_varint(Reader* r, uint64_t* value) noexcept nogil:
    if r.at < r.end and r.at[0] < 0x80:
        value[0] = r.at[0]
        r.at += 1
        return True
    return read_long_varint(r, value)


cdef inline bint read_uint32(Reader* r, uint32_t* value) noexcept nogil:
    """A tag or a length: a varint of at most five bytes and 32 bits."""
    if r.at < r.end and r.at[0] < 0x80:
        value[0] = r.at[0]
        r.at += 1
        return True
    return read_long_uint32(r, value)


cdef inline bint read_tag(Reader* r, uint32_t* tag) noexcept nogil:
    """The tag of the next field; field number 0 does not exist."""
    return read_uint32(r, tag) and tag[0] >> 3 != 0


cdef inline bint read_inside(Reader* r, Reader* inside) noexcept nogil:
    """The content of a length-delimited field, as a reader of its own; `r` goes past it."""
    cdef uint32_t size
    if not read_uint32(r, &size) or size > <size_t>(r.end - r.at):
        return False
    inside.at = r.at
    inside.end = r.at + size
    inside.depth = r.depth
    r.at += size
    return True


cdef inline bint read_message(Reader* r, Reader* inside) noexcept nogil:
    """As read_inside, of a submessage, which is one level deeper."""
    if not read_inside(r, inside):
        return False
    inside.depth -= 1
    return inside.depth >= 0


cdef enum:
    WORD = 8              # bytes that are read at once

cdef extern from *:
    """
    #include <string.h>
    static inline uint64_t phom_read_word(const uint8_t *at) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }
    """
    uint64_t read_word "phom_read_word"(const uint8_t* at) noexcept nogil


cdef inline const uint8_t* read_word_varint(const uint8_t* at, uint64_t* value) noexcept nogil:
    """A varint of up to eight bytes without a loop, where that many can be read; where it ends.

    A longer one: `at`, and 0. The seven bits that each byte holds are moved together in pairs.
    """
    cdef uint64_t word = read_word(at)
    cdef uint64_t last = ~word & 0x8080808080808080UL
    cdef int size
    value[0] = 0
    if last == 0:
        return at
    size = (lowest_bit(last) >> 3) + 1
    word &= (last ^ (last - 1)) & 0x7F7F7F7F7F7F7F7FUL      # the bytes up to the first last one
    word = word & 0x007F007F007F007FUL | (word & 0x7F007F007F007F00UL) >> 1
    word = word & 0x00003FFF00003FFFUL | (word & 0x3FFF00003FFF0000UL) >> 2
    value[0] = word & 0x000000000FFFFFFFUL | (word & 0x0FFFFFFF00000000UL) >> 4
    return at + size


cdef inline uint32_t tag_of(int number, WireType type) noexcept nogil:
    return <uint32_t>number << 3 | <uint32_t>type


# The bytes written so far are those from `at` to `end`; there is room from `start` to `at`.
cdef struct Writer:
    uint8_t* start
    uint8_t* at
    uint8_t* end
    bint failed           # out of memory: nothing more is written

cdef bint grow(Writer* w, size_t room) noexcept nogil
cdef void put_long_varint(Writer* w, uint64_t value) noexcept nogil
cdef void free_output(Writer* w) noexcept nogil


cdef inline size_t written(const Writer* w) noexcept nogil:
    """How many bytes have been written so far."""
    return w.end - w.at


cdef inline uint8_t* make_room(Writer* w, size_t room) noexcept nogil:
    """Where the next `room` bytes go, in front of those written; NULL when memory is out."""
    if <size_t>(w.at - w.start) < room and not grow(w, room):
        return NULL
    w.at -= room
    return w.at


cdef inline void put_varint(Writer* w, uint64_t value) noexcept nogil:
    cdef uint8_t* at
    if value >= 0x80:
        put_long_varint(w, value)
        return
    at = make_room(w, 1)
    if at != NULL:
        at[0] = <uint8_t>value


cdef inline void put_bytes(Writer* w, const void* data, size_t size) noexcept nogil:
    cdef uint8_t* at = make_room(w, size)
    if at != NULL:
        memcpy(at, data, size)


cdef inline void put_head(Writer* w, int number, size_t before) noexcept nogil:
    """Tag and length of the length-delimited field written since `before` bytes were written."""
    put_varint(w, written(w) - before)
    put_varint(w, tag_of(number, BYTES))


cdef inline void put_given(Writer* w, int number, uint64_t value) noexcept nogil:
    """A number with presence: written also when it is 0."""
    put_varint(w, value)
    put_varint(w, tag_of(number, VARINT))


cdef inline void put_number(Writer* w, int number, int64_t value) noexcept nogil:
    """A number without presence: 0 is left out. A negative one takes ten bytes."""
    if value != 0:
        put_given(w, number, <uint64_t>value)


cdef inline void put_string(Writer* w, int number, const char* text, size_t size) noexcept nogil:
    if size > 0:
        put_bytes(w, text, size)
        put_varint(w, size)
        put_varint(w, tag_of(number, BYTES))
