"""The best arrangement of a hand, exactly.

Laws, each held by a test against brute force:
- every card that a run can take besides the chosen sets is in a run, since each card has points;
- a set none of whose cards lies in a run is always taken whole, since nothing else wants it;
- a card that no run wants is left out of no set: it would only be loose;
- so only the ranks whose set touches a run are searched, a handful of ways for each;
- an eaten card has a phom of its own (1.5): each way to give the eaten cards their phom leaves a
  hand without eaten cards, which is arranged as above.
"""
from phom_core.cards cimport count_cards, lowest, mask_t, of_ranks, points_of, ranks_of
from phom_core.phom cimport (
    PHOMS_OF_CARD, has_phom, makes_phom, phoms_with, run_cards, set_ranks,
)

# The phom of eaten cards, whole sets beside them, and what both leave: its runs are taken too.
cdef struct Choice:
    mask_t kept[EATEN_LIMIT]
    int kept_count
    mask_t sets
    mask_t rest

cdef struct Search:
    Aim aim
    int least_cost             # of what has been found; NOTHING_FOUND
    Choice now                 # as the search stands, but for its sets and rest
    Choice best

cdef enum:
    NOTHING_FOUND = 1 << 30


cdef inline int cost(mask_t loose, Aim aim) noexcept nogil:
    """What it costs to leave these cards loose: points, then cards, or cards, then points."""
    if aim == FEWEST_POINTS:
        return points_of(loose) * 16 + count_cards(loose)
    return count_cards(loose) * 128 + points_of(loose)


cdef int compare_phoms(mask_t a, mask_t b) noexcept nogil:
    """Below 0 if the ascending codes of `a` come before those of `b`, as lists."""
    if a == b:
        return 0
    cdef mask_t differs = lowest(a ^ b)
    if a & differs:
        return -1 if b > differs else 1     # b ended there: it begins a, and is the smaller
    return 1 if a > differs else -1


cdef int compare(const Arrangement* a, const Arrangement* b) noexcept nogil:
    """Below 0 if `a` is the better: fewer points, more cards in phom, the smaller list."""
    cdef int order, i
    if a.points != b.points:
        return a.points - b.points
    order = count_cards(a.loose) - count_cards(b.loose)
    i = 0
    while order == 0 and i < a.count and i < b.count:
        order = compare_phoms(a.phoms[i], b.phoms[i])
        i += 1
    return order if order != 0 else a.count - b.count


cdef inline void finish(Search* search, mask_t sets, mask_t rest) noexcept nogil:
    """The leaf of the search: the runs take what they can of `rest`."""
    cdef int here = cost(rest & ~run_cards(rest), search.aim)
    if here <= search.least_cost:
        keep_if_better(search, here, sets, rest)


cdef void keep_if_better(Search* search, int here, mask_t sets, mask_t rest) noexcept nogil:
    search.now.sets = sets
    search.now.rest = rest
    if here == search.least_cost and not is_smaller(&search.now, &search.best):
        return
    search.least_cost = here
    search.best = search.now


cdef bint is_smaller(const Choice* a, const Choice* b) noexcept nogil:
    """Whether the list of phom of `a` comes before that of `b`; both are equally good."""
    cdef Arrangement first, second
    write_out(a, &first)
    write_out(b, &second)
    return compare(&first, &second) < 0


cdef void write_out(const Choice* choice, Arrangement* out) noexcept nogil:
    cdef mask_t runs = run_cards(choice.rest)
    cdef int i
    out.count = put_phoms(out.phoms, choice.sets, runs)
    for i in range(choice.kept_count):
        insert_phom(out, choice.kept[i])
    out.loose = choice.rest ^ runs
    out.points = points_of(out.loose)


cdef void insert_phom(Arrangement* into, mask_t phom) noexcept nogil:
    """Keep the list sorted: phom are disjoint, so their lowest cards order them (contract)."""
    cdef int i = into.count
    while i > 0 and lowest(into.phoms[i - 1]) > lowest(phom):
        into.phoms[i] = into.phoms[i - 1]
        i -= 1
    into.phoms[i] = phom
    into.count += 1


