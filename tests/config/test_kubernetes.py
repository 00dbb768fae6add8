"""The manifests that install the bot: valid for a real client, and allowed to read exactly what is read."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters.cluster import kinds
from bot.local.cluster.api import ApiServer

FOLDER = Path(__file__).parent.parent.parent / "config" / "kubernetes"
KUBECTL = Path(__file__).parent.parent.parent / ".venv" / "bin" / "kubectl"


def documents() -> list[dict[str, Any]]:
    return [
        document
        for name in ("rbac.yaml", "deployment.yaml")
        for document in yaml.safe_load_all((FOLDER / name).read_text())
        if document
    ]


def rules() -> set[tuple[str, str, str]]:
    role = next(document for document in documents() if document["kind"] == "ClusterRole")
    return {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


ON_DEMAND = {("", "pods/log", "get"), ("", "configmaps", "get")}  # looked up for one question, never listed


def test_every_kind_that_is_read_may_be_listed_and_watched_and_nothing_more() -> None:
    wanted = set()
    for kind in kinds.collect().values():
        group = kind.versions[0].rpartition("/")[0]
        wanted |= {(group, kind.plural or kind.name, verb) for verb in ("get", "list", "watch")}
    assert rules() == wanted | ON_DEMAND


def test_nothing_can_be_changed_and_no_secret_read() -> None:
    assert {verb for _, _, verb in rules()} == {"get", "list", "watch"}
    assert not {resource for _, resource, _ in rules()} & {"secrets"}


def test_of_config_maps_only_those_are_read_that_are_named() -> None:
    role = next(document for document in documents() if document["kind"] == "ClusterRole")
    named = [rule["resourceNames"] for rule in role["rules"] if "configmaps" in rule["resources"]]
    assert named == [["cluster-autoscaler-status"]]


def test_the_rule_for_the_pod_proxy_is_left_out_and_is_one_when_put_in() -> None:
    assert "pods/proxy" not in {resource for _, resource, _ in rules()}
    text = (FOLDER / "rbac.yaml").read_text()
    explained = text[text.index("# Only for `nodes:") :].partition("\n---")[0].splitlines()
    rule = [line.removeprefix("# ") for line in explained if line.startswith(("# - ", "#   "))]
    assert yaml.safe_load("\n".join(rule)) == [{"apiGroups": [""], "resources": ["pods/proxy"], "verbs": ["get"]}]


async def test_a_real_client_accepts_them(tmp_path: Path) -> None:
    if not KUBECTL.exists():
        pytest.skip("kubectl is not in .venv")
    from datetime import UTC, datetime

    from bot.local.cluster.store import RESOURCES, Store

    store = Store(clock=lambda: datetime.now(UTC))
    store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": "gpubot"}})
    server = ApiServer(store)
    await server.start()
    server.write_kubeconfig(tmp_path / "kc")
    import asyncio

    def apply() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [KUBECTL, "--kubeconfig", tmp_path / "kc", "apply", "-k", FOLDER],
            capture_output=True,
            text=True,
            timeout=30,
        )

    done = await asyncio.to_thread(apply)
    await server.stop()
    assert done.returncode == 0, done.stderr
    assert "deployment.apps/gpubot created" in done.stdout
    assert "clusterrole.rbac.authorization.k8s.io/gpubot-reader created" in done.stdout
