"""What is said to people about a violation: what is wrong, the card, and the hand it is wrong for.

The sentences may change; programs go by code and rule.
"""
from libc.stdio cimport snprintf

from phom_core.cards cimport DECK_SIZE, card_t, lowest_card, mask_t
from phom_core.contract cimport *
from phom_core.table cimport Deal, Duplicate, Move, Seat, Table, find_duplicate

cdef const char* SENTENCES[ViolationCode_SIZE]


cdef void say(int code, const char* sentence) noexcept:
    SENTENCES[code] = sentence


say(VIOLATION_CODE_DEAL_HAND_SIZE, b"each hand has 9 cards, the first seat's 10; ")
say(VIOLATION_CODE_DEAL_DUPLICATE_CARD, b"a card was dealt twice: ")
say(VIOLATION_CODE_DEAL_STOCK, b"the stock is all the cards that were not dealt: ")
say(VIOLATION_CODE_OPENING_SEAT, b"another seat begins this game")
say(VIOLATION_CODE_GAME_OVER, b"the game is over")
say(VIOLATION_CODE_SEAT_HAS_LEFT, b"the seat has left the table")
say(VIOLATION_CODE_NOT_YOUR_TURN, b"it is another seat's turn")
say(VIOLATION_CODE_WRONG_PHASE, b"a turn is one take, then what the seat does, then a discard")
say(VIOLATION_CODE_TIME_RUNS_BACK, b"the time is earlier than that of an event before")
say(VIOLATION_CODE_TURN_TIME_EXCEEDED, b"the seat's time was over")
say(VIOLATION_CODE_TIME_OUT_TOO_EARLY, b"the seat's time was not over yet")
say(VIOLATION_CODE_STOCK_EMPTY, b"the stock is empty; only an eat could go on")
say(VIOLATION_CODE_DRAW_NOT_NEXT_IN_STOCK, b"the card is not the stock's next one")
say(VIOLATION_CODE_DRAW_SEEN_CARD, b"the card was dealt or drawn before")
say(VIOLATION_CODE_NOTHING_TO_EAT, b"there is no discard that could be eaten")
say(VIOLATION_CODE_EAT_WRONG_CARD, b"only the last discard can be eaten")
say(VIOLATION_CODE_EAT_NO_PHOM,
    b"the card makes no ph\xe1\xbb\x8fm with two unlaid, uneaten cards of the hand")
say(VIOLATION_CODE_EAT_BREAKS_EATEN,
    b"with this card the eaten cards could not have a ph\xe1\xbb\x8fm each")
say(VIOLATION_CODE_CARD_NOT_IN_HAND, b"the seat does not hold the card unlaid")
say(VIOLATION_CODE_DISCARD_EATEN_CARD, b"an eaten card cannot be discarded")
say(VIOLATION_CODE_DISCARD_BREAKS_EATEN,
    b"without this card the eaten cards could not have a ph\xe1\xbb\x8fm each")
say(VIOLATION_CODE_ANNOUNCED_OTHER_CARD,
    b"the card that was announced is the one to discard, or to be left over by an \xc3\x99")
say(VIOLATION_CODE_MUST_LAY_DOWN,
    b"the hand holds a ph\xe1\xbb\x8fm, which is laid down before this discard")
say(VIOLATION_CODE_LAID_OFF_WITHOUT_PHOM,
    b"the seat has laid no ph\xe1\xbb\x8fm yet, and without this card its hand would hold none")
say(VIOLATION_CODE_LAY_DOWN_NOT_LAST_ROUND, b"this is not a last-round turn")
say(VIOLATION_CODE_LAY_DOWN_TWICE, b"the seat has laid down in this turn already")
say(VIOLATION_CODE_CARD_USED_TWICE, b"a card is used twice")
say(VIOLATION_CODE_NOT_A_PHOM, b"cards are laid that are neither a set nor a run")
say(VIOLATION_CODE_PHOM_TWO_EATEN, b"a ph\xe1\xbb\x8fm holds two eaten cards")
say(VIOLATION_CODE_EATEN_NOT_IN_PHOM, b"an eaten card is in none of the ph\xe1\xbb\x8fm")
say(VIOLATION_CODE_PHOM_LEFT_IN_HAND, b"what is left in the hand still holds a ph\xe1\xbb\x8fm")
say(VIOLATION_CODE_LAY_OFF_NOT_LAST_ROUND, b"this is not a last-round turn")
say(VIOLATION_CODE_LAY_OFF_NOT_ALLOWED,
    b"these rules know no lay-off on another seat's ph\xe1\xbb\x8fm")
say(VIOLATION_CODE_LAY_OFF_BEFORE_LAY_DOWN,
    b"the seat lays down all its ph\xe1\xbb\x8fm before it lays off")
