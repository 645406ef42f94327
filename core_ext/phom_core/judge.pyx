"""The core's only Python functions: bytes of a request in, bytes of a response out.

Nothing here knows a rule: a request is read, validated, judged, and its answer written, all without
the GIL. What is kept between calls is the rules of the houses, which never change.
"""
import hashlib

from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from phom_core.contract cimport *
from phom_core.counts cimport Counts, Tally, add_tally, count_game
from phom_core.decode cimport read_log
from phom_core.encode cimport (
    put_check, put_log_error, put_options, put_text, put_verdict, put_violation,
)
from phom_core.hand cimport (
    HandAnalysis, HandRequest, analyze, hand_faults, put_analysis, read_hand_request,
)
from phom_core.live cimport check_action, list_options
from phom_core.log cimport ACTION_SLOT, clear_log, finish_log
from phom_core.play cimport DIGEST_SIZE, judge_log
from phom_core.request cimport (
    Logs, Spares, Work, free_spares, give_back, output, raise_faults, read_many_request,
    read_request, reader, request_faults, take_work,
)
from phom_core.ruleset cimport Overrides, Rules, is_complete, override, rules_text
from phom_core.validate cimport (
    AT_HOUSE, NO_SUCH_HOUSE, fault_texts, report, validate_action, validate_log,
)
from phom_core.wire cimport Reader, Writer, free_output, put_head, written
from phom_core.request import NotALog

cdef enum:
    DIGESTS_KEPT = 1024
    # A smaller request is judged in less time than it takes to give the GIL up and get it back.
    WORTH_THE_LOCK = 4096
    NO_LIMIT = 0xFFFFFFFF


