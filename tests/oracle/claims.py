"""What a caller claims about a finished game, compared with the computed result (contract.md)."""

from collections.abc import Mapping
from typing import Any


def differences(claimed: Mapping[str, Any], result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every difference: u_seat, den_seat, then the seats in order, each place, points, net."""
    found = _u_differences(claimed, result.get("u") or {})
    for seat in sorted(claimed.get("seats") or [], key=lambda claim: int(claim["seat"])):
        number = int(seat["seat"])
        computed = result["seats"][number]
        for field in ("place", "points", "net"):
            if seat.get(field) is not None and int(seat[field]) != computed[field]:
                found.append(
                    _difference(field, str(int(seat[field])), str(computed[field]), number)
                )
    return found


def _u_differences(claimed: Mapping[str, Any], u: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Nobody is the empty string. A `no_u` that is false claims nothing."""
    found = []
    if claimed.get("uSeat") is not None and int(claimed["uSeat"]) != u.get("seat"):
        found.append(_difference("u_seat", str(int(claimed["uSeat"])), _seat(u.get("seat"))))
    if claimed.get("noU") and u:
        found.append(_difference("u_seat", "", _seat(u["seat"])))
    if claimed.get("denSeat") is not None and int(claimed["denSeat"]) != u.get("denSeat"):
        found.append(_difference("den_seat", str(int(claimed["denSeat"])), _seat(u.get("denSeat"))))
    return found


def _seat(number: int | None) -> str:
    return "" if number is None else str(number)


def _difference(field: str, claimed: str, computed: str, seat: int | None = None) -> dict[str, Any]:
    difference: dict[str, Any] = {"field": field, "claimed": claimed, "computed": computed}
    if seat is not None:
        difference["seat"] = seat
    return difference
