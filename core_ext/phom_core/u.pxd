"""What an u lays out: the laid phom, longer where that helps, and new ones (rules 6.2)."""
from phom_core.cards cimport mask_t

cdef enum:
    LAID_LIMIT = 3        # ten cards make at most three phom

# The phom that were laid come first.
cdef struct UFound:
    mask_t phoms[2 * LAID_LIMIT]
    int count
    mask_t loose          # what is left over
    int kind              # the contract's UKind

cdef bint lay_out(UFound* found, mask_t eaten) noexcept nogil
cdef void add_to_laid(UFound* found, int laid_count) noexcept nogil
