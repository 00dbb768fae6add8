"""Models as they run in a cluster, for the tests of `/model`: objects, engines' windows, logs, incidents."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from bot.adapters.cluster import kinds
from bot.command import Cluster, Request
from bot.domain.engine import EngineReading, Histogram, Way
from bot.domain.engine_window import EngineWindow
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from tests.factories import NOW, POLICY
from tests.scaling.building import Object, deployment, node, pod, replicaset, view_of

GLM = ("vllm", "serve", "zai-org/GLM-5.2-FP8", "--served-model-name=glm", "--tensor-parallel-size=8")
ADVISED = (
    "--kv-cache-dtype=fp8",
    "--enable-auto-tool-choice",
    "--tool-call-parser=glm47",
    "--reasoning-parser=glm45",
    '--speculative-config={"method": "mtp", "num_speculative_tokens": 5}',
)


def serving(
    name: str,
    nodes: list[str],
    *arguments: str,
    image: str = "vllm/vllm-openai:v0.33.0",
    gpus: int = 8,
    replicas: int | None = None,
    container: Mapping[str, Any] | None = None,
    **spec: Any,
) -> list[Object]:
    """A Deployment of an engine; a node with a `-` before it has a pod that is not ready, an empty one none."""
    top = deployment(name, len(nodes) if replicas is None else replicas, gpus=gpus, **spec)
    [inside] = top["spec"]["template"]["spec"]["containers"]
    inside |= {"image": image, "args": list(arguments), **(container or {})}
    below = replicaset(top)
    pods = [
        pod(below, f"{name}-abc-{index}", where.removeprefix("-"), ready=not where.startswith("-"))
        for index, where in enumerate(nodes)
    ]
    return [top, below, *pods]


def fleet(number: int) -> list[Object]:
    return [node(f"gpu-{index}") for index in range(1, number + 1)]


def window(
    *, tokens: float = 400.0, waiting: float = 2.0, readings: int = 20, version: str = "0.33.0", **more: Any
) -> EngineWindow:
    """Half a minute between readings; the queue grows by one now and then, the rate swings."""
    found = []
    total = 10_000.0
    for index in range(readings):
        total += tokens * 30 * (1 + 0.4 * ((index % 7) - 3) / 3)
        found.append(
            EngineReading(
                taken_at=NOW - timedelta(seconds=30 * (readings - 1 - index)),
                way=Way.PROXY,
                engine="vllm",
                version=version,
                running=8.0 + index % 3,
                waiting=waiting,
                generated_tokens=total,
                prompt_tokens=3 * total,
                kv_cache_usage=0.4 + 0.02 * index,
                preemptions=0.0,
                finished={"stop": 100.0 + 4 * index, "error": float(index // 10)},
                errors=float(index // 10),
                ttft=Histogram((0.1, 0.5, 1.0, float("inf")), (40.0 * index, 70.0 * index, 78.0 * index, 80.0 * index)),
                **more,
            )
        )
    return EngineWindow(tuple(found))


@dataclass(frozen=True, slots=True)
class Engines:
    """A reader that keeps these windows, by the pod's uid."""

    windows: Mapping[str, EngineWindow]

    def window(self, cluster: str, pod_uid: str) -> EngineWindow | None:
        del cluster
        return self.windows.get(pod_uid)

    def latest(self, cluster: str, pod_uid: str) -> EngineReading | None:
        found = self.window(cluster, pod_uid)
        return found.last if found else None


def request(
    view: View, typed: str = "", *, seen: Evidence = NO_EVIDENCE, windows: Mapping[str, EngineWindow] | None = None,
    unread: tuple[str, ...] = (), **options: str,
) -> Request:  # fmt: skip
    """`windows`: None where nobody keeps any."""
    for kind in kinds.collect():
        reading = Reading.FORBIDDEN if kind in unread else Reading.LIVE
        view.sources[kind] = Source(kind, reading, None if kind in unread else NOW)
    cluster = Cluster("test", view, Inventory(view, POLICY))
    if windows is not None:
        cluster = replace(cluster, engines=Engines(windows))
    return Request(tuple(typed.split()), options, typed, cluster, NOW, evidence=seen)


def three() -> View:
    """Two large replicas and one that loads, a small model of another team, and a stopped one."""
    glm = serving("glm", ["gpu-1", "gpu-2", "-gpu-3"], *GLM)
    small = serving("bge", ["gpu-4"], "--model-id", "BAAI/bge-m3", gpus=1, image="ghcr.io/huggingface/tei:1.9")
    small[0]["spec"]["template"]["spec"]["containers"][0]["image"] = "vllm/vllm-openai:latest"
    off = serving("qwen", [], "vllm", "serve", "Qwen/Qwen2-7B", gpus=2, replicas=0)
    web: Object = json.loads(json.dumps(deployment("web", 1, gpus=0)))
    [container] = web["spec"]["template"]["spec"]["containers"]
    container |= {"image": "nginx:1", "args": []}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "llm", "labels": {"team": "chat"}}}
    return view_of(space, *fleet(4), *glm, *small, *off, web)
