"""The one list of what a log must have to be a log (contract); legal or not is the table's matter.

Every fault is found, in the order of the message's fields. The texts name the field, what was
expected and what number was found, which is no valid value; no card that a player has is repeated.
"""
from libc.stdint cimport int32_t

from phom_core.cards cimport DECK_SIZE, is_card
from phom_core.contract cimport *
from phom_core.events cimport LAST_SECOND, SECOND_NANOS
from phom_core.log cimport ACTION_SLOT, CLAIM_LIMIT, EVENT_LIMIT, FAR, UNKNOWN_CARD
from phom_core.ruleset cimport FIELDS, PRICES, RULE_FIELDS, RuleField
from phom_core.table cimport (
    ANNOUNCE, DECLARE_U, DISCARD, DRAW, EAT, LAY_DOWN, LAY_OFF, MAX_SEATS, NO_KIND, NOBODY,
    Deal, Instant, Move,
)
from phom_core.ruleset import RULE_LIST

cdef enum:
    FIRST_SECOND = -62135596800     # the year 1, as google.protobuf.Timestamp has it

# In the order of Where; {i}, {j}, {k} are the fault's indices.
PATHS = (
    "game_id",
    "ruleset.house",
    "ruleset.{rule}",
    "first_seat",
    "hands",
    "hands[{i}].cards[{j}]",
    "stock[{i}]",
    "base_stake",
    "started_at",
    "opening.creator_seat",
    "opening.winner_seat",
    "opening.after_winner_seat",
    "events",
    "events[{i}].kind",
    "events[{i}].seat",
    "events[{i}].at",
    "events[{i}].draw.card",
    "events[{i}].eat.card",
    "events[{i}].discard.card",
    "events[{i}].lay_down.phoms[{j}].cards[{k}]",
    "events[{i}].lay_off.card",
    "events[{i}].lay_off.to_seat",
    "events[{i}].lay_off.phom_index",
    "events[{i}].declare_u.phoms[{j}].cards[{k}]",
    "events[{i}].declare_u.phoms",
    "events[{i}].announce_card.card",
    "claimed_result.seats[{i}].seat",
    "claimed_result.u_seat",
    "claimed_result.den_seat",
)

# In the order of Wrong.
REASONS = (
    "must be given",
    "must be a seat of this game, 0 to {last}; found {found}",
    "",                             # a card's: no_card
    "must be one of the known houses; found {found}",
    "must be {least} to {most}; found {found}",
    "must be one printable line of at most 128 characters; found {found}",
    "must be one printable line of at most 128 characters; found one that is not printable",
    "must be 2 to 4 hands, one for each seat; found {found}",
    "must be empty or exactly 3 prices; found {found}",
    "must be at most 1,024 events; found {found}",
    "must have exactly one kind of event",
    "must be a valid google.protobuf.Timestamp, of the years 1 to 9999; found {found} seconds",
    "must be a valid google.protobuf.Timestamp, 0 to 999,999,999 nanos; found {found}",
    "must be empty beside khan; found {found} phỏm",
    "must be claimed only once; found seat {found} again",
)


cdef void report(
    Faults* faults, Where where, Wrong wrong, int64_t found=0, uint32_t i=0, uint32_t j=0,
    uint32_t k=0
) noexcept nogil:
    cdef Fault* fault
    if faults.count < FAULT_LIMIT:
        fault = &faults.list[faults.count]
        fault.where = where
        fault.wrong = wrong
        fault.found = found
        fault.i = i
        fault.j = j
        fault.k = k
    faults.count += 1


cdef inline bint no_seat(const Log* log, int seat) noexcept nogil:
    """Whether a seat is none of this game; of any game, where the hands are at fault."""
    return seat >= seats_of(log)


cdef inline int seats_of(const Log* log) noexcept nogil:
    return <int>log.hand_count if 2 <= log.hand_count <= MAX_SEATS else MAX_SEATS


cdef void report_seat(
    const Log* log, int seat, Where where, Faults* faults, uint32_t i=0
) noexcept nogil:
    """Of a seat that must be given."""
    if seat == NOBODY:
        report(faults, where, NOT_GIVEN, 0, i)
    else:
        report_given_seat(log, seat, where, faults, i)


cdef inline void report_given_seat(
    const Log* log, int seat, Where where, Faults* faults, uint32_t i=0
) noexcept nogil:
    if no_seat(log, seat):
        report(faults, where, NO_SUCH_SEAT, seat, i)


cdef inline void report_time(
    const Instant* at, Where where, Faults* faults, uint32_t i=0
) noexcept nogil:
    if not at.known:
        return
    if not FIRST_SECOND <= at.seconds <= LAST_SECOND:
        report(faults, where, NO_VALID_SECONDS, at.seconds, i)
    elif not 0 <= at.nanos < SECOND_NANOS:
        report(faults, where, NO_VALID_NANOS, at.nanos, i)


