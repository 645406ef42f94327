"""What an operator can set: one table of settings, read from flags, then from the environment."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from math import inf
from typing import Any


def _setting(default: object, least: float | None, text: str, most: float = inf) -> Any:
    return field(default=default, metadata={"least": least, "most": most, "help": text})


def _port(default: int, text: str) -> Any:
    return _setting(default, 0, f"{text}; 0: any free one", 65535)


@dataclass(frozen=True)
class Settings:
    """The server's settings; each is a flag, and a variable `PHOM_` with its name in capitals."""

    host: str = _setting("127.0.0.1", None, "address to listen on; 0.0.0.0 for every interface")
    port: int = _port(50051, "port of the gRPC service")
    metrics_port: int = _port(9464, "port that Prometheus scrapes")
    tls_certificate: str = _setting(
        "", None, "file of the certificate (chain), PEM; with it the service speaks only TLS"
    )
    tls_key: str = _setting("", None, "file of its key, PEM")
    tls_client_ca: str = _setting(
        "", None, "file of the CA that callers' certificates must be of, PEM; none: any caller"
    )
    health_port: int = _port(
        50052, "port of health in plain text, for probes that speak no TLS; only with TLS"
    )
    workers: int = _setting(
        1, 1, "processes that share the port; limits and threads are those of each", 256
    )
    threads: int = _setting(8, 1, "threads that answer unary calls")
    max_concurrent_rpcs: int = _setting(
        256, 1, "unary calls at once, waiting ones included; more get RESOURCE_EXHAUSTED"
    )
    max_streams: int = _setting(
        16, 1, "ReplayMany streams at once, each with a thread of its own; more get the same"
    )
    stream_idle_seconds: float = _setting(
        60.0, 0.1, "a stream on which nothing moves for so long is cancelled"
    )
    max_message_bytes: int = _setting(4 << 20, 1024, "largest request message")
    max_logs: int = _setting(4096, 1, "logs in a message of ReplayMany; more get INVALID_ARGUMENT")
    max_connection_age: float = _setting(
        0.0,
        0.0,
        "seconds after which a connection is closed, so that callers spread over new servers, a"
        " tenth more or less; 0: never",
    )
    max_connection_age_grace: float = _setting(
        60.0, 0.0, "seconds that calls have to end on such a connection"
    )
    min_ping_seconds: float = _setting(
        10.0, 0.0, "a caller that pings more often than this without a call is sent away"
    )
    keepalive_seconds: float = _setting(
        60.0, 1.0, "a connection that is silent for so long is asked whether it is still there"
    )
    reflection: bool = _setting(True, None, "serve the contract by gRPC reflection")
    drain_delay: float = _setting(
        0.0, 0.0, "seconds between saying NOT_SERVING and taking no new calls"
    )
    grace: float = _setting(10.0, 0.0, "seconds that running calls have to end")
    log_rpcs: bool = _setting(True, None, "log a line for each call")
    log_sample: float = _setting(
        1.0, 0.0, "share of the calls that were OK which are logged; the others always are", 1.0
    )
    otlp_endpoint: str = _setting(
        "",
        None,
        "where spans are sent by OTLP over gRPC, as http://localhost:4317; none: no tracing; needs"
        " the extra phom-referee[tracing]",
    )


class SettingsError(ValueError):
    """A setting that cannot be used; says which, and what was expected."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting; what is not given is left to the environment."""
    for setting in fields(Settings):
        parser.add_argument(
            _flag(setting.name),
            default=None,
            metavar=setting.name.rsplit("_", 1)[-1].upper(),
            help=f"{setting.metadata['help']} (default: {_shown(setting.default)})",
        )


def read(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings of a command line and an environment; SettingsError for the first bad one."""
    known = {_variable(setting.name): setting for setting in fields(Settings)}
    for name in environment:
        if name.startswith("PHOM_") and name not in known and not _NOT_OURS.search(name):
            raise SettingsError(f"{name} is no setting; known are {', '.join(known)}")
    values: dict[str, Any] = {}
    for name, setting in known.items():
        text, source = getattr(arguments, setting.name), _flag(setting.name)
        if text is None:
            text, source = environment.get(name), name
        if text is not None:
            values[setting.name] = _value(source, text, setting)
    settings = Settings(**values)
    _contradictions(settings)
    return settings


def _contradictions(settings: Settings) -> None:
    """SettingsError for settings that do not go together."""
    if bool(settings.tls_certificate) != bool(settings.tls_key):
        raise SettingsError("--tls-certificate and --tls-key must be given together")
    if settings.tls_client_ca and not settings.tls_certificate:
        raise SettingsError("--tls-client-ca must come with --tls-certificate and --tls-key")
    ports = {"--port": settings.port, "--metrics-port": settings.metrics_port}
    if settings.tls_certificate:
        ports["--health-port"] = settings.health_port
    names: dict[int, str] = {}
    for name, port in ports.items():
        if port and (other := names.setdefault(port, name)) != name:
            raise SettingsError(f"{other} and {name} must be different ports, not both {port}")


# The build's switches, and what Kubernetes tells a pod of a Service whose name begins with phom.
_NOT_OURS = re.compile(r"^PHOM_(MARCH|SANITIZE)$|_SERVICE_(HOST|PORT)|_PORT$|_PORT_\d+_(TCP|UDP)")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _variable(name: str) -> str:
    return "PHOM_" + name.upper()


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(source: str, text: str, setting: Field[Any]) -> object:
    kind: type = type(setting.default)
    least, most = setting.metadata["least"], setting.metadata["most"]
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise SettingsError(f"{source} must be true or false, not {text!r}")
        return text.lower() == "true"
    try:
        value = kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise SettingsError(f"{source} must be {what}, not {text!r}") from None
    if least is not None and not (least <= value <= most and value != inf):
        wanted = f"at least {least:g}" if most == inf else f"{least:g} to {most:g}"
        raise SettingsError(f"{source} must be {wanted}, not {text!r}")
    return value


def table() -> str:
    """The settings as a Markdown table, for the docs."""
    lines = ["| flag | variable | default | what it is |", "|---|---|---|---|"]
    lines += [
        f"| `{_flag(s.name)}` | `{_variable(s.name)}` | {_shown(s.default)} | {s.metadata['help']} |"
        for s in fields(Settings)
    ]
    return "\n".join(lines) + "\n"
