"""Every query of the dashboard, and every rule, asked of a Prometheus that scraped a server under load."""

import functools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, Self

import grpc
import pytest
import yaml
from google.protobuf import json_format
from oracle.mutate import mutate
from phom.v1 import cards_pb2, events_pb2, referee_pb2
from phom_referee.generate import games
from prometheus import Prometheus, Series, scraping
from served import Served
from waiting import SECONDS
from wire.requests import HOUSES, check_of, cut, hand_of

pytestmark = pytest.mark.system

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "rules.yaml"
DASHBOARD: dict[str, Any] = json.loads(
    (DEPLOY / "grafana" / "dashboard.json").read_text(encoding="utf-8")
)
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
TARGETS = [(panel["title"], target) for panel in PANELS for target in panel["targets"]]
VARIABLES = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
RECORDS = [
    rule["record"]
    for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
    if "record" in rule
]

# As a PodMonitor names it, and as one does oneself: the same server is scraped as both.
JOBS = ("games/phom-referee", "phom-referee")
# As Grafana sets it where scrapes are a second apart, and so are the points of a graph.
RATE_INTERVAL = "4s"
RANGE_SECONDS = 60
MUTANTS = 20
CALLS_AT_ONCE, STREAMS_AT_ONCE = 2, 1
TOO_MANY = 16

Soon = Callable[[str, Callable[[], bool]], None]


def _logs() -> list[events_pb2.GameLog]:
    """Of each house every status, and games that break many rules."""
    rng = Random(1)
    logs = []
    for house in HOUSES:
        finished = next(games(1, house=house, seed=1))
        begun = cut(finished, rng, 4)
        illegal, claimed = deepcopy(finished), deepcopy(finished)
        illegal.events.add(seat=0).draw.card = cards_pb2.CARD_AS
        claimed.claimed_result.seats.add(seat=0, net=10**9)
        logs += [finished, begun, illegal, claimed]
        as_json = json_format.MessageToDict(finished)
        for _ in range(MUTANTS):
            logs.append(json_format.ParseDict(mutate(as_json, rng), events_pb2.GameLog()))
    return logs


class Load:
    """Calls of every kind, again and again, from time to time more than are taken at once."""

    def __init__(self, served: Served) -> None:
        self._stub = served.stub
        self._logs = _logs()
        self._rng = Random(1)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            for log in self._logs:
                self._replay(log)
            self._replay(events_pb2.GameLog(game_id="no log"))
            self._others()
            self._replay_many()
            self._too_many()

    def _replay(self, log: events_pb2.GameLog) -> None:
        _ask(self._stub.Replay, referee_pb2.ReplayRequest(log=log))

    def _others(self) -> None:
        log = self._logs[0]
        _ask(self._stub.CheckAction, check_of(log, self._rng))
        _ask(self._stub.ListLegalActions, referee_pb2.ListLegalActionsRequest(log=log))
        _ask(self._stub.AnalyzeHand, hand_of(log, self._rng))
        _ask(self._stub.ListRulesets, referee_pb2.ListRulesetsRequest())

    def _replay_many(self) -> None:
        """Several messages on one stream, while a second is one too many."""
        many = [*self._logs, events_pb2.GameLog(game_id="no log")]
        requests = [referee_pb2.ReplayManyRequest(logs=many[:size]) for size in (1, 20, len(many))]
        open_end = threading.Event()

        def messages() -> Iterator[referee_pb2.ReplayManyRequest]:
            yield from requests
            open_end.wait()

        def stream() -> None:
            answers = self._stub.ReplayMany(messages())
            try:
                for _ in requests:
                    next(answers)
                _ask(lambda one: list(self._stub.ReplayMany(iter([one]))), requests[0])
            finally:
                open_end.set()
            list(answers)

        _ask(stream)

    def _too_many(self) -> None:
        request = referee_pb2.ReplayRequest(log=self._logs[0])
        for call in [self._stub.Replay.future(request) for _ in range(TOO_MANY)]:
            _ask(call.result)


def _ask(call: Callable[..., object], *request: object) -> None:
    """Call; that one is refused is a part of it."""
    expected = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)
    try:
        call(*request)
    except grpc.RpcError as error:
        if error.code() not in expected:
            raise


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    folder = tmp_path_factory.mktemp("prometheus")
    limits = ("--max-concurrent-rpcs", str(CALLS_AT_ONCE), "--max-streams", str(STREAMS_AT_ONCE))
    with (
        Served(*limits, "--log-rpcs", "false") as served,
        scraping(folder, served.metrics_port, JOBS, RULES) as prometheus,
    ):
        # From the first, so that what the load does is seen as a rise.
        prometheus.comes_to("count(phom_referee_build_info)", len(JOBS))
        with Load(served):
            yield prometheus


@pytest.fixture(scope="module")
def soon() -> Soon:
    """Waits until something holds; a minute for all tests together, since all wait for the same."""
    until = time.monotonic() + SECONDS

    def wait(what: str, holds: Callable[[], bool]) -> None:
        while not holds():
            assert time.monotonic() < until, what
            time.sleep(0.2)

    return wait


