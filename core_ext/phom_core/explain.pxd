"""What is said to people about a violation."""
from phom_core.play cimport Judgement

cdef enum:
    MESSAGE_ROOM = 400    # bytes; the longest message is about half of that

cdef size_t explain(const Judgement* j, char* out) noexcept nogil
