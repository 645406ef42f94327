"""The core of the referee: cards, arrangement, the table, settlement, in C, without the GIL."""

from phom_core.counts import Counts
from phom_core.judge import Referee, analyze_hand
from phom_core.request import NotALog

__all__ = ["Counts", "NotALog", "Referee", "analyze_hand"]
