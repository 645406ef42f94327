"""How many games of which kind a call has judged, for whoever keeps metrics."""
from libc.string cimport memset

from phom_core.contract cimport *


cdef class Counts:
    """What calls have judged: pass one to `replay` or `replay_many`, which add to it.

    `events` counts the events of all logs judged, `no_logs` what could not be judged at all.
    """

    @property
    def events(self):
        return self.tally.events

    @property
    def no_logs(self):
        return self.tally.no_logs

    @property
    def logs(self):
        """How many logs there were, judged or not."""
        cdef int house, status
        cdef int64_t total = self.tally.no_logs
        for house in range(House_SIZE):
            for status in range(Status_SIZE):
                total += self.tally.games[house][status]
        return total

    def games(self):
        """`(house, status, number)` of all that occurred, as the contract's enum values."""
        return [
            (house, status, self.tally.games[house][status])
            for house in range(House_SIZE) for status in range(Status_SIZE)
            if self.tally.games[house][status]
        ]

    def violations(self):
        """`(code, number)` of all that occurred, as the contract's ViolationCode."""
        return [
            (code, self.tally.violations[code])
            for code in range(ViolationCode_SIZE) if self.tally.violations[code]
        ]

    def add(self, Counts other not None):
        """Add all that `other` has counted."""
        add_tally(&self.tally, &other.tally)

    def clear(self):
        """Begin anew."""
        memset(&self.tally, 0, sizeof(Tally))


cdef void count_game(Tally* tally, int house, const Judgement* j, uint32_t events) noexcept nogil:
    tally.games[house][j.status] += 1
    tally.events += events
    if j.status == STATUS_ILLEGAL:
        tally.violations[j.refusal.code] += 1


cdef void add_tally(Tally* into, const Tally* more) noexcept nogil:
    cdef int64_t* numbers = <int64_t*>into
    cdef const int64_t* others = <const int64_t*>more
    cdef size_t i
    for i in range(sizeof(Tally) // sizeof(int64_t)):
        numbers[i] += others[i]
