"""The manifest of the node agent: a real client accepts it, it takes no GPU, and its flags are flags of the agent."""

import argparse
import asyncio
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.agent.options import arguments
from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import RESOURCES, Store

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "config" / "kubernetes" / "agent"
KUBECTL = ROOT / ".venv" / "bin" / "kubectl"


def documents() -> dict[str, dict[str, Any]]:
    files = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]
    found = [one for name in files for one in yaml.safe_load_all((FOLDER / name).read_text())]
    return {one["kind"]: one for one in found}


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = documents()["DaemonSet"]["spec"]["template"]["spec"]
    return spec


def container() -> dict[str, Any]:
    (one,) = pod()["containers"]
    return dict(one)


def test_it_sees_all_gpus_and_takes_none() -> None:
    resources = container()["resources"]
    assert not [name for part in resources.values() for name in part if name.startswith("nvidia.com/")]
    environment = {one["name"]: one.get("value") for one in container()["env"]}
    assert environment["NVIDIA_VISIBLE_DEVICES"] == "all"
    assert pod()["runtimeClassName"] == "nvidia"


def test_it_runs_where_nothing_else_may() -> None:
    assert pod()["tolerations"] == [{"operator": "Exists"}]


def test_it_can_write_nowhere_and_has_no_word_with_the_api_server() -> None:
    assert container()["securityContext"]["readOnlyRootFilesystem"]
    assert all(mount["readOnly"] for mount in container()["volumeMounts"])
    assert pod()["automountServiceAccountToken"] is False


def test_it_guards_what_it_serves() -> None:
    verb, *flags = container()["args"]
    parser = argparse.ArgumentParser()
    arguments(parser)
    chosen = parser.parse_args(flags)
    (mount,) = [one for one in container()["volumeMounts"] if one["name"] == "token"]
    assert verb == "agent"
    assert chosen.token_file == f"{mount['mountPath']}/token"
    assert chosen.listen.endswith(f":{container()['ports'][0]['containerPort']}")


def test_its_service_finds_it() -> None:
    labels = documents()["DaemonSet"]["spec"]["template"]["metadata"]["labels"]
    assert documents()["Service"]["spec"]["selector"] == labels


async def test_a_real_client_accepts_it(tmp_path: Path) -> None:
    if not KUBECTL.exists():
        pytest.skip("kubectl is not in .venv")
    store = Store(clock=lambda: datetime.now(UTC))
    store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": "gpubot"}})
    server = ApiServer(store)
    await server.start()
    server.write_kubeconfig(tmp_path / "kc")
    command = [str(KUBECTL), "--kubeconfig", str(tmp_path / "kc"), "apply", "-k", str(FOLDER)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=30)
    await server.stop()
    assert done.returncode == 0, done.stderr
    assert "daemonset.apps/gpubot-agent created" in done.stdout
    assert "service/gpubot-agent created" in done.stdout