cdef class Referee:
    """Judges logs under the rules of the houses that it was made with.

    `houses`: for each house a complete `phom.v1.Ruleset` message, serialized. `version` is put
    into every verdict. ValueError if a house is incomplete, unknown or given twice.
    """

    cdef Rules rules[House_SIZE]
    cdef bint known[House_SIZE]
    cdef char digests[House_SIZE][DIGEST_SIZE]
    cdef bytes version
    cdef const char* version_text
    cdef size_t version_size
    cdef dict digests_of_overrides
    cdef Spares spares

    def __cinit__(self, houses, str version):
        self.version = version.encode()
        self.digests_of_overrides = {}
        self.version_text = self.version
        self.version_size = len(self.version)
        for ruleset in houses:
            self.add_house(ruleset)

    def __dealloc__(self):
        free_spares(&self.spares)

    cdef int add_house(self, bytes ruleset) except -1:
        """A house is a ruleset that overrides everything, and validated like any other."""
        cdef Work* work = take_work(&self.spares)
        cdef Overrides* given = &work.log.overrides
        cdef bytes log = bytes_field(GameLog_ruleset, ruleset)
        cdef Reader r = reader(log)
        try:
            clear_log(work.log)
            if not read_log(&r, work.log):
                raise ValueError("a house must be a serialized phom.v1.Ruleset")
            validate_log(work.log, &work.faults)
            faults = [text for text in fault_texts(&work.faults, "log") if "ruleset" in text[0]]
            if faults:
                raise ValueError(f"a house's ruleset: {faults}")
            if self.known[given.house]:
                raise ValueError(f"house {given.house} must be given only once")
            if not is_complete(given):
                raise ValueError(f"house {given.house} must have every field of rules 8")
            override(&self.rules[given.house], given)
            digest_rules(&self.rules[given.house], self.digests[given.house])
            self.known[given.house] = True
        finally:
            give_back(&self.spares, work)
        return 0

    def digest(self, int house):
        """SHA-256, in hex, of the rules of a house; KeyError if it is not known."""
        if not 0 <= house < House_SIZE or not self.known[house]:
            raise KeyError(house)
        return self.digests[house][:DIGEST_SIZE].decode()

    def replay(self, bytes request not None, Counts counts=None):
        """Judge a log: a ReplayRequest's bytes in, a ReplayResponse's out.

        What was judged is added to `counts`. Raises NotALog, whose paths begin with "log", for what
        cannot be judged.
        """
        cdef Work* work = take_work(&self.spares)
        cdef Reader r = reader(request)
        try:
            if len(request) < WORTH_THE_LOCK:
                self.answer_replay(&r, work)
            else:
                with nogil:
                    self.answer_replay(&r, work)
            take_counts(counts, work)
            raise_faults(work)
            return output(&work.out)
        finally:
            give_back(&self.spares, work)

    cdef void answer_replay(self, Reader* r, Work* work) noexcept nogil:
        if read_request(r, work, ReplayRequest_detail, 0) and self.judge(work):
            self.tell(work, ReplayResponse_verdict)
        else:
            work.tally.no_logs += 1

    def replay_many(self, bytes request not None, Counts counts=None, uint32_t max_logs=NO_LIMIT):
        """Judge many logs: a ReplayManyRequest's bytes in, a ReplayManyResponse's out.

        A log that cannot be judged is an error in its place, its paths beginning with "logs[i]".
        What was judged is added to `counts`. Raises NotALog if the request itself cannot be read,
        or has more than `max_logs` logs.
        """
        cdef Work* work = take_work(&self.spares)
        cdef Logs logs
        cdef Reader r = reader(request)
        cdef int i
        memset(&logs, 0, sizeof(logs))
        try:
            with nogil:
                if read_many_request(&r, work, &logs) and logs.count <= max_logs:
                    # The writer works from the end, and so do we.
                    for i in range(<int>logs.count - 1, -1, -1):
                        self.answer_one(work, &logs.list[i], i)
                    work.faults.count = 0
                    work.unreadable = False
            take_counts(counts, work)
            if logs.count > max_logs:
                raise NotALog([("logs", f"must be at most {max_logs:,} in a message")])
            raise_faults(work)
            return output(&work.out)
        finally:
            free(logs.list)
            give_back(&self.spares, work)

    def check_action(self, bytes request not None):
        """Ask about a move: a CheckActionRequest's bytes in, a CheckActionResponse's out.

        Raises NotALog, whose paths begin with "log" or "action".
        """
        cdef Work* work = take_work(&self.spares)
        cdef Reader r = reader(request)
        try:
            with nogil:
                if read_request(&r, work, 0, CheckActionRequest_action):
                    if self.judge(work, with_action=True):
                        self.answer_check(work)
            raise_faults(work)
            return output(&work.out)
        finally:
            give_back(&self.spares, work)

    def list_legal_actions(self, bytes request not None):
        """List all that may be done: a ListLegalActionsRequest's bytes in, the response's out.

        Raises NotALog, whose paths begin with "log".
        """
        cdef Work* work = take_work(&self.spares)
        cdef Reader r = reader(request)
        try:
            with nogil:
                if read_request(&r, work, 0, 0) and self.judge(work):
                    self.answer_options(work)
            raise_faults(work)
            return output(&work.out)
        finally:
            give_back(&self.spares, work)

    cdef bint judge(self, Work* work, bint with_action=False) noexcept nogil:
        """Judge the log in `work`, unless something is wrong with the request."""
        cdef int house = work.log.overrides.house
        cdef Rules rules
        validate_log(work.log, &work.faults)
        if with_action:
            validate_action(work.log, &work.faults)
        if work.faults.count == 0 and not self.known[house]:
            report(&work.faults, AT_HOUSE, NO_SUCH_HOUSE, house)
        if work.faults.count or work.judgement.detail > DETAIL_TRACE:
            return False
        if work.log.overrides.any:
            rules = self.rules[house]
            override(&rules, &work.log.overrides)
            find_digest(self.digests_of_overrides, &rules, work.judgement.digest)
            judge_log(work.log, &rules, work.steps, &work.judgement)
        else:
            memcpy(work.judgement.digest, self.digests[house], DIGEST_SIZE)
            judge_log(work.log, &self.rules[house], work.steps, &work.judgement)
        return True

    cdef void tell(self, Work* work, int number) noexcept nogil:
        """Count a game that was judged, and write its verdict."""
        count_game(
            &work.tally, work.log.overrides.house, &work.judgement, work.log.event_count)
        put_verdict(
            &work.out, number, work.log, &work.judgement, work.steps,
            self.version_text, self.version_size)

    cdef void answer_one(self, Work* work, Reader* log, uint32_t index) noexcept nogil:
        """One log of many: its verdict, or the error in its place."""
        cdef size_t before = written(&work.out)
        clear_log(work.log)
        work.unreadable = not read_log(log, work.log)
        finish_log(work.log)
        if not work.unreadable and self.judge(work):
            self.tell(work, ReplayOutcome_verdict)
        else:
            work.tally.no_logs += 1
            answer_error(work, ReplayOutcome_error, index)
        put_head(&work.out, ReplayManyResponse_outcomes, before)

    cdef void answer_check(self, Work* work) noexcept nogil:
        cdef uint32_t index = work.log.event_count
        check_action(&work.judgement, &work.log.moves[ACTION_SLOT], index, &work.check)
        put_check(&work.out, &work.judgement, &work.check, index)

    cdef void answer_options(self, Work* work) noexcept nogil:
        if work.judgement.status == STATUS_ILLEGAL:
            put_violation(&work.out, ListLegalActionsResponse_violation, &work.judgement)
            return
        list_options(&work.judgement.table, &work.options)
        put_options(&work.out, &work.options)


