"""The manifests: what they look like in full, and what has to hold for all of them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.deploying.budgets import IMAGE, downloading
from bot.deploying.candidate import Candidate
from bot.deploying.compared import compared
from bot.deploying.manifests.render import manifests
from bot.deploying.yaml_text import dump
from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.pattern import Pattern
from bot.domain.thing import Thing
from bot.scaling.served import of
from tests.deploying.building import PRODUCTS, Object, a_cluster, chosen, claim, gpu_node, holder
from tests.deploying.test_planner import LWS, RDMA

GOLDEN = Path(__file__).parent / "golden"
LABEL = Pattern(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
LONG = "a" * 53  # the longest name that can be asked for
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
        weights = best.draft.variant.weights_bytes
        before = IMAGE.late + (downloading(weights).late if best.ground.downloads else 0)
        assert deadline is None or deadline > before + budget, "the image and the download come first"

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
            assert LABEL.fullmatch(one["metadata"]["name"])
            assert all(len(value) <= 63 for value in one["metadata"]["labels"].values())
        told = best.rendering.of("ConfigMap")
        assert told is not None
        assert told["immutable"] is True
        assert told["metadata"]["name"] in json.dumps(best.rendering.workload)

    def test_the_workload_says_what_it_was_made_from(self, name: str) -> None:
        told = made(name).rendering.workload["metadata"]["annotations"]
        assert told == made(name).rendering.workload["metadata"]["annotations"]
        assert set(told) == {"gpubot.dev/plan", "gpubot.dev/catalogue"}

    def test_a_download_may_run_on_the_nodes_of_the_engine(self, name: str) -> None:
        best = made(name)
        job = best.rendering.of("Job")
        if job is None:
            return
        spec = job["spec"]["template"]["spec"]
        assert spec["tolerations"] == pods(best)[0]["tolerations"]
        asked = best.rendering.of("PersistentVolumeClaim")
        assert asked is not None
        alone = asked["spec"]["accessModes"] == ["ReadWriteOnce"]
        assert alone == ("affinity" in spec), "a volume for one node is filled where it is read"
        if alone:
            (term,) = spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            assert term["labelSelector"]["matchLabels"].items() <= best.ground.labels.items()

    def test_our_own_advice_has_nothing_to_say_of_it(self, name: str) -> None:
        best = made(name)
        workload, arguments = best.rendering.workload, best.rendering.of("ConfigMap")
        assert arguments is not None
        if workload["kind"] != "Deployment":
            return
        metadata = workload["metadata"]
        thing = Thing(
            name=metadata["name"],
            namespace="llm",
            kind="Deployment",
            labels=metadata["labels"],
            raw=msgspec.json.encode({"spec": workload["spec"]}),
        )
        ref = ObjectRef("ConfigMap", "llm", arguments["metadata"]["name"])
        one = of(a_cluster(), thing)
        assert one is not None
        told = compared(one, PRODUCTS["H200"], "", Evidence({ref: Fields(arguments)}))
        assert told.remarks == ()

    def test_it_runs_where_the_planner_said(self, name: str) -> None:
        best = made(name)
        text = json.dumps(pods(best)[0]["affinity"])
        assert best.draft.pool.labels[0] in text


def long_ones() -> list[Candidate]:
    many = chosen(a_cluster(*[gpu_node(name, "H100", **RDMA) for name in ("g1", "g2")], LWS), "glm", name=LONG)
    one = chosen(a_cluster(gpu_node("g1", "B200")), "glm", name=LONG, variant="nvfp4")
    return [found.best for found in (many, one) if found.best is not None]


def test_long_names_are_cut_to_labels_and_stay_different() -> None:
    for best in long_ones():
        names = [one["metadata"]["name"] for one in best.rendering.objects]
        assert all(map(LABEL.fullmatch, names))
        kinds = {one["kind"]: one["metadata"]["name"] for one in best.rendering.objects}
        assert len({kinds["Job"], kinds["PersistentVolumeClaim"], kinds["ConfigMap"]}) == 3
        assert kinds["PersistentVolumeClaim"] in json.dumps(pods(best)[0]["volumes"])


def strategy(*objects: Object, **options: str) -> dict[str, Any]:
    best = chosen(a_cluster(*objects), "flash", **options).best
    assert best is not None
    told: dict[str, Any] = best.rendering.workload["spec"]["strategy"]
    return told


def bound(*modes: str) -> list[Object]:
    """A claim that has its volume."""
    made = claim(modes=modes)
    made["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    reference = {"kind": "PersistentVolumeClaim", "namespace": "llm", "name": "weights", "uid": "weights"}
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv-weights", "uid": "pv"},
        "spec": {"accessModes": list(modes), "capacity": {"storage": "1Ti"}, "claimRef": reference},
        "status": {"phase": "Bound"},
    }
    return [made, volume]


FREE, FULL = gpu_node("g1"), [gpu_node(name, gpus=1) for name in ("g1", "g2")]
SURGES = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
GIVES_WAY = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


@pytest.mark.parametrize(
    ("objects", "options", "told"),
    [
        pytest.param([FREE], {"replicas": "2"}, SURGES, id="GPUs for one more, and a volume that many mount"),
        pytest.param([FREE], {}, {"type": "Recreate"}, id="GPUs for one more, and a volume for one node"),
        pytest.param([FREE, *bound("ReadWriteMany")], {"source": "pvc:weights"}, SURGES, id="a claim that many mount"),
        pytest.param(
            [FREE, *bound("ReadWriteOnce")],
            {"source": "pvc:weights"},
            {"type": "Recreate"},
            id="a claim that one node mounts",
        ),
        pytest.param(FULL, {"replicas": "2"}, GIVES_WAY, id="two replicas on two nodes that are full then"),
        pytest.param(
            [*FULL, holder("a", "g1", 1), holder("b", "g2", 1)], {"replicas": "2"}, GIVES_WAY, id="and full already"
        ),
    ],
)
def test_updates_go_with_the_gpus_that_are_free(objects: list[Object], options: dict[str, str], told: Object) -> None:
    assert strategy(*objects, **options) == told


def test_workers_stay_as_long_as_their_leader_may_answer() -> None:
    leader, worker = pods(made("glm_over_two_nodes"))
    waits = [one["containers"][0]["lifecycle"]["preStop"]["exec"]["command"] for one in (leader, worker)]
    assert waits == [["sleep", "15"], ["sleep", "315"]]
    assert worker["terminationGracePeriodSeconds"] > 315


@pytest.mark.parametrize(
    ("name", "kind", "query"),
    [
        (
            "flash_with_everything",
            "AverageValue",
            'sum(vllm:num_requests_waiting{namespace="llm",model_name="glm-4-7-f',
        ),
        ("flash_by_utilisation", "Value", "avg(DCGM_FI_DEV_GPU_UTIL{"),
    ],
)
def test_an_autoscaler_owns_the_replicas_and_takes_its_time(name: str, kind: str, query: str) -> None:
    best = made(name)
    assert "replicas" not in best.rendering.workload["spec"]
    scaled = best.rendering.of("ScaledObject")
    assert scaled is not None
    (trigger,) = scaled["spec"]["triggers"]
    assert trigger["metricType"] == kind
    assert trigger["metadata"]["query"].startswith(query)
    behaviour = scaled["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    for way in behaviour.values():
        assert way["policies"][0]["value"] == 1
        assert way["policies"][0]["periodSeconds"] <= 1800, "the API server takes no more"
        assert way["stabilizationWindowSeconds"] <= 3600
    asked = best.rendering.of("PersistentVolumeClaim")
    assert asked is not None
    assert asked["spec"]["accessModes"] == ["ReadWriteMany"], "replicas that come later read them too"


def test_the_pods_whose_gpus_are_watched_are_its_own() -> None:
    scaled = made("flash_by_utilisation").rendering.of("ScaledObject")
    assert scaled is not None
    text = scaled["spec"]["triggers"][0]["metadata"]["query"]
    pattern = Pattern(text.partition('pod=~"')[2].partition('"')[0])
    assert pattern.fullmatch("glm-4-7-flash-5d9f7c6b48-x2x7k")
    assert not pattern.fullmatch("glm-4-7-flash-test-5d9f7c6b48-x2x7k")


def test_another_source_has_a_download_of_its_own() -> None:
    jobs = []
    for source in ("hf", "modelscope"):
        best = chosen(a_cluster(FREE), "flash", source=source).best
        assert best is not None
        job = best.rendering.of("Job")
        assert job is not None
        assert best.ground.weights_path in json.dumps(job), "it fills the folder that the engine reads"
        assert f"{best.ground.weights_path}/.gpubot-complete" in json.dumps(pods(best)[0]["initContainers"])
        jobs.append(job["metadata"]["name"])
    assert len(set(jobs)) == 2


def test_tokens_and_mirrors_come_from_a_secret_that_may_be_missing() -> None:
    job = made("glm").rendering.of("Job")
    assert job is not None
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["envFrom"] == [{"secretRef": {"name": "model-hub", "optional": True}}]


def test_another_plan_has_another_digest() -> None:
    def digest(**options: str) -> str:
        best = chosen(a_cluster(FREE), "flash", **options).best
        assert best is not None
        return str(best.rendering.workload["metadata"]["annotations"]["gpubot.dev/plan"])

    assert digest() == digest()
    assert digest() != digest(args="--max-num-seqs=64")


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
        ("glm", "no room for both"),
        ("glm_two_replicas_from_a_claim", "no room for one more"),
        ("flash_by_utilisation", "utilisation is a poor measure"),
        ("flash_with_everything", "prometheus-operated"),
    ],
)
def test_what_was_chosen_is_said(name: str, says: str) -> None:
    assert any(says in one for one in made(name).rendering.notes)
