"""What pyproject.toml, the lock and the generated code say of versions agrees."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKED = set(re.findall(r"^\S+==\S+", (ROOT / "requirements-dev.txt").read_text(), re.MULTILINE))


def test_lock_has_what_the_build_requires() -> None:
    assert set(PYPROJECT["build-system"]["requires"]) <= LOCKED


def test_lock_has_what_the_project_depends_on() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    dependencies = [*PYPROJECT["project"]["dependencies"], *extras["dev"], *extras["tracing"]]
    names = {re.split("[<>=]", dependency)[0] for dependency in dependencies}
    # What the tests need of the project's own extras is in the list already.
    assert names - {"phom-referee[tracing]"} <= {locked.split("==")[0] for locked in LOCKED}


def test_runtime_may_not_be_older_than_the_generator() -> None:
    (generator,) = (pin for pin in LOCKED if pin.startswith("grpcio-tools=="))
    oldest = generator.split("==")[1]
    dependencies = PYPROJECT["project"]["dependencies"]
    for name in ("grpcio", "grpcio-health-checking", "grpcio-reflection", "grpcio-status"):
        assert f"{name}>={oldest},<2" in dependencies
    written = (ROOT / "proto/phom/v1/cards_pb2.py").read_text()
    (protobuf,) = re.findall(r"^# Protobuf Python Version: (\S+)$", written, re.MULTILINE)
    assert f"protobuf>={protobuf},<8" in dependencies


def test_installed_version_is_the_projects() -> None:
    assert version("phom-referee") == PYPROJECT["project"]["version"]
