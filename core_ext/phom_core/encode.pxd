"""The bytes of a Verdict, and of what else the referee answers."""
from phom_core.cards cimport mask_t
from phom_core.log cimport Log
from phom_core.play cimport Judgement, Step
from phom_core.table cimport Move
from phom_core.wire cimport Writer

cdef void put_verdict(
    Writer* w, int number, const Log* log, const Judgement* j, const Step* steps,
    const char* version, size_t version_size
) noexcept nogil
cdef void put_result(Writer* w, int number, const Judgement* j) noexcept nogil
cdef void put_state(Writer* w, int number, const Judgement* j) noexcept nogil
cdef void put_violation(Writer* w, int number, const Judgement* j) noexcept nogil
cdef void put_step(
    Writer* w, int number, const Judgement* j, int index, const Step* step, bint is_last
) noexcept nogil
cdef void put_event(Writer* w, int number, const Move* m) noexcept nogil
cdef void put_action(Writer* w, int number, const Move* m) noexcept nogil
cdef void put_cards(Writer* w, int number, mask_t cards) noexcept nogil
cdef void put_phoms(Writer* w, int number, const mask_t* phoms, int count) noexcept nogil
cdef void put_text(Writer* w, int number, bytes text)
