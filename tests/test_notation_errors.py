"""What the log notation refuses, and what it says then: whole texts, which people act on."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from phom.v1.events_pb2 import GameLog
from phom_referee import notation
from phom_referee.notation import NotationError, parse, parse_action, write
from phom_referee.typed import LONGEST, quoted
from test_notation import ALL_FORMS

FACT = (
    "an event, which begins with a seat's number, or one of id, deal, house, set, stake, started,"
    " opening, first, stock, claim; found "
)
HOUSE = "one of go88, wikipedia, iwin, online, online_ky_gui, bs_fyi; found "
FIELD = (
    "one of rounds, row_shift, after_final_discard, lay_off, lay_off_before_lay_down, u_by_lay_off,"
    " u_khan, announced_card_binds, turn_seconds, turn_grace_ms, opening, eat_payment, chot,"
    " chot_payment, place_payment, mom_payment, u_payment, u_tron_payment, u_khan_payment,"
    " den_three_eaten, den_last_round, den_ate_this_turn, tie_break, all_mom, rake_bps; found "
)
CHOT = "one of none, final_round, last_of_round_3; found "
FLAG = "one of true, false; found "
VERB = "one of draw, eat, discard, announce, lay, off, u, timeout, leave; found "
TIME = "a time as 2026-11-30T10:00:07Z; found "
CARDS = (
    "cards, each a rank (A 2 3 4 5 6 7 8 9 T J Q K, or 10) and a suit (S C D H, or ♠ ♣ ♦ ♥); found "
)
CARD = "one card, as 7H; found "
PHOMS = "a blank between two phỏm and none between the cards of one, as 7H8H9H 4S4D4C; found "
PLACE = "a seat and the number of its phỏm, as 0.1; found "
SEAT = "a seat's number; found the end of the line"
CLAIM = "one of a seat's number, u, no_u, den; found "
ONCE = " only once in a log, and a line `---` between two logs"
END = "the end of the line"

EXPECTED = {
    # keywords
    "frist 0": f"{FACT}`frist`, did you mean `first`?",
    "Stok 7H": f"{FACT}`Stok`, did you mean `stock`?",
    "seat 0 discard 7H": f"{FACT}`seat`, did you mean `set`?",
    "xyz": f"{FACT}`xyz`",
    "-1 leave": f"{FACT}`-1`",
    "----": f"{FACT}`----`, did you mean `---`?",
    "——": f"{FACT}`——`, did you mean `---`?",
    "{": f"{FACT}`{{`",
    "discard 7H": "a seat's number first, as `0 draw`; found `discard`",
    # houses and rules
    "house": f"{HOUSE}{END}",
    "house xyz": f"{HOUSE}`xyz`",
    "house go98": f"{HOUSE}`go98`, did you mean `go88`?",
    "house G088": f"{HOUSE}`G088`, did you mean `go88`?",
    "house HOUSE_GO88": f"{HOUSE}`HOUSE_GO88`, did you mean `go88`?",
    "house HOUSE_ONLINE_KY_GUI": f"{HOUSE}`HOUSE_ONLINE_KY_GUI`, did you mean `online_ky_gui`?",
    "house online-ky-gui": f"{HOUSE}`online-ky-gui`, did you mean `online_ky_gui`?",
    "house go88 iwin": f"{END}; found `iwin`",
    "set": f"{FIELD}{END}",
    "set house go88": f"{FIELD}`house`",
    "set lay_of true": f"{FIELD}`lay_of`, did you mean `lay_off`?",
    "set lay_off no": f"{FLAG}`no`",
    "set lay_off ture": f"{FLAG}`ture`, did you mean `true`?",
    "set chot LAST": f"{CHOT}`LAST`",
    "set chot last_of_round3": f"{CHOT}`last_of_round3`, did you mean `last_of_round_3`?",
    "set chot CHOT_FINAL_ROUND": f"{CHOT}`CHOT_FINAL_ROUND`, did you mean `final_round`?",
    "set rounds four": "a number, in digits alone; found `four`",
    "set rounds ٤": "a number, in digits alone; found `٤`",
    "set rounds 4294967296": "a number, 0 to 4294967295; found `4294967296`",
    "set eat_payment": f"prices as 1,2,3; found {END}",
    "set eat_payment 1,,2": "prices as 1,2,3; found `1,,2`",
    "set eat_payment 1,2,": "prices as 1,2,3; found `1,2,`",
    "set eat_payment 1 -2 3": "prices as 1,2,3; found `1 -2 3`",
    "set eat_payment 4294967296": "a price, 0 to 4294967295; found `4294967296`",
    # numbers, times, the opening
    "stake 1e3": "an amount, in digits alone; found `1e3`",
    "stake 1,000": "an amount, in digits alone; found `1,000`",
    "stake 1 000": f"{END}; found `000`",
    "stake 9223372036854775808": "an amount, -9223372036854775808 to 9223372036854775807;"
    " found `9223372036854775808`",
    "started": f"{TIME}{END}",
    "started 2026-1-1T00:00:00Z": f"{TIME}`2026-1-1T00:00:00Z`",
    "started 2026-02-30T00:00:00Z": f"{TIME}`2026-02-30T00:00:00Z`",
    "started 2026-02-20T00:00:00": f"{TIME}`2026-02-20T00:00:00`",
    "started 30/11/2026 10:00": f"{TIME}`30/11/2026`",
    "opening 1": "one of game, creator, winner, after_winner; found `1`",
    "opening winer 1": "one of game, creator, winner, after_winner; found `winer`,"
    " did you mean `winner`?",
    "opening game": f"a number; found {END}",
    "opening game 1 game 2": f"`opening game`{ONCE}",
    "first": SEAT,
    "first -1": "a seat's number, 0 to 4294967295; found `-1`",
    "first seat": "a seat's number, in digits alone; found `seat`",
    # cards
    "deal 7H": "a seat's number, in digits alone; found `7H`",
    "deal 0: 7H": "a seat's number, in digits alone; found `0:`",
    "deal 0 7H 1H": f"{CARDS}`1H`, did you mean `AH`?",
    "deal 0 7H8H13S9H": f"{CARDS}`13S` in `7H8H13S9H`, did you mean `KS`?",
    "deal 0 ♦10": f"{CARDS}`♦10`, did you mean `TD`?",
    "deal 0 ♦10♦9": f"{CARDS}`♦10` in `♦10♦9`, did you mean `TD`?",
    "deal 0 d7 d8": f"{CARDS}`d7`, did you mean `7D`?",
    "deal 0 CARD_7H": f"{CARDS}`CARD_7H`, did you mean `7H`?",
    "deal 0 0H": f"{CARDS}`0H`, did you mean `TH`?",
    "deal 0 1Oh": f"{CARDS}`1Oh`, did you mean `TH`?",
    "deal 0 7 H": f"{CARDS}`7`",
    "deal 0 710D": f"{CARDS}`7` in `710D`",
    "deal 0 7H10": f"{CARDS}`10` in `7H10`",
    "deal 0 7x8h": f"{CARDS}`7x` in `7x8h`",
    "deal 0 [7H, 8H]": f"{CARDS}`[` in `[7H`",
    "deal 0 7H|8H": f"{CARDS}`|` in `7H|8H`",
    "deal 0 7cơ": f"{CARDS}`ơ` in `7cơ`",
    "deal 0 🂡": f"{CARDS}`🂡`",
    "deal 1 7H": "a line `deal 0` too",
    "stock": f"{CARD}{END}",
    "stock …": f"{CARDS}`...`",
    # events
    "0": f"{VERB}{END}",
    "0 lays": f"{VERB}`lays`, did you mean `lay`?",
    "0 time_out": f"{VERB}`time_out`, did you mean `timeout`?",
    "0 bốc": f"{VERB}`bốc`",
    "17: 0 eat": "a seat's number, in digits alone; found `17:`",
    "0 draw": f"{CARD}{END}",
    "0 discard 7H8H": f"{CARD}`7H8H`",
    "0 discard 7H 8H": f"{END}; found `8H`",
    "0 discard 7H @noon": f"{TIME}`noon`",
    "0 discard @2026-11-30T10:00:07Z 7H": f"{CARDS}`@2026-11-30T10:00:07Z`",
    "0 lay 7H8H9": f"{CARDS}`9` in `7H8H9`",
    "0 lay 7H, 8H, 9H": f"{PHOMS}`7H, 8H, 9H`",
    "0 lay 7H 8H 9H, 4S 4D 4C": f"{PHOMS}`7H 8H 9H, 4S 4D 4C`",
    "0 lay 7H ,8H": f"{PHOMS}`7H ,8H`",
    "0 lay 7H8H,9H": f"{PHOMS}`7H8H,9H`",
    "0 lay mom": f"{CARDS}`mom`",
    "0 off 7H": f"{PLACE}{END}",
    "0 off 7H 1": f"{PLACE}`1`",
    "0 off 7H 1.x": f"{PLACE}`1.x`",
    "0 off 7H 0,1": f"{PLACE}`0,1`",
    "0 off 7H 1.9999999999": "the number of a phỏm, 0 to 4294967295; found `9999999999`",
    "0 leave now": f"{END}; found `now`",
    # claims
    "claim 0 rank 1": "one of place, points, net; found `rank`",
    "claim 0 point 1": "one of place, points, net; found `point`, did you mean `points`?",
    "claim 0 place": f"a number; found {END}",
    "claim 0 place 1 place 2": "`place` only once",
    "claim v": f"{CLAIM}`v`",
    "claim nou": f"{CLAIM}`nou`, did you mean `no_u`?",
    "claim no_u perhaps": f"{FLAG}`perhaps`",
    "claim den": SEAT,
    # what is no text
    "first \udcff": "text in UTF-8",
}


@pytest.mark.parametrize(("line", "expected"), EXPECTED.items())
def test_bad_line(line: str, expected: str) -> None:
    with pytest.raises(NotationError) as error:
        parse(f"# a game\nid g\n\n{line} # so\n0 leave\n")
    assert error.value.line == 4
    assert error.value.field == "log"
    assert str(error.value) == f"line 4: `{quoted(line)} # so`: expected {expected}"


def test_id_without_a_name() -> None:
    with pytest.raises(NotationError) as error:
        parse("first 0\nID")
    assert str(error.value) == f"line 2: `ID`: expected the name of the game; found {END}"


def test_id_that_is_no_text() -> None:
    with pytest.raises(NotationError) as error:
        parse("id g\udcff")
    assert str(error.value) == "line 1: `id g�`: expected text in UTF-8"


@pytest.mark.parametrize(
    ("line", "fact"),
    {
        "house iwin": "house",
        "set rounds 4": "set rounds",
        "id b": "id",
        "stake 1": "stake",
        "started 2026-11-30T10:00:07Z": "started",
        "first 1": "first",
        "deal 0": "deal 0",
        "stock 7H": "stock",
        "opening": "opening",
        "claim den 1": "claim den",
        "claim u 1": "claim u",
    }.items(),
)
def test_said_twice(line: str, fact: str) -> None:
    with pytest.raises(NotationError) as error:
        parse(f"{line}\n{line}\n")
    assert error.value.line == 2
    assert str(error.value) == f"line 2: `{line}`: expected `{fact}`{ONCE}"


def test_one_u_is_claimed() -> None:
    with pytest.raises(NotationError) as error:
        parse("claim u 1\nclaim no_u\n")
    assert str(error.value) == f"line 2: `claim no_u`: expected `claim u`{ONCE}"


def test_what_is_quoted_is_cut_and_printable() -> None:
    with pytest.raises(NotationError) as error:
        parse("\x1b[2J" + "x" * 1000)
    cut = "�[2J" + "x" * 96
    assert str(error.value) == f"line 1: `{cut}`: expected {FACT}`{cut}`"


def test_a_log_without_an_end_is_cut() -> None:
    lines = (text for text in ("0 leave # " + "x" * 2**20,) * 20)
    (error,) = notation.read(lines)
    assert isinstance(error, NotationError)
    assert error.line == 16
    assert str(error).endswith(f": expected a log of at most {LONGEST:,} characters")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", SEAT),
        ("draw", "a seat's number, in digits alone; found `draw`"),
        ("1 draw 5S", f"{END}; found `5S`"),
        ("1 discard", f"{CARD}{END}"),
        ("1 discard 1S", f"{CARDS}`1S`, did you mean `AS`?"),
        ("1 eats", f"{VERB}`eats`, did you mean `eat`?"),
        ("1 draw\n2 eat", f"{END}; found `2`"),
    ],
)
def test_bad_action(text: str, expected: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_action(text)
    assert str(error.value) == f"`{quoted(text)}`: expected {expected}"
    assert (error.value.line, error.value.field) == (None, "action")


LINES = st.sampled_from([*ALL_FORMS.splitlines(), *EXPECTED])


@given(st.text() | st.lists(LINES | st.text(), max_size=5).map("\n".join))
@example("id\n")
@example("id \udc00")
@example("---\udc00")
@example("0 lay ,")
@example("0 lay -,7H")
@example("0 lay 7H,,8H")
def test_any_text_is_read_or_refused(text: str) -> None:
    found = list(notation.read(text.split("\n")))
    logs = [log for log in found if isinstance(log, GameLog)]
    assert parse("---\n".join(map(write, logs))) == logs
    for error in found:
        if isinstance(error, NotationError):
            assert error.line in range(1, text.count("\n") + 2)
