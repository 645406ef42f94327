"""The table: every transition of the game, and nothing else decides what is legal.

Laws:
1. `check` looks and changes nothing; `make` is `check`, and, where it finds nothing, the change.
   So an illegal move changes nothing.
2. A refusal is one code and the section of the rules that it breaks. Where several rules fail, the
   first in the contract's order is named; the checks of a function stand in that order.
3. Phases: a turn opens in TAKE (the first seat's first in ACT, since it needs no card), a draw or
   an eat leads to ACT, a discard to the next seat's TAKE.

       TAKE -- draw, eat --> ACT -- discard --> TAKE of the next seat
        |                     |                   `-- the end; TAKE, if an eat may reopen it
        `------ u khan -------+-- u, an emptied hand --> OVER

   A timeout and a leaving are possible in both; leaving in its turn opens the next seat's.
4. A seat whose turn it is has, after its take, ten cards: unlaid, laid, and laid off (6.1).
"""
from libc.string cimport memset

from phom_core.arrange cimport keeps_eaten
from phom_core.cards cimport count_cards, mask_of, mask_of_all
from phom_core.contract cimport *
from phom_core.phom cimport has_ca, has_phom, is_phom, makes_phom
from phom_core.ruleset cimport PRICES
from phom_core.u cimport add_to_laid, lay_out


cdef inline Refusal refuse(int code, Rule rule) noexcept nogil:
    cdef Refusal refusal
    refusal.code = code
    refusal.rule = rule
    return refusal


cdef inline Refusal legal() noexcept nogil:
    cdef Refusal refusal
    refusal.code = 0
    refusal.rule = <Rule>0
    return refusal


# ---- the deal and the opening (rules 2) ----

cdef void gather_deal(Deal* d) noexcept nogil:
    """Make sets of the lists that were dealt, once for all who look at them."""
    cdef uint32_t count = kept_of(d, d.seats)
    cdef mask_t cards = mask_of_all(d.stock, count)
    cdef int seat
    for seat in range(d.seats):
        d.hand_sets[seat] = mask_of_all(d.hands[seat], kept_of(d, seat))
        cards |= d.hand_sets[seat]
        count += kept_of(d, seat)
    d.all_different = <uint32_t>count_cards(cards) == count


cdef inline uint32_t kept_of(const Deal* d, int place) noexcept nogil:
    """How many cards of a hand, or of the stock (place `seats`), are in its array."""
    if place == d.seats:
        return min(d.stock_size, <uint32_t>(DECK_SIZE + 1))
    return min(d.hand_sizes[place], <uint32_t>DECK_SIZE)


cdef Refusal deal(Table* t, const Rules* rules, const Deal* d, int* fault_seat) noexcept nogil:
    """Lay out the table as dealt; `fault_seat` is whose hand is at fault, or NOBODY.

    Also after a refusal the table shows what was dealt, a card dealt twice in each hand.
    """
    cdef Refusal fault = check_deal(rules, d, fault_seat)
    cdef int seat
    t.rules = rules[0]
    t.stake = d.base_stake if d.base_stake > 0 else 1                               # 7.4
    t.seat_count = d.seats
    t.seen = 0
    for seat in range(d.seats):
        clear_seat(&t.seats[seat])
        t.seats[seat].hand = d.hand_sets[seat]
        t.seen |= t.seats[seat].hand
    memset(t.gave, 0, sizeof(t.gave))
    t.stock_known = d.stock_size > 0
    t.stock_left = DECK_SIZE - 9 * d.seats - 1      # 2.1
    t.stock = &d.stock[0]
    t.stock_drawn = 0
    t.ending = NOT_ENDED
    t.leader = d.first_seat
    t.target = rules.rounds
    t.moves = 0
    t.turn_number = 0
    t.left_count = 0
    t.lay_down_count = 0
    t.last_discard = 0
    t.giver = NOBODY
    t.discard_count = 0
    t.eat_count = 0
    t.paid_count = 0
    t.shift = no_shift()
    t.u_seat = NOBODY
    t.latest = d.started_at
    open_turn(t, d.first_seat, d.started_at)
    t.phase = ACT                                   # 3.1: no take
    t.without_take = True
    t.last_round = is_last_round(t, d.first_seat)
    return fault


cdef void clear_seat(Seat* s) noexcept nogil:
    s.hand = 0
    s.eaten = 0
    s.laid_count = 0
    s.laid_off = 0
    s.counted = 0
    s.turns = 0
    s.last_discard = 0
    s.lay_down_order = 0
    s.lay_down_turn = 0
    s.left_order = 0
    s.row_length = 0


