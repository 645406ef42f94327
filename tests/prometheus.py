"""A real Prometheus, which scrapes every second, for the tests that ask one."""

import contextlib
import json
import math
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from socket import create_server
from typing import Any, NamedTuple

from waiting import SECONDS, eventually

CONFIG = """
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files: {rules}
scrape_configs:
"""
JOB = """
  - job_name: {job}
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""


class Series(NamedTuple):
    """One line of a graph: its labels, and the values that are numbers."""

    labels: dict[str, str]
    values: list[float]


class Prometheus:
    """One that runs, asked by its HTTP API."""

    def __init__(self, port: int) -> None:
        self._address = f"127.0.0.1:{port}"

    def get(self, path: str, **parameters: str | float) -> Any:
        """The data that a path of /api/v1 answers with; an HTTPError for what it refuses."""
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            return json.load(answer)["data"]

    def is_ready(self) -> bool:
        """Whether it has started."""
        try:
            with urllib.request.urlopen(f"http://{self._address}/-/ready", timeout=SECONDS):
                return True
        except OSError:
            return False

    def now(self, query: str) -> list[Series]:
        """What a query gives now."""
        found = self.get("query", query=query)["result"]
        return [_series(one["metric"], [one["value"]]) for one in found]

    def lately(self, query: str, seconds: int) -> list[Series]:
        """What a query has given since so many seconds, second by second."""
        end = time.time()
        found = self.get("query_range", query=query, start=end - seconds, end=end, step=1)
        return [_series(one["metric"], one["values"]) for one in found["result"]]

    def comes_to(self, query: str, expected: float) -> None:
        """Wait until a query gives one series, with that value."""
        until = time.monotonic() + SECONDS
        while [series.values for series in self.now(query)] != [[expected]]:
            assert time.monotonic() < until, f"{query} is {self.now(query)}, not {expected}"
            time.sleep(0.2)


@contextlib.contextmanager
def scraping(
    folder: Path, scraped: int, jobs: tuple[str, ...] = ("phom-referee",), rules: Path | None = None
) -> Iterator[Prometheus]:
    """A Prometheus that scrapes a port, once for each job, and evaluates the rules of a file."""
    program = shutil.which("prometheus")
    assert program is not None, "Debian's package prometheus has it"
    config = CONFIG.format(rules=json.dumps([str(rules)] if rules else []))
    config += "".join(JOB.format(job=job, port=scraped) for job in jobs)
    (folder / "prometheus.yml").write_text(config)
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [program, f"--config.file={folder}/prometheus.yml"]
    command += [f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            prometheus = Prometheus(port)
            eventually(prometheus.is_ready)
            yield prometheus
        finally:
            process.terminate()


def _series(labels: dict[str, str], samples: list[tuple[float, str]]) -> Series:
    values = [float(value) for _, value in samples]
    return Series(labels, [value for value in values if not math.isnan(value)])
