"""One request on its way: its memory, its reading, and what is wrong with it."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from phom_core.contract cimport *
from phom_core.decode cimport read_action, read_log
from phom_core.log cimport clear_log, finish_log, free_log, new_log, trim_log
from phom_core.validate cimport fault_texts
from phom_core.wire cimport (
    BYTES, DEPTH_LIMIT, VARINT, free_output, read_message, read_tag, read_varint, skip_field,
    tag_of, written,
)


class NotALog(ValueError):
    """A request that cannot be judged at all (contract: INVALID_ARGUMENT).

    `fields` holds `(path, description)` of every field at fault, as
    `("log.events[17].discard.card", "must be a card, CARD_AS to CARD_KH")`.
    """

    def __init__(self, fields):
        super().__init__("; ".join([f"{path}: {text}" for path, text in fields]))
        self.fields = fields


# ---- memory ----

cdef Work* take_work(Spares* spares) except NULL:
    """A work for one request, cleared."""
    cdef Work* work
    if spares.count > 0:
        spares.count -= 1
        return spares.list[spares.count]
    work = <Work*>calloc(1, sizeof(Work))
    if work == NULL:
        raise MemoryError
    try:
        work.log = new_log()
    except MemoryError:
        free(work)
        raise
    return work


cdef void give_back(Spares* spares, Work* work) noexcept:
    """The request is answered: keep the work for another, but not what an unusual one took."""
    if spares.count == SPARE_LIMIT:
        free_work(work)
        return
    if work.out.failed or work.out.end - work.out.start > KEPT_BYTES:
        free_output(&work.out)
    work.out.at = work.out.end
    work.unreadable = False
    work.faults.count = 0
    work.judgement.detail = 0
    trim_log(work.log, KEPT_BYTES)
    spares.list[spares.count] = work
    spares.count += 1


cdef void free_spares(Spares* spares) noexcept:
    while spares.count > 0:
        spares.count -= 1
        free_work(spares.list[spares.count])


cdef void free_work(Work* work) noexcept:
    free_log(work.log)
    free_output(&work.out)
    free(work)


cdef Reader reader(bytes data):
    """Reads `data`, which must outlive it."""
    cdef Reader r
    r.at = <const uint8_t*><const char*>data
    r.end = r.at + len(data)
    r.depth = DEPTH_LIMIT
    return r


cdef bytes output(Writer* w):
    if w.failed:
        raise MemoryError
    return PyBytes_FromStringAndSize(<const char*>w.at, written(w))


# ---- reading ----

cdef bint read_request(Reader* r, Work* work, int detail, int action) noexcept nogil:
    """A request with a log in field 1, and perhaps a detail and an action (0: no such field)."""
    cdef Reader again = r[0]
    cdef Reader inside
    cdef uint32_t tag
    cdef uint64_t value
    clear_log(work.log)
    work.unreadable = True
    while r.at < r.end:
        if not read_tag(r, &tag):
            return False
        if tag == tag_of(ReplayRequest_log, BYTES):
            if not read_message(r, &inside) or not read_log(&inside, work.log):
                return False
        elif detail != 0 and tag == tag_of(detail, VARINT):
            if not read_varint(r, &value):
                return False
            work.judgement.detail = <uint32_t>value
        elif not skip_field(r, tag):
            return False
    if action != 0 and not read_actions(again, work, action):
        return False
    finish_log(work.log)
    work.unreadable = False
    return True


cdef bint read_actions(Reader r, Work* work, int number) noexcept nogil:
    """Every occurrence of the action; the log has been read, from between them too."""
    cdef Reader inside
    cdef uint32_t tag
    while r.at < r.end:
        if not read_tag(&r, &tag):
            return False
        if tag == tag_of(number, BYTES):
            if not read_message(&r, &inside) or not read_action(inside, work.log):
                return False
        elif not skip_field(&r, tag):
            return False
    return True


cdef bint read_many_request(Reader* r, Work* work, Logs* logs) noexcept nogil:
    """A ReplayManyRequest; where its logs are is noted, and each is read when its turn comes."""
    cdef Reader inside
    cdef uint32_t tag
    cdef uint64_t value
    work.unreadable = True
    while r.at < r.end:
        if not read_tag(r, &tag):
            return False
        if tag == tag_of(ReplayManyRequest_logs, BYTES):
            if not read_message(r, &inside) or not note_log(work, logs, inside):
                return False
        elif tag == tag_of(ReplayManyRequest_detail, VARINT):
            if not read_varint(r, &value):
                return False
            work.judgement.detail = <uint32_t>value
        elif not skip_field(r, tag):
            return False
    work.unreadable = False
    return work.judgement.detail <= DETAIL_TRACE


cdef bint note_log(Work* work, Logs* logs, Reader inside) noexcept nogil:
    cdef void* grown
    if logs.count == logs.room:
        grown = realloc(logs.list, (2 * logs.room + 64) * sizeof(Reader))
        if grown == NULL:
            work.out.failed = True
            return False
        logs.list = <Reader*>grown
        logs.room = 2 * logs.room + 64
    logs.list[logs.count] = inside
    logs.count += 1
    return True


# ---- what is wrong with a request ----

cdef list request_faults(Work* work, str log_path):
    if work.unreadable:
        return [(log_path, "must be a message of phom.v1 in protobuf's wire format")]
    faults = fault_texts(&work.faults, log_path)
    if work.judgement.detail > DETAIL_TRACE:
        found = <int32_t>work.judgement.detail
        faults.append((
            "detail", f"must be DETAIL_RESULT, DETAIL_STATE or DETAIL_TRACE; found {found}"))
    return faults


cdef int raise_faults(Work* work) except -1:
    """Raise what stood in the way of an answer, if anything did."""
    if work.log.out_of_memory or work.out.failed:
        raise MemoryError
    faults = request_faults(work, "log")
    if faults:
        raise NotALog(faults)
    return 0