cdef inline mask_t next_column(mask_t rest, mask_t* ranks, mask_t* wanted) noexcept nogil:
    """The set of the next of `ranks`, which is taken out of them; `wanted` are those of its cards
    that a run could take instead."""
    cdef mask_t column = rest & of_ranks(lowest(ranks[0]))
    ranks[0] &= ranks[0] - 1
    wanted[0] = column & run_cards(rest)
    return column


cdef inline bint may_be_left(mask_t wanted, bint four) noexcept nogil:
    """Whether it may be best to take no set at all: of four cards a run takes two at least, for a
    single one the set can spare."""
    return wanted & (wanted - 1) != 0 or (wanted != 0 and not four)


cdef void choose_sets(Search* search, mask_t sets, mask_t rest, mask_t ranks) noexcept nogil:
    """Try every way to take sets of `ranks` from `rest` that may be best.

    Whole sets are taken as the loop goes on; each other way is a branch.
    """
    cdef mask_t column, wanted, card
    cdef bint four
    while ranks:
        column = next_column(rest, &ranks, &wanted)
        four = count_cards(column) == 4
        if may_be_left(wanted, four):
            choose_sets(search, sets, rest, ranks)
        while four and wanted:
            card = lowest(wanted)
            choose_sets(search, sets | column ^ card, rest ^ column ^ card, ranks)
            wanted ^= card
        sets |= column
        rest ^= column
    finish(search, sets, rest)


cdef int least_points(mask_t rest, mask_t ranks) noexcept nogil:
    """The points alone of the best way that choose_sets would try."""
    cdef mask_t column, wanted, card
    cdef bint four
    cdef int least = NOTHING_FOUND
    while ranks:
        column = next_column(rest, &ranks, &wanted)
        four = count_cards(column) == 4
        if may_be_left(wanted, four):
            least = min(least, least_points(rest, ranks))
        while four and wanted:
            card = lowest(wanted)
            least = min(least, least_points(rest ^ column ^ card, ranks))
            wanted ^= card
        rest ^= column
    return min(least, points_of(rest & ~run_cards(rest)))


cdef inline mask_t sets_apart(mask_t rest, mask_t* touching) noexcept nogil:
    """The cards of sets that no run touches; `touching` are the ranks of all other sets."""
    cdef mask_t ranks = set_ranks(rest)
    touching[0] = ranks_of(rest & of_ranks(ranks) & run_cards(rest))
    return rest & of_ranks(ranks & ~touching[0])


cdef int search_points(mask_t hand) noexcept nogil:
    """The fewest points of a hand without eaten cards where there is something to choose."""
    cdef mask_t touching
    cdef mask_t sets = sets_apart(hand, &touching)
    return least_points(hand ^ sets, touching)


cdef void arrange_rest(Search* search, mask_t rest) noexcept nogil:
    """Arrange `rest`, which holds no eaten card, beside the phom already chosen."""
    cdef mask_t touching
    cdef mask_t sets = sets_apart(rest, &touching)
    choose_sets(search, sets, rest ^ sets, touching)


cdef void house_eaten(Search* search, mask_t rest, mask_t eaten) noexcept nogil:
    """Try every way to give each card of `eaten` a phom of its own (1.5)."""
    if eaten == 0:
        arrange_rest(search, rest)
        return
    cdef mask_t phoms[PHOMS_OF_CARD]
    cdef mask_t card = lowest(eaten)
    cdef mask_t others = eaten ^ card
    cdef int i
    cdef int ways = phoms_with(rest & ~others, card, phoms)
    for i in range(ways):
        search.now.kept[search.now.kept_count] = phoms[i]
        search.now.kept_count += 1
        house_eaten(search, rest ^ phoms[i], others)
        search.now.kept_count -= 1


cdef bint search_best(mask_t hand, mask_t eaten, Aim aim, Arrangement* best) noexcept nogil:
    """As `arrange`, which see, for hands where there is something to choose."""
    cdef Search search
    search.aim = aim
    search.least_cost = NOTHING_FOUND
    search.now.kept_count = 0
    house_eaten(&search, hand, eaten)
    if search.least_cost == NOTHING_FOUND:
        return False
    write_out(&search.best, best)
    return True