cdef inline void report_card(
    card_t code, Where where, Faults* faults, uint32_t i, uint32_t j=0, uint32_t k=0
) noexcept nogil:
    """Of a card that must be given."""
    if not is_card(code):
        report(faults, where, NO_SUCH_CARD, code, i, j, k)


cdef void validate_log(const Log* log, Faults* faults) noexcept nogil:
    """Put every fault of the log into `faults`, anew; none: it can be judged."""
    cdef uint32_t i
    faults.count = 0
    faults.seats = seats_of(log)
    if log.game_id_size > 0:
        validate_game_id(log.game_id, log.game_id_size, faults)
    validate_ruleset(log, faults)
    report_seat(log, log.deal.first_seat, AT_FIRST_SEAT, faults)
    validate_deal(log, faults)
    if log.deal.base_stake < 0 or log.deal.base_stake > STAKE_LIMIT:
        report(faults, AT_BASE_STAKE, OUT_OF_RANGE, log.deal.base_stake)
    report_time(&log.deal.started_at, AT_STARTED_AT, faults)
    report_given_seat(log, log.deal.creator_seat, AT_CREATOR_SEAT, faults)
    report_given_seat(log, log.deal.winner_seat, AT_WINNER_SEAT, faults)
    report_given_seat(log, log.deal.after_winner_seat, AT_AFTER_WINNER_SEAT, faults)
    if log.event_count > EVENT_LIMIT:
        report(faults, AT_EVENTS, TOO_MANY_EVENTS, log.event_count)
    if no_seat(log, log.greatest_plain_seat):
        for i in range(min(log.event_count, <uint32_t>EVENT_LIMIT)):
            validate_move(log, i, faults)
    else:
        for i in range(log.rare_count):
            validate_move(log, log.rare[i], faults)
    validate_claims(log, faults)


cdef void validate_game_id(const char* text, size_t size, Faults* faults) noexcept nogil:
    cdef size_t i
    for i in range(size):
        if <unsigned char>text[i] < 0x20 or <unsigned char>text[i] >= 0x7F:
            validate_unicode_id(text, size, faults)
            return
    if size > GAME_ID_LIMIT:
        report(faults, AT_GAME_ID, TOO_LONG_A_LINE, size)


cdef void validate_unicode_id(const char* text, size_t size, Faults* faults) noexcept with gil:
    """What is printable is Unicode's matter; the bytes are UTF-8, which the reader has seen to."""
    line = text[:size].decode("utf-8")
    if not line.isprintable():
        report(faults, AT_GAME_ID, NOT_PRINTABLE)
    elif len(line) > GAME_ID_LIMIT:
        report(faults, AT_GAME_ID, TOO_LONG_A_LINE, len(line))


cdef void validate_ruleset(const Log* log, Faults* faults) noexcept nogil:
    cdef const RuleField* field
    cdef uint32_t i, k, given, value
    if log.overrides.house == HOUSE_UNSPECIFIED:
        report(faults, AT_HOUSE, NOT_GIVEN)
    elif log.overrides.house >= House_SIZE:
        report(faults, AT_HOUSE, NO_SUCH_HOUSE, log.overrides.house)
    if not log.overrides.any:
        return
    for i in range(<uint32_t>RULE_FIELDS):
        field = &FIELDS[i]
        given = log.overrides.given[field.slot]
        if given and given != <uint32_t>field.slots:
            report(faults, AT_RULE, NOT_THREE_PRICES, given, i)
            continue
        for k in range(given):
            value = log.overrides.value[field.slot + k]
            if value < field.least or value > field.most:
                report(faults, AT_RULE, OUT_OF_RANGE, value, i, k)


cdef void validate_deal(const Log* log, Faults* faults) noexcept nogil:
    cdef const Deal* d = &log.deal
    cdef uint32_t i, k
    if log.hand_count < 2 or log.hand_count > MAX_SEATS:
        report(faults, AT_HANDS, NOT_TWO_TO_FOUR, log.hand_count)
    if d.all_different:
        return
    for i in range(<uint32_t>d.seats):
        for k in range(min(d.hand_sizes[i], <uint32_t>DECK_SIZE)):
            report_card(d.hands[i][k], AT_HAND_CARD, faults, i, k)
    for i in range(min(d.stock_size, <uint32_t>(DECK_SIZE + 1))):
        report_card(d.stock[i], AT_STOCK_CARD, faults, i)


cdef void validate_action(const Log* log, Faults* faults) noexcept nogil:
    validate_move(log, ACTION_SLOT, faults)


