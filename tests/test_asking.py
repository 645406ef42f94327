"""The command's questions: check and legal about a log so far, hand about a few cards."""
# ruff: noqa: RUF001 - letters and signs as people type them

from pathlib import Path

import pytest
from commandline import SAMPLE, SO_FAR, Run, error, objects

# ---- check, legal ----


def test_check_of_a_legal_action(run: Run) -> None:
    code, out, _ = run("check", "-", "0 eat", stdin=SO_FAR)
    assert code == 0
    assert out.splitlines()[:6] == [
        "legal (rule 4.2)",
        "  append: 0 eat KH",
        "  a card of the leader's row moves, seat 0 leads (rule 3.3)",
        "  seat 3 is spared its lay-down (né hạ)",
        "  seat 3 pays seat 0 1000 (stakes: 1) for an eaten card (rule 4.4)",
        "  the table after it:",
    ]


def test_check_of_an_illegal_action(run: Run) -> None:
    code, out, _ = run("check", "-", "1", "eat", stdin=SO_FAR)
    assert code == 1
    assert out.startswith("not legal\n  NOT_YOUR_TURN: it is another seat's turn")
    assert "  rule 3.1:\n    A turn: take one card (draw from the stock, or eat" in out


def test_check_of_a_draw_from_an_unknown_stock(run: Run) -> None:
    text = "\n".join(line for line in SO_FAR.splitlines() if not line.startswith("stock"))
    code, out, _ = run("check", "-", "0 draw", stdin=text)
    assert code == 0
    assert out.splitlines()[:2] == ["legal (rule 3.1)", "  append: 0 draw, and the card that comes"]


def test_check_as_json(run: Run) -> None:
    code, out, _ = run("check", "-", "0 eat", "--json", stdin=SO_FAR)
    (response,) = objects(out)
    assert (code, response["legal"]) == (0, True)
    assert response["event"] == {"seat": 0, "eat": {"card": "CARD_KH"}}
    code, out, _ = run("check", "-", "1 draw", "--json", stdin=SO_FAR)
    (response,) = objects(out)
    assert code == 1
    assert response["violation"]["code"] == "VIOLATION_CODE_NOT_YOUR_TURN"


def test_check_of_what_is_no_action(run: Run) -> None:
    verbs = "draw, eat, discard, announce, lay, off, u, timeout, leave"
    for form in ([], ["--json"]):
        assert run("check", SAMPLE, "0 eats", *form) == (
            2,
            "",
            f"phom-referee check: action `0 eats`: expected one of {verbs}; found `eats`,"
            " did you mean `eat`?\n",
        )
    seat = "must be a seat of this game, 0 to 3; found 7"
    assert run("check", SAMPLE, "7", "draw") == (
        2,
        f"no action: `7 draw`\n  action.seat: {seat}\n",
        "",
    )
    code, out, _ = run("check", SAMPLE, "7 draw", "--json")
    assert (code, objects(out)) == (2, [error(("action.seat", seat))])


@pytest.mark.parametrize("asked", [("check", "7 draw"), ("legal",)])
def test_check_and_legal_of_what_is_no_log(run: Run, tmp_path: Path, asked: tuple[str]) -> None:
    command, *action = asked
    file = tmp_path / "so_far.phom"
    file.write_text("id a\n---\nid b\n", "utf-8")
    assert run(command, file, *action) == (
        2,
        "",
        f"phom-referee: {file}: there are 2 logs in it, expected one\n",
    )
    assert run(command, tmp_path, *action) == (2, "", f"phom-referee: {tmp_path}: Is a directory\n")
    file.write_text("# so far\nid a\nsecond 0\n", "utf-8")
    known = "id, deal, house, set, stake, started, opening, first, stock, claim"
    fault = (
        "`second 0`: expected an event, which begins with a seat's number, or one of"
        f" {known}; found `second`"
    )
    assert run(command, file, *action) == (
        2,
        f"{file}, log 1, line 2: no log\n  log: line 3: {fault}\n",
        "",
    )
    code, out, _ = run(command, file, *action, "--json")
    assert (code, objects(out)) == (2, [error(("log", f"{fault} ({file}, log 1, line 3)"))])
    file.write_text(SO_FAR.replace("first 3", "first 9"), "utf-8")
    no_action = "no action: `7 draw`\n  action.seat: must be a seat of this game, 0 to 3; found 7\n"
    assert run(command, file, *action) == (
        2,
        f"{file}, log 1, line 2: no log\n"
        "  log.first_seat: line 5: must be a seat of this game, 0 to 3; found 9\n"
        + (no_action if action else ""),
        "",
    )


def test_check_and_legal_read_what_people_type(run: Run) -> None:
    typed = SO_FAR.replace("discard", "Discard").replace("deal", "DEAL").lower()
    code, out, _ = run("check", "-", "0", "Eat", "k♥️,", stdin=typed.encode("utf-16"))
    assert (code, out.splitlines()[:2]) == (0, ["legal (rule 4.2)", "  append: 0 eat KH"])
    assert run("legal", "-", stdin=typed.replace("\n", "\r\n")) == (0, "0 eat\n0 draw\n", "")


def test_blanks_between_the_cards_of_a_phom_are_explained(run: Run) -> None:
    hint = "  (a blank ends a phỏm: its cards are written without one, as 7H8H9H 4S4D4C)"
    so_far = SAMPLE.read_text("utf-8").partition("0 lay JHQHKH")[0]
    code, out, _ = run("check", "-", "0 lay JH QH KH", stdin=so_far)
    assert (code, out.splitlines()[2]) == (1, hint)
    code, out, _ = run("replay", "-", stdin=so_far + "0 lay JH QH KH")
    assert (code, out.splitlines()[3]) == (1, hint)
    code, out, _ = run("check", "-", "0 lay JHQHTD", stdin=so_far)
    assert (code, out.splitlines()[1].partition(":")[0], hint in out) == (1, "  NOT_A_PHOM", False)


