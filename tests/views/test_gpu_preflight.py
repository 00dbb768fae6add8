"""How `/gpu preflight` looks: a fleet that passes, a broken one, one that nobody can read, and a large one."""

from collections.abc import Callable
from dataclasses import asdict, replace

import pytest

from bot.command import Cluster, Reply
from bot.dialogue import all_commands, decide, request_of, understand
from bot.domain.evidence import Evidence
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.views import blocks
from tests.checks.preflight.fleets import a_fit_node, a_plugin, an_agent, an_engine, fit, held, whole
from tests.factories import NOW, POLICY, a_pod, a_taint
from tests.views.golden_files import matches
from tests.why.builders_stack import a_runtime_class, a_silent_node, a_stack_view, at, crashing, evidence, told

KNOWN = all_commands()
SCREEN_LINES, SCREEN_CHARACTERS = 48, 4_000
Case = tuple[View, Evidence]


def good() -> Case:
    """Everything is told, by agents and by whole pods; one node comes up."""
    young = a_silent_node("gpu-3", labels={"nvidia.com/gpu.count": "8", "pool": "h200"}, created=at(minutes=2))
    view = fit(
        a_fit_node("gpu-2", unschedulable=True),
        a_plugin("gpu-2"),
        an_engine("glm-1", node="gpu-2", image="registry.example/vllm:v0.20.1"),
        young,
        a_runtime_class(),
    )
    objects = {"llm/glm-0": whole("--model", "zai-org/GLM-5.2"), "llm/glm-1": whole("--model", "/models/glm")}
    return view, evidence(agents={name: an_agent() for name in ("gpu-1", "gpu-2")}, objects=objects)


def broken() -> Case:
    """One node for each kind of trouble."""
    refused = an_engine("glm-4", node="gpu-4", **held())
    stopped = an_engine("glm-5", node="gpu-5", **held("ContainerCreating"))
    view = fit(
        *(a_fit_node(f"gpu-{place}") for place in (2, 4, 5)),
        a_fit_node("gpu-3", healthy=7),
        a_fit_node("gpu-6", healthy=0),
        a_fit_node("gpu-7", product="NVIDIA-A10"),
        a_fit_node("a10-1", pool="a10", product="NVIDIA-A10", taints=(a_taint("nvidia.com/gpu=present:NoSchedule"),)),
        *(a_plugin(node) for node in ("gpu-2", "gpu-3", "gpu-4", "gpu-5", "gpu-7", "a10-1")),
        a_plugin("gpu-6", state=crashing()),
        a_pod("wants", node="", gpus=2),
        refused,
        told(refused, "Failed", "Failed to pull image: toomanyrequests: You have reached your pull rate limit"),
        stopped,
        told(stopped, "FailedCreatePodSandBox", 'no runtime for "nvidia" is configured'),
    )
    return view, evidence(agents={"gpu-2": an_agent(remappedRows={"failureOccurred": True})})


def unread() -> Case:
    return a_stack_view(unread=("nodes", "pods")), Evidence()


def pods_unread() -> Case:
    return fit(a_fit_node("gpu-2"), unread=("pods",)), Evidence()


def big() -> Case:
    """Eight hundred nodes in twenty pools, of which some have one of three troubles."""
    nodes = [
        a_fit_node(f"gpu-{place:03}", pool=f"pool-{place % 20:02}", healthy=7 if place % 9 == 0 else 8)
        for place in range(800)
    ]
    plugins = [a_plugin(f"gpu-{place:03}") for place in range(800) if place % 50]
    agents = {f"gpu-{place:03}": an_agent(remappedRows={"failureOccurred": place % 40 == 7}) for place in range(120)}
    return a_stack_view(*nodes, *plugins), evidence(agents=agents)


def ask(case: Case, line: str = "gpu preflight") -> Reply:
    view, given = case
    asked = understand(line, KNOWN)
    clusters = {view.cluster: Cluster(view.cluster, view, Inventory(view, POLICY))}
    request = request_of(asked, clusters, view.cluster, lambda: NOW, KNOWN)
    return decide(asked, replace(request, evidence=given))


CASES = [
    pytest.param("preflight_good", good, "gpu preflight", id="a fleet that passes"),
    pytest.param("preflight_broken", broken, "gpu preflight", id="a broken fleet"),
    pytest.param("preflight_broken_pool", broken, "gpu preflight pool=a10", id="one pool of it"),
    pytest.param("preflight_unread", unread, "gpu preflight", id="nobody can read it"),
    pytest.param("preflight_pods_unread", pods_unread, "gpu preflight", id="only nodes can be read"),
    pytest.param("preflight_big", big, "gpu preflight", id="eight hundred nodes"),
]


@pytest.mark.parametrize(("name", "case", "line"), CASES)
def test_looks_as_kept(name: str, case: Callable[[], Case], line: str) -> None:
    text = ask(case(), line).answer.text
    matches(name, text)
    assert len(text.splitlines()) <= SCREEN_LINES
    assert len(text) <= SCREEN_CHARACTERS


def test_blocks_look_as_kept() -> None:
    matches("preflight_broken_blocks", asdict(blocks.render(ask(broken()).document)))


@pytest.mark.parametrize(
    ("case", "cause", "is_told"),
    [
        pytest.param(good, "preflight.ready", True, id="ready"),
        pytest.param(broken, "preflight.not_ready", True, id="not ready"),
        pytest.param(unread, "preflight.unknown", False, id="unknown"),
        pytest.param(pods_unread, "preflight.unknown", False, id="a required point is unknown"),
    ],
)
def test_the_answer_says_which(case: Callable[[], Case], cause: str, is_told: bool) -> None:
    answer = ask(case()).answer
    assert (answer.cause.id, answer.told) == (cause, is_told)


def test_numbers_add_up() -> None:
    numbers = ask(broken()).answer.numbers
    assert numbers["ready"] + numbers["not_ready"] + numbers["unknown"] == numbers["nodes"] == 8
    assert all(sum(states.values()) == 8 for states in numbers["points"].values())
