"""Who may click what, when, and what comes of it: every refusal is recorded, and nothing is ever done twice."""

import asyncio
from dataclasses import replace

import pytest

from bot.access.rules import Identities, Limits
from bot.acting.changing.service import Changing
from bot.domain.change import ChangeState
from bot.domain.errors import NotFoundError
from bot.domain.person import Access, Identity
from tests.access.building import ANA, BEN, CHEN, DORA, OTHER, RULES, a_person
from tests.acting.building import CLUSTER, World, plan_of, said
from tests.acting.clusters import a_busy_node, a_world
from tests.factories import a_node, a_pod, owned_by


async def _drain(world: World, who: str = ANA) -> Changing:
    service = world.service()
    await service.propose(plan_of(world, "drain", node="gpu-1"), world.people[who], CLUSTER)
    return service


async def _cordon(world: World) -> Changing:
    service = world.service()
    await service.propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    return service


async def test_a_small_change_waits_for_the_yes_of_whoever_asked() -> None:
    world = a_busy_node()
    service = await _cordon(world)
    assert world.change().state is ChangeState.PROPOSED
    assert world.cluster.made == []
    assert world.cluster.rehearsed == ["cordon gpu-1"], "the API server was asked before anybody"
    answer = await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()
    assert said(answer) == "Change 1 begins: cordon gpu-1."
    assert world.change().state is ChangeState.APPLIED
    assert world.change().audit_ids == ("audit-1",)
    assert world.cluster.made == ["cordon gpu-1"]


async def test_a_big_change_needs_two_others() -> None:
    world = a_busy_node()
    service = await _drain(world)
    first = await service.click(world.change().nonce, "yes", world.people[BEN])
    assert said(first) == "Your approval of change 1 counts; 1 more needed."
    assert world.cluster.made == []
    await service.click(world.change().nonce, "yes", world.people[CHEN])
    await service.settled()
    assert world.change().state is ChangeState.APPLIED
    assert len(world.cluster.made) == 4


@pytest.mark.parametrize(
    ("who", "changed", "wanted"),
    [
        pytest.param(ANA, {}, "somebody else must approve it", id="nobody approves their own"),
        pytest.param(BEN, {"access": Access.READ}, "your role is reader", id="a right that was lost by now"),
        pytest.param(BEN, {"workspace": OTHER}, "not of a workspace", id="a person of another workspace"),
        pytest.param("", {}, "not of a workspace", id="nobody at all, as a webhook would be"),
    ],
)
async def test_an_approval_that_does_not_count_is_refused_and_recorded(
    who: str, changed: dict[str, object], wanted: str
) -> None:
    world = a_busy_node()
    service = await _drain(world)
    answer = await service.click(world.change().nonce, "yes", a_person(who, **changed))
    assert wanted in said(answer)
    assert world.change().state is ChangeState.PROPOSED
    assert world.change().approvals == ()
    assert world.says()[-1].startswith("click.refused")
    assert world.cluster.made == []


async def test_one_person_approves_once() -> None:
    world = a_busy_node()
    service = await _drain(world)
    await service.click(world.change().nonce, "yes", world.people[BEN])
    again = await service.click(world.change().nonce, "yes", world.people[BEN])
    assert "You have approved it already" in said(again)
    assert world.change().state is ChangeState.PROPOSED


async def test_an_approval_of_somebody_who_lost_the_right_since_no_longer_counts() -> None:
    world = a_busy_node()
    service = await _drain(world)
    await service.click(world.change().nonce, "yes", world.people[BEN])
    world.people[BEN] = a_person(BEN, Access.READ)
    answer = await service.click(world.change().nonce, "yes", world.people[CHEN])
    assert said(answer) == "Your approval of change 1 counts; 1 more needed."
    assert world.change().state is ChangeState.PROPOSED
    await service.click(world.change().nonce, "yes", world.people[DORA])
    await service.settled()
    assert world.change().state is ChangeState.APPLIED


async def test_whoever_asked_must_still_be_allowed_to() -> None:
    world = a_busy_node()
    service = await _drain(world)
    world.people[ANA] = a_person(ANA, Access.READ)
    answer = await service.click(world.change().nonce, "yes", world.people[BEN])
    assert "role is reader" in said(answer)
    assert world.change().approvals == ()


async def test_a_button_is_used_once() -> None:
    world = a_busy_node()
    service = await _cordon(world)
    nonce = world.change().nonce
    await service.click(nonce, "yes", world.people[ANA])
    await service.settled()
    for _ in range(3):
        again = await service.click(nonce, "yes", world.people[ANA])
        assert "is used up: change 1 (cordon gpu-1) is applied" in said(again)
    assert world.cluster.made == ["cordon gpu-1"]
    assert [one for one in world.says() if one.startswith("click.stale")] != []


