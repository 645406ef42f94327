"""TLS and mTLS, with certificates made here: who is let in, and what happens when files change."""

import datetime
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc
from phom.v1 import referee_pb2, referee_pb2_grpc
from phom_referee.command import main
from phom_referee.server import App
from phom_referee.servicer import SERVICE
from phom_referee.settings import Settings

HOST = "localhost"
YESTERDAY = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)


@dataclass
class Files:
    """Where the server looks for its certificate, its key, and the callers' CA."""

    folder: Path
    ca: trustme.CA

    @property
    def certificate(self) -> Path:
        return self.folder / "tls.crt"

    @property
    def key(self) -> Path:
        return self.folder / "tls.key"

    @property
    def client_ca(self) -> Path:
        return self.folder / "ca.crt"

    def put(self, leaf: trustme.LeafCert) -> None:
        """Put a certificate and its key there."""
        leaf.private_key_pem.write_to_path(self.key)
        self.certificate.write_bytes(b"".join(blob.bytes() for blob in leaf.cert_chain_pems))

    def started(self, *, mutual: bool = False) -> App:
        """A server that uses them."""
        app = App(
            Settings(
                port=0,
                health_port=0,
                log_rpcs=False,
                tls_certificate=str(self.certificate),
                tls_key=str(self.key),
                tls_client_ca=str(self.client_ca) if mutual else "",
            )
        )
        app.start()
        return app


@pytest.fixture
def files(tmp_path: Path) -> Files:
    found = Files(tmp_path, trustme.CA())
    found.put(found.ca.issue_cert(HOST))
    found.ca.cert_pem.write_to_path(found.client_ca)
    return found


def _channel(app: App, ca: trustme.CA, caller: trustme.LeafCert | None = None) -> grpc.Channel:
    credentials = grpc.ssl_channel_credentials(
        ca.cert_pem.bytes(),
        caller.private_key_pem.bytes() if caller else None,
        caller.cert_chain_pems[0].bytes() if caller else None,
    )
    options = [("grpc.use_local_subchannel_pool", 1)]  # a handshake of its own
    return grpc.secure_channel(f"{HOST}:{app.port}", credentials, options)


def _call(channel: grpc.Channel) -> int:
    stub = referee_pb2_grpc.RefereeServiceStub(channel)
    return len(stub.ListRulesets(referee_pb2.ListRulesetsRequest(), timeout=60).rulesets)


def _refused(channel: grpc.Channel) -> bool:
    with pytest.raises(grpc.RpcError) as raised:
        _call(channel)
    return raised.value.code() is grpc.StatusCode.UNAVAILABLE


def _serial(app: App) -> str:
    return ssl.get_server_certificate((HOST, app.port))


def test_calls_by_tls_health_in_plain_text(files: Files) -> None:
    app = files.started()
    with _channel(app, files.ca) as channel:
        assert _call(channel) == 6
    with grpc.insecure_channel(f"127.0.0.1:{app.port}") as plain:
        assert _refused(plain)
    with grpc.insecure_channel(f"127.0.0.1:{app.health_port}") as plain:
        check = health_pb2_grpc.HealthStub(plain).Check
        for service in ("", SERVICE):
            status = check(health_pb2.HealthCheckRequest(service=service), timeout=60).status
            assert status == health_pb2.HealthCheckResponse.SERVING
        # Nothing else is to be had without TLS.
        with pytest.raises(grpc.RpcError) as raised:
            _call(plain)
        assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED
    app.stop()


def test_a_caller_does_not_take_another_cas_server(files: Files) -> None:
    app = files.started()
    with _channel(app, trustme.CA()) as channel:
        assert _refused(channel)
    app.stop()


def test_a_caller_does_not_take_an_expired_certificate(files: Files) -> None:
    files.put(files.ca.issue_cert(HOST, not_after=YESTERDAY))
    app = files.started()
    with _channel(app, files.ca) as channel:
        assert _refused(channel)
    app.stop()


