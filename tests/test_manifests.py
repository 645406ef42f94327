"""What Kubernetes is given: rendered by kustomize, held against the schemas that are published."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from phom_referee.servicer import SERVICE
from phom_referee.settings import Settings, add_arguments, read

DEPLOY = Path(__file__).parents[1] / "deploy"
OVERLAYS = ["local", "production", "mtls"]
VERSIONS = ["1.33", "1.35", "1.37"]
# As .venv has them, where `make` puts what it builds from tests/operatorcheck.
TOOLS = str(Path(sys.executable).parent)
CLOSING_SECONDS = 2 + 2  # around the grace: server.py, and the last spans: tracing.py
KINDS = {
    "Namespace",
    "ServiceAccount",
    "Service",
    "Deployment",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
    "NetworkPolicy",
    "PodMonitor",
}
# What a cluster of one's own may not have, or does not need.
NOT_LOCAL = {"PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy", "PodMonitor"}


def _tool(name: str) -> str:
    found = shutil.which(name, path=TOOLS)
    assert found is not None, f"make .venv/tools installs {name}"
    return found


def rendered(folder: Path) -> list[dict[str, Any]]:
    """All objects of a kustomization."""
    command = [_tool("kustomize"), "build", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "nothing is deprecated"
    return list(yaml.safe_load_all(done.stdout))


@pytest.fixture(scope="module")
def overlays() -> dict[str, list[dict[str, Any]]]:
    return {name: rendered(DEPLOY / "kubernetes/overlays" / name) for name in OVERLAYS}


@pytest.fixture(params=OVERLAYS)
def objects(
    request: pytest.FixtureRequest, overlays: dict[str, list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    return overlays[request.param]


def _of_kind(objects: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [found for found in objects if found["kind"] == kind]


def test_kubernetes_knows_every_field_of_envoy(tmp_path: Path) -> None:
    objects = rendered(DEPLOY / "envoy")
    for found in objects:
        for version in VERSIONS:
            assert str(kubernetes_validate.validate(found, version, strict=True)) == version
    (config,) = _of_kind(objects, "ConfigMap")
    assert config["data"]["envoy.yaml"] == (DEPLOY / "envoy/envoy.yaml").read_text(encoding="utf-8")
    (deployment,) = _of_kind(objects, "Deployment")
    template = deployment["spec"]["template"]
    # It is let in where callers are, may do nothing either, and listens where it says so.
    assert template["metadata"]["labels"]["phom-referee/client"] == "true"
    assert template["spec"]["securityContext"]["runAsNonRoot"] is True
    (container,) = template["spec"]["containers"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    (listener,) = yaml.safe_load(config["data"]["envoy.yaml"])["static_resources"]["listeners"]
    port = listener["address"]["socket_address"]["port_value"]
    assert [one["containerPort"] for one in container["ports"]] == [port]
    (service,) = _of_kind(objects, "Service")
    assert [one["port"] for one in service["spec"]["ports"]] == [port]


def _pod(objects: list[dict[str, Any]]) -> dict[str, Any]:
    (deployment,) = _of_kind(objects, "Deployment")
    pod: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return pod


def _container(objects: list[dict[str, Any]]) -> dict[str, Any]:
    (container,) = _pod(objects)["containers"]
    found: dict[str, Any] = container
    return found


def _settings(objects: list[dict[str, Any]]) -> Settings:
    """What the server reads from the container's environment; it refuses what it does not know."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    environment = {one["name"]: one["value"] for one in _container(objects)["env"]}
    return read(parser.parse_args([]), environment)


def test_overlays_hold_every_kind(overlays: dict[str, list[dict[str, Any]]]) -> None:
    for name, objects in overlays.items():
        expected = KINDS - NOT_LOCAL if name == "local" else KINDS
        assert {found["kind"] for found in objects} == expected
        namespaces = {found["metadata"].get("namespace") for found in objects[1:]}
        assert namespaces == {objects[0]["metadata"]["name"]} == {"phom"}


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_knows_every_field(objects: list[dict[str, Any]], version: str) -> None:
    for found in objects:
        if found["kind"] != "PodMonitor":
            # It takes the newest older schema for a version that it has not.
            assert str(kubernetes_validate.validate(found, version, strict=True)) == version


def _operator_says(text: str) -> str:
    command = [_tool("operatorcheck")]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def test_the_operator_knows_every_field(overlays: dict[str, list[dict[str, Any]]]) -> None:
    for name in ("production", "mtls"):
        (monitor,) = _of_kind(overlays[name], "PodMonitor")
        text = yaml.safe_dump(monitor)
        assert _operator_says(text) == ""
        assert 'unknown field "intervall"' in _operator_says(
            text.replace("interval:", "intervall:")
        )


def test_the_operator_knows_the_rules() -> None:
    """Wrapped by the very command of docs/operations.md."""
    page = (DEPLOY.parent / "docs/operations.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^```sh\n(\{ .*?\}) \| kubectl apply", page, re.DOTALL | re.MULTILINE)
    done = subprocess.run(
        ["sh", "-c", command], cwd=DEPLOY.parent, capture_output=True, text=True, check=True
    )
    assert "alert: PhomRefereeErrors" in done.stdout
    assert _operator_says(done.stdout) == ""
    assert "unknown field" in _operator_says(done.stdout.replace("expr:", "expression:", 1))


