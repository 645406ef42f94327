"""The image as Kubernetes runs it: no root, no capability, nothing to write to. Needs `make image`."""

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from phom.v1 import referee_pb2, rules_pb2
from phom_referee.generate import games
from phom_referee.houses import VERSION
from phom_referee.servicer import SERVICE
from served import Served
from waiting import eventually

pytestmark = pytest.mark.image

FOLDER = Path(__file__).parents[2] / ".cache/image"
MEBIBYTES = 128
UID = 10001


def _buildah(*words: str) -> str:
    command = ["buildah", "--root", f"{FOLDER}/storage", "--runroot", f"{FOLDER}/run", *words]
    environment = {**os.environ, "STORAGE_DRIVER": "vfs"}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    """What the image says of how it is to be run."""
    image = json.loads(_buildah("inspect", "--type", "image", "localhost/phom-referee"))
    found: dict[str, Any] = image["OCIv1"]["config"]
    return found


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """The image's files."""
    policy = f"{FOLDER}/policy.json"
    container = _buildah("from", "--signature-policy", policy, "localhost/phom-referee").strip()
    yield Path(_buildah("mount", container).strip())
    _buildah("rm", container)


def _bundle(folder: Path, root: Path, config: dict[str, Any], environment: list[str]) -> None:
    """What crun is told, in the words of the OCI runtime specification."""
    uid, gid = (int(number) for number in config["User"].split(":"))
    namespaces = ["pid", "ipc", "uts", "mount"]  # the network is this machine's
    bundle = {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": uid, "gid": gid},
            "args": [*config["Entrypoint"], *config["Cmd"]],
            "env": [*config["Env"], *environment],
            "cwd": "/",
            "capabilities": {},
            "noNewPrivileges": True,
            "rlimits": [],
        },
        "root": {"path": str(root), "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
        ],
        "linux": {"namespaces": [{"type": kind} for kind in namespaces]},
    }
    (folder / "config.json").write_text(json.dumps(bundle))


class Contained(Served):
    """The image's own command in a container."""

    def __init__(self, folder: Path, root: Path, config: dict[str, Any], *environment: str) -> None:
        ports = ["PHOM_PORT=0", "PHOM_METRICS_PORT=0"]
        _bundle(folder, root, config, [*ports, *environment])
        # crun does without cgroups only where it does not find the unified ones.
        run = f"umount /sys/fs/cgroup/unified 2> /dev/null; exec crun --cgroup-manager=disabled run {folder.name}"
        self._name = folder.name
        self.start(["unshare", "--mount", "sh", "-c", f"cd {folder}; {run}"])
        state = subprocess.run(["crun", "state", folder.name], capture_output=True, check=True)
        self.pid = json.loads(state.stdout)["pid"]

    def signal(self, number: signal.Signals) -> None:
        subprocess.run(["crun", "kill", self._name, number.name], check=True)


@pytest.fixture
def contained(tmp_path: Path, root: Path, config: dict[str, Any]) -> Iterator[Contained]:
    with Contained(tmp_path, root, config) as contained:
        yield contained


def test_says_what_it_is(config: dict[str, Any]) -> None:
    assert config["User"] == f"{UID}:{UID}"
    assert config["StopSignal"] == "SIGTERM"
    assert {"50051/tcp", "50052/tcp", "9464/tcp"} == set(config["ExposedPorts"])
    labels = config["Labels"]
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert len(labels["org.opencontainers.image.revision"]) == 40


def test_lists_its_parts(root: Path) -> None:
    """The SBOM names each installed distribution in its version, and nothing else."""
    sbom = json.loads((root / "opt/phom-referee/sbom.cdx.json").read_text())
    assert sbom["bomFormat"] == "CycloneDX"
    listed = {(part["name"].lower(), part["version"]) for part in sbom["components"]}
    found = set()
    for folder in (root / "opt/phom-referee").glob("lib/python3.*/site-packages/*.dist-info"):
        name, version = folder.name.removesuffix(".dist-info").split("-")
        found.add((name, version))
    assert {(name.replace("-", "_"), version) for name, version in listed} == {
        (name.lower(), version) for name, version in found
    }
    assert ("phom-referee", VERSION) in listed


def test_answers_as_nobody(contained: Contained) -> None:
    log = next(games(1, house=rules_pb2.HOUSE_GO88, seed=1))
    assert contained.stub.Replay(referee_pb2.ReplayRequest(log=log)).verdict.game_id == log.game_id
    with contained.channel() as channel:
        ready = health_pb2.HealthCheckRequest(service=SERVICE)
        answer = health_pb2_grpc.HealthStub(channel).Check(ready)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    assert contained.value("phom_referee_build_info") == 1
    assert contained.status("Uid").split() == [str(UID)] * 4
    assert contained.status("NoNewPrivs") == "1"
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(contained.status(kind), 16) == 0
    mounts = Path(f"/proc/{contained.pid}/mounts").read_text().splitlines()
    (of_root,) = [line.split()[3] for line in mounts if line.split()[1] == "/"]
    assert "ro" in of_root.split(",")


def test_drains_under_load_within_its_memory(contained: Contained) -> None:
    logs = [*games(20, house=rules_pb2.HOUSE_GO88, seats=4, seed=1)]
    batch = referee_pb2.ReplayManyRequest(logs=logs * 12).SerializeToString()
    requests = [referee_pb2.ReplayRequest(log=log) for log in logs]
    codes: list[grpc.StatusCode] = []
    ended = threading.Event()

    def unary() -> None:
        with contextlib.suppress(grpc.RpcError), contained.channel() as channel:
            stub = type(contained.stub)(channel)
            try:
                for number in range(1_000_000):
                    stub.Replay(requests[number % len(requests)], timeout=60)
            except grpc.RpcError as error:
                codes.append(error.code())

    def bulk() -> None:
        def endless() -> Iterator[bytes]:
            while not ended.is_set():
                yield batch

        with contained.channel() as channel:
            # Bytes as they are: it is the server that shall be busy.
            stream = channel.stream_stream(f"/{SERVICE}/ReplayMany", bytes, bytes)
            assert len(set(stream(endless()))) == 1  # the same question, the same answer

    callers = [threading.Thread(target=unary) for _ in range(8)]
    streams = [threading.Thread(target=bulk) for _ in range(4)]
    for thread in (*callers, *streams):
        thread.start()
    eventually(lambda: contained.value("grpc_server_handled_total") > 3000)
    eventually(lambda: contained.value("phom_referee_games_total") > 100_000)
    most = int(contained.status("VmHWM").removesuffix(" kB")) / 1024
    ended.set()
    for thread in streams:
        thread.join()
    contained.signal(signal.SIGTERM)
    assert contained.ended() == 0
    for thread in callers:
        thread.join()
    # Each was told to go elsewhere, none was cut off.
    assert codes == [grpc.StatusCode.UNAVAILABLE] * len(callers)
    answered = [line["code"] for line in contained.lines() if line["event"] == "rpc"]
    assert set(answered) == {"OK"}
    assert most <= MEBIBYTES
