"""Every way of installing gives the three packages and a command that judges a game."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = "phom.v1.referee_pb2_grpc, phom_core.judge, phom_referee.command"
PYTHONS = ["python3.11", "python3.12", "python3.13"]


def run(*command: object) -> str:
    # In a folder of no importance: what is imported is what was installed.
    return subprocess.run(
        [str(word) for word in command], check=True, cwd="/", stdout=subprocess.PIPE, text=True
    ).stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The project as a fresh clone has it, with what is not committed yet."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():
            (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / "tree" / name)
    return tmp_path / "tree"


def build(kind: str, tree: Path) -> Path:
    run(sys.executable, "-m", "build", f"--{kind}", "--outdir", tree.parent / "dist", tree)
    (built,) = (tree.parent / "dist").iterdir()
    return built


def judges_a_game(python: Path) -> None:
    run(python, "-c", f"import {PACKAGES}")
    assert "FINISHED" in run(
        python.parent / "phom-referee", "replay", "--json", ROOT / "docs/sample.phom"
    )


def installed(tmp_path: Path, python: str, *what: object) -> Path:
    run(python, "-m", "venv", tmp_path / "venv")
    run(tmp_path / "venv/bin/pip", "install", "--quiet", *what)
    return tmp_path / "venv/bin/python"


def works(python: str) -> bool:
    path = shutil.which(python)
    return path is not None and subprocess.run([path, "-c", ""], check=False).returncode == 0


@pytest.mark.parametrize("python", PYTHONS)
def test_source_distribution_by_way_of_a_wheel(python: str, tree: Path, tmp_path: Path) -> None:
    if not works(python):
        pytest.skip(f"{python} is not installed here")
    judges_a_game(installed(tmp_path, python, build("sdist", tree)))


def test_editable(tree: Path, tmp_path: Path) -> None:
    judges_a_game(installed(tmp_path, sys.executable, "--editable", tree))


def test_wheel_holds_the_packages_with_their_types_and_nothing_else(tree: Path) -> None:
    names = set(zipfile.ZipFile(build("wheel", tree)).namelist())
    assert {
        "phom/v1/py.typed", "phom/v1/referee.proto", "phom/v1/referee_pb2.py",
        "phom/v1/referee_pb2.pyi", "phom/v1/referee_pb2_grpc.pyi", "phom_core/contract.pxd",
        "phom_core/judge.pyi", "phom_core/py.typed", "phom_referee/py.typed",
    } <= names  # fmt: skip
    outside = {
        name for name in names if not name.startswith(("phom/v1/", "phom_core/", "phom_referee"))
    }
    assert not outside
    assert not [name for name in names if name.endswith((".pyx", ".c"))]
