"""The service under load, against a bare server of the same kind: one processor serves, one loads."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

import grpc
from judge import batch, generated
from measure import LOAD_CPU, SERVER_CPU, Figure, in_turns, pin
from phom.v1 import events_pb2, referee_pb2
from phom_referee.houses import referee
from phom_referee.servicer import SERVICE

HERE = Path(__file__).parent
CALLS = 6000
ECHO = "bare echo"
IDENTITY = {"request_serializer": bytes, "response_deserializer": bytes}


class Server:
    """A server process on its processor."""

    def __init__(self, command: list[str], *, log: bool = False) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if log else None,
            text=True,
        )
        pin(SERVER_CPU, self.process.pid)
        self.pids = [self.process.pid]
        self.port = 0

    def cpu_seconds(self) -> float:
        """The processor time that it has taken so far, its workers' included."""
        return (
            sum(
                int(Path(task, "schedstat").read_text().split()[0])
                for pid in self.pids
                for task in Path(f"/proc/{pid}/task").iterdir()
            )
            / 1e9
        )

    def mebibytes(self) -> float:
        """The resident set of the largest of its processes."""
        return self._size("VmRSS")

    def most_mebibytes(self) -> float:
        """The greatest that there has been."""
        return self._size("VmHWM")

    def _size(self, what: str) -> float:
        statuses = [Path(f"/proc/{pid}/status").read_text() for pid in self.pids]
        found = [re.search(rf"{what}:\s+(\d+) kB", status) for status in statuses]
        return max(int(size[1]) for size in found if size) / 1024


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """A server until it is no longer wanted."""
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        for stream in (server.process.stdout, server.process.stderr):
            if stream:
                stream.close()


def echo(response_bytes: int, *flags: str) -> Server:
    """The bare server."""
    server = Server([str(HERE / "echo.py"), str(response_bytes), *flags])
    server.port = int(server.process.stdout.readline())  # type: ignore[union-attr]
    return server


def served(*flags: str) -> Server:
    """Ours, as an operator starts it, with a log that nobody reads."""
    command = ["-m", "phom_referee", "serve", "--port", "0", "--metrics-port", "0", *flags]
    server = Server(command, log=True)
    line = json.loads(server.process.stderr.readline())  # type: ignore[union-attr]
    server.port = line["port"]
    server.pids = line.get("workers", server.pids)
    subprocess.Popen(["cat"], stdin=server.process.stderr, stdout=subprocess.DEVNULL)
    return server


def calls_per_second(server: Server, body: Path, method: str = "Replay") -> float:
    """Unary calls by h2load, sixteen at a time over four connections."""
    url = f"http://127.0.0.1:{server.port}/{SERVICE}/{method}"
    command = ["h2load", "-n", str(CALLS), "-c", "4", "-m", "4", "-t", "1", "-d", str(body)]
    command += ["-H", "content-type: application/grpc", "-H", "te: trailers", url]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    if f"{CALLS} succeeded" not in run.stdout:
        raise SystemExit(run.stdout)
    return float(re.search(r"([\d.]+) req/s", run.stdout)[1])  # type: ignore[index]


def _unary(rounds: int) -> list[Figure]:
    log = next(log for log in generated() if 33 <= len(log.events) <= 37)
    request = referee_pb2.ReplayRequest(log=log).SerializeToString()
    response = referee().replay(request)
    with ExitStack() as stack, NamedTemporaryFile() as body:
        body.write(struct.pack(">BI", 0, len(request)) + request)  # gRPC's frame, not compressed
        body.flush()
        servers = {
            ECHO: stack.enter_context(running(echo(len(response)))),
            "ours": stack.enter_context(running(served("--log-rpcs", "false"))),
            "logged": stack.enter_context(running(served())),
            "sampled": stack.enter_context(running(served("--log-sample", "0.01"))),
        }
        path = Path(body.name)
        values = in_turns(
            {name: partial(calls_per_second, server, path) for name, server in servers.items()},
            rounds,
        )
        judged = len(request), len(response)
    names = {
        "ours": ("metrics on, access log off", "≥ 0.95"),
        "logged": ("with a line in the log for each call", ""),
        "sampled": ("with a line for one call of a hundred", ""),
    }
    return [
        Figure(
            f"Replay, {judged[0]} bytes in, {judged[1]} out: {text}",
            "calls/s",
            values[name],
            ECHO,
            values[ECHO],
            goal,
        )
        for name, (text, goal) in names.items()
    ]