cdef Refusal check_deal(const Rules* rules, const Deal* d, int* fault_seat) noexcept nogil:
    cdef Duplicate twice
    cdef int seat, opener
    for seat in range(d.seats):
        fault_seat[0] = seat
        if d.hand_sizes[seat] != <uint32_t>(10 if seat == d.first_seat else 9):     # 2.1
            return refuse(VIOLATION_CODE_DEAL_HAND_SIZE, RULE_2_1)
    fault_seat[0] = NOBODY
    if not d.all_different and find_duplicate(d, &twice):
        if twice.second == d.seats:                                                 # 2.2
            return refuse(VIOLATION_CODE_DEAL_DUPLICATE_CARD, RULE_2_2)
        fault_seat[0] = twice.second                                                # 2.1
        return refuse(VIOLATION_CODE_DEAL_DUPLICATE_CARD, RULE_2_1)
    if d.stock_size != 0 and d.stock_size != <uint32_t>(DECK_SIZE - 9 * d.seats - 1):   # 2.1
        return refuse(VIOLATION_CODE_DEAL_STOCK, RULE_2_1)
    opener = opening_seat(rules, d)
    if opener != NOBODY and opener != d.first_seat:                                 # 2.3
        fault_seat[0] = d.first_seat
        return refuse(VIOLATION_CODE_OPENING_SEAT, RULE_2_3)
    return legal()


cdef bint find_duplicate(const Deal* d, Duplicate* found) noexcept nogil:
    """The first card that lies in a second place, or twice in one; False if there is none."""
    cdef mask_t seen[MAX_SEATS + 1]      # in each place so far
    cdef const card_t* cards
    cdef uint32_t k
    for found.second in range(d.seats + 1):
        seen[found.second] = 0
        cards = &d.stock[0] if found.second == d.seats else &d.hands[found.second][0]
        for k in range(kept_of(d, found.second)):
            found.card = cards[k]
            for found.first in range(found.second + 1):
                if seen[found.first] & mask_of(found.card):
                    return True
            seen[found.second] |= mask_of(found.card)
    return False


cdef int opening_seat(const Rules* rules, const Deal* d) noexcept nogil:
    """Who has to begin, as far as the facts that are given say it (2.3); else NOBODY."""
    if rules.opening != OPENING_CREATOR_THEN_WINNER or d.game_number == 0:
        return NOBODY
    if d.game_number == 1:
        return d.creator_seat
    return d.winner_seat if d.winner_seat != NOBODY else d.after_winner_seat


# ---- what holds for every move (rules 3) ----

cdef Refusal check(const Table* t, const Move* m) noexcept nogil:
    """Whether the move is legal now; changes nothing."""
    return check_move(t, m)


cdef inline Refusal check_move(const Table* t, const Move* m) noexcept nogil:
    cdef Refusal fault = check_turn(t, m)
    if fault.code:
        return fault
    if m.at.known:
        fault = check_time(t, m)
        if fault.code:
            return fault
    if m.kind == DRAW:
        fault = check_draw(t, m)
    elif m.kind == EAT:
        fault = check_eat(t, m)
    elif m.kind == DISCARD:
        fault = check_discard(t, m.seat, m.card, t.announced)
    elif m.kind == LAY_DOWN:
        fault = check_lay_down(t, m)
    elif m.kind == LAY_OFF:
        fault = check_lay_off(t, m)
    elif m.kind == DECLARE_U:
        fault = check_khan(t, m) if m.khan else check_u(t, m)
    elif m.kind == ANNOUNCE:
        fault = check_announce(t, m)
    return fault


cdef Refusal make(Table* t, const Move* m) noexcept nogil:
    """Make the move if it is legal, and say why if it is not."""
    cdef Refusal fault = check_move(t, m)
    if fault.code:
        return fault
    if t.shift.happened:
        t.shift = no_shift()
    if m.kind == DRAW:
        do_draw(t, m)
    elif m.kind == EAT:
        do_eat(t, m)
    elif m.kind == DISCARD:
        do_discard(t, m)
    elif m.kind == LAY_DOWN:
        do_lay_down(t, m)
    elif m.kind == LAY_OFF:
        do_lay_off(t, m)
    elif m.kind == DECLARE_U:
        do_declare_u(t, m)
    elif m.kind == ANNOUNCE:
        t.announced = m.card
    elif m.kind == TIME_OUT:
        t.untimed = True
    elif m.kind == LEAVE:
        do_leave(t, m)
    if m.at.known:
        t.latest = m.at
    t.moves += 1
    return fault


