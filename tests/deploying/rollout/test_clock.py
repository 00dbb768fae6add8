"""Where replicas are, by what the cluster shows and their logs say, and the clock that is made of it."""

from datetime import timedelta
from typing import Any

import pytest

from bot.deploying.rollout.budget import budget
from bot.deploying.rollout.clock import clock, line
from bot.deploying.rollout.phase import Phase, Standing, Where
from bot.deploying.rollout.where import Told, where
from bot.domain.event import Event
from bot.domain.evidence import Evidence, LogRef, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Container, ContainerState, Pod
from bot.domain.pod_spec import PodSpec
from tests.factories import NOW, a_pod

WEIGHTS = 755_635_070_000
BUDGET = budget(WEIGHTS, downloads=True)
MAIN = (Container("vllm", "vllm/vllm-openai:v0.33.0"),)
LOADING = "INFO 11-30 11:58:00 [x] Starting to load model /m...\nLoading safetensors checkpoint shards:  29% Completed | 41/141"
COMPILING = f"{LOADING}\nINFO 11-30 11:59:00 [x] Loading weights took 100.0 seconds\nINFO 11-30 11:59:30 [x] Dynamo bytecode transform time: 5.10 s"
WARMING = f"{COMPILING}\nINFO 11-30 11:59:40 [x] Graph capturing finished in 21 secs, took 1.12 GiB"
READY = f"{WARMING}\nINFO 11-30 11:59:50 [x] Application startup complete."
UNKNOWN_PARSER = "KeyError: 'invalid tool call parser: glm99 (chose from { glm45, glm47 })'"
NO_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.80 GiB"
)
TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 12040)."


