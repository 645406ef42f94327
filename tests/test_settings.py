"""Settings: flags before the environment, and a clear sentence for what cannot be used."""

import argparse
from pathlib import Path

import pytest
from phom_referee import settings
from phom_referee.command import main


def _read(*flags: str, **environment: str) -> settings.Settings:
    parser = argparse.ArgumentParser()
    settings.add_arguments(parser)
    return settings.read(parser.parse_args(flags), environment)


def test_defaults() -> None:
    assert _read() == settings.Settings()
    assert (settings.Settings().port, settings.Settings().metrics_port) == (50051, 9464)


def test_a_flag_comes_before_the_environment() -> None:
    assert _read(PHOM_PORT="1", PHOM_GRACE="2.5").port == 1
    chosen = _read("--port", "3", PHOM_PORT="1", PHOM_GRACE="2.5", OTHER="x")
    assert (chosen.port, chosen.grace) == (3, 2.5)
    assert _read("--log-rpcs", "false").log_rpcs is False


def test_what_kubernetes_says_of_services_is_not_ours() -> None:
    links = {"PHOM_REFEREE_SERVICE_HOST": "10.0.0.1", "PHOM_REFEREE_SERVICE_PORT_GRPC": "1"}
    links |= {"PHOM_REFEREE_PORT": "tcp://10.0.0.1:1", "PHOM_REFEREE_PORT_1_TCP_ADDR": "10.0.0.1"}
    assert _read(**links) == settings.Settings()


@pytest.mark.parametrize(
    ("flags", "environment", "sentence"),
    [
        (["--port", "http"], {}, "--port must be a whole number, not 'http'"),
        ([], {"PHOM_THREADS": "0"}, "PHOM_THREADS must be at least 1, not '0'"),
        (["--grace", "inf"], {}, "--grace must be at least 0, not 'inf'"),
        (["--grace", "nan"], {}, "--grace must be at least 0, not 'nan'"),
        (["--log-rpcs", "yes"], {}, "--log-rpcs must be true or false, not 'yes'"),
        (["--port", "99999"], {}, "--port must be 0 to 65535, not '99999'"),
        ([], {"PHOM_PORT": "tcp://10.0.0.1:1"}, "PHOM_PORT must be a whole number"),
        ([], {"PHOM_PRT": "1"}, "PHOM_PRT is no setting; known are PHOM_HOST"),
    ],
)
def test_what_cannot_be_used(flags: list[str], environment: dict[str, str], sentence: str) -> None:
    with pytest.raises(settings.SettingsError) as raised:
        _read(*flags, **environment)
    assert str(raised.value).startswith(sentence)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--tls-key", "k"], "--tls-certificate and --tls-key must be given together"),
        (["--tls-certificate", "c"], "--tls-certificate and --tls-key must be given together"),
        (["--tls-client-ca", "a"], "--tls-client-ca must come with --tls-certificate"),
        (["--port", "9464"], "--port and --metrics-port must be different ports, not both 9464"),
        (
            ["--tls-key", "k", "--tls-certificate", "c", "--health-port", "50051"],
            "--port and --health-port must be different ports, not both 50051",
        ),
    ],
)
def test_settings_that_contradict_each_other(flags: list[str], sentence: str) -> None:
    with pytest.raises(settings.SettingsError) as raised:
        _read(*flags)
    assert str(raised.value).startswith(sentence)


def test_ports_that_may_be_the_same() -> None:
    assert _read("--port", "0", "--metrics-port", "0").port == 0
    assert _read("--port", "50052").health_port == 50052  # without TLS there is no such port


def test_check_config(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["serve", "--check-config", "--port", "7"]) == 0
    assert "port=7" in capsys.readouterr().out
    monkeypatch.setenv("PHOM_THREADS", "many")
    assert main(["serve", "--check-config"]) == 2
    assert "PHOM_THREADS must be a whole number" in capsys.readouterr().err


def test_the_docs_have_the_table() -> None:
    page = Path(__file__).parents[1] / "docs" / "serving.md"
    assert settings.table() in page.read_text(encoding="utf-8")
