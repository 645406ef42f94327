"""The pages of docs/calls run: their Python prints what the page says it prints."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from phom_referee.server import App

PAGES = sorted((Path(__file__).parents[1] / "docs" / "calls").glob("*.md"))
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def app() -> Iterator[App]:
    app = App()
    app.start()
    yield app
    app.stop()


def _blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, app: App) -> None:
    ((_, preamble),) = _blocks(PAGES[0].with_name("README.md"))
    names: dict[str, Any] = {}
    exec(preamble.replace("localhost:50051", f"localhost:{app.port}"), names)  # noqa: S102 - ours
    if page.stem == "README":
        return
    blocks = _blocks(page)
    assert blocks, "a page has an example"
    printed = io.StringIO()
    for language, text in blocks:
        if language == "python":
            with contextlib.redirect_stdout(printed):
                exec(text, names)  # noqa: S102 - ours
        else:
            assert printed.getvalue() == text
            printed = io.StringIO()
    assert printed.getvalue() == ""
    names["channel"].close()


def test_every_link_leads_somewhere() -> None:
    root = Path(__file__).parents[1]
    pages = [root / "README.md", root / "CHANGELOG.md", *(root / "docs").rglob("*.md")]
    dead = [
        f"{page.relative_to(root)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert dead == []
