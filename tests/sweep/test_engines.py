"""Engines in a sweep: one entry for each owner, under the card that is behind it, and what nobody could read is said."""

from typing import Any

import pytest

from bot.domain.engine_told import EngineTold
from bot.domain.evidence import Evidence, MetricsRef
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.gpu.inventory import Inventory
from bot.sweep import engines
from bot.sweep.sweep import sweep
from bot.sweep.trouble import Sweep
from tests.checks.building import agent, gpu
from tests.checks.engines import an_engine, growing, stuck, window
from tests.factories import NOW, POLICY, a_node
from tests.sweep.building import a_cluster_of, ids, looked_up

HANGS = EngineTold(window(stuck(14)))
WELL = EngineTold(window())
SILENT = EngineTold(trouble="nothing listens at 10.0.0.7:8000")


def swept(told: dict[Pod, EngineTold] | None, *more: Any, evidence: Evidence | None = None) -> Sweep:
    view = a_cluster_of(a_node("gpu-1"), a_node("gpu-2"), *(told or ()), *more)
    by_uid = None if told is None else {pod.uid: one for pod, one in told.items()}
    return sweep(view, Inventory(view, POLICY), evidence or Evidence(), NOW, told=by_uid)


def of(found: Sweep) -> list[str]:
    return [text for text in found.unseen if text.startswith(("metrics of", "whether"))]


def test_replicas_that_hang_are_one_entry() -> None:
    found = swept({an_engine("glm-0"): HANGS, an_engine("glm-1", node="gpu-2"): HANGS, an_engine("glm-2"): WELL})
    assert ids(found) == ["engine.no_tokens"] * 2, "pods without an owner are their own"
    owner = Owner("StatefulSet", "glm", "sts-1")
    (entry,) = swept({an_engine(f"glm-{one}", owner=owner): HANGS for one in range(3)}).entries
    assert entry.root.sentence.startswith("llm/glm-0 hangs: no token for 1 min")
    assert entry.root.sentence.endswith("; the same with llm/glm-1 and llm/glm-2")
    assert len(entry.pods) == 3
    assert entry.root.owner == "llm/glm"


def test_several_faults_of_one_owner_have_one_root() -> None:
    busy = EngineTold(window(lambda step: {"waiting": 3.0 * step, "kv_cache_usage": 0.97, "preemptions": 3.0 * step}))
    owner = Owner("StatefulSet", "glm", "sts-1")
    (entry,) = swept({an_engine("glm-0", owner=owner): HANGS, an_engine("glm-1", owner=owner): busy}).entries
    assert entry.root.id == "engine.no_tokens"
    assert sorted(one.id for one in entry.under) == ["engine.kv_cache", "engine.queue"]


def test_one_that_hangs_on_a_bad_card_is_under_the_card() -> None:
    lost = agent([gpu(0, sramEccErrorStatus={"bThresholdExceeded": 1}), *map(gpu, range(1, 8))])
    found = swept({an_engine("glm-0"): HANGS}, evidence=looked_up(agents={"gpu-1": lost}))
    home = next(one for one in found.entries if one.root.id.startswith("memory."))
    assert [one.id for one in home.under] == ["engine.no_tokens"]


@pytest.mark.parametrize(
    ("told", "says"),
    [
        pytest.param({an_engine("glm-0"): WELL}, [], id="all of them told"),
        pytest.param(
            {an_engine("glm-0"): SILENT, an_engine("glm-1"): WELL},
            ["metrics of 1 engine: llm/glm-0 (nothing listens at 10.0.0.7:8000)"],
            id="one did not answer",
        ),
        pytest.param(
            {an_engine("glm-0"): EngineTold(window(readings=1))},
            [
                "whether llm/glm-0 still makes tokens: one look shows requests and no rate; the running bot sees it "
                "within a minute or two"
            ],
            id="one look only",
        ),
        pytest.param(
            {an_engine("glm-0"): EngineTold(window(lambda _: {"running": 0.0}, readings=1))},
            [],
            id="one look at an idle one",
        ),
        pytest.param(None, [], id="nobody reads engines here"),
    ],
)
def test_what_was_not_seen_is_said(told: dict[Pod, EngineTold] | None, says: list[str]) -> None:
    found = swept(told)
    assert of(found) == says
    assert found.entries == ()


def test_one_that_did_not_answer_keeps_its_alert_open() -> None:
    assert ("engine.no_tokens", "gpu-1") in swept({an_engine("glm-0"): SILENT}).blind
    assert ("engine.no_tokens", "gpu-1") not in swept({an_engine("glm-0"): WELL}).blind


def test_one_look_reads_what_was_looked_up() -> None:
    view = a_cluster_of(a_node("gpu-1"), an_engine("glm-0"), an_engine("glm-1"))
    assert engines.wanted(view).refs == (MetricsRef("llm", "glm-0"), MetricsRef("llm", "glm-1"))
    pages = {MetricsRef("llm", "glm-0"): 'vllm:num_requests_running{model_name="glm"} 3\n'}
    told = engines.from_evidence(view, Evidence(texts=pages, missing={MetricsRef("llm", "glm-1"): "not in the folder"}))
    assert told["llm/glm-0"].window.last is not None
    assert told["llm/glm-1"] == EngineTold(trouble="not in the folder")


def test_a_page_with_times_of_its_own_shows_a_minute() -> None:
    """As a captured page may have it: a sample of every 15 s."""
    view = a_cluster_of(a_node("gpu-1"), an_engine("glm-0"))
    ends = int(NOW.timestamp() * 1000)
    lines = [
        f'vllm:{name}{{model_name="glm"}} {value} {ends - 15_000 * back}'
        for back in range(6)
        for name, value in (("num_requests_running", 3), ("generation_tokens_total", 700))
    ]
    told = engines.from_evidence(view, Evidence(texts={MetricsRef("llm", "glm-0"): "\n".join(lines)}))
    found = sweep(view, Inventory(view, POLICY), Evidence(), NOW, told=told)
    assert ids(found) == ["engine.no_tokens"]


def test_corruption_alone_is_told() -> None:
    assert ids(swept({an_engine("glm-0"): EngineTold(window(growing(corrupted=1.0)))})) == ["engine.corrupted"]
