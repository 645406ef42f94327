"""The core's only Python functions: bytes of a request in, bytes of a response out.

Nothing here knows a rule: a request is decoded, validated, judged by the table, settled, encoded,
all without the GIL. What is kept between calls is the rules of the houses, which never change.
"""
import hashlib

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from phom_core.contract cimport *
from phom_core.decode cimport (
    CLAIMED_NO_U, CLAIMED_SEAT, EVENT_LIMIT, ClaimedSeat, Claims, Log, clear_log, finish_log,
    free_log, new_log, read_log,
)
from phom_core.encode cimport (
    DIGEST_SIZE, Difference, Judgement, Step, put_verdict, take_step,
)
from phom_core.ruleset cimport Overrides, Rules, is_complete, override, rules_text
from phom_core.settle cimport Result, settle
from phom_core.table cimport (
    DRAW, EAT, NOBODY, NOT_ENDED, Move, Table, deal, make,
)
from phom_core.validate cimport HOUSES, Faults, fault_texts, validate_log
from phom_core.wire cimport (
    BYTES, DEPTH_LIMIT, VARINT, Reader, Writer, put_head, read_message, read_tag, read_varint,
    skip_field, tag_of,
)


class NotALog(ValueError):
    """A request that cannot be judged at all (contract: INVALID_ARGUMENT).

    `fields` holds `(path, description)` of every field at fault, as
    `("log.events[17].discard.card", "must be a card, CARD_AS to CARD_KH")`.
    """

    def __init__(self, fields):
        super().__init__("; ".join([f"{path}: {text}" for path, text in fields]))
        self.fields = fields


# What one request needs while it is worked on.
cdef struct Work:
    Log* log
    Faults faults
    Judgement judgement
    Step steps[EVENT_LIMIT]
    Writer out


cdef Work* new_work() except NULL:
    cdef Work* work = <Work*>calloc(1, sizeof(Work))
    if work == NULL:
        raise MemoryError
    try:
        work.log = new_log()
    except MemoryError:
        free(work)
        raise
    return work


cdef void free_work(Work* work) noexcept:
    free_log(work.log)
    free(work.out.start)
    free(work)


cdef class Referee:
    """Judges logs under the rules of the houses that it was made with.

    `houses`: for each house a complete `phom.v1.Ruleset` message, serialized. `version` is put
    into every verdict. ValueError if a house is incomplete, unknown or given twice.
    """

    cdef Rules rules[HOUSES]
    cdef bint known[HOUSES]
    cdef char digests[HOUSES][DIGEST_SIZE]
    cdef bytes version

    def __cinit__(self, houses, str version):
        self.version = version.encode()
        for ruleset in houses:
            self.add_house(ruleset)

    cdef int add_house(self, bytes ruleset) except -1:
        """A house is a ruleset that overrides everything, and judged like any other."""
        # A GameLog whose only field is this ruleset: its validation is that of every log.
        cdef Work* work = new_work()
        cdef Overrides* given = &work.log.overrides
        cdef bytes size = varint(len(ruleset))
        cdef bytes message = bytes([tag_of(GameLog_ruleset, BYTES)]) + size + ruleset
        cdef Reader r = reader(message)
        try:
            clear_log(work.log)
            if not read_log(&r, work.log):
                raise ValueError("a house is no Ruleset message")
            finish_log(work.log)
            validate_log(work.log, &work.faults)
            faults = [text for text in fault_texts(&work.faults, "log") if "ruleset" in text[0]]
            if faults:
                raise ValueError(f"a house's ruleset: {faults}")
            if self.known[given.house]:
                raise ValueError(f"house {given.house} is given twice")
            if not is_complete(given):
                raise ValueError(f"house {given.house} lacks a field of rules 8")
            override(&self.rules[given.house], given)
            write_digest(&self.rules[given.house], self.digests[given.house])
            self.known[given.house] = True
        finally:
            free_work(work)
        return 0

    def digest(self, int house):
        """SHA-256, in hex, of the rules of a house; KeyError if it is not known."""
        if not 0 <= house < HOUSES or not self.known[house]:
            raise KeyError(house)
        return self.digests[house][:DIGEST_SIZE].decode()

    def replay(self, bytes request):
        """Judge a log: a ReplayRequest's bytes in, a ReplayResponse's out.

        Raises NotALog, whose paths begin with "log", for what cannot be judged.
        """
        cdef Work* work = new_work()
        cdef Reader r = reader(request)
        cdef const char* version = self.version
        cdef size_t version_size = len(self.version)
        cdef bint readable
        try:
            with nogil:
                readable = read_replay_request(&r, work)
                if readable:
                    validate_log(work.log, &work.faults)
                    if work.faults.count == 0:
                        self.judge(work)
                        put_verdict(
                            &work.out, ReplayResponse_verdict, work.log, &work.judgement,
                            work.steps, version, version_size)
            check_request(work, readable)
            return output(&work.out)
        finally:
            free_work(work)

    cdef void judge(self, Work* work) noexcept nogil:
        """Judge the log in `work`, which has no faults."""
        cdef Log* log = work.log
        cdef Judgement* j = &work.judgement
        cdef Rules rules = self.rules[log.overrides.house]
        override(&rules, &log.overrides)
        if memcmp(&rules, &self.rules[log.overrides.house], sizeof(Rules)) == 0:
            memcpy(j.digest, self.digests[log.overrides.house], DIGEST_SIZE)
        else:
            digest_with_gil(&rules, j.digest)
        j.stake = log.base_stake if log.base_stake > 0 else 1       # 7.4
        play(log, &rules, work.steps, j)
        if j.status == STATUS_ILLEGAL:
            return
        settle(&j.table, j.stake, &j.result)
        j.status = STATUS_IN_PROGRESS
        if j.result.finished:
            compare_claims(&log.claims, j)
            j.status = STATUS_FINISHED if j.difference_count == 0 else STATUS_CLAIM_MISMATCH