cdef Refusal check_turn(const Table* t, const Move* m) noexcept nogil:
    """Whether this seat may make this kind of move now."""
    if t.ending != NOT_ENDED and not may_reopen(t, m):
        return game_over(t, m)
    if m.seat != t.turn:                    # the seat whose turn it is has not left
        if not is_in(t, m.seat):                                                    # 3.7
            return refuse(VIOLATION_CODE_SEAT_HAS_LEFT, RULE_3_7)
        if m.kind != LEAVE:                                                         # 3.1
            return refuse(VIOLATION_CODE_NOT_YOUR_TURN, RULE_3_1)
    if m.kind == DRAW or m.kind == EAT:
        if t.phase != TAKE:                                                         # 3.1
            return refuse(VIOLATION_CODE_WRONG_PHASE, RULE_3_1)
    elif t.phase != ACT and m.kind != TIME_OUT and m.kind != LEAVE:
        if m.kind != DECLARE_U:                                                     # 3.1
            return refuse(VIOLATION_CODE_WRONG_PHASE, RULE_3_1)
        if not m.khan:                          # khan comes before the take: 6.5   # 6.1
            return refuse(VIOLATION_CODE_WRONG_PHASE, RULE_6_1)
    return legal()


cdef bint may_reopen(const Table* t, const Move* m) noexcept nogil:
    """Whether this is the next seat's eat of a last discard that is still there (3.5, 3.6)."""
    return m.kind == EAT and t.phase == TAKE and m.seat == t.turn and t.last_discard != 0


cdef Refusal game_over(const Table* t, const Move* m) noexcept nogil:
    if t.ending == ENDED_BY_U:                                                      # 6.6
        return refuse(VIOLATION_CODE_GAME_OVER, RULE_6_6)
    if t.ending == ENDED_AT_EMPTY_STOCK and m.kind == DRAW and m.seat == t.turn:    # 3.6
        return refuse(VIOLATION_CODE_STOCK_EMPTY, RULE_3_6)
    if t.ending == ENDED_AT_EMPTY_STOCK:                                            # 3.6
        return refuse(VIOLATION_CODE_GAME_OVER, RULE_3_6)
    # By rounds, or with one seat left: 3.5
    return refuse(VIOLATION_CODE_GAME_OVER, RULE_3_5)


cdef Refusal check_time(const Table* t, const Move* m) noexcept nogil:
    """The clock of a move that carries a time, where what it is measured from does too (3.8)."""
    if t.latest.known and elapsed_exceeds(m.at, t.latest, 0):                       # 3.8
        return refuse(VIOLATION_CODE_TIME_RUNS_BACK, RULE_3_8)
    if m.kind == LEAVE or t.rules.turn_seconds == 0 or t.untimed:
        return legal()
    cdef bint from_take = t.phase == ACT and t.last_round and not t.without_take
    cdef Instant since = t.taken if from_take else t.opened
    if not since.known:
        return legal()
    cdef int64_t limit = <int64_t>t.rules.turn_seconds * 1000 + t.rules.turn_grace_ms
    cdef bint late = elapsed_exceeds(since, m.at, limit)
    if late and m.kind != TIME_OUT:                                                 # 3.8
        return refuse(VIOLATION_CODE_TURN_TIME_EXCEEDED, RULE_3_8)
    if not late and m.kind == TIME_OUT:                                             # 3.8
        return refuse(VIOLATION_CODE_TIME_OUT_TOO_EARLY, RULE_3_8)
    return legal()


cdef bint elapsed_exceeds(Instant since, Instant now, int64_t limit) noexcept nogil:
    """Whether `now` is more than `limit` milliseconds after `since`, to the nanosecond."""
    cdef int64_t seconds = now.seconds - since.seconds - limit // 1000
    cdef int64_t nanos = <int64_t>now.nanos - since.nanos - limit % 1000 * 1000000
    # Less than two seconds of nanoseconds either way: fold them into the seconds.
    return seconds > 2 or (seconds >= -2 and seconds * 1000000000 + nanos > 0)


# ---- taking a card (rules 2.2, 4) ----

