"""A server of one's own, as the command starts it; and the command itself."""

import io
import sys
from collections.abc import Iterator

import grpc
import pytest
from commandline import Run
from phom.v1 import referee_pb2_grpc
from phom_referee.command import main
from phom_referee.server import App


@pytest.fixture(scope="session")
def app() -> Iterator[App]:
    """A server on a free port, for all tests that change nothing about it."""
    app = App()
    app.start()
    yield app
    app.stop()


@pytest.fixture
def channel(app: App) -> Iterator[grpc.Channel]:
    """A connection to it."""
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        yield channel


@pytest.fixture
def stub(channel: grpc.Channel) -> referee_pb2_grpc.RefereeServiceStub:
    """What a caller has in its hands."""
    return referee_pb2_grpc.RefereeServiceStub(channel)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command; its exit code, standard output and standard error."""

    def run(*argv: object, stdin: bytes | str = b"") -> tuple[int, str, str]:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = main([str(argument) for argument in argv])
        out, err = capsys.readouterr()
        return code, out, err

    return run
