"""The effective rules of one game: the fields of rules 8, in their order.

Every field is a 32-bit number, so that code which treats all fields alike (decoding, overriding,
the digest) may walk the struct as an array of RULE_SLOTS numbers. Enums hold the contract's
values. Prices are in stakes.
"""
from libc.stdint cimport uint32_t

cdef enum:
    RULE_FIELDS = 25
    RULE_SLOTS = 29       # the two price lists take three each
    PRICES = 3            # numbers in a price list

cdef struct Rules:
    uint32_t rounds
    uint32_t row_shift
    uint32_t after_final_discard
    uint32_t lay_off
    uint32_t lay_off_before_lay_down
    uint32_t u_by_lay_off
    uint32_t u_khan
    uint32_t announced_card_binds
    uint32_t turn_seconds
    uint32_t turn_grace_ms
    uint32_t opening
    uint32_t eat_payment[PRICES]
    uint32_t chot
    uint32_t chot_payment
    uint32_t place_payment[PRICES]
    uint32_t mom_payment
    uint32_t u_payment
    uint32_t u_tron_payment
    uint32_t u_khan_payment
    uint32_t den_three_eaten
    uint32_t den_last_round
    uint32_t den_ate_this_turn
    uint32_t tie_break
    uint32_t all_mom
    uint32_t rake_bps

# Fields of a ruleset that are present override those of the house.
cdef struct Overrides:
    int house
    bint any                       # whether any field is given
    uint32_t value[RULE_SLOTS]
    uint32_t given[RULE_SLOTS]     # how many numbers each field has, at the field's first slot

# How a field stands in the contract's Ruleset, and what it may be.
cdef struct RuleField:
    int number            # of the message's field
    int slot              # where its numbers begin in Rules
    int slots             # 1, or PRICES
    uint32_t least
    uint32_t most

cdef enum:
    FIELD_NUMBERS = 32    # more than the highest field number of a Ruleset

cdef RuleField FIELDS[RULE_FIELDS]
cdef int FIELD_OF_NUMBER[FIELD_NUMBERS]    # index in FIELDS; -1: no rule


cdef inline uint32_t* slots(Rules* rules) noexcept nogil:
    return <uint32_t*>rules


cdef void override(Rules* rules, const Overrides* overrides) noexcept nogil
cdef bint is_complete(const Overrides* overrides) noexcept nogil
cdef str rules_text(const Rules* rules)
