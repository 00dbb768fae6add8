"""The manifests: what they look like in full, and what has to hold for all of them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.deploying.candidate import Candidate
from bot.deploying.manifests.render import manifests
from bot.deploying.yaml_text import dump
from tests.deploying.building import Object, a_cluster, chosen, claim, gpu_node
from tests.deploying.test_planner import LWS, RDMA

GOLDEN = Path(__file__).parent / "golden"
LOOKS: dict[str, tuple[list[Object], str, dict[str, str]]] = {
    "glm": ([gpu_node("g1")], "glm", {"name": "glm-prod"}),
    "glm_two_replicas_from_a_claim": (
        [gpu_node("g1"), gpu_node("g2"), claim()],
        "glm",
        {"replicas": "2", "source": "pvc:weights/GLM-5.2-FP8", "priority": "serving", "queue": "llm"},
    ),
    "glm_over_two_nodes": (
        [gpu_node(name, "H100", **RDMA) for name in ("g1", "g2")] + [LWS],
        "glm",
        {"source": "modelscope"},
    ),
    "flash_with_everything": (
        [gpu_node("g1")],
        "flash",
        {
            "autoscale": "waiting",
            "max": "4",
            "monitor": "yes",
            "expose": "httproute:web/flash.example.org",
            "args": "--max-num-seqs=64",
            "storage": "shared",
        },
    ),
    "flash_by_utilisation": (
        [gpu_node("g1")],
        "flash",
        {"autoscale": "utilisation", "expose": "ingress:f.example.org"},
    ),
    "flash_on_sglang": ([gpu_node("g1")], "flash", {"engine": "sglang"}),
}


def made(name: str) -> Candidate:
    objects, model, options = LOOKS[name]
    best = chosen(a_cluster(*objects), model, **options).best
    assert best is not None
    return best


@pytest.mark.parametrize("name", LOOKS)
def test_it_looks_so(name: str) -> None:
    text = dump(made(name).rendering.objects)
    file = GOLDEN / f"{name}.yaml"
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def pods(best: Candidate) -> list[Mapping[str, Any]]:
    spec = best.rendering.workload["spec"]
    group = spec.get("leaderWorkerTemplate")
    templates = [group["leaderTemplate"], group["workerTemplate"]] if group else [spec["template"]]
    return [one["spec"] for one in templates]


@pytest.mark.parametrize("name", LOOKS)
class TestAll:
    """What holds whatever is deployed."""

    def test_a_load_is_never_ended_by_a_probe(self, name: str) -> None:
        best = made(name)
        container = pods(best)[0]["containers"][0]
        startup = container["startupProbe"]
        budget = startup["periodSeconds"] * startup["failureThreshold"]
        assert budget >= best.ground.budget_seconds >= 20 * 60
        assert container["readinessProbe"]["httpGet"]["path"] == "/v1/models"
        assert container["livenessProbe"]["periodSeconds"] * container["livenessProbe"]["failureThreshold"] >= 60
        timeouts = {one["name"]: one["value"] for one in container["env"]}
        if best.draft.support.engine == "vllm":
            assert int(timeouts["VLLM_ENGINE_READY_TIMEOUT_S"]) >= best.ground.budget_seconds
        deadline = best.rendering.workload["spec"].get("progressDeadlineSeconds")
        assert deadline is None or deadline > budget

    def test_an_end_drains(self, name: str) -> None:
        best = made(name)
        for pod in pods(best):
            grace = pod["terminationGracePeriodSeconds"]
            assert grace > 15 + 300

    def test_requests_and_limits_of_gpus_are_alike_and_are_the_ranks(self, name: str) -> None:
        best = made(name)
        for pod in pods(best):
            told = pod["containers"][0]["resources"]
            assert told["requests"]["nvidia.com/gpu"] == told["limits"]["nvidia.com/gpu"]
            assert told["limits"]["nvidia.com/gpu"] == str(best.draft.tensor_parallel)

    def test_shared_memory_is_larger_than_the_default(self, name: str) -> None:
        for pod in pods(made(name)):
            shm = next(one for one in pod["volumes"] if one["name"] == "shm")["emptyDir"]
            assert shm["medium"] == "Memory"
            assert int(shm["sizeLimit"].removesuffix("Gi")) >= 4

    def test_nothing_is_privileged(self, name: str) -> None:
        for pod in pods(made(name)):
            for container in (*pod.get("initContainers", ()), *pod["containers"]):
                assert container["securityContext"]["allowPrivilegeEscalation"] is False
                assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
            assert pod["automountServiceAccountToken"] is False
            assert pod["enableServiceLinks"] is False

    def test_a_selector_fits_the_pods_of_the_engine_and_no_others(self, name: str) -> None:
        best = made(name)
        service = best.rendering.of("Service")
        assert service is not None
        wanted = {k: v for k, v in service["spec"]["selector"].items() if not k.startswith("leaderworkerset")}
        labels = best.ground.labels
        assert wanted.items() <= labels.items()
        job = best.rendering.of("Job")
        if job is not None:
            other = job["spec"]["template"]["metadata"]["labels"]
            assert not wanted.items() & other.items()

    def test_a_budget_lets_a_node_be_drained(self, name: str) -> None:
        budget = made(name).rendering.of("PodDisruptionBudget")
        assert budget is not None
        assert budget["spec"]["maxUnavailable"] == 1

    def test_names_are_labels_and_the_arguments_are_called_by_their_content(self, name: str) -> None:
        best = made(name)
        for one in best.rendering.objects:
            assert len(one["metadata"]["name"]) <= 63
        told = best.rendering.of("ConfigMap")
        assert told is not None
        assert told["immutable"] is True
        assert told["metadata"]["name"] in json.dumps(best.rendering.workload)

    def test_it_runs_where_the_planner_said(self, name: str) -> None:
        best = made(name)
        text = json.dumps(pods(best)[0]["affinity"])
        assert best.draft.pool.labels[0] in text


def test_other_arguments_are_another_config_map() -> None:
    one, other = (chosen(a_cluster(gpu_node("g1", product)), "glm", context="128k").best for product in ("H200", "H20"))
    assert one is not None
    assert other is not None
    names = [found.rendering.of("ConfigMap")["metadata"]["name"] for found in (one, other)]  # type: ignore[index]
    assert names[0] != names[1]


def test_every_manifest_says_what_it_is_for() -> None:
    assert all(one.page.strip() for one in manifests())
    orders = [one.order for one in manifests()]
    assert len(set(orders)) == len(orders)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("glm", "no GPUs for both"),
        ("glm_two_replicas_from_a_claim", "no GPUs for one more"),
        ("flash_by_utilisation", "utilisation is a poor measure"),
        ("flash_with_everything", "prometheus-operated"),
    ],
)
def test_what_was_chosen_is_said(name: str, says: str) -> None:
    assert any(says in one for one in made(name).rendering.notes)
