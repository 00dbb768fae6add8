"""Changes on a real API server: who may, what is refused and in which words, and that nothing is changed by accident."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters.cluster.connection import Connection, from_kubeconfig
from bot.adapters.cluster.writer import ClusterWriter
from bot.changes.managers import concerned, managers, touched
from bot.domain.change import Step, Target, Verb
from bot.domain.person import Identity
from bot.domain.writing import Refusal, WriteRefusedError
from tests.cluster.api import Api, ApiError, Object
from tests.cluster.controlplane.launch import ControlPlane
from tests.cluster.objects import gpu_node, gpu_pod
from tests.cluster.sandbox import Sandbox

OTHER = "00000000-0000-0000-0000-000000000001"
LABELS = {"app": "engine"}
SHIPPED = Path(__file__).parents[2] / "config" / "kubernetes" / "changes" / "rbac.yaml"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


@pytest.fixture
async def writer(control_plane: ControlPlane) -> AsyncIterator[ClusterWriter]:
    async with await from_kubeconfig(str(control_plane.kubeconfig)) as connection:
        yield ClusterWriter(connection)


def deployment_target(cluster: Sandbox, name: str = "engine", **given: str) -> Target:
    usual = {"api_version": "apps/v1", "kind": "Deployment", "resource": "deployments", "namespace": cluster.namespace}
    return Target(**{**usual, "name": name, **given})


def pod_target(cluster: Sandbox, name: str, **given: str) -> Target:
    usual = {"api_version": "v1", "kind": "Pod", "resource": "pods", "namespace": cluster.namespace}
    return Target(**{**usual, "name": name, **given})


def scale(cluster: Sandbox, replicas: int, **given: str) -> Step:
    target = deployment_target(cluster, subresource="scale", **given)
    return Step(verb=Verb.PATCH, target=target, body={"spec": {"replicas": replicas}})


async def add_deployment(cluster: Sandbox, manager: str = "helm") -> Object:
    """Of no replicas, so that nothing moves but what the test moves."""
    pod = gpu_pod("unnamed", labels=LABELS)
    pod["spec"].pop("terminationGracePeriodSeconds")
    template = {"metadata": {"labels": LABELS}, "spec": pod["spec"]}
    body = {
        "metadata": {"name": "engine"},
        "spec": {"replicas": 0, "selector": {"matchLabels": LABELS}, "template": template},
    }
    path = f"/apis/apps/v1/namespaces/{cluster.namespace}/deployments"
    return await cluster.api.request("POST", path, body, fieldManager=manager)


async def refusal(writer: ClusterWriter, step: Step, *, dry_run: bool = False, **more: Any) -> WriteRefusedError:
    with pytest.raises(WriteRefusedError) as raised:
        await writer.do(step, dry_run=dry_run, **more)
    return raised.value


async def read(writer: ClusterWriter, target: Target) -> Object:
    found = await writer.read(target)
    assert found is not None
    return found


def shipped_rules() -> list[Object]:
    role = next(each for each in yaml.safe_load_all(SHIPPED.read_text()) if each["kind"] == "ClusterRole")
    return list(role["rules"])


def impersonation_rules() -> list[Object]:
    """Those that stand commented out."""
    lines = SHIPPED.read_text().partition("# Only for `access:")[2].partition("\n---")[0].splitlines()
    return list(yaml.safe_load("\n".join(line[2:] for line in lines if line.startswith(("# - ", "#   ")))))


async def eventually(api: Api, path: str, ready: Any) -> None:
    """For one object that controllers bring in order."""
    async with asyncio.timeout(30):
        while not ready(await api.request("GET", path)):  # noqa: ASYNC110 - one object by name, for a moment
            await asyncio.sleep(0.05)


# ---- what is done ----------------------------------------------------------------------------------------------------


async def test_a_scale_is_ours_and_has_an_audit_id(cluster: Sandbox, writer: ClusterWriter) -> None:
    uid = (await add_deployment(cluster))["metadata"]["uid"]
    done = await writer.do(scale(cluster, 3, uid=uid), dry_run=False)
    found = await read(writer, deployment_target(cluster))
    ours = [each for each in found["metadata"]["managedFields"] if each["manager"] == "gpubot"]
    assert (found["spec"]["replicas"], done.object["spec"]["replicas"], len(done.audit_id)) == (3, 3, 36)
    assert [(each["operation"], each["subresource"], each["fieldsV1"]) for each in ours] == [
        ("Update", "scale", {"f:spec": {"f:replicas": {}}})
    ]


async def test_dry_runs_of_all_verbs_change_nothing(cluster: Sandbox, writer: ClusterWriter) -> None:
    uid = (await add_deployment(cluster))["metadata"]["uid"]
    await cluster.add_nodes(gpu_node("dry"))
    await cluster.add_pods(gpu_pod("p", labels=LABELS))
    await cluster.scheduled("p")
    pod = await read(writer, pod_target(cluster, "p"))
    target = deployment_target(cluster, uid=uid)
    new = {"spec": gpu_pod("new")["spec"]}
    for step in (
        scale(cluster, 3, uid=uid),
        Step(verb=Verb.PATCH, target=target, body={"spec": {"paused": True}}),
        Step(verb=Verb.APPLY, target=target, body={"metadata": {"labels": {"team": "ml"}}}),
        Step(verb=Verb.CREATE, target=pod_target(cluster, "new"), body=new),
        Step(verb=Verb.DELETE, target=target, body={"propagationPolicy": "Foreground"}),
        Step(verb=Verb.DELETE, target=pod_target(cluster, "p", uid=pod["metadata"]["uid"])),
        Step(verb=Verb.EVICT, target=pod_target(cluster, "p", uid=pod["metadata"]["uid"])),
    ):
        assert (await writer.do(step, dry_run=True)).audit_id, step
    found = await read(writer, deployment_target(cluster))
    assert (found["metadata"]["generation"], found["metadata"].get("labels"), found["spec"]["replicas"]) == (1, None, 0)
    still = await read(writer, pod_target(cluster, "p"))
    assert (still["metadata"]["uid"], "deletionTimestamp" in still["metadata"]) == (pod["metadata"]["uid"], False)
    assert await writer.read(pod_target(cluster, "new")) is None


async def test_an_eviction_is_done_once_and_then_it_is_done_already(cluster: Sandbox, writer: ClusterWriter) -> None:
    await cluster.add_nodes(gpu_node("evict"))
    await cluster.add_pods(gpu_pod("p"))
    await cluster.scheduled("p")
    uid = (await read(writer, pod_target(cluster, "p")))["metadata"]["uid"]
    wrong = Step(verb=Verb.EVICT, target=pod_target(cluster, "p", uid=OTHER))
    assert (await writer.do(wrong, dry_run=False)).already
    assert (await read(writer, pod_target(cluster, "p")))["metadata"]["uid"] == uid
    step = Step(verb=Verb.EVICT, target=pod_target(cluster, "p", uid=uid))
    assert not (await writer.do(step, dry_run=False)).already
    if await writer.read(pod_target(cluster, "p")) is not None:  # no kubelet ends it
        await cluster.api.request("DELETE", f"{cluster.pods_path}/p", {"gracePeriodSeconds": 0})
    assert (await writer.do(step, dry_run=False)).already


# ---- what is refused -------------------------------------------------------------------------------------------------


async def test_an_object_made_anew_is_never_changed(cluster: Sandbox, writer: ClusterWriter) -> None:
    await add_deployment(cluster)
    before = await read(writer, deployment_target(cluster))
    target = deployment_target(cluster, uid=OTHER)
    gone = deployment_target(cluster, "gone", uid=OTHER)
    for step in (
        scale(cluster, 5, uid=OTHER),
        Step(verb=Verb.PATCH, target=target, body={"spec": {"paused": True}}),
        Step(verb=Verb.APPLY, target=target, body={"metadata": {"labels": {"a": "b"}}}),
        Step(verb=Verb.APPLY, target=gone, body={"metadata": {"labels": {"a": "b"}}}),
    ):
        assert (await refusal(writer, step)).refusal is Refusal.REPLACED, step
    assert (await writer.do(Step(verb=Verb.DELETE, target=target), dry_run=False)).already
    after = await read(writer, deployment_target(cluster))
    assert (after["metadata"]["uid"], after["spec"]) == (before["metadata"]["uid"], before["spec"])


async def test_an_object_that_cluster_wide_kinds_have_is_guarded_alike(cluster: Sandbox, writer: ClusterWriter) -> None:
    await cluster.add_nodes(gpu_node("guarded"))
    node = Target(api_version="v1", kind="Node", resource="nodes", name="guarded", uid=OTHER)
    step = Step(verb=Verb.PATCH, target=node, body={"spec": {"unschedulable": True}})
    assert (await refusal(writer, step)).refusal is Refusal.REPLACED
    assert "unschedulable" not in (await read(writer, node))["spec"]


async def test_a_field_conflict_names_the_manager_and_the_object_says_the_same(
    cluster: Sandbox, writer: ClusterWriter
) -> None:
    await add_deployment(cluster, "helm")
    step = Step(verb=Verb.APPLY, target=deployment_target(cluster), body={"spec": {"replicas": 4}})
    refused = await refusal(writer, step, dry_run=True)
    assert refused.refusal is Refusal.OWNED
    assert [(owner.manager, owner.field) for owner in refused.owners] == [("helm", ".spec.replicas")]
    found = concerned(managers(await read(writer, deployment_target(cluster))), touched(step))
    assert [manager.name for manager in found] == ["a Helm release"]


async def test_a_quota_refuses_in_the_dry_run(cluster: Sandbox, writer: ClusterWriter) -> None:
    quotas = f"/api/v1/namespaces/{cluster.namespace}/resourcequotas"
    await cluster.api.request("POST", quotas, {"metadata": {"name": "few"}, "spec": {"hard": {"pods": "0"}}})
    await eventually(cluster.api, f"{quotas}/few", lambda quota: quota.get("status", {}).get("hard"))
    step = Step(verb=Verb.CREATE, target=pod_target(cluster, "p"), body={"spec": gpu_pod("p")["spec"]})
    refused = await refusal(writer, step, dry_run=True)
    assert (refused.refusal, refused.status) == (Refusal.QUOTA, 403)
    assert "exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0" in str(refused)


async def add_budget(cluster: Sandbox, name: str, selector: dict[str, str]) -> str:
    path = f"/apis/policy/v1/namespaces/{cluster.namespace}/poddisruptionbudgets"
    spec = {"minAvailable": 1, "selector": {"matchLabels": selector}}
    await cluster.api.request("POST", path, {"metadata": {"name": name}, "spec": spec})
    return f"{path}/{name}"


async def run_pod(cluster: Sandbox, name: str, labels: dict[str, str]) -> None:
    """As its kubelet would say it."""
    await cluster.add_pods(gpu_pod(name, labels=labels))
    await cluster.scheduled(name)
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    await cluster.api.request("PATCH", f"{cluster.pods_path}/{name}/status", {"status": ready})


async def test_a_budget_blocks_an_eviction_dry_or_not(cluster: Sandbox, writer: ClusterWriter) -> None:
    await cluster.add_nodes(gpu_node("budget"))
    await run_pod(cluster, "p", LABELS)
    path = await add_budget(cluster, "keep", LABELS)
    await eventually(cluster.api, path, lambda budget: budget.get("status", {}).get("currentHealthy") == 1)
    uid = (await read(writer, pod_target(cluster, "p")))["metadata"]["uid"]
    step = Step(verb=Verb.EVICT, target=pod_target(cluster, "p", uid=uid))
    for dry_run in (True, False):
        refused = await refusal(writer, step, dry_run=dry_run)
        assert (refused.refusal, refused.status) == (Refusal.DISRUPTION, 429)
        assert "The disruption budget keep needs 1 healthy pods and has 1 currently" in str(refused)


async def test_two_budgets_over_one_pod_refuse_for_certain(cluster: Sandbox, writer: ClusterWriter) -> None:
    await cluster.add_nodes(gpu_node("budgets"))
    await run_pod(cluster, "p", {**LABELS, "b": "c"})
    for name, selector in (("one", LABELS), ("two", {"b": "c"})):
        await add_budget(cluster, name, selector)
    refused = await refusal(writer, Step(verb=Verb.EVICT, target=pod_target(cluster, "p")))
    assert (refused.refusal, refused.status) == (Refusal.DISRUPTION, 500)


async def test_a_field_mistyped_is_refused_in_a_short_sentence(cluster: Sandbox, writer: ClusterWriter) -> None:
    await add_deployment(cluster)
    step = Step(verb=Verb.PATCH, target=deployment_target(cluster), body={"spec": {"replica": 3}})
    refused = await refusal(writer, step, dry_run=True)
    assert refused.refusal is Refusal.INVALID
    assert 'strict decoding error: unknown field "spec.replica"' in str(refused)
    assert len(str(refused)) < 200


async def test_what_is_not_there_is_said(cluster: Sandbox, writer: ClusterWriter) -> None:
    assert (await refusal(writer, scale(cluster, 1))).refusal is Refusal.ABSENT
    unknown = Target(
        api_version="leaderworkerset.x-k8s.io/v1", kind="LeaderWorkerSet", resource="leaderworkersets",
        namespace=cluster.namespace, name="x", subresource="scale",
    )  # fmt: skip
    step = Step(verb=Verb.PATCH, target=unknown, body={"spec": {"replicas": 1}})
    assert (await refusal(writer, step)).refusal is Refusal.ABSENT


# ---- who may ---------------------------------------------------------------------------------------------------------


async def give(cluster: Sandbox, subject: Object, rules: list[Object]) -> None:
    """A Role in the sandbox's namespace."""
    name = subject["name"].replace(":", "-")
    path = f"{RBAC}/namespaces/{cluster.namespace}"
    await cluster.api.request("POST", f"{path}/roles", {"metadata": {"name": name}, "rules": rules})
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    await cluster.api.request(
        "POST", f"{path}/rolebindings", {"metadata": {"name": name}, "subjects": [subject], "roleRef": ref}
    )


