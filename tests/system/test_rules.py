"""The rules for Prometheus: what promtool says of them, and whether a server exports what they use."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from served import Served

pytestmark = pytest.mark.system

RULES = Path(__file__).parents[2] / "deploy" / "prometheus" / "rules.yaml"
TESTS = RULES.with_name("rules_test.yaml")

Labels = dict[str, str]

BY_PROMETHEUS = {"job", "instance"}  # the labels that scraping adds
SELECTOR = re.compile(
    r'"[^"]*"'  # an argument of label_replace
    r"|\[\w+\]|\b\d[\w.]*"  # a range, a number, a duration
    r"|\b(?:by|on)\s*\((?P<labels>[^)]*)\)"
    r"|(?P<name>[a-zA-Z_:][\w:]*)\s*(?:\{(?P<matchers>[^}]*)\}|(?P<function>\(|(?=by\b)))?"
)
MATCHER = re.compile(r'(\w+)\s*(=~?)\s*"([^"]*)"')
WORDS = {"and", "or", "unless", "offset"}


class Used(NamedTuple):
    """What an expression uses: metrics with their matchers, and labels to aggregate or join by."""

    metrics: list[tuple[str, list[tuple[str, str, str]]]]
    labels: set[str]


def _used(expression: str) -> Used:
    used = Used([], set())
    for found in SELECTOR.finditer(expression):
        if found["labels"]:
            used.labels.update(found["labels"].replace(" ", "").split(","))
        elif found["name"] and found["function"] is None and found["name"] not in WORDS:
            used.metrics.append((found["name"], MATCHER.findall(found["matchers"] or "")))
    return used


def _rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.fixture(scope="module")
def exported() -> dict[str, list[Labels]]:
    """The labels of each series of a server that has just started."""
    exported: dict[str, list[Labels]] = {"up": [{}]}  # which Prometheus itself makes
    with Served() as served:
        text = "\n".join(served.metrics()) + "\n"
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            exported.setdefault(sample.name, []).append(sample.labels)
    return exported


def _faults(expression: str, exported: dict[str, list[Labels]]) -> Iterator[str]:
    """What an expression uses and nobody exports."""
    used = _used(expression)
    labels = set(BY_PROMETHEUS)
    for name, matchers in used.metrics:
        if name not in exported:
            yield f"no metric {name}"
            continue
        labels.update(*exported[name])
        for label, sign, pattern in matchers:
            if label in BY_PROMETHEUS:
                continue
            values = {series.get(label) for series in exported[name]}
            for value in pattern.split("|") if sign == "=~" else [pattern]:
                if value not in values:
                    yield f"no {name} with {label} {value}"
    for label in used.labels - labels:
        yield f"no label {label} to aggregate or join by"


@pytest.mark.parametrize("what", [("check", RULES), ("test", TESTS)], ids=lambda what: what[0])
def test_promtool_agrees(what: tuple[str, Path]) -> None:
    command = ["promtool", what[0], "rules", str(what[1])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_is_tested_and_tells_what_to_do() -> None:
    tests = yaml.safe_load(TESTS.read_text(encoding="utf-8"))["tests"]
    checks = [check for test in tests for check in test.get("alert_rule_test", [])]
    firing = {check["alertname"] for check in checks if check.get("exp_alerts")}
    silent = {check["alertname"] for check in checks if not check.get("exp_alerts")}
    alerts = [rule for rule in _rules() if "alert" in rule]
    assert firing == silent == {rule["alert"] for rule in alerts}
    for rule in alerts:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["runbook"] == f"docs/operations.md#{rule['alert'].lower()}"


def test_each_recording_rule_is_tested() -> None:
    tests = yaml.safe_load(TESTS.read_text(encoding="utf-8"))["tests"]
    checks = [check for test in tests for check in test.get("promql_expr_test", [])]
    tested = {name for check in checks for name, _ in _used(check["expr"]).metrics}
    assert tested == {rule["record"] for rule in _rules() if "record" in rule}


def test_all_of_it_can_stand_in_a_prometheus_rule() -> None:
    text = RULES.read_text(encoding="utf-8")
    indented = "".join(f"  {line}" for line in text.splitlines(keepends=True))
    assert yaml.safe_load(f"spec:\n{indented}") == {"spec": yaml.safe_load(text)}


def test_a_server_exports_what_the_rules_use(exported: dict[str, list[Labels]]) -> None:
    known = dict(exported)
    for rule in _rules():
        assert list(_faults(rule["expr"], known)) == [], rule
        if "record" in rule:
            # Its labels are those it aggregates by; which values they have is the metrics' affair.
            used = _used(rule["expr"])
            values = [series for name, _ in used.metrics for series in known[name]]
            known[rule["record"]] = [
                {label: series.get(label, "") for label in used.labels} for series in values
            ]


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("rate(phom_referee_game_total[5m])", "no metric phom_referee_game_total"),
        ("sum by (hose) (phom_referee_games_total)", "no label hose to aggregate or join by"),
        ('phom_referee_games_total{status="ilegal"}', "no phom_referee_games_total with status"),
        (
            'grpc_server_handled_total{grpc_code=~"Internal|Lost"} > 3 * sum(up) offset 30m',
            "no grpc_server_handled_total with grpc_code Lost",
        ),
    ],
)
def test_what_nobody_exports_is_found(
    exported: dict[str, list[Labels]], expression: str, fault: str
) -> None:
    (found,) = _faults(expression, exported)
    assert found.startswith(fault)