cdef void validate_move(const Log* log, uint32_t i, Faults* faults) noexcept nogil:
    cdef const Move* m = &log.moves[i]
    report_seat(log, m.seat, AT_EVENT_SEAT, faults, i)
    report_time(&m.at, AT_EVENT_TIME, faults, i)
    if m.kind == NO_KIND:
        report(faults, AT_EVENT, NO_KIND_GIVEN, 0, i)
    elif m.kind == DRAW:
        if m.card != 0 or i != ACTION_SLOT:
            report_card(m.card, AT_DRAW_CARD, faults, i)
    elif m.kind == EAT:
        if m.card != 0:
            report_card(m.card, AT_EAT_CARD, faults, i)
    elif m.kind == DISCARD:
        report_card(m.card, AT_DISCARD_CARD, faults, i)
    elif m.kind == ANNOUNCE:
        report_card(m.card, AT_ANNOUNCED_CARD, faults, i)
    elif m.kind == LAY_DOWN:
        validate_phoms(m, i, AT_LAID_CARD, faults)
    elif m.kind == DECLARE_U:
        validate_phoms(m, i, AT_U_CARD, faults)
        if m.khan and m.phom_count > 0:
            report(faults, AT_U_PHOMS, PHOMS_BESIDE_KHAN, m.phom_count, i)
    elif m.kind == LAY_OFF:
        report_card(m.card, AT_LAID_OFF_CARD, faults, i)
        report_seat(log, m.to_seat, AT_TO_SEAT, faults, i)
        if m.phom_index == NOBODY:
            report(faults, AT_PHOM_INDEX, NOT_GIVEN, 0, i)


cdef void validate_phoms(const Move* m, uint32_t i, Where where, Faults* faults) noexcept nogil:
    cdef uint32_t j, k
    for j in range(m.phom_count):
        for k in range(m.phoms[j].count):
            report_card(m.cards[m.phoms[j].first + k], where, faults, i, j, k)


cdef void validate_claims(const Log* log, Faults* faults) noexcept nogil:
    cdef uint32_t i, k
    for i in range(min(log.claims.seat_count, <uint32_t>CLAIM_LIMIT)):
        report_seat(log, log.claims.seats[i].seat, AT_CLAIM_SEAT, faults, i)
        for k in range(i):
            if log.claims.seats[k].seat == log.claims.seats[i].seat != NOBODY:
                report(faults, AT_CLAIM_SEAT, CLAIMED_TWICE, log.claims.seats[i].seat, i)
                break
    report_given_seat(log, log.claims.u_seat, AT_CLAIM_U_SEAT, faults)
    report_given_seat(log, log.claims.den_seat, AT_CLAIM_DEN_SEAT, faults)


# ---- texts ----

cdef list fault_texts(const Faults* faults, str log_path):
    """`(field path, description)` of each fault; `log_path` is the log's own, as "log"."""
    cdef uint32_t i
    cdef uint32_t listed = min(faults.count, <uint32_t>FAULT_LIMIT)
    texts = [fault_text(&faults.list[i], log_path, faults.seats - 1) for i in range(listed)]
    if faults.count > FAULT_LIMIT:
        texts.append((log_path, f"has {faults.count - FAULT_LIMIT} more faults like these"))
    return texts


cdef tuple fault_text(const Fault* fault, str log_path, int last_seat):
    path = PATHS[<int>fault.where]
    rule = RULE_LIST[fault.i][0] if fault.where == AT_RULE else ""
    if fault.i == ACTION_SLOT and path.startswith("events[{i}]"):
        path = path.removeprefix("events[{i}]").removeprefix(".")
        log_path = log_path.removesuffix("log") + "action"
    path = path.format(i=fault.i, j=fault.j, k=fault.k, rule=rule)
    if fault.where == AT_RULE and FIELDS[fault.i].slots == PRICES and fault.wrong == OUT_OF_RANGE:
        path += f"[{fault.j}]"
    return f"{log_path}.{path}".removesuffix("."), reason_text(fault, last_seat)


cdef str reason_text(const Fault* fault, int last_seat):
    """What was expected, and what was found where that is a number."""
    least, most, found = 0, STAKE_LIMIT, f"{fault.found:,}"
    if fault.wrong == NO_SUCH_CARD:
        return no_card(<card_t>fault.found)
    if fault.where == AT_RULE:
        name, _, holds, least, most = RULE_LIST[fault.i]
        if isinstance(holds, tuple):
            return no_value(name.upper(), holds, <int32_t>fault.found)
    elif (fault.wrong == NO_SUCH_SEAT or fault.wrong == NO_SUCH_HOUSE) and fault.found == FAR:
        found += " or more"
    elif fault.wrong == TOO_LONG_A_LINE:
        found += " characters"
    return REASONS[<int>fault.wrong].format(
        least=f"{least:,}", most=f"{most:,}", last=last_seat, found=found)


cdef str no_value(str field, tuple values, int32_t found):
    """Of a field of the ruleset that holds an enum, whose values have the field's name."""
    known = ", ".join([f"{field}_{value}" for value in values])
    return f"must be one of {known}; found {found or field + '_UNSPECIFIED'}"


cdef str no_card(card_t code):
    found = "CARD_UNSPECIFIED" if code == 0 else str(code)
    if code == UNKNOWN_CARD:
        found += " or more"
    return f"must be a card, CARD_AS to CARD_KH; found {found}"