cdef Refusal check_draw(const Table* t, const Move* m) noexcept nogil:
    if m.card == 0:                     # an action: nobody knows the card yet
        return legal()
    if t.stock_known:
        if m.card != t.stock[t.stock_drawn]:                                        # 2.2
            return refuse(VIOLATION_CODE_DRAW_NOT_NEXT_IN_STOCK, RULE_2_2)
    elif t.seen & mask_of(m.card):                                                  # 2.2
        return refuse(VIOLATION_CODE_DRAW_SEEN_CARD, RULE_2_2)
    return legal()


cdef void do_draw(Table* t, const Move* m) noexcept nogil:
    if m.card != 0:
        t.seats[m.seat].hand |= mask_of(m.card)
        t.seen |= mask_of(m.card)
    t.stock_drawn += 1
    t.stock_left -= 1
    take(t, m)


cdef Refusal check_eat(const Table* t, const Move* m) noexcept nogil:
    cdef const Seat* s = &t.seats[m.seat]
    if t.last_discard == 0:                                                         # 4.1
        return refuse(VIOLATION_CODE_NOTHING_TO_EAT, RULE_4_1)
    if m.card != 0 and m.card != t.last_discard:                                    # 4.1
        return refuse(VIOLATION_CODE_EAT_WRONG_CARD, RULE_4_1)
    cdef mask_t card = mask_of(t.last_discard)
    if not makes_phom(s.hand & ~s.eaten, card):                                     # 4.2
        return refuse(VIOLATION_CODE_EAT_NO_PHOM, RULE_4_2)
    if not keeps_eaten(s.hand | card, s.eaten | card):                              # 4.2
        return refuse(VIOLATION_CODE_EAT_BREAKS_EATEN, RULE_4_2)
    return legal()


cdef void do_eat(Table* t, const Move* m) noexcept nogil:
    cdef Seat* s = &t.seats[m.seat]
    cdef mask_t card = mask_of(t.last_discard)
    s.hand |= card
    s.eaten |= card
    pay_for_eat(t, m.seat)
    note_eat(t, m.seat)
    t.seats[t.giver].row_length -= 1
    if t.rules.row_shift and is_in(t, t.giver):                                     # 3.3
        shift_rows(t)
    if t.ending == ENDED_BY_ROUNDS and t.stock_left > 0:
        if t.rules.after_final_discard == AFTER_FINAL_DISCARD_EXTRA_ROUND:          # 3.5
            t.target += 1
    t.ending = NOT_ENDED
    t.last_discard = 0
    take(t, m)


cdef void take(Table* t, const Move* m) noexcept nogil:
    """The card is in the hand: the seat may act."""
    t.phase = ACT
    t.taken = m.at
    t.last_round = is_last_round(t, m.seat)


cdef inline bint is_last_round(const Table* t, int seat) noexcept nogil:
    return t.seats[seat].counted >= <int>t.rules.rounds - 1                         # 3.4


cdef void pay_for_eat(Table* t, int eater) noexcept nogil:
    """The price of being eaten, paid at once (4.4)."""
    cdef int before = t.gave[t.giver][eater]
    t.gave[t.giver][eater] += 1
    if t.last_discard_chot:
        pay(t, t.giver, eater, t.rules.chot_payment, PAYMENT_REASON_CHOT, t.moves)
    else:
        pay(t, t.giver, eater, t.rules.eat_payment[min(before, PRICES - 1)],
            PAYMENT_REASON_EAT, t.moves)


cdef void pay(
    Table* t, int giver, int taker, uint32_t stakes, uint32_t reason, int event
) noexcept nogil:
    if stakes == 0:                                                                 # 7.4
        return
    fill_payment(&t.paid[t.paid_count], t, giver, taker, stakes, reason, event)
    t.paid_count += 1


cdef void note_eat(Table* t, int eater) noexcept nogil:
    cdef Eaten* eaten = &t.eats[t.eat_count]
    t.eat_count += 1
    eaten.event = t.moves
    eaten.turn = t.turn_number
    eaten.card = t.last_discard
    eaten.giver = t.giver
    eaten.eater = eater
    eaten.last_round = t.last_discard_last_round


cdef inline Shift no_shift() noexcept nogil:
    cdef Shift shift
    shift.happened = False
    shift.spared_seat = NOBODY
    shift.further_turn_seat = NOBODY
    return shift


cdef void shift_rows(Table* t) noexcept nogil:
    """Tai: the leader's last card moves to the row eaten from, and the lead passes on (3.3)."""
    cdef Seat* leader = &t.seats[t.leader]
    cdef Seat* giver = &t.seats[t.giver]
    t.shift.happened = True
    if leader.lay_down_order != 0:
        t.shift.further_turn_seat = t.leader
    elif leader.counted == <int>t.rules.rounds - 1:
        t.shift.spared_seat = t.leader
    leader.counted -= 1
    if t.leader != t.giver and leader.row_length > 0:
        leader.row_length -= 1
        giver.row[giver.row_length] = leader.row[leader.row_length]
        giver.row_length += 1
    t.leader = next_in(t, t.leader)