def test_legal(run: Run) -> None:
    assert run("legal", "-", stdin=SO_FAR) == (0, "0 eat\n0 draw\n", "")
    code, out, _ = run("legal", "-", "--json", stdin=SO_FAR)
    assert (code, objects(out)) == (
        0,
        [{"seat": 0, "actions": [{"seat": 0, "eat": {}}, {"seat": 0, "draw": {}}]}],
    )


def test_legal_after_the_end(run: Run) -> None:
    code, out, _ = run("legal", "-", stdin=SO_FAR + "0 leave\n1 leave\n2 leave\n")
    assert (code, out) == (0, "nothing can follow: the game is over\n")


def test_legal_of_an_illegal_log(run: Run) -> None:
    code, out, _ = run("legal", "-", stdin=SO_FAR + "1 eat\n")
    assert code == 1
    assert out.startswith("the log is not legal\n  event 17: 1 eat\n  NOT_YOUR_TURN: ")


# ---- hand, rulesets ----


def test_hand(run: Run) -> None:
    cards = "3H4H5H6H7H8H 3S 3D 8S 8C"
    code, out, _ = run("hand", cards, "--eaten", "4H 7H", "--offered", "8D")
    assert code == 0
    assert out.splitlines() == [
        "phỏm: 3H4H5H 6H7H8H",
        "loose: 3S 8S 8C 3D; 22 points",
        "arrangements as good: 1",
        "may discard: 3S 8S 8C 3D",
        "cạ: 3S-3D 3S-3H 8S-8C 8S-8H 8C-8H 3D-3H 3H-4H 3H-5H 4H-5H 4H-6H 5H-6H 5H-7H 6H-7H 6H-8H"
        " 7H-8H",
        "the offered card may be eaten",
    ]


def test_hand_that_is_u(run: Run) -> None:
    code, out, _ = run("hand", "3H4H5H", "6H7H8H 3S3D 8S 8C", "--json")
    (response,) = objects(out)
    assert (code, response["uKind"], len(response["phoms"])) == (0, "U_KIND_TRON", 3)
    assert run("hand", "3H4H5H6H7H8H 3S3D 8S 8C")[1].endswith("\nthese ten cards are Ù tròn\n")


@pytest.mark.parametrize(
    "typed",
    [
        ["7h8h9h10s10d10c"],
        ["7H,", "8h,9♥️;", "10♠", "td T♣"],
        ["７Ｈ\u00a08♡9❤ｔｓ,10♢ 10♧"],
    ],
)
def test_hand_as_people_type_it(run: Run, typed: list[str]) -> None:
    plain = ["hand", "7H 8H 9H TS TD TC", "--eaten", "TD", "--offered", "6H"]
    other = ["hand", *typed, "--eaten", "10♦", "--offered", "6♥"]
    assert run(*other) == run(*plain)
    assert run(*other, "--json") == run(*plain, "--json")


CARDS = "expected cards, each a rank (A 2 3 4 5 6 7 8 9 T J Q K, or 10) and a suit (S C D H, or ♠ ♣ ♦ ♥)"


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        ([""], 'cards: expected at least one, as "7H 8H 9H KD"; found none'),
        ([" ,"], 'cards: expected at least one, as "7H 8H 9H KD"; found none'),
        (["7H", "1D"], f"cards `7H 1D`: {CARDS}; found `1D`, did you mean `AD`?"),
        (["-"], f"cards `-`: {CARDS}; found `-`"),
        (["7H", "--eaten", "x\x1b"], f"--eaten `x�`: {CARDS}; found `x�`"),
        (["7H", "--offered", "♦7"], f"--offered `♦7`: {CARDS}; found `♦7`, did you mean `7D`?"),
        (["7H", "--offered", "8H 9H"], "--offered `8H 9H`: expected one card; found 2"),
        (["7H", "--offered", ""], "--offered ``: expected one card; found none"),
    ],
)
def test_what_is_no_hand_is_wrong_usage(run: Run, argv: list[str], error: str) -> None:
    for form in ([], ["--json"]):
        assert run("hand", *argv, *form) == (2, "", f"phom-referee hand: {error}\n")


@pytest.mark.parametrize(
    ("argv", "faults"),
    [
        (
            ["AS2S3S4S5S6S7S8S9STSJSQSKSAD"],
            [("cards", "", "must be at most 13 cards; found 14")],
        ),
        (
            ["7H 8H 7♥", "--eaten", "KD", "--offered", "8H"],
            [
                ("cards[2]", " (7H)", "must be there only once; it is cards[0] too"),
                ("eaten[0]", " (KD)", "must be one of the cards"),
                ("offered", " (8H)", "must not be one of the cards"),
            ],
        ),
        (["7H 8H", "--eaten", "7H"], [("eaten", "", "must have a phỏm each among the cards")]),
    ],
)
def test_hand_that_cannot_be_analyzed(
    run: Run, argv: list[str], faults: list[tuple[str, str, str]]
) -> None:
    lines = [f"phom-referee hand: {path}{card}: {text}\n" for path, card, text in faults]
    assert run("hand", *argv) == (2, "", "".join(lines))
    code, out, err = run("hand", *argv, "--json")
    assert (code, objects(out), err) == (2, [error(*((p, text) for p, _, text in faults))], "")


def test_hand_without_cards(run: Run) -> None:
    code, out, err = run("hand")
    assert (code, out) == (2, "")
    assert err.endswith("phom-referee hand: error: the following arguments are required: CARDS\n")