# ---- as Grafana asks ----


def _choices(prometheus: Prometheus, name: str) -> list[str]:
    """What a variable can be."""
    query = _filled(prometheus, VARIABLES[name]["query"]["query"])
    selector, label = re.fullmatch(r"label_values\((.+), (\w+)\)", query).groups()  # type: ignore[union-attr]
    values: list[str] = prometheus.get(f"label/{label}/values", **{"match[]": selector})
    return values


def _all_of(prometheus: Prometheus, name: str) -> str:
    """What stands for a variable of which all is chosen."""
    if everything := VARIABLES[name].get("allValue"):
        return str(everything)
    return f"({'|'.join(_choices(prometheus, name))})"


def _filled(prometheus: Prometheus, query: str) -> str:
    """A query with all its variables replaced."""
    values: dict[str, Callable[[], str]] = {
        "$__rate_interval": lambda: RATE_INTERVAL,
        "$__range": lambda: f"{RANGE_SECONDS}s",
        **{f"${name}": functools.partial(_all_of, prometheus, name) for name in VARIABLES},
    }
    return re.sub(r"\$\w+", lambda found: values[found[0]](), query)


def _answer(prometheus: Prometheus, target: dict[str, Any]) -> list[Series]:
    query = _filled(prometheus, target["expr"])
    if target["instant"]:
        return prometheus.now(query)
    return prometheus.lately(query, RANGE_SECONDS)


# ---- what Prometheus answers ----


def test_the_load_is_of_every_kind(prometheus: Prometheus) -> None:
    (job, *_) = JOBS
    of_each = f'count(sum by (house, status) (phom_referee_games_total{{job="{job}"}}) > 0)'
    prometheus.comes_to(of_each, len(HOUSES) * 4)
    shed = f'count(phom_referee_shed_total{{job="{job}"}} > 0)'
    prometheus.comes_to(shed, 2)
    codes = prometheus.now(f'phom_referee_violations_total{{job="{job}"}} > 0')
    assert len(codes) > 10


@pytest.mark.parametrize("name", [name for name in VARIABLES if name != "datasource"])
def test_variable_has_choices(prometheus: Prometheus, name: str) -> None:
    choices = _choices(prometheus, name)
    assert choices
    if name == "job":
        assert choices == list(JOBS)


@pytest.mark.parametrize(
    "target", [pytest.param(target, id=f"{title} {target['refId']}") for title, target in TARGETS]
)
def test_query_gives_numbers(prometheus: Prometheus, soon: Soon, target: dict[str, Any]) -> None:
    def has_numbers() -> bool:
        answer = _answer(prometheus, target)
        return bool(answer) and all(series.values for series in answer)

    soon(f"{target['expr']} gives no numbers", has_numbers)
    named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
    for series in _answer(prometheus, target):
        assert named <= set(series.labels), "its legend names labels that it has"


@pytest.mark.parametrize("record", RECORDS)
def test_recording_rule_gives_numbers(prometheus: Prometheus, soon: Soon, record: str) -> None:
    soon(f"{record} gives nothing", lambda: bool(prometheus.now(record)))
    for series in prometheus.now(record):
        assert series.values, series
        labels = set(series.labels) - {"__name__"}
        level = record.partition(":")[0]
        assert "_".join(sorted(labels, key=level.index)) == level


def test_no_rule_fails(prometheus: Prometheus, soon: Soon) -> None:
    def rules() -> list[dict[str, Any]]:
        groups = prometheus.get("rules")["groups"]
        return [rule for group in groups for rule in group["rules"]]

    soon(
        "a rule has not been evaluated",
        lambda: all(rule["health"] != "unknown" for rule in rules()),
    )
    assert [rule for rule in rules() if rule["health"] != "ok"] == []


def test_the_load_is_about_to_alarm(prometheus: Prometheus) -> None:
    """Both kinds are shed, as an alert sees it that has not lasted for long enough yet."""
    shed = 'count(count by (kind) (ALERTS{alertname="PhomRefereeShed", alertstate="pending"}))'
    prometheus.comes_to(shed, 2)


# ---- the dashboard by itself ----


def test_panels_say_what_they_show() -> None:
    assert len({panel["title"] for panel in PANELS}) == len(PANELS)
    for panel in PANELS:
        if panel["type"] == "heatmap":
            assert panel["options"]["yAxis"]["unit"]
        else:
            assert panel["fieldConfig"]["defaults"]["unit"]


def test_panels_have_ids_and_places_of_their_own() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells


def test_the_data_source_is_chosen_by_the_reader() -> None:
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    sources = [panel["datasource"] for panel in PANELS]
    sources += [target["datasource"] for _, target in TARGETS]
    sources += [v["datasource"] for v in VARIABLES.values() if v["type"] == "query"]
    assert all(source == chosen for source in sources)
    assert VARIABLES["datasource"]["query"] == "prometheus"
