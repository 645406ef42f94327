"""The table of one game and the moves on it: layout and signatures; the laws are in table.pyx."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from phom_core.cards cimport DECK_SIZE, card_t, mask_t
from phom_core.ruleset cimport Rules
from phom_core.u cimport LAID_LIMIT, UFound

cdef enum:
    MAX_SEATS = 4
    NOBODY = -1
    EAT_LIMIT = 12        # three cards eaten and held by each of four seats (1.5)
    PAYMENT_LIMIT = 15    # every eat, and three losers

# The section of the rules that a check stands for, "4.2" as 42.
cdef enum Rule:
    RULE_1_2 = 12
    RULE_1_5 = 15
    RULE_2_1 = 21
    RULE_2_2 = 22
    RULE_2_3 = 23
    RULE_3_1 = 31
    RULE_3_5 = 35
    RULE_3_6 = 36
    RULE_3_7 = 37
    RULE_3_8 = 38
    RULE_3_9 = 39
    RULE_4_1 = 41
    RULE_4_2 = 42
    RULE_4_3 = 43
    RULE_5_1 = 51
    RULE_5_2 = 52
    RULE_5_3 = 53
    RULE_5_4 = 54
    RULE_5_5 = 55
    RULE_5_6 = 56
    RULE_6_1 = 61
    RULE_6_2 = 62
    RULE_6_4 = 64
    RULE_6_5 = 65
    RULE_6_6 = 66

# Why a move is refused.
cdef struct Refusal:
    int code                 # the contract's ViolationCode; 0: it is not
    Rule rule

# The kinds of event, in the contract's order.
cdef enum Kind:
    NO_KIND
    DRAW
    EAT
    DISCARD
    LAY_DOWN
    LAY_OFF
    DECLARE_U
    ANNOUNCE
    TIME_OUT
    LEAVE

cdef enum Phase:
    TAKE      # the seat to move draws or eats; of an ended game: its eat could reopen it
    ACT       # it has its card, or needs none
    OVER      # nothing can follow

cdef enum Ending:
    NOT_ENDED
    ENDED_BY_U              # 6.6
    ENDED_ALONE             # 3.5: all but one have left
    ENDED_BY_ROUNDS         # 3.5
    ENDED_AT_EMPTY_STOCK    # 3.6: until an eat comes

# A point in time, or none: 16 bytes, which are copied in one go.
cdef struct Instant:
    int64_t seconds
    int32_t nanos
    bint known

# A phom as a caller wrote it: `count` of the move's cards, from `first` on.
cdef struct Span:
    uint32_t first
    uint32_t count

# An event, or an action that is asked for.
cdef struct Move:
    Kind kind
    int seat
    card_t card              # 0: not named (eat; the draw of an action)
    bint khan
    int to_seat
    int phom_index
    const Span* phoms
    const card_t* cards      # the cards that the spans index
    uint32_t phom_count
    Instant at

# What the log says was dealt. A list may be longer than its array: then it is not legal anyway.
cdef struct Deal:
    int seats
    int first_seat
    card_t hands[MAX_SEATS][DECK_SIZE]
    uint32_t hand_sizes[MAX_SEATS]
    card_t stock[DECK_SIZE + 1]
    uint32_t stock_size      # 0: the order is not known (2.2)
    mask_t hand_sets[MAX_SEATS]      # the same cards as sets, as gather_deal has found them
    bint all_different       # all these are cards, and none is there twice
    int64_t base_stake       # 0: 1 (7.4)
    Instant started_at
    uint32_t game_number     # 0: not known
    int creator_seat
    int winner_seat
    int after_winner_seat

# A card that was dealt twice. The places are the hands of the seats, and after them the stock.
cdef struct Duplicate:
    card_t card
    int first
    int second               # the same place, or a later one

cdef struct Seat:
    mask_t hand              # the unlaid cards
    mask_t eaten             # the eaten cards among them
    mask_t laid[LAID_LIMIT]  # with the cards that others added
    int laid_count
    mask_t laid_off          # cards that it added to others' phom
    int counted              # d of rules 3
    int turns                # how often it has had the turn
    int last_discard         # its place among all discards, from 1; 0: none yet
    int lay_down_order       # from 1; 0: no lay-down time yet (5.2)
    int lay_down_turn        # the turn of that time
    int left_order           # from 1; 0: still in
    card_t row[DECK_SIZE]    # what lies before it (3.3)
    int row_length

cdef struct Discarded:
    card_t card
    uint8_t seat

cdef struct Eaten:
    int event
    int turn
    card_t card
    int giver
    int eater
    bint last_round          # the card was discarded in a last-round turn

cdef struct Paid:
    int giver
    int taker
    uint32_t stakes
    int64_t amount           # in the caller's unit
    uint32_t reason          # the contract's PaymentReason
    int event                # NOBODY: the end of the game

# What the last move did to the rows (3.3).
cdef struct Shift:
    bint happened
    int spared_seat          # ne ha: the leader whose lay-down turn is put off
    int further_turn_seat    # the leader that has laid down and plays again

cdef struct Table:
    Rules rules
    int64_t stake            # the worth of one stake, at least 1 (7.4)
    int seat_count
    Seat seats[MAX_SEATS]
    mask_t seen              # dealt or drawn
    const card_t* stock      # the deal's, in the order drawn; it outlives the table
    bint stock_known
    int stock_left
    int stock_drawn
    Phase phase
    Ending ending
    int turn                 # the seat to move
    int leader
    int target
    int moves                # how many have been made
    int turn_number          # from 1
    bint last_round          # the turn is a last-round turn (3.4); known from its take on
    bint without_take        # the first seat's first turn
    bint laid_down           # in this turn
    card_t announced         # in this turn; 0: none
    card_t last_discard      # 0: nothing can be eaten
    int giver                # whose discard it is
    bint last_discard_chot
    bint last_discard_last_round
    Instant latest           # the last time that a move carried
    Instant opened           # when the turn opened
    Instant taken            # when its card was taken
    bint untimed             # a timeout has lifted the limit of this turn
    int left_count
    int lay_down_count
    int gave[MAX_SEATS][MAX_SEATS]   # giver, eater
    Discarded discards[DECK_SIZE]
    int discard_count
    Eaten eats[EAT_LIMIT]
    int eat_count
    Paid paid[PAYMENT_LIMIT]
    int paid_count
    Shift shift
    int u_seat               # NOBODY: no u
    UFound u

cdef void gather_deal(Deal* d) noexcept nogil
cdef bint find_duplicate(const Deal* d, Duplicate* found) noexcept nogil
cdef Refusal deal(Table* t, const Rules* rules, const Deal* d, int* fault_seat) noexcept nogil
cdef Refusal check(const Table* t, const Move* m) noexcept nogil
cdef Refusal make(Table* t, const Move* m) noexcept nogil
cdef bint can_be_reopened(const Table* t) noexcept nogil
cdef Rule rule_of(const Table* t, const Move* m) noexcept nogil


cdef inline void fill_payment(
    Paid* paid, const Table* t, int giver, int taker, uint32_t stakes, uint32_t reason, int event
) noexcept nogil:
    """A payment of so many stakes, in the caller's unit too (7.4)."""
    paid.giver = giver
    paid.taker = taker
    paid.stakes = stakes
    paid.amount = stakes * t.stake
    paid.reason = reason
    paid.event = event


cdef inline bint is_in(const Table* t, int seat) noexcept nogil:
    return t.seats[seat].left_order == 0


cdef inline int seats_in(const Table* t) noexcept nogil:
    return t.seat_count - t.left_count