@pytest.mark.parametrize(
    ("nonce", "word"),
    [
        pytest.param("", "yes", id="nothing"),
        pytest.param("nonce-99", "yes", id="a nonce that was never made"),
        pytest.param("gpu-1", "yes", id="a node's name"),
        pytest.param("1", "yes", id="the change's number"),
        pytest.param("nonce-1", "apply", id="a word that no button has"),
        pytest.param("nonce-1'; --", "undo", id="something for a database"),
    ],
)
async def test_a_forged_value_does_nothing_and_is_recorded(nonce: str, word: str) -> None:
    world = a_busy_node()
    service = await _cordon(world)
    before = world.change()
    await service.click(nonce, word, world.people[ANA])
    await service.settled()
    assert world.change() == before
    assert world.cluster.made == []
    assert world.says()[-1].startswith("click.stale")


async def test_ten_approvers_at_once_act_once() -> None:
    people = {f"U{index}": a_person(f"U{index}") for index in range(10)}
    world = a_busy_node()
    world.rules = replace(RULES, approvals=replace(RULES.approvals, big=1))
    world.people |= people
    service = await _drain(world)
    nonce = world.change().nonce
    answers = await asyncio.gather(*(service.click(nonce, "yes", who) for who in people.values()))
    await service.settled()
    assert sum("begins" in said(one) for one in answers) == 1
    assert len(world.cluster.made) == len(set(world.cluster.made)) == 4
    assert world.change().state is ChangeState.APPLIED


async def test_ten_services_on_one_record_act_once() -> None:
    world = a_busy_node()
    await _cordon(world)
    nonce = world.change().nonce
    services = [world.service() for _ in range(10)]
    await asyncio.gather(*(one.click(nonce, "yes", world.people[ANA]) for one in services))
    await asyncio.gather(*(one.settled() for one in services))
    assert world.cluster.made == ["cordon gpu-1"]


async def test_a_replica_that_does_not_lead_leaves_the_work_to_the_one_that_does() -> None:
    world = a_busy_node()
    await _cordon(world)
    other, leader = world.service(leads=False), world.service()
    await other.click(world.change().nonce, "yes", world.people[ANA])
    await other.settled()
    assert world.change().state is ChangeState.APPROVED
    assert world.cluster.made == []
    await leader.tick()
    await leader.settled()
    assert world.change().state is ChangeState.APPLIED


async def test_of_two_changes_at_once_the_breaker_lets_only_one_through() -> None:
    world = a_world(a_node("gpu-1", uid="n1"), a_node("gpu-2", uid="n2"))
    world.rules = replace(world.rules, limits=Limits(nodes=1))
    service = world.service()
    for name in ("gpu-1", "gpu-2"):
        await service.propose(plan_of(world, "cordon", node=name), world.people[ANA], CLUSTER)
    nonces = [world.change(number).nonce for number in (1, 2)]
    answers = await asyncio.gather(*(service.click(nonce, "yes", world.people[ANA]) for nonce in nonces))
    await service.settled()
    assert sorted("breaker" in said(answer) for answer in answers) == [False, True]
    assert len(world.cluster.made) == 1


async def test_a_refusal_is_final() -> None:
    world = a_busy_node()
    service = await _drain(world)
    nonce = world.change().nonce
    await service.click(nonce, "no", world.people[BEN])
    assert world.change().state is ChangeState.REFUSED
    assert "is refused" in said(await service.click(nonce, "yes", world.people[CHEN]))
    assert world.cluster.made == []


async def test_a_click_after_its_time_does_nothing() -> None:
    world = a_busy_node()
    service = await _drain(world)
    nonce = world.change().nonce
    await world.clock.sleep(31 * 60)
    assert "has expired" in said(await service.click(nonce, "yes", world.people[BEN]))
    assert world.change().state is ChangeState.EXPIRED
    assert "is expired" in said(await service.click(nonce, "yes", world.people[CHEN]))
    assert world.cluster.made == []


async def test_a_plan_whose_target_changed_is_shown_anew_instead() -> None:
    world = a_busy_node()
    service = await _drain(world)
    pod = a_pod("glm-2", node="gpu-1", gpus=2, owner=owned_by("StatefulSet", "glm"), uid="p9")
    world.cluster.view.put("pods", pod.key, pod)
    answer = await service.click(world.change().nonce, "yes", world.people[BEN])
    assert "Change 1 was not applied: the cluster has changed since. Change 2 shows it as it is now." in said(answer)
    assert world.change(1).state is ChangeState.OUTDATED
    assert world.change(2).state is ChangeState.PROPOSED
    assert world.change(2).requester == ANA, "not whoever clicked"
    assert any("glm-2" in step.says for step in world.change(2).plan.steps)
    assert world.cluster.made == []


async def test_a_target_that_is_gone_makes_the_plan_outdated() -> None:
    world = a_busy_node()
    service = await _cordon(world)
    world.cluster.view.take("nodes", "gpu-1")
    answer = await service.click(world.change().nonce, "yes", world.people[ANA])
    assert "No node is called" in said(answer)
    assert world.change().state is ChangeState.OUTDATED
    assert len(world.store.changes) == 1


async def test_a_freeze_after_the_proposal_stops_the_click() -> None:
    world = a_busy_node()
    service = await _cordon(world)
    await world.store.freeze(CLUSTER, world.change().expires_at, "a launch", world.people[DORA], world.clock())
    answer = await service.click(world.change().nonce, "yes", world.people[ANA])
    assert "Nothing is changed until" in said(answer)
    assert world.cluster.made == []