cdef void answer_error(Work* work, int number, uint32_t index) noexcept with gil:
    """What a lone call would have raised, about log `index` of many."""
    faults = request_faults(work, f"logs[{index}]")
    put_log_error(&work.out, number, str(NotALog(faults)), faults)


cdef void take_counts(Counts counts, Work* work) noexcept:
    if counts is not None:
        add_tally(&counts.tally, &work.tally)
    memset(&work.tally, 0, sizeof(Tally))


def analyze_hand(bytes request not None):
    """Analyze a hand: an AnalyzeHandRequest's bytes in, an AnalyzeHandResponse's out.

    Raises NotALog, whose paths are fields of the request.
    """
    cdef HandRequest hand
    cdef HandAnalysis analysis
    cdef Writer w
    cdef Reader r = reader(request)
    if not read_hand_request(&r, &hand):
        raise NotALog([("cards", "must be part of a phom.v1.AnalyzeHandRequest")])
    faults = hand_faults(&hand)
    if faults:
        raise NotALog(faults)
    memset(&w, 0, sizeof(w))
    try:
        with nogil:
            analyze(&hand, &analysis)
            put_analysis(&w, &analysis)
        return output(&w)
    finally:
        free_output(&w)


cdef bytes bytes_field(int number, bytes content):
    """A length-delimited field on its own."""
    cdef Writer w
    memset(&w, 0, sizeof(w))
    try:
        put_text(&w, number, content)
        return output(&w)
    finally:
        free_output(&w)


# ---- the digest ----

cdef int digest_rules(const Rules* rules, char* out) except -1:
    cdef bytes digest = hashlib.sha256(rules_text(rules).encode()).hexdigest().encode()
    memcpy(out, <const char*>digest, DIGEST_SIZE)
    return 0


cdef void find_digest(dict known, const Rules* rules, char* out) noexcept with gil:
    """Of overridden rules: hashlib is worth the lock, and no SHA-256 of our own is.

    Callers have few sets of overrides, and send them with every log.
    """
    cdef bytes key = (<const char*>rules)[:sizeof(Rules)]
    cdef bytes digest = known.get(key)
    if digest is None:
        digest_rules(rules, out)
        if len(known) == DIGESTS_KEPT:
            known.clear()
        known[key] = out[:DIGEST_SIZE]
    else:
        memcpy(out, <const char*>digest, DIGEST_SIZE)