def ago(minutes: float) -> str:
    return (NOW - timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def pod(*states: ContainerState, node: str = "g1", **changed: Any) -> Pod:
    defaults = {"containers": MAIN, "states": states, "created": ago(10), "phase": "Pending"}
    conditions = (Condition("Ready", "False"),)
    return a_pod("glm-a", node=node, gpus=8, **(defaults | {"conditions": conditions} | changed))


def seen(log: str = "", *, started: float | None = 5, init: bool = False, previous: str = "") -> Evidence:
    """started: minutes ago, of the main container; None where it has not."""
    running = {"running": {"startedAt": ago(started)}} if started is not None else {"waiting": {}}
    status: dict[str, Any] = {
        "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(9)}],
        "containerStatuses": [{"name": "vllm", "state": running}],
    }
    if init:
        status["initContainerStatuses"] = [{"name": "weights", "state": {"running": {"startedAt": ago(8)}}}]
    texts: dict[Any, str] = {LogRef("llm", "glm-a", "vllm"): log} if log else {}
    if previous:
        texts[LogRef("llm", "glm-a", "vllm", previous=True)] = previous
    return Evidence({ObjectRef("Pod", "llm", "glm-a"): Fields({"status": status})}, texts)


RUNS = ContainerState("vllm")
PLACES = [
    pytest.param(pod(node=""), Evidence(), Phase.SCHEDULED, "waits for a node", id="no node yet"),
    pytest.param(
        pod(ContainerState("vllm", waiting="ContainerCreating")),
        seen(started=None),
        Phase.IMAGE,
        "volumes and image",
        id="its image is brought",
    ),
    pytest.param(
        pod(ContainerState("vllm", waiting="PodInitializing")),
        seen(started=None, init=True),
        Phase.WEIGHTS,
        "waits for the download",
        id="its init container waits for the weights",
    ),
    pytest.param(pod(RUNS, phase="Running"), seen(), Phase.LOADING, "starts", id="it runs and has said nothing"),
    pytest.param(
        pod(RUNS, phase="Running"), seen(LOADING), Phase.LOADING, "41 of 141 shards", id="it reads its weights"
    ),
    pytest.param(pod(RUNS, phase="Running"), seen(COMPILING), Phase.COMPILING, "compiling kernels", id="it compiles"),
    pytest.param(pod(RUNS, phase="Running"), seen(WARMING), Phase.WARM, "CUDA graphs", id="it captures graphs"),
    pytest.param(pod(RUNS, phase="Running"), seen(READY), Phase.WARM, "ready", id="it says so, its probe does not yet"),
    pytest.param(
        pod(ContainerState("vllm", ready=True), phase="Running", conditions=()),
        seen(READY),
        Phase.READY,
        "ready",
        id="ready",
    ),
    pytest.param(pod(RUNS, phase="Running"), Evidence(), Phase.IMAGE, "volumes", id="nothing could be looked up"),
]


@pytest.mark.parametrize(("one", "evidence", "phase", "says"), PLACES)
def test_where_a_replica_is(one: Pod, evidence: Evidence, phase: Phase, says: str) -> None:
    found = where(one, evidence, NOW)
    assert found.phase is phase
    assert says in found.says
    assert found.failed == ""


def crashed(waiting: str = "CrashLoopBackOff", restarts: int = 3) -> ContainerState:
    return ContainerState("vllm", waiting=waiting, restarts=restarts, exit_code=1)


FAULTS = [
    pytest.param(
        ContainerState("vllm", waiting="ImagePullBackOff"),
        seen(started=None),
        Phase.IMAGE,
        "ImagePullBackOff: vllm/",
        id="image missing",
    ),
    pytest.param(
        ContainerState("vllm", waiting="CreateContainerConfigError"),
        seen(started=None),
        Phase.IMAGE,
        "CreateContainerConfigError",
        id="a ConfigMap or Secret missing",
    ),
    pytest.param(crashed(), seen(started=None, previous=UNKNOWN_PARSER), Phase.LOADING, "parser", id="parser unknown"),
    pytest.param(crashed(), seen(started=None, previous=NO_MEMORY), Phase.LOADING, "memory", id="out of memory"),
    pytest.param(crashed(), seen(started=None, previous=TOO_OLD), Phase.LOADING, "driver", id="driver too old"),
    pytest.param(
        crashed("", 4),
        seen(LOADING, previous=""),
        Phase.LOADING,
        "crashed 4 times",
        id="a probe too short, or nothing known",
    ),
]


@pytest.mark.parametrize(("state", "evidence", "phase", "failed"), FAULTS)
def test_what_will_not_get_further_by_itself_is_named(
    state: ContainerState, evidence: Evidence, phase: Phase, failed: str
) -> None:
    found = where(pod(state), evidence, NOW)
    assert found.phase is phase
    assert failed in found.failed


def told(*places: Where, wanted: int = 2, minutes: float = 6, downloads: bool = True) -> Any:
    return clock(places, wanted, BUDGET, minutes * 60, namespace="llm", downloads=downloads)


def test_the_slowest_replica_counts() -> None:
    shown = told(
        Where("a", Phase.READY, "g1", took=((Phase.IMAGE, 160.0),)),
        Where("b", Phase.LOADING, "g2", 200, "loading the weights: 41 of 141 shards", took=((Phase.IMAGE, 120.0),)),
    )
    assert (shown.ready, shown.done, shown.failed) == (1, False, "")
    assert line(shown) == (
        "✓ admitted · ✓ scheduled g1 and g2 · ✓ image 2 min · ✓ weights · ▶ loading: loading the weights: 41 of 141 "
        "shards, 3 min · compiling · warm · ready"
    )


def test_a_phase_over_its_budget_is_late_and_names_whom_to_ask_about() -> None:
    shown = told(Where("a", Phase.LOADING, "g1", 3600, "loading the weights"), wanted=1, minutes=70)
    assert shown.late is not None
    assert shown.late.phase is Phase.LOADING
    assert shown.subject == "llm/a"
    assert "⚠ loading" in line(shown)
    assert "longer than it should" in line(shown)


def test_within_its_budget_it_is_not_late() -> None:
    assert told(Where("a", Phase.LOADING, "g1", 600, "loading"), wanted=1).late is None


def test_pods_that_are_not_made_are_behind_all_others() -> None:
    shown = told(Where("a", Phase.READY, "g1"), minutes=0.5)
    assert shown.ticks[0].standing is Standing.GOING
    assert shown.ticks[0].says == "1 of 2 pods made"


def test_one_that_fails_fails_the_whole() -> None:
    shown = told(Where("a", Phase.READY), Where("b", Phase.LOADING, failed="it crashed 3 times: the parser is unknown"))
    assert shown.failed == "b: it crashed 3 times: the parser is unknown"
    assert shown.subject == "llm/b"


def test_all_ready_is_done() -> None:
    shown = told(Where("a", Phase.READY, "g1"), Where("b", Phase.READY, "g2"))
    assert shown.done
    assert line(shown).endswith("✓ ready")


def test_without_a_download_there_is_no_such_phase() -> None:
    assert "weights" not in line(told(Where("a", Phase.IMAGE), wanted=1, downloads=False))


def test_budgets_come_from_the_size_of_the_weights_and_from_the_past() -> None:
    small, large = budget(62_400_000_000, downloads=True), BUDGET
    assert large.late_after(Phase.LOADING) == round(WEIGHTS / 0.5e9)
    assert small.late_after(Phase.LOADING) == 600
    assert large.late_after(Phase.WEIGHTS) > large.late_after(Phase.LOADING)
    past = budget(WEIGHTS, downloads=False, past_ready_seconds=120)
    assert past.late_after(Phase.LOADING) == 240
    assert Phase.WEIGHTS not in past.spans


def test_a_pod_that_a_gate_holds_back_is_not_admitted() -> None:
    """Kueue's gate: quota comes before any node."""
    found = where(pod(node="", gated=True, spec=PodSpec(gates=("kueue.x-k8s.io/admission",))), Evidence(), NOW)
    assert found.phase is Phase.ADMITTED
    assert line(told(found, wanted=1)).startswith("⚠ admitted: held back by kueue.x-k8s.io/admission, 10 min, longer")


def event(reason: str, message: str) -> Event:
    return Event(name=reason, namespace="llm", about_kind="Pod", about_name="glm-a", reason=reason, message=message)


def test_an_image_that_is_pulled_says_how_large_it_is() -> None:
    pulling = event("Pulling", 'Pulling image "vllm/vllm-openai:v0.33.0"')
    creating = pod(ContainerState("vllm", waiting="ContainerCreating"))
    found = where(creating, seen(started=None), NOW, Told((pulling,), image_bytes=21_400_000_000))
    assert (found.phase, found.says) == (Phase.IMAGE, "its image of 21 GB is pulled")


def test_what_a_pull_took_is_what_the_kubelet_says() -> None:
    """By the conditions alone volumes and the container's start would be in it."""
    pulled = event(
        "Pulled",
        'Successfully pulled image "vllm/vllm-openai:v0.33.0" in 2m40s (2m40s including waiting). '
        "Image size: 21400000000 bytes.",
    )
    found = where(pod(RUNS, phase="Running"), seen(LOADING), NOW, Told((pulled,)))
    assert dict(found.took)[Phase.IMAGE] == 160.0
    assert "✓ image 21 GB, 2 min" in line(told(found, wanted=1, downloads=False))


def test_the_download_says_how_far_the_weights_are() -> None:
    waits = pod(ContainerState("vllm", waiting="PodInitializing"))
    found = where(waits, seen(started=None, init=True), NOW, Told(download="412 of 704 GB"))
    assert (found.phase, found.says) == (Phase.WEIGHTS, "412 of 704 GB")


def test_of_several_that_are_late_the_one_that_has_been_longest_is_asked_about() -> None:
    shown = told(Where("a", Phase.LOADING, "g1", 3000, "loads"), Where("b", Phase.LOADING, "g2", 3600, "loads"))
    assert shown.subject == "llm/b"


def test_pods_that_are_not_made_in_time_are_asked_about_by_their_owner() -> None:
    shown = clock((), 1, BUDGET, 300, namespace="llm", downloads=True, owner="deployment/llm/glm")
    assert (shown.late is not None, shown.subject) == (True, "deployment/llm/glm")