# ---- discarding, turns, the end (rules 3, 4.3) ----

cdef Refusal check_discard(
    const Table* t, int seat, card_t card, card_t announced
) noexcept nogil:
    """Whether `seat` could discard `card` now, having announced `announced` (0: nothing)."""
    cdef const Seat* s = &t.seats[seat]
    cdef mask_t thrown = mask_of(card)
    if s.hand & thrown == 0:                                                        # 4.3
        return refuse(VIOLATION_CODE_CARD_NOT_IN_HAND, RULE_4_3)
    if s.eaten & thrown:                                                            # 4.3
        return refuse(VIOLATION_CODE_DISCARD_EATEN_CARD, RULE_4_3)
    if not keeps_eaten(s.hand ^ thrown, s.eaten):                                   # 4.3
        return refuse(VIOLATION_CODE_DISCARD_BREAKS_EATEN, RULE_4_3)
    if announced != 0 and announced != card:                                        # 3.9
        return refuse(VIOLATION_CODE_ANNOUNCED_OTHER_CARD, RULE_3_9)
    if t.last_round and not t.laid_down and has_phom(s.hand):                       # 5.2
        return refuse(VIOLATION_CODE_MUST_LAY_DOWN, RULE_5_2)
    return legal()


cdef void do_discard(Table* t, const Move* m) noexcept nogil:
    cdef Seat* s = &t.seats[m.seat]
    s.hand ^= mask_of(m.card)
    s.row[s.row_length] = m.card
    s.row_length += 1
    s.counted += 1
    t.discards[t.discard_count].card = m.card
    t.discards[t.discard_count].seat = m.seat
    t.discard_count += 1
    s.last_discard = t.discard_count
    if t.last_round:
        note_lay_down(t, m.seat)        # 5.2: without a lay-down it says mom
    t.last_discard = m.card
    t.giver = m.seat
    t.last_discard_last_round = t.last_round
    t.last_discard_chot = is_chot(t)
    open_turn(t, next_in(t, m.seat), m.at)
    test_end(t)


cdef bint is_chot(const Table* t) noexcept nogil:
    """Whether the card just discarded is chot (4.4)."""
    cdef int seat
    if t.rules.chot == CHOT_FINAL_ROUND:
        return t.last_round
    if t.rules.chot != CHOT_LAST_OF_ROUND_3:
        return False
    for seat in range(t.seat_count):
        if is_in(t, seat) and t.seats[seat].counted != <int>t.rules.rounds - 1:
            return False
    return True


cdef int next_in(const Table* t, int seat) noexcept nogil:
    """The next seat in order that has not left (2.1)."""
    cdef int _
    for _ in range(t.seat_count):
        seat = seat + 1 if seat + 1 < t.seat_count else 0
        if is_in(t, seat):
            break
    return seat


cdef void open_turn(Table* t, int seat, Instant at) noexcept nogil:
    t.turn = seat
    t.phase = TAKE
    t.turn_number += 1
    t.seats[seat].turns += 1
    t.last_round = False
    t.without_take = False
    t.laid_down = False
    t.announced = 0
    t.opened = at
    t.taken.known = False
    t.untimed = False


cdef void test_end(Table* t) noexcept nogil:
    """The end by rounds (3.5) or at an empty stock (3.6), tested where a turn is about to open."""
    if all_have_played(t):
        t.ending = ENDED_BY_ROUNDS
        if t.rules.after_final_discard == AFTER_FINAL_DISCARD_CLOSED:
            t.phase = OVER
    elif t.stock_left == 0:
        t.ending = ENDED_AT_EMPTY_STOCK


cdef inline bint all_have_played(const Table* t) noexcept nogil:
    """Whether every seat still in has as many counted discards as the game asks for (3.5)."""
    cdef int seat
    for seat in range(t.seat_count):
        if is_in(t, seat) and t.seats[seat].counted < t.target:
            return False
    return True


cdef void do_leave(Table* t, const Move* m) noexcept nogil:
    """Leaving (3.7): the seat is out of the order of play, what it laid stays."""
    t.left_count += 1
    t.seats[m.seat].left_order = t.left_count
    if m.seat == t.leader:
        t.leader = next_in(t, m.seat)
    if seats_in(t) == 1:
        t.ending = ENDED_ALONE
        t.phase = OVER
        return
    if m.seat == t.turn:
        open_turn(t, next_in(t, m.seat), m.at)
    if t.phase == TAKE:
        test_end(t)


