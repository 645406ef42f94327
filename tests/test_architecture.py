"""The arrows of the architecture: imports go one way, no house is named, every check cites its rule."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core_ext" / "phom_core"
SERVICE = ROOT / "service" / "phom_referee"

# A module of the core uses only those before it.
CORE_ORDER = [
    "contract",
    "cards",
    "phom",
    "arrange",
    "u",
    "ruleset",
    "table",
    "settle",
    "state",
    "wire",
    "log",
    "events",
    "decode",
    "validate",
    "play",
    "counts",
    "live",
    "explain",
    "encode",
    "hand",
    "hands",
    "request",
    "judge",
]
# What the core may use beside itself: no files, sockets, clocks, logging.
CORE_IMPORTS = {"phom_core", "libc", "cpython", "cython", "hashlib"}

CORE_FILES = sorted([*CORE.glob("*.pyx"), *CORE.glob("*.pxd")])
SERVICE_FILES = sorted(SERVICE.glob("*.py"))


def test_every_core_module_has_its_place() -> None:
    assert {path.stem for path in CORE_FILES} == set(CORE_ORDER)


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_the_core_uses_only_what_stands_below(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"^(?:from|import|cimport) +([\w.]+)", text, re.MULTILINE)
    assert {name.split(".")[0] for name in used} <= CORE_IMPORTS
    below = CORE_ORDER[: CORE_ORDER.index(path.stem) + 1]
    assert {name.split(".")[1] for name in used if name.startswith("phom_core.")} <= set(below)


@pytest.mark.parametrize("path", SERVICE_FILES, ids=lambda path: path.name)
def test_the_service_uses_the_core_by_its_front_door(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert not {name for name in modules if name.startswith("phom_core.")}


@pytest.mark.parametrize("path", [*CORE_FILES, *SERVICE_FILES], ids=lambda path: path.name)
def test_no_house_is_named_in_code(path: Path) -> None:
    if path.stem == "contract":
        return
    named = re.findall(r"HOUSE_(?!UNSPECIFIED)[A-Z0-9_]+", path.read_text(encoding="utf-8"))
    assert named == []


def test_every_refusal_cites_its_section() -> None:
    lines = (CORE / "table.pyx").read_text(encoding="utf-8").splitlines()
    refusals = [i for i, line in enumerate(lines) if "return refuse(VIOLATION_CODE" in line]
    assert len(refusals) > 50
    for i in refusals:
        major, minor = re.search(r"RULE_(\d)_(\d)\)", lines[i]).groups()  # type: ignore[union-attr]
        # On the line of the check, or the line above it where the check is longer.
        nearby = "\n".join(lines[i - 2 : i])
        assert f"{major}.{minor}" in nearby, lines[i]
