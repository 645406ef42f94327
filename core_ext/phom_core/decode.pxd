"""Wire bytes to a Log."""
from phom_core.log cimport Log
from phom_core.wire cimport Reader

cdef bint read_log(Reader* r, Log* log) noexcept nogil
cdef bint read_action(Reader r, Log* log) noexcept nogil