SCALING = [{"apiGroups": ["apps"], "resources": ["deployments/scale"], "verbs": ["patch"]}]


def group(name: str) -> Object:
    return {"kind": "Group", "name": name, "apiGroup": "rbac.authorization.k8s.io"}


async def allowed(writer: ClusterWriter, who: Identity | None, namespace: str, *, fresh: bool = True) -> bool | None:
    review = await writer.may(
        who, "patch", api_group="apps", resource="deployments", subresource="scale", namespace=namespace, fresh=fresh
    )
    return review.allowed


async def until_allowed(writer: ClusterWriter, who: Identity, namespace: str, expected: bool) -> None:
    """The authorizer learns of a role by its own watch, within moments."""
    async with asyncio.timeout(10):
        while await allowed(writer, who, namespace) is not expected:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)


async def test_rights_come_from_roles_and_go_with_them(cluster: Sandbox, writer: ClusterWriter) -> None:
    ana = Identity("ana", (f"team-{cluster.namespace}",))
    assert await allowed(writer, ana, cluster.namespace) is False
    await give(cluster, group(ana.groups[0]), SCALING)
    await until_allowed(writer, ana, cluster.namespace, expected=True)
    assert await allowed(writer, Identity("ana"), cluster.namespace) is False
    assert await allowed(writer, ana, "default") is False
    assert await allowed(writer, None, cluster.namespace) is True
    name = ana.groups[0]
    await cluster.api.request("DELETE", f"{RBAC}/namespaces/{cluster.namespace}/rolebindings/{name}")
    await until_allowed(writer, ana, cluster.namespace, expected=False)