cdef bint can_be_reopened(const Table* t) noexcept nogil:
    """Whether the game has ended and the next seat could in fact eat and go on (3.5, 3.6)."""
    cdef Move eat
    if t.ending == NOT_ENDED or t.phase != TAKE:
        return False
    eat.kind = EAT
    eat.seat = t.turn
    eat.card = 0
    eat.at.known = False
    return check_eat(t, &eat).code == 0


# ---- laying down and laying off (rules 5) ----

cdef Refusal check_spans(const Table* t, const Move* m, mask_t* used) noexcept nogil:
    """Whether the phom that the move names are made of cards of the hand, each once (5.1)."""
    cdef mask_t hand = t.seats[m.seat].hand, card
    cdef uint32_t i, k
    used[0] = 0
    for i in range(m.phom_count):
        for k in range(m.phoms[i].count):
            if hand & mask_of(m.cards[m.phoms[i].first + k]) == 0:                  # 5.1
                return refuse(VIOLATION_CODE_CARD_NOT_IN_HAND, RULE_5_1)
    for i in range(m.phom_count):
        for k in range(m.phoms[i].count):
            card = mask_of(m.cards[m.phoms[i].first + k])
            if used[0] & card:                                                      # 5.1
                return refuse(VIOLATION_CODE_CARD_USED_TWICE, RULE_5_1)
            used[0] |= card
    return legal()


cdef mask_t span_cards(const Move* m, uint32_t i) noexcept nogil:
    cdef mask_t cards = 0
    cdef uint32_t k
    for k in range(m.phoms[i].count):
        cards |= mask_of(m.cards[m.phoms[i].first + k])
    return cards


cdef Refusal check_phoms(const Table* t, const Move* m, mask_t used) noexcept nogil:
    """Whether the move's cards are phom, one eaten card in each, no eaten card in none."""
    cdef const Seat* s = &t.seats[m.seat]
    cdef uint32_t i
    for i in range(m.phom_count):
        if not is_phom(span_cards(m, i)):                                           # 1.2
            return refuse(VIOLATION_CODE_NOT_A_PHOM, RULE_1_2)
    for i in range(m.phom_count):
        if count_cards(span_cards(m, i) & s.eaten) > 1:                             # 1.5
            return refuse(VIOLATION_CODE_PHOM_TWO_EATEN, RULE_1_5)
    if s.eaten & ~used:                                                             # 5.1
        return refuse(VIOLATION_CODE_EATEN_NOT_IN_PHOM, RULE_5_1)
    return legal()


cdef inline bint is_announced(const Table* t, mask_t cards) noexcept nogil:
    return cards & mask_of(t.announced) != 0


cdef Refusal check_lay_down(const Table* t, const Move* m) noexcept nogil:
    cdef mask_t used = 0
    cdef Refusal fault
    if not t.last_round:                                                            # 5.1
        return refuse(VIOLATION_CODE_LAY_DOWN_NOT_LAST_ROUND, RULE_5_1)
    if t.laid_down:                                                                 # 5.1
        return refuse(VIOLATION_CODE_LAY_DOWN_TWICE, RULE_5_1)
    fault = check_spans(t, m, &used)
    if fault.code:
        return fault
    if is_announced(t, used):                                                       # 3.9
        return refuse(VIOLATION_CODE_ANNOUNCED_OTHER_CARD, RULE_3_9)
    fault = check_phoms(t, m, used)
    if fault.code:
        return fault
    if has_phom(t.seats[m.seat].hand & ~used):                                      # 5.1
        return refuse(VIOLATION_CODE_PHOM_LEFT_IN_HAND, RULE_5_1)
    return legal()


cdef void do_lay_down(Table* t, const Move* m) noexcept nogil:
    cdef Seat* s = &t.seats[m.seat]
    cdef mask_t phom
    cdef uint32_t i
    for i in range(m.phom_count):
        phom = span_cards(m, i)
        s.laid[s.laid_count] = phom
        s.laid_count += 1
        s.hand ^= phom
    s.eaten = 0
    t.laid_down = True
    note_lay_down(t, m.seat)
    if s.hand == 0:                                                                 # 6.4
        u_by_emptied_hand(t, m.seat)


