"""The slow paths of the wire format: long varints, unknown fields, growing the output."""
from libc.stdlib cimport free, malloc


cdef bint read_long_varint(Reader* r, uint64_t* value) noexcept nogil:
    """A varint of up to ten bytes; what the last holds beyond 64 bits is lost, as in protobuf."""
    cdef int shift = 0
    cdef uint8_t byte
    value[0] = 0
    while r.at < r.end and shift < 70:
        byte = r.at[0]
        r.at += 1
        value[0] |= <uint64_t>(byte & 0x7F) << shift
        if byte < 0x80:
            return True
        shift += 7
    return False


cdef bint read_long_uint32(Reader* r, uint32_t* value) noexcept nogil:
    cdef const uint8_t* start = r.at
    cdef uint64_t whole
    if not read_long_varint(r, &whole) or r.at - start > 5 or whole >> 32 != 0:
        return False
    value[0] = <uint32_t>whole
    return True


cdef bint skip_field(Reader* r, uint32_t tag) noexcept nogil:
    """Go past a field that is not known, or known with another wire type."""
    cdef uint64_t ignored
    cdef Reader inside
    cdef int type = tag & 7
    cdef int size = 8 if type == FIXED64 else 4
    if type == VARINT:
        return read_varint(r, &ignored)
    if type == BYTES:
        return read_inside(r, &inside)
    if type == GROUP_START:
        return skip_group(r, tag >> 3)
    if type != FIXED64 and type != FIXED32 or r.end - r.at < size:
        return False        # the end of a group that never began, or no wire type at all
    r.at += size
    return True


cdef bint skip_all(Reader r) noexcept nogil:
    """The content of a message that has no fields: protobuf does not mind even field number 0."""
    cdef uint32_t tag
    while r.at < r.end:
        if not read_uint32(&r, &tag) or not skip_field(&r, tag):
            return False
    return True


cdef bint skip_group(Reader* r, uint32_t number) noexcept nogil:
    """Go past a group to its end; in it, too, any field number will do."""
    cdef uint32_t tag
    r.depth -= 1
    if r.depth < 0:
        return False
    while r.at < r.end:
        if not read_uint32(r, &tag):
            return False
        if tag == tag_of(number, GROUP_END):
            r.depth += 1
            return True
        if not skip_field(r, tag):
            return False
    return False


cdef void put_long_varint(Writer* w, uint64_t value) noexcept nogil:
    """A varint of more than one byte."""
    cdef int length = 1
    cdef uint64_t rest = value >> 7
    while rest:
        length += 1
        rest >>= 7
    cdef uint8_t* at = make_room(w, length)
    if at == NULL:
        return
    while value >= 0x80:
        at[0] = <uint8_t>(value | 0x80)
        value >>= 7
        at += 1
    at[0] = <uint8_t>value


cdef bint grow(Writer* w, size_t room) noexcept nogil:
    """At least double the buffer; what is written stays at its end."""
    if w.failed:
        return False
    cdef size_t size = written(w)
    cdef size_t capacity = 2 * (w.end - w.start) + room + 1024
    cdef uint8_t* start = <uint8_t*>malloc(capacity)
    if start == NULL:
        w.failed = True
        return False
    if size > 0:
        memcpy(start + (capacity - size), w.at, size)
    free(w.start)
    w.start = start
    w.end = start + capacity
    w.at = w.end - size
    return True


cdef void free_output(Writer* w) noexcept nogil:
    """Give the buffer up; the writer is as new."""
    free(w.start)
    w.start = w.at = w.end = NULL
    w.failed = False