def games_per_second(server: Server, message: bytes, logs: int, games: int) -> float:
    """Games a second through one ReplayMany stream of equal messages."""
    # A connection of its own each time, which one of several workers gets.
    options = [("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{server.port}", options) as channel:
        stream = channel.stream_stream(f"/{SERVICE}/ReplayMany", **IDENTITY)
        messages = games // logs
        began = time.perf_counter()
        answered = sum(1 for _ in stream(message for _ in range(messages)))
        seconds = time.perf_counter() - began
    if answered != messages:
        raise SystemExit(f"{answered} answers to {messages} messages")
    return messages * logs / seconds


def batched(logs: list[events_pb2.GameLog], size: int) -> bytes:
    """A message of so many of the logs, of all houses."""
    return batch([logs[i * len(logs) // size] for i in range(size)])


def _stream(rounds: int) -> list[Figure]:
    logs = generated()
    found = []
    for size, goal in ((256, "≥ 450,000"), (1024, "≥ 500,000")):
        message = batched(logs, size)
        response = referee().replay_many(message)
        with ExitStack() as stack:
            servers = {
                ECHO: stack.enter_context(running(echo(len(response)))),
                "ours": stack.enter_context(running(served("--log-rpcs", "false"))),
                "walk": stack.enter_context(running(echo(0, "--walk"))),
            }
            games = {ECHO: 600_000, "ours": 300_000, "walk": 6_000}
            values = in_turns(
                {
                    name: partial(games_per_second, server, message, size, games[name])
                    for name, server in servers.items()
                },
                rounds,
            )
            memory = servers["ours"].mebibytes()
        name = f"ReplayMany, {size} logs ({len(message):,} bytes) a message"
        found += [
            Figure(name, "games/s", values["ours"], "Python walk", values["walk"], goal),
            Figure(name, "games/s", values["ours"], f"{ECHO}, same sizes", values[ECHO]),
            Figure(f"memory after these games, {size} logs a message", "MiB", [memory]),
        ]
    return found


def _start(rounds: int) -> list[Figure]:
    """From the start of the process to the first answer."""

    def seconds() -> float:
        began = time.perf_counter()
        with running(served()) as server:
            with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
                call = channel.unary_unary(f"/{SERVICE}/ListRulesets", **IDENTITY)
                call(b"", wait_for_ready=True)
            return time.perf_counter() - began

    def python() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import grpc"], check=True)
        return time.perf_counter() - began

    values = in_turns({"ours": seconds, "python": python}, rounds)
    return [
        Figure(
            "from the start of the process to the first answer",
            "s",
            values["ours"],
            "`python -c 'import grpc'`",
            values["python"],
            "< 1 s",
            "lower",
        )
    ]


def _workers(rounds: int) -> list[Figure]:
    """Processor time a game, of one process and of two that share the port."""
    message = batched(generated(), 256)
    games = 150_000

    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(running(served("--log-rpcs", "false", "--workers", str(n))))
            for name, n in (("one", 1), ("two", 2))
        }

        def nanos(server: Server) -> float:
            began = server.cpu_seconds()
            for _ in range(4):  # connections, which the kernel shares out
                games_per_second(server, message, 256, games // 4)
            return (server.cpu_seconds() - began) / games * 1e9

        values = in_turns(
            {name: partial(nanos, server) for name, server in servers.items()}, rounds
        )
        memory = servers["two"].mebibytes()
    return [
        Figure(
            "two workers",
            "ns of CPU a game",
            values["two"],
            "one",
            values["one"],
            "≥ 0.91",
            "lower",
        ),
        Figure("resident memory of a worker", "MiB", [memory], goal="≤ 60"),
    ]


def figures(rounds: int) -> list[Figure]:
    """Unary calls, streams, start, workers."""
    pin(LOAD_CPU)  # h2load too, which inherits it
    return [*_unary(rounds), *_stream(rounds), *_start(rounds), *_workers(rounds)]
