"""On random fleets: what the planner says lands is what the scheduler's filters let land, and nothing better is missed."""

import copy
import random
from typing import Any

import msgspec
import pytest

from bot.adapters.cluster import kinds
from bot.adapters.cluster.shared import Shared
from bot.deploying.candidate import Candidate, Choice, Draft, Room
from bot.deploying.trying import Look, candidate
from bot.domain.evidence import NO_EVIDENCE
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.scheduling.evaluate import evaluate
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import State
from tests.deploying.building import Object, a_cluster, chosen, gpu_node, holder
from tests.factories import NOW, POLICY

FLEETS = 60
MODELS = ("glm", "flash", "air", "glm-4.7")
USUAL = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
KEPT = {"key": "dedicated", "value": "train", "effect": "NoSchedule"}
DRIVERS = ("580.95.05", "580.95.05", "570.172.08", "470.82.01")


def fleet(chance: random.Random) -> list[Object]:
    """Up to eight nodes of several products; some kept for others, small, cordoned, half taken, with an old driver."""
    objects: list[Object] = []
    for number in range(chance.randint(1, 8)):
        name, gpus, driver = f"g{number}", chance.choice((1, 2, 4, 8, 8)), chance.choice(DRIVERS)
        made = gpu_node(
            name,
            chance.choice(("H200", "H200", "H100", "L40S", "A100", "B200")),
            gpus=gpus,
            driver=driver,
            memory=chance.choice(("64Gi", "256Gi", "2048Gi", "2048Gi")),
            labels={"nvidia.com/cuda.driver-version.major": driver.partition(".")[0]},
            taints=chance.choice(([], [USUAL], [USUAL], [KEPT])),
        )
        made["spec"]["unschedulable"] = chance.random() < 0.1
        objects.append(made)
        taken = chance.choice((0, 0, 0, gpus // 2, gpus))
        if taken:
            objects.append(holder(f"h{number}", name, taken))
    return objects


def pod_of(one: Candidate, number: int) -> Pod:
    """One of its replicas as the API server would have it. Volumes that do not exist yet are left out."""
    template = copy.deepcopy(one.rendering.workload["spec"]["template"])
    spec: dict[str, Any] = template["spec"]
    gone = {volume["name"] for volume in spec["volumes"] if "persistentVolumeClaim" in volume}
    spec["volumes"] = [volume for volume in spec["volumes"] if volume["name"] not in gone]
    name = f"replica-{number}"
    metadata = {**template["metadata"], "name": name, "namespace": "llm", "uid": name, "resourceVersion": "1"}
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    _, record = kinds.decode(kinds.collect()["pods"], msgspec.json.encode(item), Shared())
    assert isinstance(record, Pod)
    return record


def landing(one: Candidate, view: View, replicas: int) -> list[str]:
    """One after the other to the first node on which the filters let it. Replicas are alike: which one does not matter."""
    state, nodes = State(view), list[str]()
    for number in range(replicas):
        pod = pod_of(one, number)
        verdict = evaluate(pod, state)
        if not verdict.feasible:
            return nodes
        nodes.append(verdict.feasible[0])
        state = state.with_pod(pod, nodes[-1])
    return nodes


def asked(seed: int) -> tuple[View, Choice, int]:
    chance = random.Random(seed)
    view = a_cluster(*fleet(chance))
    replicas = chance.randint(1, 3)
    return view, chosen(view, chance.choice(MODELS), replicas=str(replicas)), replicas


@pytest.mark.parametrize("seed", range(FLEETS))
def test_as_many_land_as_it_says(seed: int) -> None:
    view, choice, replicas = asked(seed)
    for one in choice.candidates:
        nodes = landing(one, view, replicas)
        assert len(nodes) == one.starts, one.draft.title
        assert set(nodes) <= set(one.draft.pool.nodes), "its arithmetic holds for those nodes alone"
        assert (one.room is Room.NOW) == (len(nodes) == replicas)


@pytest.mark.parametrize("seed", range(FLEETS))
def test_nothing_that_has_room_is_left_untried(seed: int) -> None:
    view, choice, replicas = asked(seed)
    if choice.best is None:
        assert choice.rejected, "each no has its reason"
        return
    if choice.best.room is Room.NOW:
        return
    for draft in choice.spare:
        look = Look(view, POLICY, NOW, NO_EVIDENCE, Snapshot(view))
        other = candidate(draft, choice.best.ground.wish, look)
        assert len(landing(other, view, replicas)) < replicas, draft.title


@pytest.mark.parametrize("seed", range(FLEETS))
def test_where_it_lands_the_memory_and_the_driver_do(seed: int) -> None:
    """By the objects alone: free GPUs of one node, their memory, and a driver for the image's CUDA."""
    view, choice, replicas = asked(seed)
    best = choice.best
    if best is None:
        return
    for name in landing(best, view, replicas):
        labels = view.nodes[name].labels
        held = view.requested_on(name).get("nvidia.com/gpu", 0)
        assert view.nodes[name].allocatable["nvidia.com/gpu"] - held >= best.draft.tensor_parallel
        assert needed_gib(best.draft) <= best.draft.pool.memory_mib / 1024 * best.draft.utilisation
        major = int(labels["nvidia.com/cuda.driver-version.major"])
        assert major >= (580 if best.draft.image_cuda is not None and best.draft.image_cuda.major >= 13 else 525)


def needed_gib(draft: Draft) -> float:
    """Weights of one rank, what runs beside them, and the cache of one request of the full length."""
    size = draft.sizing
    cache = size.kv_bytes_per_token * draft.context_tokens / 2**30
    return size.weights_gib + size.overhead_gib + cache