async def test_an_undo_passes_a_freeze() -> None:
    world = a_busy_node()
    service = await _cordon(world)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()
    await world.store.freeze(CLUSTER, world.change().expires_at, "a launch", world.people[DORA], world.clock())
    await service.click(world.change().nonce, "undo", world.people[BEN])
    await service.settled()
    assert world.change().state is ChangeState.UNDONE
    assert world.cluster.made == ["cordon gpu-1", "uncordon gpu-1"]


@pytest.mark.parametrize(
    ("who", "wanted"),
    [
        pytest.param({"access": Access.READ}, "your role is reader", id="a reader"),
        pytest.param({"access": Access.NOBODY}, "your role is nobody", id="nobody of an empty list"),
    ],
)
async def test_a_request_without_the_role_is_refused_recorded_and_still_previewed(
    who: dict[str, object], wanted: str
) -> None:
    world = a_busy_node()
    answer = await world.service().propose(plan_of(world, "drain", node="gpu-1"), a_person(ANA, **who), CLUSTER)
    assert wanted in said(answer)
    assert "evict llm/glm-0" in said(answer)
    assert world.store.changes == {}
    assert world.says()[-1].startswith("request.refused: You may not drain gpu-1")
    assert world.cluster.rehearsed == []


async def test_what_was_sent_along_is_not_believed() -> None:
    """Only kind, arguments and reason count; steps of somebody's own making are dropped."""
    world = a_busy_node()
    honest = plan_of(world, "cordon", node="gpu-1")
    await world.service().propose(honest, world.people[ANA], CLUSTER)
    forged = world.change().plan
    sent = plan_of(world, "cordon", node="gpu-2")
    await world.service().propose(type(sent)(**{**_fields(sent), "steps": forged.steps}), world.people[ANA], CLUSTER)
    assert [step.target.name for step in world.change(2).plan.steps] == ["gpu-2"]
    assert world.change(2).plan.title == "cordon gpu-2"


def _fields(plan: object) -> dict[str, object]:
    return {name: getattr(plan, name) for name in ("kind", "arguments", "title", "because")}


async def test_the_cluster_itself_is_asked_for_the_person() -> None:
    world = a_busy_node()
    world.rules = replace(RULES, identities=Identities(users={ANA: "ana@x"}, impersonate=True))
    world.people[ANA] = a_person(ANA, identity=Identity("ana@x"))
    world.cluster.lacks = frozenset({"create pods/eviction"})
    answer = await world.service().propose(plan_of(world, "drain", node="gpu-1"), world.people[ANA], CLUSTER)
    assert "You may not create pods/eviction in llm in Kubernetes" in said(answer).replace("`", "")
    assert "ana@x: patch nodes" in world.cluster.asked
    assert world.store.changes == {}


async def test_steps_are_made_in_the_name_of_whoever_asked() -> None:
    world = a_busy_node()
    world.rules = replace(RULES, identities=Identities(users={ANA: "ana@x"}, impersonate=True))
    world.people[ANA] = a_person(ANA, identity=Identity("ana@x"))
    service = await _cordon(world)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()
    assert world.cluster.as_whom == [Identity("ana@x")]


async def test_a_quota_speaks_before_anybody_approves() -> None:
    world = a_busy_node()
    world.cluster.quota = "the quota gpus allows 4, 4 are used"
    answer = await world.service().propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    assert said(answer) == "The API server would refuse it: the quota gpus allows 4, 4 are used"
    assert world.store.changes == {}
    assert world.says()[-1].startswith("cluster.denied")


async def test_a_bot_that_only_rehearses_changes_nothing() -> None:
    world = a_busy_node()
    world.rules = replace(RULES, dry_run=True)
    answer = await world.service().propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], CLUSTER)
    assert "only rehearses" in said(answer)
    assert world.cluster.rehearsed == ["cordon gpu-1"]
    assert world.store.changes == {}


async def test_a_cluster_that_is_not_known_is_told() -> None:
    world = a_world(a_node("gpu-1", uid="n1"))
    with pytest.raises(NotFoundError, match="does not know that cluster"):
        await world.service().propose(plan_of(world, "cordon", node="gpu-1"), world.people[ANA], "other")


async def test_the_audit_holds_after_all_of_it() -> None:
    world = a_busy_node()
    service = await _cordon(world)
    await service.click(world.change().nonce, "yes", world.people[ANA])
    await service.settled()
    assert (await world.store.verify()).broken is None
    assert [one.partition(":")[0] for one in world.says()] == [
        "change.proposed",
        "change.moved",
        "change.moved",
        "change.step",
        "change.moved",
        "change.moved",
    ]


async def test_buttons_carry_a_nonce_and_a_word_and_nothing_else() -> None:
    world = a_busy_node()
    await _drain(world)
    [post] = world.store.posts
    values = [element["value"] for block in post.blocks for element in block.get("elements", []) if "value" in element]
    nonce = world.change().nonce
    assert values == [f"{nonce}|yes", f"{nonce}|no"]
