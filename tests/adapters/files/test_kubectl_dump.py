"""What the real kubectl dumps from a cluster reads like the cluster itself."""

import asyncio
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from bot.adapters.cluster import connection
from bot.adapters.cluster.once import read_once
from bot.adapters.files import read
from bot.domain.source import Reading
from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import Store
from tests.adapters.capture.cluster_objects import cluster, named
from tests.adapters.capture.conftest import NOW, load
from tests.adapters.capture.test_capture import plain

KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")
CORDONED = "gpu-rack7-b.acme.example.com"
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")


@pytest.mark.parametrize("output", [pytest.param("json", id="as JSON"), pytest.param("yaml", id="as YAML")])
async def test_a_dump_of_all_namespaces(tmp_path: Path, output: str) -> None:
    objects = cluster()
    objects["namespaces"].append(named("Namespace", "v1", "kube-public"))
    store = Store(clock=lambda: NOW)
    load(store, objects)
    api = ApiServer(store)
    await api.start()
    opened = connection.plain(api.url)
    live = await read_once("live", opened, now=lambda: NOW)
    target = tmp_path / "dump"
    await kubectl(api, tmp_path, "cluster-info", "dump", "-A", f"--output={output}", f"--output-directory={target}")
    await opened.close()
    await api.stop()

    loaded = read(target, now=NOW)
    live.put("nodes", CORDONED, msgspec.structs.replace(live.nodes[CORDONED], cordoned_by=""))  # dumps leave it out
    for kind in ("nodes", "pods", "replicasets"):
        if kind == "replicasets":  # kubectl fills empty fields of templates in, so only what is kept of them beside
            assert {key: one.owner for key, one in loaded.view.replicasets.items()} == {
                key: one.owner for key, one in live.replicasets.items()
            }
        else:
            assert plain(loaded.view)[kind] == plain(live)[kind]
        assert loaded.view.source(kind).reading is Reading.READ
    assert loaded.view.source("namespaces").reading is Reading.UNREAD
    assert len(loaded.side.logs) == len(live.pods)
    assert loaded.skipped == ()


async def test_what_kubectl_get_prints(tmp_path: Path) -> None:
    store = Store(clock=lambda: NOW)
    load(store, cluster())
    api = ApiServer(store)
    await api.start()
    opened = connection.plain(api.url)
    live = await read_once("live", opened, now=lambda: NOW)
    printed = await kubectl(api, tmp_path, "get", "nodes,pods", "-A", "-o", "yaml", "--show-managed-fields")
    await opened.close()
    await api.stop()

    (tmp_path / "out.yaml").write_bytes(printed)
    view = read(tmp_path / "out.yaml", now=NOW).view
    assert plain(view)["pods"] == plain(live)["pods"]
    assert plain(view)["nodes"] == plain(live)["nodes"]


async def kubectl(api: ApiServer, home: Path, *arguments: str) -> bytes:
    api.write_kubeconfig(home / "kubeconfig")
    assert KUBECTL is not None
    process = await asyncio.create_subprocess_exec(
        KUBECTL,
        f"--kubeconfig={home / 'kubeconfig'}",
        f"--cache-dir={home / 'cache'}",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out