def test_selectors_find_the_pods_and_nothing_else(objects: list[dict[str, Any]]) -> None:
    (deployment,) = _of_kind(objects, "Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    ours = {"app.kubernetes.io/name": "phom-referee"}
    assert labels == ours
    selectors = [service["spec"]["selector"] for service in _of_kind(objects, "Service")]
    for kind in ("Deployment", "PodDisruptionBudget", "PodMonitor"):
        selectors += [one["spec"]["selector"]["matchLabels"] for one in _of_kind(objects, kind)]
    policies = _of_kind(objects, "NetworkPolicy")
    selectors += [policy["spec"]["podSelector"]["matchLabels"] for policy in policies]
    spread = _pod(objects)["topologySpreadConstraints"]
    selectors += [constraint["labelSelector"]["matchLabels"] for constraint in spread]
    assert all(selector == ours for selector in selectors)
    for policy in policies:
        (caller, _) = policy["spec"]["ingress"]
        (peer,) = caller["from"]
        assert peer["podSelector"] == {"matchLabels": {"phom-referee/client": "true"}}


def test_ports_are_those_that_the_server_listens_on(objects: list[dict[str, Any]]) -> None:
    settings = _settings(objects)
    ports = {port["name"]: port["containerPort"] for port in _container(objects)["ports"]}
    expected = {"grpc": settings.port, "metrics": settings.metrics_port}
    if settings.tls_certificate:
        expected["health"] = settings.health_port
    assert ports == expected
    for service in _of_kind(objects, "Service"):
        (port,) = service["spec"]["ports"]
        assert (port["port"], port["targetPort"]) == (settings.port, "grpc")
    for monitor in _of_kind(objects, "PodMonitor"):
        (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
        assert endpoint["port"] == "metrics"
    for policy in _of_kind(objects, "NetworkPolicy"):
        rules = policy["spec"]["ingress"]
        let_in = [port["port"] for rule in rules for port in rule["ports"]]
        assert let_in == [settings.port, settings.metrics_port]


def test_probes_ask_where_no_tls_is_spoken(objects: list[dict[str, Any]]) -> None:
    settings = _settings(objects)
    plain = settings.health_port if settings.tls_certificate else settings.port
    container = _container(objects)
    assert container["readinessProbe"]["grpc"] == {"port": plain, "service": SERVICE}
    for probe in ("startupProbe", "livenessProbe"):
        assert container[probe]["grpc"] == {"port": plain}


def test_a_pod_is_not_killed_before_it_has_drained(objects: list[dict[str, Any]]) -> None:
    settings = _settings(objects)
    drain = settings.drain_delay + CLOSING_SECONDS + settings.grace
    assert _pod(objects)["terminationGracePeriodSeconds"] >= drain + 5
    # Longer than it takes until readiness is asked again, and has failed.
    probe = _container(objects)["readinessProbe"]
    assert settings.drain_delay > probe["failureThreshold"] * probe["periodSeconds"]
    assert settings.max_connection_age > 0


def test_a_pod_may_do_nothing(objects: list[dict[str, Any]]) -> None:
    pod, container = _pod(objects), _container(objects)
    (account,) = _of_kind(objects, "ServiceAccount")
    assert account["automountServiceAccountToken"] is False
    assert pod["automountServiceAccountToken"] is False
    assert pod["serviceAccountName"] == account["metadata"]["name"]
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert f"USER {pod['securityContext']['runAsUser']}:" in dockerfile
    assert (
        pod["securityContext"].items()
        >= {
            "runAsNonRoot": True,
            "runAsUser": 10001,
            "runAsGroup": 10001,
            "seccompProfile": {"type": "RuntimeDefault"},
        }.items()
    )
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "privileged": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    for amount in ("cpu", "memory"):
        assert container["resources"]["requests"][amount]
        assert container["resources"]["limits"][amount]


def test_mtls_mounts_what_the_server_reads(overlays: dict[str, list[dict[str, Any]]]) -> None:
    objects = overlays["mtls"]
    settings = _settings(objects)
    (volume,) = _pod(objects)["volumes"]
    (mount,) = _container(objects)["volumeMounts"]
    assert volume["secret"]["secretName"] == "phom-referee-tls"
    assert mount == {"name": volume["name"], "mountPath": "/tls", "readOnly": True}
    files = (settings.tls_certificate, settings.tls_key, settings.tls_client_ca)
    assert files == ("/tls/tls.crt", "/tls/tls.key", "/tls/ca.crt")
    # No subPath, with which a change of the Secret would never be seen.
    assert _pod(objects)["securityContext"]["fsGroup"] == 10001


@pytest.mark.parametrize("name", ["production", "mtls"])
def test_the_autoscaler_moves_the_deployment(
    overlays: dict[str, list[dict[str, Any]]], name: str
) -> None:
    (scaler,) = _of_kind(overlays[name], "HorizontalPodAutoscaler")
    (deployment,) = _of_kind(overlays[name], "Deployment")
    assert scaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    # Else each `apply` would undo what it has done.
    assert "replicas" not in deployment["spec"]
    assert 3 <= scaler["spec"]["minReplicas"] < scaler["spec"]["maxReplicas"]
