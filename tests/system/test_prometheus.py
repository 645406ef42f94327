"""A real Prometheus scrapes a real server, and counts what was called."""

from pathlib import Path

import grpc
import pytest
from phom.v1 import referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.generate import games
from prometheus import scraping
from served import Served

pytestmark = pytest.mark.system


@pytest.mark.parametrize("flags", [(), ("--workers", "2")], ids=["one process", "two workers"])
def test_prometheus_counts_what_was_called(flags: tuple[str, ...], tmp_path: Path) -> None:
    logs = [*games(7, house=rules_pb2.HOUSE_IWIN, seed=1)]
    with Served(*flags) as served, scraping(tmp_path, served.metrics_port) as prometheus:
        prometheus.comes_to('up{job="phom-referee"}', 1)
        # What has never happened is there already, so that its first time is seen as a rise.
        prometheus.comes_to('sum(grpc_server_handled_total{grpc_code="Internal"})', 0)
        prometheus.comes_to("sum(phom_referee_games_total)", 0)
        for _ in range(5):
            with served.channel() as channel:
                stub = referee_pb2_grpc.RefereeServiceStub(channel)
                stub.Replay(referee_pb2.ReplayRequest(log=logs[0]))
                list(stub.ReplayMany(iter([referee_pb2.ReplayManyRequest(logs=logs)])))
                with pytest.raises(grpc.RpcError):
                    stub.Replay(referee_pb2.ReplayRequest())
        ok = 'sum(grpc_server_handled_total{grpc_code="OK",grpc_method="Replay"})'
        prometheus.comes_to(ok, 5)
        prometheus.comes_to('sum(grpc_server_handled_total{grpc_code="InvalidArgument"})', 5)
        prometheus.comes_to('sum(phom_referee_games_total{house="iwin",status="finished"})', 40)
        prometheus.comes_to("sum(phom_referee_no_logs_total)", 5)
        prometheus.comes_to("sum(grpc_server_handling_seconds_count)", 15)
        prometheus.comes_to("sum(phom_referee_build_info)", 1)