# ---- a game ----

cdef void play(Log* log, const Rules* rules, Step* steps, Judgement* j) noexcept nogil:
    """Replay the log up to its end or its first illegal event."""
    cdef Table* t = &j.table
    cdef const Move* m
    cdef uint32_t i
    cdef bint last_round
    j.status = STATUS_UNSPECIFIED
    j.difference_count = 0
    j.step_count = 0
    j.fault_index = NOBODY
    j.fault_move = NULL
    j.refusal = deal(t, rules, &log.deal, &j.fault_seat)
    if j.refusal.code:
        j.status = STATUS_ILLEGAL
        return
    for i in range(log.event_count):
        m = &log.moves[i]
        last_round = t.last_round
        j.refusal = make(t, m)
        if j.refusal.code:
            j.status = STATUS_ILLEGAL
            j.fault_index = i
            j.fault_seat = m.seat
            j.fault_move = m
            return
        if j.detail == DETAIL_TRACE:
            # Whether a turn is a last-round turn is known from its take on (3.4).
            take_step(t, m, t.last_round if m.kind == DRAW or m.kind == EAT else last_round,
                      &steps[i])
            j.step_count += 1


# ---- claims ----

cdef void differ(
    Judgement* j, int seat, const char* field, int64_t claimed, bint claimed_nobody,
    int64_t computed, bint computed_nobody
) noexcept nogil:
    cdef Difference* d = &j.differences[j.difference_count]
    if claimed_nobody == computed_nobody and (claimed_nobody or claimed == computed):
        return
    d.seat = seat
    d.field = field
    d.claimed = claimed
    d.claimed_nobody = claimed_nobody
    d.computed = computed
    d.computed_nobody = computed_nobody
    j.difference_count += 1


cdef void compare_claims(const Claims* claims, Judgement* j) noexcept nogil:
    """Every difference: u_seat, den_seat, then the seats in order: place, points, net (contract)."""
    cdef int u = j.table.u_seat, den = j.result.den_seat
    cdef const ClaimedSeat* claim
    cdef int seat
    cdef uint32_t i
    if claims.u == CLAIMED_SEAT:
        differ(j, NOBODY, b"u_seat", claims.u_seat, False, u, u == NOBODY)
    elif claims.u == CLAIMED_NO_U and claims.no_u:
        differ(j, NOBODY, b"u_seat", 0, True, u, u == NOBODY)
    if claims.den_given:
        differ(j, NOBODY, b"den_seat", claims.den_seat, False, den, den == NOBODY)
    for seat in range(j.table.seat_count):
        for i in range(claims.seat_count):
            claim = &claims.seats[i]
            if claim.seat != seat:
                continue
            if claim.place_given:
                differ(j, seat, b"place", claim.place, False, j.result.seats[seat].place, False)
            if claim.points_given:
                differ(j, seat, b"points", claim.points, False, j.result.seats[seat].points, False)
            if claim.net_given:
                differ(j, seat, b"net", claim.net, False, j.result.seats[seat].net, False)


# ---- requests and responses ----

cdef inline Reader reader(bytes data):
    cdef Reader r
    r.at = <const uint8_t*><const char*>data
    r.end = r.at + len(data)
    r.depth = DEPTH_LIMIT
    return r


cdef bytes varint(size_t value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


cdef bint read_replay_request(Reader* r, Work* work) noexcept nogil:
    cdef Reader inside
    cdef uint32_t tag
    cdef uint64_t value
    clear_log(work.log)
    while r.at < r.end:
        if not read_tag(r, &tag):
            return False
        if tag == tag_of(ReplayRequest_log, BYTES):
            if not read_message(r, &inside) or not read_log(&inside, work.log):
                return False
        elif tag == tag_of(ReplayRequest_detail, VARINT):
            if not read_varint(r, &value):
                return False
            work.judgement.detail = <uint32_t>value
        elif not skip_field(r, tag):
            return False
    finish_log(work.log)
    return True


cdef int check_request(Work* work, bint readable) except -1:
    """Raise what stood in the way of an answer."""
    if work.log.out_of_memory or work.out.failed:
        raise MemoryError
    if not readable:
        raise NotALog([("log", "must be a phom.v1 message in protobuf's wire format")])
    fields = fault_texts(&work.faults, "log")
    if work.judgement.detail > DETAIL_TRACE:
        fields.append(("detail", "must be one of the known values"))
    if fields:
        raise NotALog(fields)
    return 0


cdef bytes output(Writer* w):
    return PyBytes_FromStringAndSize(<const char*>w.start + (w.capacity - w.size), w.size)


# ---- the digest ----

cdef int write_digest(const Rules* rules, char* out) except -1:
    cdef bytes digest = hashlib.sha256(rules_text(rules).encode()).hexdigest().encode()
    memcpy(out, <const char*>digest, DIGEST_SIZE)
    return 0


cdef void digest_with_gil(const Rules* rules, char* out) noexcept with gil:
    """Only for overridden rules; hashlib is worth the lock, and a SHA-256 of our own is not."""
    write_digest(rules, out)
