"""What each field of rules 8 is called, holds, and may be: the one list that decoding, validating,
the digest and the listing of rulesets share."""
from phom_core.contract cimport *

cdef str NUMBER = "number"       # printed as it is
cdef str SWITCH = "switch"       # true or false
cdef str LIST = "list"           # three prices

cdef enum:
    PRICE_LIMIT = 100000
    DAY = 86400

NO_LIMIT = 2**32 - 1             # but the width of the field

# Name, field number, what it holds (an enum: its values from 1 on), the least and the most.
RULE_LIST = (
    ("rounds", Ruleset_rounds, NUMBER, 1, 4),
    ("row_shift", Ruleset_row_shift, SWITCH, 0, 1),
    ("after_final_discard", Ruleset_after_final_discard,
     ("CLOSED", "EAT_REOPENS", "EXTRA_ROUND"), 1, 3),
    ("lay_off", Ruleset_lay_off, SWITCH, 0, 1),
    ("lay_off_before_lay_down", Ruleset_lay_off_before_lay_down, SWITCH, 0, 1),
    ("u_by_lay_off", Ruleset_u_by_lay_off, SWITCH, 0, 1),
    ("u_khan", Ruleset_u_khan, SWITCH, 0, 1),
    ("announced_card_binds", Ruleset_announced_card_binds, SWITCH, 0, 1),
    ("turn_seconds", Ruleset_turn_seconds, NUMBER, 0, DAY),
    ("turn_grace_ms", Ruleset_turn_grace_ms, NUMBER, 0, NO_LIMIT),
    ("opening", Ruleset_opening, ("ANY", "CREATOR_THEN_WINNER"), 1, 2),
    ("eat_payment", Ruleset_eat_payment, LIST, 0, PRICE_LIMIT),
    ("chot", Ruleset_chot, ("NONE", "FINAL_ROUND", "LAST_OF_ROUND_3"), 1, 3),
    ("chot_payment", Ruleset_chot_payment, NUMBER, 0, PRICE_LIMIT),
    ("place_payment", Ruleset_place_payment, LIST, 0, PRICE_LIMIT),
    ("mom_payment", Ruleset_mom_payment, NUMBER, 0, PRICE_LIMIT),
    ("u_payment", Ruleset_u_payment, NUMBER, 0, PRICE_LIMIT),
    ("u_tron_payment", Ruleset_u_tron_payment, NUMBER, 0, PRICE_LIMIT),
    ("u_khan_payment", Ruleset_u_khan_payment, NUMBER, 0, PRICE_LIMIT),
    ("den_three_eaten", Ruleset_den_three_eaten, SWITCH, 0, 1),
    ("den_last_round", Ruleset_den_last_round, ("NONE", "ANY_U", "AFTER_LAY_DOWN"), 1, 3),
    ("den_ate_this_turn", Ruleset_den_ate_this_turn, SWITCH, 0, 1),
    ("tie_break", Ruleset_tie_break, ("FIRST_LAID", "LAST_DISCARD"), 1, 2),
    ("all_mom", Ruleset_all_mom, ("LOWEST_POINTS", "FIRST_MOM"), 1, 2),
    ("rake_bps", Ruleset_rake_bps, NUMBER, 0, 10000),
)


cdef int fill_fields() except -1:
    cdef int slot = 0, i
    for i in range(FIELD_NUMBERS):
        FIELD_OF_NUMBER[i] = -1
    for i, (_, number, holds, least, most) in enumerate(RULE_LIST):
        FIELDS[i].number = number
        FIELDS[i].slot = slot
        FIELDS[i].slots = PRICES if holds is LIST else 1
        FIELDS[i].least = least
        FIELDS[i].most = most
        FIELD_OF_NUMBER[<int>number] = i
        slot += FIELDS[i].slots
    return slot


if fill_fields() != RULE_SLOTS or sizeof(Rules) != RULE_SLOTS * sizeof(uint32_t):
    raise ImportError("the list of rule fields and the struct Rules have come apart")


cdef void override(Rules* rules, const Overrides* overrides) noexcept nogil:
    """Put the fields that are given in the place of the house's (rules 8)."""
    cdef int i, k, slot
    for i in range(RULE_FIELDS):
        slot = FIELDS[i].slot
        if overrides.given[slot]:
            for k in range(slot, slot + FIELDS[i].slots):
                slots(rules)[k] = overrides.value[k]


cdef bint is_complete(const Overrides* overrides) noexcept nogil:
    """Whether every field is given, as a house's are."""
    cdef int i
    for i in range(RULE_FIELDS):
        if not overrides.given[FIELDS[i].slot]:
            return False
    return True


cdef str rules_text(const Rules* rules):
    """The `field=value` lines that the digest is made of, in the order of rules 8."""
    cdef const uint32_t* value = <const uint32_t*>rules
    lines = []
    for name, _, holds, _, _ in RULE_LIST:
        if holds is LIST:
            text = ",".join([str(value[i]) for i in range(PRICES)])
            value += PRICES - 1
        elif holds is SWITCH:
            text = "true" if value[0] else "false"
        elif holds is NUMBER:
            text = str(value[0])
        else:
            text = holds[value[0] - 1]
        value += 1
        lines.append(f"{name}={text}\n")
    return "".join(lines)
