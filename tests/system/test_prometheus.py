"""A real Prometheus scrapes a real server, and counts what was called."""

import contextlib
import json
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from socket import create_server

import grpc
import pytest
from phom.v1 import referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.generate import games
from served import Served

pytestmark = pytest.mark.system

CONFIG = """
scrape_configs:
  - job_name: phom-referee
    scrape_interval: 1s
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""


@contextlib.contextmanager
def _prometheus(folder: Path, scraped: int) -> Iterator[int]:
    program = shutil.which("prometheus")
    assert program is not None, "Debian's package prometheus has it"
    (folder / "prometheus.yml").write_text(CONFIG.format(port=scraped))
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [program, f"--config.file={folder}/prometheus.yml"]
    command += [f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        yield port
        process.terminate()


def _value(port: int, query: str) -> float | None:
    """What a query that gives one number gives now; None while Prometheus has none."""
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            found = json.load(answer)["data"]["result"]
    except OSError:
        return None  # it is still starting
    return float(found[0]["value"][1]) if found else None


def _eventually(port: int, query: str, expected: float) -> None:
    until = time.monotonic() + 60
    while (found := _value(port, query)) != expected:
        assert time.monotonic() < until, f"{query} is {found}, not {expected}"
        time.sleep(0.2)


@pytest.mark.parametrize("flags", [(), ("--workers", "2")], ids=["one process", "two workers"])
def test_prometheus_counts_what_was_called(flags: tuple[str, ...], tmp_path: Path) -> None:
    logs = [*games(7, house=rules_pb2.HOUSE_IWIN, seed=1)]
    with Served(*flags) as served, _prometheus(tmp_path, served.metrics_port) as port:
        _eventually(port, 'up{job="phom-referee"}', 1)
        # What has never happened is there already, so that its first time is seen as a rise.
        _eventually(port, 'sum(grpc_server_handled_total{grpc_code="Internal"})', 0)
        _eventually(port, "sum(phom_referee_games_total)", 0)
        for _ in range(5):
            with served.channel() as channel:
                stub = referee_pb2_grpc.RefereeServiceStub(channel)
                stub.Replay(referee_pb2.ReplayRequest(log=logs[0]))
                list(stub.ReplayMany(iter([referee_pb2.ReplayManyRequest(logs=logs)])))
                with pytest.raises(grpc.RpcError):
                    stub.Replay(referee_pb2.ReplayRequest())
        ok = 'sum(grpc_server_handled_total{grpc_code="OK",grpc_method="Replay"})'
        _eventually(port, ok, 5)
        _eventually(port, 'sum(grpc_server_handled_total{grpc_code="InvalidArgument"})', 5)
        _eventually(port, 'sum(phom_referee_games_total{house="iwin",status="finished"})', 40)
        _eventually(port, "sum(phom_referee_no_logs_total)", 5)
        _eventually(port, "sum(grpc_server_handling_seconds_count)", 15)
        _eventually(port, "sum(phom_referee_build_info)", 1)
