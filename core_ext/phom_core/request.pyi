from collections.abc import Iterable

class NotALog(ValueError):
    fields: list[tuple[str, str]]
    def __init__(self, fields: Iterable[tuple[str, str]]) -> None: ...
