"""What is said to people about a violation."""
from phom_core.table cimport Move, Refusal, Table

cdef enum:
    MESSAGE_ROOM = 400    # bytes; the longest message is about half of that

cdef size_t explain(
    const Table* t, const Move* m, const Refusal* refusal, char* out
) noexcept nogil