cdef bint finds_phoms(mask_t hand, mask_t eaten) noexcept nogil:
    """As keeps_eaten, of at least one eaten card."""
    if eaten & (eaten - 1) == 0:
        return makes_phom(hand ^ eaten, eaten)
    cdef mask_t phoms[PHOMS_OF_CARD]
    cdef mask_t card = lowest(eaten)
    cdef mask_t others = eaten ^ card
    cdef int i
    cdef int ways = phoms_with(hand & ~others, card, phoms)
    for i in range(ways):
        if keeps_eaten(hand ^ phoms[i], others):
            return True
    return False


cdef struct Listing:
    Arrangement* out
    int room
    int count
    bint truncated


cdef void keep_best(Listing* listing, const Arrangement* found) noexcept nogil:
    """Insert into the sorted list; what falls off its end is said, not kept."""
    cdef int i
    if listing.count == listing.room:
        listing.truncated = True
        if compare(found, &listing.out[listing.room - 1]) >= 0:
            return
        listing.count -= 1
    i = listing.count
    while i > 0 and compare(found, &listing.out[i - 1]) < 0:
        listing.out[i] = listing.out[i - 1]
        i -= 1
    listing.out[i] = found[0]
    listing.count += 1


cdef void list_from(
    Listing* listing, Arrangement* so_far, mask_t rest, mask_t eaten
) noexcept nogil:
    """Every arrangement that places the cards of `rest`, from its lowest card on."""
    cdef mask_t phoms[PHOMS_OF_CARD]
    cdef mask_t card
    cdef int i, ways
    if rest == 0:
        if not has_phom(so_far.loose):
            so_far.points = points_of(so_far.loose)
            keep_best(listing, so_far)
        return
    card = lowest(rest)
    if card & eaten == 0:
        so_far.loose |= card
        list_from(listing, so_far, rest ^ card, eaten)
        so_far.loose ^= card
    ways = phoms_with(rest, card, phoms)
    for i in range(ways):
        if count_cards(phoms[i] & eaten) <= 1:
            so_far.phoms[so_far.count] = phoms[i]
            so_far.count += 1
            list_from(listing, so_far, rest ^ phoms[i], eaten)
            so_far.count -= 1


cdef int best_arrangements(
    mask_t hand, mask_t eaten, Arrangement* out, int room, bint* truncated
) noexcept nogil:
    """Write the best `room` arrangements that leave no phom loose (5.1), best first; how many.

    `truncated` says whether there are more. An arrangement without any phom is not among them.
    """
    cdef Listing listing
    cdef Arrangement so_far
    listing.out = out
    listing.room = room
    listing.count = 0
    listing.truncated = False
    so_far.count = 0
    so_far.loose = 0
    if has_phom(hand):
        list_from(&listing, &so_far, hand, eaten)
    truncated[0] = listing.truncated
    return listing.count


cdef int count_from(
    mask_t rest, mask_t eaten, mask_t loose, const Arrangement* best
) noexcept nogil:
    cdef mask_t phoms[PHOMS_OF_CARD]
    cdef mask_t card
    cdef int i, ways, count = 0
    if points_of(loose) > best.points:
        return 0
    if rest == 0:
        return loose_alike(loose, best)
    card = lowest(rest)
    if card & eaten == 0:
        count = count_from(rest ^ card, eaten, loose | card, best)
    ways = phoms_with(rest, card, phoms)
    for i in range(ways):
        if count_cards(phoms[i] & eaten) <= 1:
            count += count_from(rest ^ phoms[i], eaten, loose, best)
    return count


cdef inline bint loose_alike(mask_t loose, const Arrangement* best) noexcept nogil:
    return points_of(loose) == best.points and count_cards(loose) == count_cards(best.loose)


cdef int count_equal(mask_t hand, mask_t eaten, const Arrangement* best) noexcept nogil:
    """How many arrangements have the points of `best` and as many cards in phom."""
    return count_from(hand, eaten, 0, best)
