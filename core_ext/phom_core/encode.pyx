"""Writing a Verdict: the core's structs to wire bytes, each message by a function of its own.

The writer works from the end (wire.pxd), so every function puts its message's last field first;
read it from its end. What comes out is in the order of field numbers, defaults left out, as
protobuf's own serializer writes it: same verdict, same bytes.
"""
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdio cimport snprintf

from phom_core.cards cimport card_t, count_cards, lowest_card, mask_t
from phom_core.contract cimport *
from phom_core.explain cimport MESSAGE_ROOM, explain
from phom_core.play cimport DIGEST_SIZE, Difference
from phom_core.settle cimport Result, SeatResult
from phom_core.table cimport (
    ANNOUNCE, DECLARE_U, DISCARD, DRAW, EAT, LAY_DOWN, LAY_OFF, NOBODY, TIME_OUT, Move, Paid, Rule,
    Seat, Table,
)
from phom_core.wire cimport (
    make_room, put_bytes, put_given, put_head, put_number, put_string, put_varint, written,
)


# ---- cards and phom ----

cdef void put_cards(Writer* w, int number, mask_t cards) noexcept nogil:
    """A repeated Card, packed, in ascending codes."""
    cdef size_t before = written(w)
    cdef uint8_t* at
    if cards == 0:
        return
    at = make_room(w, count_cards(cards))       # every code is one byte as a varint
    if at == NULL:
        return
    while cards:
        at[0] = lowest_card(cards)
        at += 1
        cards &= cards - 1
    put_head(w, number, before)


cdef void put_phoms(Writer* w, int number, const mask_t* phoms, int count) noexcept nogil:
    cdef size_t before
    cdef int i
    for i in range(count - 1, -1, -1):
        before = written(w)
        put_cards(w, Phom_cards, phoms[i])
        put_head(w, number, before)


cdef void put_seat(Writer* w, int number, int seat) noexcept nogil:
    """An optional seat; NOBODY is left out."""
    if seat != NOBODY:
        put_given(w, number, <uint64_t>seat)