cdef void note_lay_down(Table* t, int seat) noexcept nogil:
    """The seat's lay-down time is that of its first lay-down, or of saying mom (5.2)."""
    cdef Seat* s = &t.seats[seat]
    if s.lay_down_order == 0:
        t.lay_down_count += 1
        s.lay_down_order = t.lay_down_count
        s.lay_down_turn = t.turn_number


cdef Refusal check_lay_off(const Table* t, const Move* m) noexcept nogil:
    cdef const Seat* s = &t.seats[m.seat]
    cdef const Seat* onto = &t.seats[m.to_seat]
    cdef bint own = m.seat == m.to_seat
    # 5.5: the lay-down of this turn may still be to come.
    cdef bint early = not own and t.rules.lay_off_before_lay_down and not t.laid_down
    cdef mask_t card = mask_of(m.card)
    if not t.last_round:                                                            # 5.4
        return refuse(VIOLATION_CODE_LAY_OFF_NOT_LAST_ROUND, RULE_5_4)
    if not own and not t.rules.lay_off:                                             # 5.4
        return refuse(VIOLATION_CODE_LAY_OFF_NOT_ALLOWED, RULE_5_4)
    if not early:
        if s.lay_down_order == 0 or (not own and has_phom(s.hand)):                 # 5.4
            return refuse(VIOLATION_CODE_LAY_OFF_BEFORE_LAY_DOWN, RULE_5_4)
        if s.laid_count == 0:                                                       # 5.4
            return refuse(VIOLATION_CODE_LAY_OFF_WITHOUT_PHOM, RULE_5_4)
    if s.hand & card == 0:                                                          # 5.4
        return refuse(VIOLATION_CODE_CARD_NOT_IN_HAND, RULE_5_4)
    if is_announced(t, card):                                                       # 3.9
        return refuse(VIOLATION_CODE_ANNOUNCED_OTHER_CARD, RULE_3_9)
    if m.phom_index >= onto.laid_count:                                             # 5.4
        return refuse(VIOLATION_CODE_NO_SUCH_PHOM, RULE_5_4)
    if s.eaten & card:                                                              # 5.4
        return refuse(VIOLATION_CODE_LAY_OFF_EATEN_CARD, RULE_5_4)
    if not is_phom(onto.laid[m.phom_index] | card):                                 # 5.4
        return refuse(VIOLATION_CODE_LAY_OFF_DOES_NOT_FIT, RULE_5_4)
    if not keeps_eaten(s.hand ^ card, s.eaten):                                     # 5.6
        return refuse(VIOLATION_CODE_LAY_OFF_BREAKS_EATEN, RULE_5_6)
    if s.laid_count == 0 and not has_phom(s.hand ^ card):                           # 5.5
        return refuse(VIOLATION_CODE_LAID_OFF_WITHOUT_PHOM, RULE_5_5)
    if s.hand == card and not own and not t.rules.u_by_lay_off:                     # 5.6
        return refuse(VIOLATION_CODE_LAY_OFF_LAST_CARD, RULE_5_6)
    return legal()


cdef void do_lay_off(Table* t, const Move* m) noexcept nogil:
    cdef Seat* s = &t.seats[m.seat]
    cdef mask_t card = mask_of(m.card)
    s.hand ^= card
    t.seats[m.to_seat].laid[m.phom_index] |= card
    if m.seat != m.to_seat:
        s.laid_off |= card
    if s.hand == 0:                                                                 # 6.4
        u_by_emptied_hand(t, m.seat)


# ---- u (rules 6) ----

cdef Refusal check_khan(const Table* t, const Move* m) noexcept nogil:
    cdef const Seat* s = &t.seats[m.seat]
    if not t.rules.u_khan:                                                          # 6.5
        return refuse(VIOLATION_CODE_U_KHAN_NOT_PLAYED, RULE_6_5)
    if s.turns > 1 or (t.phase == ACT and not t.without_take):                      # 6.5
        return refuse(VIOLATION_CODE_U_KHAN_TOO_LATE, RULE_6_5)
    # The dealt hand counts, and a phom that was laid from it was full of ca.
    if has_ca(s.hand) or s.laid_count > 0:                                          # 6.5
        return refuse(VIOLATION_CODE_NOT_U_KHAN, RULE_6_5)
    return legal()


