"""The core of the referee: cards, arrangement, the table, settlement, in C, without the GIL."""

from phom_core.judge import NotALog, Referee

__all__ = ["NotALog", "Referee"]
