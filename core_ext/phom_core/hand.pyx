"""One hand, analyzed: the best arrangement, u, what may be eaten and discarded, ca."""
from libc.stdint cimport uint64_t

from phom_core.arrange cimport (
    EATEN_LIMIT, FEWEST_POINTS, MOST_CARDS, arrange, count_equal, keeps_eaten,
)
from phom_core.cards cimport count_cards, is_card, lowest, lowest_card, mask_of
from phom_core.contract cimport *
from phom_core.encode cimport put_cards, put_phoms
from phom_core.events cimport read_cards
from phom_core.log cimport as_card
from phom_core.phom cimport has_ca, makes_phom
from phom_core.validate cimport no_card
from phom_core.wire cimport (
    BYTES, VARINT, put_head, put_number, read_tag, read_varint, skip_field, tag_of,
    written,
)


cdef bint read_hand_request(Reader* r, HandRequest* request) noexcept nogil:
    cdef uint32_t tag, number
    cdef uint64_t value
    request.card_count = 0
    request.eaten_count = 0
    request.offered = 0
    while r.at < r.end:
        if not read_tag(r, &tag):
            return False
        number = tag >> 3
        if tag & 7 != BYTES and tag & 7 != VARINT:
            number = 0                  # no field of this message
        if number == AnalyzeHandRequest_cards:
            if not read_cards(r, tag, request.cards, HAND_ROOM, &request.card_count):
                return False
        elif number == AnalyzeHandRequest_eaten:
            if not read_cards(r, tag, request.eaten, HAND_ROOM, &request.eaten_count):
                return False
        elif tag == tag_of(AnalyzeHandRequest_offered, VARINT):
            if not read_varint(r, &value):
                return False
            request.offered = as_card(value)
        elif not skip_field(r, tag):
            return False
    return True


cdef list hand_faults(const HandRequest* request):
    """`(field path, description)` of everything that keeps the hand from being analyzed."""
    faults = []
    cdef mask_t seen = list_faults("cards", request.cards, request.card_count, HAND_LIMIT, faults)
    cdef mask_t eaten = list_faults(
        "eaten", request.eaten, request.eaten_count, EATEN_LIMIT, faults)
    cdef uint32_t i
    for i in range(min(request.eaten_count, <uint32_t>HAND_ROOM)):
        if is_card(request.eaten[i]) and not mask_of(request.eaten[i]) & seen:
            faults.append((f"eaten[{i}]", "must be one of the cards"))
    if request.offered and not is_card(request.offered):
        faults.append(("offered", no_card(request.offered)))
    elif request.offered and mask_of(request.offered) & seen:
        faults.append(("offered", "must not be one of the cards"))
    if not faults and not keeps_eaten(seen, eaten):
        faults.append(("eaten", "must have a phỏm each among the cards"))       # 1.5
    return faults


cdef mask_t list_faults(str field, const card_t* cards, uint32_t count, int limit, list faults):
    """Append the faults of one list of cards; the set of those that are cards."""
    cdef mask_t seen = 0
    cdef uint32_t i, first
    if count > <uint32_t>limit:
        faults.append((field, f"must be at most {limit} cards; found {count:,}"))
    for i in range(min(count, <uint32_t>HAND_ROOM)):
        if not is_card(cards[i]):
            faults.append((f"{field}[{i}]", no_card(cards[i])))
        elif seen & mask_of(cards[i]):
            first = 0
            while cards[first] != cards[i]:
                first += 1
            faults.append((f"{field}[{i}]", f"must be there only once; it is {field}[{first}] too"))
        else:
            seen |= mask_of(cards[i])
    return seen


cdef bint analyze(const HandRequest* request, HandAnalysis* a) noexcept nogil:
    """Analyze a hand without faults; False if it has one after all."""
    cdef mask_t eaten = 0, offered, cards
    cdef Arrangement most
    cdef uint32_t i
    a.cards = 0
    for i in range(request.card_count):
        a.cards |= mask_of(request.cards[i])
    for i in range(request.eaten_count):
        eaten |= mask_of(request.eaten[i])
    if not arrange(a.cards, eaten, FEWEST_POINTS, &a.best):
        return False
    a.arrangements = count_equal(a.cards, eaten, &a.best)
    a.khan = not has_ca(a.cards)
    a.u_kind = U_KIND_UNSPECIFIED
    if request.card_count == 10 and arrange(a.cards, eaten, MOST_CARDS, &most):
        if most.loose == 0:
            a.u_kind = U_KIND_TRON                                      # 6.3
        elif count_cards(most.loose) == 1:
            a.u_kind = U_KIND_PLAIN                                     # 6.2
    a.can_eat = False
    if request.offered:
        offered = mask_of(request.offered)
        a.can_eat = makes_phom(a.cards & ~eaten, offered) and keeps_eaten(
            a.cards | offered, eaten | offered)                         # 4.2
    a.legal_discards = 0
    cards = a.cards & ~eaten
    while cards:
        if keeps_eaten(a.cards ^ lowest(cards), eaten):                 # 4.3
            a.legal_discards |= lowest(cards)
        cards &= cards - 1
    return True


cdef void put_analysis(Writer* w, const HandAnalysis* a) noexcept nogil:
    """The fields of an AnalyzeHandResponse, the last first (wire.pxd)."""
    put_number(w, AnalyzeHandResponse_arrangements, a.arrangements)
    put_ca_pairs(w, a.cards)
    put_cards(w, AnalyzeHandResponse_legal_discards, a.legal_discards)
    put_number(w, AnalyzeHandResponse_can_eat, a.can_eat)
    put_number(w, AnalyzeHandResponse_khan, a.khan)
    put_number(w, AnalyzeHandResponse_u_kind, a.u_kind)
    put_number(w, AnalyzeHandResponse_points, a.best.points)
    put_cards(w, AnalyzeHandResponse_loose, a.best.loose)
    put_phoms(w, AnalyzeHandResponse_phoms, a.best.phoms, a.best.count)


cdef void put_ca_pairs(Writer* w, mask_t cards) noexcept nogil:
    """Every pair that is a ca (1.4), in ascending codes of the first, then of the second card."""
    cdef card_t codes[HAND_LIMIT]
    cdef int count = 0, i, k
    cdef size_t before
    while cards:
        codes[count] = lowest_card(cards)
        count += 1
        cards &= cards - 1
    for i in range(count - 1, -1, -1):
        for k in range(count - 1, i, -1):
            if has_ca(mask_of(codes[i]) | mask_of(codes[k])):
                before = written(w)
                put_number(w, CaPair_second, codes[k])
                put_number(w, CaPair_first, codes[i])
                put_head(w, AnalyzeHandResponse_ca_pairs, before)