cdef void put_rule(Writer* w, int number, Rule rule) noexcept nogil:
    cdef char text[3]
    text[0] = <char>(48 + rule // 10)       # 48: the digit 0
    text[1] = b"."
    text[2] = <char>(48 + rule % 10)
    put_string(w, number, text, 3)


# ---- the verdict ----

cdef void put_verdict(
    Writer* w, int number, const Log* log, const Judgement* j, const Step* steps,
    const char* version, size_t version_size
) noexcept nogil:
    cdef size_t before = written(w)
    cdef int i
    put_string(w, Verdict_referee_version, version, version_size)
    put_string(w, Verdict_ruleset_digest, j.digest, DIGEST_SIZE)
    for i in range(j.difference_count - 1, -1, -1):
        put_difference(w, Verdict_claim_differences, &j.differences[i])
    if j.tells_trace:
        for i in range(j.step_count - 1, -1, -1):
            put_step(w, Verdict_trace, j, i, &steps[i])
    if j.tells_state:
        put_state(w, Verdict_state, j)
    if j.status == STATUS_ILLEGAL:
        put_violation(w, Verdict_violation, j)
    else:
        put_result(w, Verdict_result, j)
    put_number(w, Verdict_status, j.status)
    put_string(w, Verdict_game_id, log.game_id, log.game_id_size)
    put_head(w, number, before)


cdef void put_violation(Writer* w, int number, const Judgement* j) noexcept nogil:
    cdef size_t before = written(w)
    cdef char message[MESSAGE_ROOM]
    cdef size_t size = explain(j, message)
    put_string(w, Violation_message, message, size)
    put_rule(w, Violation_rule, j.refusal.rule)
    put_number(w, Violation_code, j.refusal.code)
    put_seat(w, Violation_seat, j.fault_seat)
    put_seat(w, Violation_event_index, j.fault_index)
    put_head(w, number, before)


cdef void put_difference(Writer* w, int number, const Difference* d) noexcept nogil:
    cdef size_t before = written(w)
    put_decimal(w, ClaimDifference_computed, d.computed, d.computed_nobody)
    put_decimal(w, ClaimDifference_claimed, d.claimed, d.claimed_nobody)
    put_string(w, ClaimDifference_field, d.field, field_size(d.field))
    put_seat(w, ClaimDifference_seat, d.seat)
    put_head(w, number, before)


cdef size_t field_size(const char* text) noexcept nogil:
    cdef size_t size = 0
    while text[size] != 0:
        size += 1
    return size


cdef void put_decimal(Writer* w, int number, int64_t value, bint nobody) noexcept nogil:
    cdef char text[24]
    if not nobody:
        put_string(w, number, text, snprintf(text, sizeof(text), "%lld", <long long>value))


# ---- the state ----

cdef void put_state(Writer* w, int number, const Judgement* j) noexcept nogil:
    cdef const Table* t = &j.table
    cdef size_t before = written(w)
    cdef int seat
    for seat in range(t.seat_count - 1, -1, -1):
        put_seat_state(w, TableState_seats, t, seat, j.state.points[seat])
    put_number(w, TableState_announced_card, j.state.announced)
    put_number(w, TableState_target, t.target)
    put_number(w, TableState_can_be_reopened, j.state.can_be_reopened)
    put_number(w, TableState_last_discard, j.state.last_discard)
    put_number(w, TableState_stock_left, t.stock_left)
    put_number(w, TableState_leader_seat, t.leader)
    put_number(w, TableState_phase, j.state.phase)
    put_seat(w, TableState_turn_seat, j.state.turn)
    put_head(w, number, before)


cdef void put_seat_state(
    Writer* w, int number, const Table* t, int seat, int points
) noexcept nogil:
    cdef const Seat* s = &t.seats[seat]
    cdef size_t before = written(w)
    put_number(w, SeatState_lay_down_order, s.lay_down_order)
    put_number(w, SeatState_left, s.left_order != 0)
    put_number(w, SeatState_discard_count, s.counted)
    put_number(w, SeatState_points, points)
    put_cards(w, SeatState_laid_off, s.laid_off)
    put_list(w, SeatState_row, s.row, s.row_length)
    put_discards(w, SeatState_discards, t, seat)
    put_phoms(w, SeatState_laid, s.laid, s.laid_count)
    put_eaten(w, SeatState_eaten, t, seat)
    put_cards(w, SeatState_cards, s.hand)
    put_number(w, SeatState_seat, seat)
    put_head(w, number, before)


cdef void put_list(Writer* w, int number, const card_t* cards, int count) noexcept nogil:
    cdef size_t before = written(w)
    if count:
        put_bytes(w, cards, count)
        put_head(w, number, before)


cdef void put_discards(Writer* w, int number, const Table* t, int seat) noexcept nogil:
    cdef card_t cards[52]
    cdef int i, count = 0
    for i in range(t.discard_count):
        if t.discards[i].seat == seat:
            cards[count] = t.discards[i].card
            count += 1
    put_list(w, number, cards, count)


cdef void put_eaten(Writer* w, int number, const Table* t, int seat) noexcept nogil:
    cdef card_t cards[52]
    cdef int i, count = 0
    for i in range(t.eat_count):
        if t.eats[i].eater == seat:
            cards[count] = t.eats[i].card
            count += 1
    put_list(w, number, cards, count)


# ---- the result ----

cdef void put_result(Writer* w, int number, const Judgement* j) noexcept nogil:
    cdef const Table* t = &j.table
    cdef const Result* r = &j.result
    cdef size_t before = written(w)
    cdef int i
    put_number(w, GameResult_rake_total, r.rake_total)
    for i in range(r.paid_count - 1, -1, -1):
        put_payment(w, GameResult_payments, &r.paid[i])
    for i in range(t.paid_count - 1, -1, -1):
        put_payment(w, GameResult_payments, &t.paid[i])
    if t.u_seat != NOBODY:
        put_u(w, GameResult_u, t, r)
    for i in range(t.seat_count - 1, -1, -1):
        put_seat_result(w, GameResult_seats, &r.seats[i], i)
    put_head(w, number, before)


cdef void put_seat_result(
    Writer* w, int number, const SeatResult* s, int seat
) noexcept nogil:
    cdef size_t before = written(w)
    put_number(w, SeatResult_rake, s.rake)
    put_number(w, SeatResult_net, s.net)
    put_phoms(w, SeatResult_phoms, s.phoms, s.phom_count)
    put_cards(w, SeatResult_loose, s.loose)
    put_number(w, SeatResult_left, s.left)
    put_number(w, SeatResult_mom, s.mom)
    put_number(w, SeatResult_points, s.points)
    put_number(w, SeatResult_place, s.place)
    put_number(w, SeatResult_seat, seat)
    put_head(w, number, before)


cdef void put_u(Writer* w, int number, const Table* t, const Result* r) noexcept nogil:
    cdef size_t before = written(w)
    put_number(w, UResult_den_reason, r.den_reason)
    put_seat(w, UResult_den_seat, r.den_seat)
    put_phoms(w, UResult_phoms, t.u.phoms, t.u.count)
    put_number(w, UResult_kind, t.u.kind)
    put_number(w, UResult_seat, t.u_seat)
    put_head(w, number, before)


cdef void put_payment(Writer* w, int number, const Paid* paid) noexcept nogil:
    cdef size_t before = written(w)
    put_seat(w, Payment_event_index, paid.event)
    put_number(w, Payment_reason, paid.reason)
    put_number(w, Payment_amount, paid.amount)
    put_number(w, Payment_stakes, paid.stakes)
    put_number(w, Payment_to_seat, paid.taker)
    put_number(w, Payment_from_seat, paid.giver)
    put_head(w, number, before)


# ---- the trace ----

cdef void put_step(
    Writer* w, int number, const Judgement* j, int index, const Step* step
) noexcept nogil:
    """What event `index` did; if the game ended with it, with the payments of the end."""
    cdef const Table* t = &j.table
    cdef size_t before = written(w)
    cdef int i
    put_rule(w, EventTrace_rule, step.rule)
    if step.ends:
        for i in range(j.result.paid_count - 1, -1, -1):
            put_payment(w, EventTrace_payments, &j.result.paid[i])
    for i in range(step.paid_count - 1, step.paid_before - 1, -1):
        put_payment(w, EventTrace_payments, &t.paid[i])
    put_number(w, EventTrace_last_round_turn, step.last_round)
    put_number(w, EventTrace_target, step.target)
    put_number(w, EventTrace_stock_left, step.stock_left)
    put_counts(w, EventTrace_discard_counts, step.counted, t.seat_count)
    put_seat(w, EventTrace_further_turn_seat, step.shift.further_turn_seat)
    put_seat(w, EventTrace_spared_seat, step.shift.spared_seat)
    put_number(w, EventTrace_row_shifted, step.shift.happened)
    put_number(w, EventTrace_leader_seat, step.leader)
    put_seat(w, EventTrace_turn_seat, step.turn)
    put_number(w, EventTrace_phase, step.phase)
    put_number(w, EventTrace_seat, step.seat)
    put_number(w, EventTrace_event_index, index)
    put_head(w, number, before)


cdef void put_counts(Writer* w, int number, const int* counts, int count) noexcept nogil:
    cdef size_t before = written(w)
    cdef int i
    for i in range(count - 1, -1, -1):
        put_varint(w, <uint64_t>counts[i])
    put_head(w, number, before)


# ---- the live calls ----

cdef void put_check(Writer* w, const Judgement* j, const Check* check, int index) noexcept nogil:
    """The fields of a CheckActionResponse, of an action that would be event `index`."""
    if not check.legal:
        put_violation(w, CheckActionResponse_violation, j)
        return
    if j.result.finished:
        put_result(w, CheckActionResponse_result, j)
    if check.state_known:
        put_state(w, CheckActionResponse_state, j)
    put_step(w, CheckActionResponse_trace, j, index, &check.step)
    put_event(w, CheckActionResponse_event, &check.event)
    put_number(w, CheckActionResponse_legal, True)


cdef void put_options(Writer* w, const Options* options) noexcept nogil:
    """The fields of a ListLegalActionsResponse."""
    cdef int i
    put_number(w, ListLegalActionsResponse_truncated, options.truncated)
    for i in range(options.count - 1, -1, -1):
        put_action(w, ListLegalActionsResponse_actions, &options.moves[i])
    put_seat(w, ListLegalActionsResponse_seat, options.seat)


# ---- events and actions ----

cdef void put_event(Writer* w, int number, const Move* m) noexcept nogil:
    cdef size_t before = written(w)
    cdef size_t inside = written(w)
    if m.kind == DRAW:
        put_number(w, Draw_card, m.card)
        put_head(w, Event_draw, inside)
    else:
        put_kind(w, m)
    put_instant(w, Event_at, m)
    put_seat(w, Event_seat, m.seat)
    put_head(w, number, before)


cdef void put_action(Writer* w, int number, const Move* m) noexcept nogil:
    cdef size_t before = written(w)
    if m.kind == DRAW:
        put_head(w, Action_draw, before)
    else:
        put_kind(w, m)
    put_instant(w, Action_at, m)
    put_seat(w, Action_seat, m.seat)
    put_head(w, number, before)


cdef void put_kind(Writer* w, const Move* m) noexcept nogil:
    """Every kind but a draw: events and actions have the same."""
    cdef size_t before = written(w)
    if m.kind == EAT:
        put_number(w, Eat_card, m.card)
        put_head(w, Event_eat, before)
    elif m.kind == DISCARD:
        put_number(w, Discard_card, m.card)
        put_head(w, Event_discard, before)
    elif m.kind == LAY_DOWN:
        put_spans(w, LayDown_phoms, m)
        put_head(w, Event_lay_down, before)
    elif m.kind == LAY_OFF:
        put_seat(w, LayOff_phom_index, m.phom_index)
        put_seat(w, LayOff_to_seat, m.to_seat)
        put_number(w, LayOff_card, m.card)
        put_head(w, Event_lay_off, before)
    elif m.kind == DECLARE_U:
        put_number(w, DeclareU_khan, m.khan)
        put_spans(w, DeclareU_phoms, m)
        put_head(w, Event_declare_u, before)
    elif m.kind == ANNOUNCE:
        put_number(w, AnnounceCard_card, m.card)
        put_head(w, Event_announce_card, before)
    else:
        put_head(w, Event_time_out if m.kind == TIME_OUT else Event_leave, before)


cdef void put_spans(Writer* w, int number, const Move* m) noexcept nogil:
    cdef size_t before
    cdef int i
    for i in range(<int>m.phom_count - 1, -1, -1):
        before = written(w)
        put_list(w, Phom_cards, m.cards + m.phoms[i].first, m.phoms[i].count)
        put_head(w, number, before)


cdef void put_instant(Writer* w, int number, const Move* m) noexcept nogil:
    """A google.protobuf.Timestamp: seconds in field 1, nanos in field 2."""
    cdef size_t before = written(w)
    if m.at.known:
        put_number(w, 2, m.at.nanos)
        put_number(w, 1, m.at.seconds)
        put_head(w, number, before)


cdef void put_text(Writer* w, int number, bytes text):
    put_string(w, number, text, len(text))


# ---- what could not be judged ----

cdef void put_log_error(Writer* w, int number, str message, list faults):
    """A LogError; `faults` holds `(path, description)` of each field."""
    cdef size_t before = written(w), inside
    for path, text in reversed(faults):
        inside = written(w)
        put_text(w, FieldViolation_description, text.encode())
        put_text(w, FieldViolation_field, path.encode())
        put_head(w, LogError_field_violations, inside)
    put_text(w, LogError_message, message.encode())
    put_head(w, number, before)
