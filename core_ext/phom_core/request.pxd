"""One request while it is worked on: what it asked, what was found out, the bytes of its answer."""
from libc.stdint cimport uint32_t

from phom_core.counts cimport Tally
from phom_core.live cimport Check, Options
from phom_core.log cimport EVENT_LIMIT, Log
from phom_core.play cimport Judgement, Step
from phom_core.validate cimport Faults
from phom_core.wire cimport Reader, Writer

cdef enum:
    SPARE_LIMIT = 32            # works that are kept, one for each thread of a busy server
    KEPT_BYTES = 1 << 20        # a larger buffer is not kept with its work

# A batch uses the same for one log after the other.
cdef struct Work:
    Log* log
    bint unreadable                   # the bytes are no such message
    Faults faults
    Judgement judgement
    Step steps[EVENT_LIMIT]
    Check check
    Options options
    Tally tally                       # of the call so far
    Writer out

# The logs of a ReplayManyRequest, not read yet.
cdef struct Logs:
    Reader* list
    uint32_t count
    uint32_t room

# Work that is kept for the next request: a fresh one costs more than judging a game. Used with the
# GIL held.
cdef struct Spares:
    Work* list[SPARE_LIMIT]
    int count

cdef Work* take_work(Spares* spares) except NULL
cdef void give_back(Spares* spares, Work* work) noexcept
cdef void free_spares(Spares* spares) noexcept
cdef Reader reader(bytes data)
cdef bytes output(Writer* w)
cdef bint read_request(Reader* r, Work* work, int detail, int action) noexcept nogil
cdef bint read_many_request(Reader* r, Work* work, Logs* logs) noexcept nogil
cdef list request_faults(Work* work, str log_path)
cdef int raise_faults(Work* work) except -1