say(VIOLATION_CODE_LAY_OFF_WITHOUT_PHOM, b"a seat that has laid no ph\xe1\xbb\x8fm cannot lay off")
say(VIOLATION_CODE_NO_SUCH_PHOM, b"there is no such laid ph\xe1\xbb\x8fm")
say(VIOLATION_CODE_LAY_OFF_EATEN_CARD, b"an eaten card cannot be laid off")
say(VIOLATION_CODE_LAY_OFF_DOES_NOT_FIT, b"the card does not fit the laid ph\xe1\xbb\x8fm")
say(VIOLATION_CODE_LAY_OFF_BREAKS_EATEN,
    b"without this card the eaten cards could not have a ph\xe1\xbb\x8fm each")
say(VIOLATION_CODE_LAY_OFF_LAST_CARD,
    b"the last card cannot be laid off where that makes no \xc3\x99")
say(VIOLATION_CODE_U_KHAN_NOT_PLAYED, b"these rules know no \xc3\x99 khan")
say(VIOLATION_CODE_U_KHAN_TOO_LATE, b"\xc3\x99 khan is declared in the first turn, before the take")
say(VIOLATION_CODE_NOT_U_KHAN, b"two cards of the hand are c\xe1\xba\xa1")
say(VIOLATION_CODE_NOT_U, b"fewer than nine of the ten cards are in ph\xe1\xbb\x8fm")
say(VIOLATION_CODE_ANNOUNCE_NOT_PLAYED, b"these rules know no announcing")
say(VIOLATION_CODE_ANNOUNCE_TWICE, b"a card was announced in this turn already")


cdef size_t explain(const Judgement* j, char* out) noexcept nogil:
    """Write the message, UTF-8, to `out` (MESSAGE_ROOM bytes); its size."""
    cdef size_t size = snprintf(out, MESSAGE_ROOM, "%s", SENTENCES[j.refusal.code])
    if j.fault_move == NULL:
        return size + explain_deal(j, out + size)
    return size + explain_move(&j.table, j.fault_move, j.refusal.rule, out + size)


# ---- moves ----

cdef size_t explain_move(const Table* t, const Move* m, int rule, char* out) noexcept nogil:
    """The card that was named, and the hand that it is wrong for."""
    cdef size_t size = 0
    if m.card != 0:
        size += snprintf(out + size, 16, " (")
        size += put_card(out + size, m.card)
        size += snprintf(out + size, 16, ")")
    cdef const Seat* s = &t.seats[m.seat]
    size += snprintf(out + size, 40, "; seat %d holds", m.seat)
    size += put_cards(out + size, s.hand)
    if s.eaten != 0:
        size += snprintf(out + size, 16, ", eaten")
        size += put_cards(out + size, s.eaten)
    if t.last_discard != 0 and rule // 10 == 4 and m.card != t.last_discard:
        size += snprintf(out + size, 40, "; the last discard is ")
        size += put_card(out + size, t.last_discard)
    return size


# ---- the deal ----

cdef enum:
    PLACE_ROOM = 40       # bytes that "the hand of seat 0" takes, and what stands around it


cdef size_t explain_deal(const Judgement* j, char* out) noexcept nogil:
    """What was found in the place of what the sentence asks for; nothing of an opening."""
    cdef const Deal* d = j.dealt
    cdef Duplicate twice
    if j.refusal.code == VIOLATION_CODE_DEAL_HAND_SIZE:
        return snprintf(
            out, 2 * PLACE_ROOM, "seat %d%s has %u", j.fault_seat,
            b", which begins," if j.fault_seat == d.first_seat else b"",
            d.hand_sizes[j.fault_seat])
    if j.refusal.code == VIOLATION_CODE_DEAL_STOCK:
        return snprintf(
            out, 2 * PLACE_ROOM, "%d with %d seats; found %u",
            DECK_SIZE - 9 * d.seats - 1, d.seats, d.stock_size)                         # 2.1
    if j.refusal.code == VIOLATION_CODE_DEAL_DUPLICATE_CARD and find_duplicate(d, &twice):
        return put_duplicate(out, d, &twice)
    return 0


cdef size_t put_duplicate(char* out, const Deal* d, const Duplicate* twice) noexcept nogil:
    """The card, and both its places."""
    cdef bint same = twice.first == twice.second
    cdef size_t size = put_card(out, twice.card)
    size += snprintf(out + size, PLACE_ROOM, " is %sin ", b"twice " if same else b"")
    size += put_place(out + size, d, twice.first)
    if not same:
        size += snprintf(out + size, PLACE_ROOM, " and in ")
        size += put_place(out + size, d, twice.second)
    return size


cdef size_t put_place(char* out, const Deal* d, int place) noexcept nogil:
    if place == d.seats:
        return snprintf(out, PLACE_ROOM, "the stock")
    return snprintf(out, PLACE_ROOM, "the hand of seat %d", place)


# ---- cards ----

cdef size_t put_card(char* out, card_t card) noexcept nogil:
    out[0] = b"A23456789TJQK"[(card - 1) % 13]
    out[1] = b"SCDH"[(card - 1) // 13]
    return 2


cdef size_t put_cards(char* out, mask_t cards) noexcept nogil:
    cdef size_t size = 0
    if cards == 0:
        return snprintf(out, 16, " nothing")
    while cards:
        out[size] = b" "
        size += 1 + put_card(out + size + 1, lowest_card(cards))
        cards &= cards - 1
    return size
