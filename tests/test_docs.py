"""The pages of docs/calls run: their Python prints what the page says it prints."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from phom_referee.server import App

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs" / "calls").glob("*.md"))
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


def _anchors(page: Path) -> set[str]:
    """What can stand behind `#`: the headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
    dead = []
    for page in pages:
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in _anchors(target)):
                dead.append(f"{page.relative_to(ROOT)}: {link}")
    assert dead == []


def test_every_alert_says_where_help_is() -> None:
    rules = (ROOT / "deploy" / "prometheus" / "rules.yaml").read_text(encoding="utf-8")
    books = re.findall(r"runbook: (.+)#(.+)", rules)
    assert {page for page, _ in books} == {"docs/operations.md"}
    assert {anchor for _, anchor in books} <= _anchors(ROOT / "docs" / "operations.md")