cdef Refusal check_u(const Table* t, const Move* m) noexcept nogil:
    cdef UFound found
    cdef mask_t used = 0
    cdef Refusal fault
    if m.phom_count > 0:
        fault = check_spans(t, m, &used)
        if fault.code:
            return fault
        fault = check_phoms(t, m, used)
        if fault.code:
            return fault
        if is_announced(t, used):                                                   # 3.9
            return refuse(VIOLATION_CODE_ANNOUNCED_OTHER_CARD, RULE_3_9)
    if find_u(t, m, mask_of(t.announced), &found):
        return legal()
    if t.announced == 0 or not find_u(t, m, 0, &found):                             # 6.2
        return refuse(VIOLATION_CODE_NOT_U, RULE_6_2)
    # It would be one, were the announced card not to be left over: 3.9
    return refuse(VIOLATION_CODE_ANNOUNCED_OTHER_CARD, RULE_3_9)


cdef bint find_u(
    const Table* t, const Move* m, mask_t kept_out, UFound* found
) noexcept nogil:
    """The u that the move declares, or the best there is; False if it is none (6.2).

    `kept_out` stays out of every phom: an announced card is left over (3.9). What the move
    declares has been checked.
    """
    cdef const Seat* s = &t.seats[m.seat]
    cdef uint32_t i
    cdef int left_over
    found.count = s.laid_count
    for i in range(<uint32_t>s.laid_count):
        found.phoms[i] = s.laid[i]
    found.loose = s.hand & ~kept_out
    if m.phom_count > 0:
        for i in range(m.phom_count):
            found.phoms[found.count] = span_cards(m, i)
            found.loose &= ~found.phoms[found.count]
            found.count += 1
        add_to_laid(found, s.laid_count)
    elif not lay_out(found, s.eaten):
        return False
    found.loose |= kept_out
    left_over = count_cards(found.loose)
    if not t.rules.u_by_lay_off:                                                    # 6.4
        left_over += count_cards(s.laid_off)
    found.kind = U_KIND_TRON if left_over == 0 else U_KIND_PLAIN                    # 6.3
    return left_over <= 1 and found.loose & s.eaten == 0


cdef void do_declare_u(Table* t, const Move* m) noexcept nogil:
    if m.khan:
        t.last_round = is_last_round(t, m.seat)     # before the take: as the turn would be
        t.u.count = 0
        t.u.loose = t.seats[m.seat].hand
        t.u.kind = U_KIND_KHAN
    else:
        find_u(t, m, mask_of(t.announced), &t.u)
    end_by_u(t, m.seat)


cdef void u_by_emptied_hand(Table* t, int seat) noexcept nogil:
    """U without a declaration: no card is left in the hand (6.4)."""
    cdef const Seat* s = &t.seats[seat]
    cdef int i
    t.u.count = s.laid_count
    for i in range(s.laid_count):
        t.u.phoms[i] = s.laid[i]
    t.u.loose = 0
    t.u.kind = U_KIND_TRON if t.rules.u_by_lay_off or s.laid_off == 0 else U_KIND_PLAIN
    end_by_u(t, seat)


cdef void end_by_u(Table* t, int seat) noexcept nogil:
    t.u_seat = seat
    t.ending = ENDED_BY_U                                                           # 6.6
    t.phase = OVER


# ---- announcing (rules 3.9) ----

cdef Refusal check_announce(const Table* t, const Move* m) noexcept nogil:
    if not t.rules.announced_card_binds:                                            # 3.9
        return refuse(VIOLATION_CODE_ANNOUNCE_NOT_PLAYED, RULE_3_9)
    if t.announced != 0:                                                            # 3.9
        return refuse(VIOLATION_CODE_ANNOUNCE_TWICE, RULE_3_9)
    return check_discard(t, m.seat, m.card, 0)


# ---- which rule a legal move follows ----

cdef Rule rule_of(const Table* t, const Move* m) noexcept nogil:
    """The section by which a move is legal, for its trace; `t` is the table after it."""
    if m.kind == DRAW:
        return RULE_3_1
    if m.kind == EAT:
        return RULE_4_2
    if m.kind == DISCARD:
        return RULE_4_3
    if t.u_seat != NOBODY and m.kind != DECLARE_U:
        return RULE_6_4
    if m.kind == LAY_DOWN:
        return RULE_5_1 if m.phom_count > 0 else RULE_5_2
    if m.kind == LAY_OFF:
        return RULE_5_3 if m.seat == m.to_seat else RULE_5_4
    if m.kind == DECLARE_U:
        return RULE_6_5 if m.khan else RULE_6_2
    if m.kind == ANNOUNCE:
        return RULE_3_9
    return RULE_3_8 if m.kind == TIME_OUT else RULE_3_7
