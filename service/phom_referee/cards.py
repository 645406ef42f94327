"""Cards: the one reader of what people type as cards, and the one form that is written.

A card is a rank, A 2 … 9 T J Q K or 10, and a suit, S C D H or its sign, in either case: 7H, 7h,
10d, td, T♦. Cards stand apart by blanks, commas, semicolons, or nothing. Outlined suits (♡) and
the heart of chats (❤) are suits too; signs may come as pictures, letters in full width. The suit
never comes first, and nothing stands between rank and suit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast

from phom.v1.cards_pb2 import Card, Phom

from phom_referee.typed import UnexpectedError, nearest, plain, unwritable

EXPECTED = "cards, each a rank (A 2 3 4 5 6 7 8 9 T J Q K, or 10) and a suit (S C D H, or ♠ ♣ ♦ ♥)"
NO_PHOM = "-"

_CARDS = {name.removeprefix("CARD_"): cast("Card", n) for name, n in Card.items() if n}
_CODES = {number: code for code, number in _CARDS.items()}
_SUITS = {
    sign: suit
    for suit, signs in zip("SCDH", ("♠♤", "♣♧", "♦♢", "♥♡❤"), strict=True)
    for sign in signs
}
_SUIT = f"[SCDH{''.join(_SUITS)}]"
_RANK = "10|[A2-9TJQK]"
_CARD = re.compile(f"({_RANK})({_SUIT})", re.IGNORECASE)
_APART = re.compile(r"[\s,;]+")
# What people write for a card that is another's way: suit first, an ace as 1, a king as 13, JSON.
_TURNED = re.compile(f"({_SUIT})({_RANK}|1[1-4]?)", re.IGNORECASE)
_MISNAMED = re.compile(f"(1[1-4]?|0|[1IL]O)({_SUIT})", re.IGNORECASE)
_NAMED = re.compile("CARD_[0-9A-Z]*", re.IGNORECASE)
_RANKS = {"1": "A", "14": "A", "11": "J", "12": "Q", "13": "K"}


def read_cards(text: str) -> list[Card]:
    """Read cards as people type them; UnexpectedError names the first piece that is no card."""
    words = _APART.split(plain(text))
    return [card for word in words for card in _read_word(word)]


def read_phoms(words: list[str]) -> list[Phom]:
    """Read phỏm that stand apart by blanks, as in notation; `-` is one without cards.

    A comma within a word joins single cards (7H,8H,9H 4S,4D,4C) and parts groups of cards
    (7H8H9H,4S4D4C). Beside a blank it parts as the blank does, and then no phỏm may be a single
    card: of 7H, 8H, 9H nobody can tell.
    """
    phoms: list[list[Card]] = []
    text = " ".join(words).rstrip(",; ")
    for word in text.split():
        if word == NO_PHOM:
            phoms.append([])
            continue
        groups = [_read_word(part) for part in _APART.split(word) if part]
        singles = sum(len(group) == 1 for group in groups)
        if singles == len(groups) > 0:
            phoms.append([card for group in groups for card in group])
        elif singles == 0:
            phoms += groups
        else:
            raise _unclear(text)
    if re.search(r"[,;](\s|$)|\s[,;]", text) and any(len(phom) == 1 for phom in phoms):
        raise _unclear(text)
    return [Phom(cards=phom) for phom in phoms]


def nearest_card(text: str) -> str | None:
    """The code of the card that was perhaps meant; None: no card is near."""
    word = plain(text).upper().removeprefix("CARD_")
    if turned := _TURNED.fullmatch(word):
        return _code(_RANKS.get(turned[2], turned[2]), turned[1])
    if misnamed := _MISNAMED.fullmatch(word):
        return _code(_RANKS.get(misnamed[1], "T"), misnamed[2])
    if found := _CARD.fullmatch(word):
        return _code(found[1], found[2])
    # Of two signs every card shares one with several others.
    return nearest(word, _CARDS) if len(word) > 2 else None


def card_word(card: Card, field: str) -> str:
    """The code of a card, as `7H`; `field` is where it stands."""
    code = _CODES.get(card)
    if code is None:
        raise unwritable(field, f"{card} is no card")
    return code


def card_words(cards: Iterable[Card], field: str) -> list[str]:
    """The codes of the cards of a repeated field."""
    return [card_word(card, f"{field}[{i}]") for i, card in enumerate(cards)]


def phom_words(phoms: Iterable[Phom], field: str) -> list[str]:
    """One word for each phỏm; `-` is one without cards."""
    return [
        "".join(card_words(phom.cards, f"{field}[{i}].cards")) or NO_PHOM
        for i, phom in enumerate(phoms)
    ]


def _read_word(word: str) -> list[Card]:
    """Read cards with nothing between them."""
    cards = []
    at = 0
    while at < len(word):
        found = _CARD.match(word, at)
        if found is None:
            raise _no_card(word, at)
        cards.append(_CARDS[_code(found[1], found[2])])
        at = found.end()
    return cards


def _code(rank: str, suit: str) -> str:
    rank, suit = rank.upper(), suit.upper()
    return ("T" if rank == "10" else rank) + _SUITS.get(suit, suit)


def _no_card(word: str, at: int) -> UnexpectedError:
    for meant in (_NAMED, _TURNED, _MISNAMED):
        if found := meant.match(word, at):
            return UnexpectedError(EXPECTED, found[0], within=word, near=nearest_card(found[0]))
    following = _CARD.search(word, at + 1)
    piece = word[at : following.start() if following else None]
    return UnexpectedError(EXPECTED, piece, within=word, near=nearest_card(piece))


def _unclear(text: str) -> UnexpectedError:
    expected = "a blank between two phỏm and none between the cards of one, as 7H8H9H 4S4D4C"
    return UnexpectedError(expected, text)