async def test_a_change_in_a_persons_name_is_judged_as_that_person(cluster: Sandbox, writer: ClusterWriter) -> None:
    await add_deployment(cluster)
    ana = Identity("ana", (f"team-{cluster.namespace}",))
    await give(cluster, group(ana.groups[0]), SCALING)
    await until_allowed(writer, ana, cluster.namespace, expected=True)
    await writer.do(scale(cluster, 2), dry_run=False, as_=ana)
    refused = await refusal(writer, scale(cluster, 3), as_=Identity("ben"))
    assert (refused.refusal, refused.status) == (Refusal.FORBIDDEN, 403)
    assert str(refused) == (
        f"Cannot change deployment/engine (scale) in {cluster.namespace}: ben lacks the verb patch on "
        f"deployments/scale.apps for the namespace {cluster.namespace}; whoever grants roles there can give it."
    )
    assert (await read(writer, deployment_target(cluster)))["spec"]["replicas"] == 2


@pytest.fixture
async def modest(control_plane: ControlPlane, cluster: Sandbox) -> AsyncIterator[Connection]:
    """gpubot with few rights: it may ask about access, and act as nobody."""
    rules = [{"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]}]
    token = await asyncio.to_thread(control_plane.access.add_user, "modest", rules)
    async with await from_kubeconfig(str(control_plane.access.with_token(token))) as connection:
        yield connection


async def test_gpubot_with_few_rights_says_whose_right_is_missing(cluster: Sandbox, modest: Connection) -> None:
    writer = ClusterWriter(modest)
    assert await allowed(writer, None, cluster.namespace) is False
    assert await allowed(writer, Identity("admin", ("system:masters",)), cluster.namespace) is True
    own = await refusal(writer, scale(cluster, 3), dry_run=True)
    assert "gpubot lacks the verb patch on deployments/scale.apps" in str(own)
    other = await refusal(writer, scale(cluster, 3), dry_run=True, as_=Identity("admin", ("system:masters",)))
    assert (other.refusal, "gpubot may not act in the name of admin" in str(other)) == (Refusal.FORBIDDEN, True)


async def test_who_may_not_ask_about_access_does_not_know(cluster: Sandbox, control_plane: ControlPlane) -> None:
    token = await asyncio.to_thread(control_plane.access.add_user, "asks-nothing", [])
    async with await from_kubeconfig(str(control_plane.access.with_token(token))) as connection:
        assert await allowed(ClusterWriter(connection), Identity("ana"), cluster.namespace) is None


async def test_the_rights_that_we_ship_are_enough_and_no_more(
    cluster: Sandbox, control_plane: ControlPlane, api: Api
) -> None:
    """The rules of config/kubernetes/changes as a real authorizer reads them."""
    token = await asyncio.to_thread(control_plane.access.add_user, "shipped", shipped_rules())
    await add_deployment(cluster)
    await cluster.add_nodes(gpu_node("shipped"))
    node = Target(api_version="v1", kind="Node", resource="nodes", name="shipped")
    async with await from_kubeconfig(str(control_plane.access.with_token(token))) as connection:
        writer = ClusterWriter(connection)
        await writer.do(scale(cluster, 1), dry_run=True)
        await writer.do(Step(verb=Verb.PATCH, target=node, body={"spec": {"unschedulable": True}}), dry_run=True)
        assert (await writer.may(Identity("ana"), "list", resource="pods")).allowed is False
        body = {"spec": gpu_pod("p")["spec"]}
        no = await refusal(writer, Step(verb=Verb.CREATE, target=pod_target(cluster, "p"), body=body), dry_run=True)
        assert no.refusal is Refusal.FORBIDDEN
    with pytest.raises(ApiError):
        await api.request("GET", f"{cluster.pods_path}/p")


async def test_the_rules_for_impersonation_that_we_ship_let_it_act_for_those_and_nobody_else(
    cluster: Sandbox, control_plane: ControlPlane
) -> None:
    team = f"team-{cluster.namespace}"
    rules = impersonation_rules()
    for rule, name in zip(rules, ("ana", team), strict=True):
        rule["resourceNames"] = [name]
    token = await asyncio.to_thread(control_plane.access.add_user, "acts-for-ana", rules)
    await add_deployment(cluster)
    await give(cluster, group(team), SCALING)
    async with await from_kubeconfig(str(control_plane.access.with_token(token))) as connection:
        writer = ClusterWriter(connection)
        ana = Identity("ana", (team,))
        async with asyncio.timeout(10):
            while (await outcome(writer, scale(cluster, 2), ana)) is not None:  # noqa: ASYNC110 - roles arrive by watch
                await asyncio.sleep(0.05)
        assert (await outcome(writer, scale(cluster, 3), Identity("ben", (team,)))) is Refusal.FORBIDDEN
        assert (await outcome(writer, scale(cluster, 3), Identity("ana", ("system:masters",)))) is Refusal.FORBIDDEN
        assert (await outcome(writer, scale(cluster, 3), None)) is Refusal.FORBIDDEN


async def outcome(writer: ClusterWriter, step: Step, as_: Identity | None) -> Refusal | None:
    try:
        await writer.do(step, dry_run=True, as_=as_)
    except WriteRefusedError as error:
        return error.refusal
    return None