def test_mutual_tls(files: Files) -> None:
    app = files.started(mutual=True)
    callers: list[tuple[trustme.LeafCert | None, bool]] = [
        (files.ca.issue_cert("caller"), True),
        (None, False),
        (trustme.CA().issue_cert("caller"), False),
        (files.ca.issue_cert("caller", not_after=YESTERDAY), False),
    ]
    for caller, is_let_in in callers:
        with _channel(app, files.ca, caller) as channel:
            assert _call(channel) == 6 if is_let_in else _refused(channel)
    # Probes have no certificate, and need none.
    with grpc.insecure_channel(f"127.0.0.1:{app.health_port}") as plain:
        health_pb2_grpc.HealthStub(plain).Check(health_pb2.HealthCheckRequest(), timeout=60)
    app.stop()


def test_another_ca_of_callers_is_taken_up(files: Files) -> None:
    app = files.started(mutual=True)
    other = trustme.CA()
    caller = other.issue_cert("caller")
    with _channel(app, files.ca, caller) as channel:
        assert _refused(channel)
    other.cert_pem.write_to_path(files.client_ca)
    with _channel(app, files.ca, caller) as channel:
        assert _call(channel) == 6
    app.stop()


@pytest.fixture
def loaded() -> Iterator[Callable[[App, Files], list[str]]]:
    """Starts callers that never pause; gives the list in which their failures are put."""
    stop = threading.Event()
    threads: list[threading.Thread] = []
    failures: list[str] = []

    def start(app: App, files: Files) -> list[str]:
        def call_on() -> None:
            with _channel(app, files.ca) as old:
                while not stop.is_set():
                    try:
                        _call(old)
                        with _channel(app, files.ca) as new:
                            _call(new)
                    except grpc.RpcError as error:
                        failures.append(str(error))

        threads.extend(threading.Thread(target=call_on) for _ in range(4))
        for thread in threads:
            thread.start()
        return failures

    yield start
    stop.set()
    for thread in threads:
        thread.join()


def test_a_certificate_is_replaced_under_load_without_a_failed_call(
    files: Files, loaded: Callable[[App, Files], list[str]]
) -> None:
    app = files.started()
    failures = loaded(app, files)
    seen = {_serial(app)}
    for number in range(1, 6):
        began = time.monotonic()
        seen.add(_serial(app))
        files.put(files.ca.issue_cert(HOST))
        until = began + 60
        while len(seen) == number and time.monotonic() < until:
            seen.add(_serial(app))
        assert len(seen) == number + 1
        # The handshake before had time to use the certificate that it asked for: see tls.py.
        assert time.monotonic() - began >= 0.2
    assert failures == []
    app.stop()


def test_the_last_good_certificate_stays_when_the_files_are_bad(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    app = files.started()
    first = _serial(app)
    good = files.key.read_bytes()
    bad: list[Callable[[], object]] = [
        lambda: files.certificate.write_text("no certificate"),
        lambda: files.put(files.ca.issue_cert(HOST)) or files.key.write_bytes(good),
        files.key.unlink,
    ]
    for spoil in bad:
        spoil()
        assert _serial(app) == first
        with _channel(app, files.ca) as channel:
            assert _call(channel) == 6
    files.put(files.ca.issue_cert(HOST))
    assert _serial(app) != first
    app.stop()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    events = [line["event"] for line in lines]
    # Said once for each kind of trouble, not at every handshake.
    assert 2 <= events.count("certificates not reloaded") <= len(bad)
    assert events[-1] == "certificates reloaded"
    assert "BEGIN" not in json.dumps(lines)


def test_bad_files_stop_the_start(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--tls-certificate", str(files.certificate), "--tls-key", str(files.key)]
    ports = ["--port", "0", "--metrics-port", "0", "--health-port", "0"]
    files.put(trustme.CA().issue_cert(HOST))
    files.key.write_bytes(files.ca.issue_cert(HOST).private_key_pem.bytes())
    assert main(["serve", *ports, *flags]) == 2
    assert "TLS: certificate, key and CA do not go together" in capsys.readouterr().err
    files.key.unlink()
    assert main(["serve", *ports, *flags]) == 2
    assert f"No such file or directory: '{files.key}'" in capsys.readouterr().err
