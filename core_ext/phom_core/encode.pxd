"""The bytes of a Verdict, and of what else the referee answers."""
from phom_core.cards cimport mask_t
from phom_core.live cimport Check, Options
from phom_core.log cimport Log
from phom_core.play cimport Judgement, Step
from phom_core.wire cimport Writer

cdef void put_verdict(
    Writer* w, int number, const Log* log, const Judgement* j, const Step* steps,
    const char* version, size_t version_size
) noexcept nogil
cdef void put_violation(Writer* w, int number, const Judgement* j) noexcept nogil
cdef void put_check(Writer* w, const Judgement* j, const Check* check, int index) noexcept nogil
cdef void put_options(Writer* w, const Options* options) noexcept nogil
cdef void put_cards(Writer* w, int number, mask_t cards) noexcept nogil
cdef void put_phoms(Writer* w, int number, const mask_t* phoms, int count) noexcept nogil
cdef void put_text(Writer* w, int number, bytes text)
cdef void put_log_error(Writer* w, int number, str message, list faults)
