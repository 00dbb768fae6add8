"""Owners that cannot make their pods: who refuses, by how much, and what to type."""

import json

import pytest

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.storage import PersistentVolumeClaim
from bot.domain.thing import Thing
from bot.domain.workload import Namespace, PriorityClass
from bot.why.finding import Level
from bot.why.stages.admission import STAGE
from tests.factories import a_pod
from tests.why.builders_owners import (
    GPU,
    a_deployment,
    a_member,
    a_quota,
    a_replicaset,
    a_template,
    a_thing,
    ago,
    an_event,
    asked,
    found,
    owners_view,
    refused,
    words,
)

FULL = f'pods "x" is forbidden: exceeded quota: gpu, requested: requests.{GPU}=4, used: requests.{GPU}=8, limited: requests.{GPU}=8'
ROLLING = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}


def refusal(error: str, *others: object, template: dict[str, object] | None = None) -> str:
    """All words about a Deployment of two whose one missing pod was refused so."""
    deployment = a_deployment(replicas=2, template=template)
    replicaset = a_replicaset(deployment, replicas=2, template=template)
    view = owners_view(deployment, replicaset, a_member(replicaset, "glm-new-a"), refused(replicaset, error), *others)
    findings = found(STAGE, asked(view, deployment))
    assert [one.level for one in findings] == [Level.CAUSE]
    return f"{findings[0].id}\n{words(findings[0])}"


def surge(*others: object) -> tuple[Thing, Thing, Thing, object]:
    """Two old pods of four GPUs each, and a new ReplicaSet that may not make its first."""
    template = a_template(4)
    deployment = a_deployment(replicas=2, template=template, spec=ROLLING)
    old = a_replicaset(deployment, "glm-old", replicas=2, revision=1, template=template)
    new = a_replicaset(deployment, "glm-new", replicas=1, template=template)
    pods = [a_member(old, f"glm-old-{letter}", gpus=4) for letter in "ab"]
    return deployment, old, new, owners_view(deployment, old, new, *pods, refused(new, FULL, count=17), *others)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param(
            FULL, ["admission.quota", "quota `gpu`", "8 of 8", "asks for 4", "from 8 to 12"], id="a full quota"
        ),
        pytest.param(
            'pods "x" is forbidden: failed quota: q: must specify limits.cpu for: vllm',
            ["admission.quota-must-specify", "limits.cpu for: vllm", "LimitRange"],
            id="a quota that wants limits",
        ),
        pytest.param(
            "status unknown for quota: q, resources: pods", ["admission.quota-unknown", "`q`"], id="an uncounted quota"
        ),
        pytest.param(
            "insufficient quota to match these scopes: [{PriorityClass In [high]}]",
            ["admission.quota-needed", "PriorityClass In [high]"],
            id="a class that needs a quota",
        ),
        pytest.param(
            "[maximum cpu usage per Container is 2, but limit is 4]",
            ["admission.limit-range", "maximum cpu usage per Container is 2, but limit is 4"],
            id="a limit range",
        ),
        pytest.param(
            'admission webhook "v.example.io" denied the request: no team label',
            ["admission.webhook-denied", "v.example.io", "“no team label”"],
            id="a webhook that says no",
        ),
        pytest.param(
            "ValidatingAdmissionPolicy 'team' with binding 'b' denied request: no team label",
            ["admission.policy", "`team`", "no team label"],
            id="a policy",
        ),
        pytest.param(
            'Pod "x" is invalid: spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: '
            'resource.MustParse("500m"): must be an integer',
            ["admission.invalid", "nvidia.com/gpu", '"500m"', "must be an integer", "whole number", "MIG"],
            id="half a GPU",
        ),
        pytest.param(
            'error looking up service account llm/bto: serviceaccount "bto" not found',
            ["admission.no-service-account", "`bto`", "kubectl -n llm"],
            id="no account",
        ),
        pytest.param(
            "unable to create new content in namespace llm because it is being terminated",
            ["admission.namespace-terminating", "llm"],
            id="a namespace that is being deleted",
        ),
        pytest.param(
            "etcdserver: request timed out", ["admission.overloaded", "tries again by itself"], id="a slow API server"
        ),
        pytest.param('pods "x" already exists', ["admission.exists", "`x`"], id="a name that is taken"),
        pytest.param(
            "quux of the newest release",
            ["admission.other", "“quux of the newest release”"],
            id="unknown words as they are",
        ),
    ],
)
def test_the_refusal_is_told_with_its_numbers_and_names(error: str, told: list[str]) -> None:
    text = refusal(error)
    assert [one for one in told if one not in text] == []


def test_it_is_said_that_no_pending_pod_exists() -> None:
    assert "there is no Pending pod" in refusal(FULL)


def test_a_quota_is_told_in_numbers_of_now_with_who_uses_it() -> None:
    other = a_member(a_thing("StatefulSet", "train"), "train-0", gpus=6)
    text = refusal(FULL, a_quota({f"requests.{GPU}": "16"}, {f"requests.{GPU}": "14"}), other)
    assert "14 of 16" in text
    assert "`statefulset/train` 6" in text
    assert '{"spec": {"hard": {"requests.nvidia.com/gpu": "18"}}}' in text


def test_a_second_quota_that_is_full_as_well_is_told() -> None:
    text = refusal(FULL, a_quota({"pods": "1"}, {"pods": "1"}, "count"))
    assert "Quota `count` has no room for it either (one more pod: `pods` 1)" in text


def test_a_quota_with_scopes_is_not_added_up() -> None:
    text = refusal(FULL, a_quota({"pods": "1"}, {"pods": "1"}, "count", scopes=["BestEffort"]))
    assert "`count`" not in text


def test_a_refused_claim_is_told_as_the_claim_that_it_is() -> None:
    owner = a_thing("StatefulSet", spec={"replicas": 1, "template": a_template()})
    error = (
        'create Claim data-glm-0 for Pod glm-0 in StatefulSet glm failed error: persistentvolumeclaims "data-glm-0" is forbidden: '
        "exceeded quota: disk, requested: requests.storage=1Ti, used: requests.storage=9Ti, limited: requests.storage=9Ti"
    )
    (finding,) = found(STAGE, asked(owners_view(owner, an_event(owner, "FailedCreate", error)), owner))
    assert "its volume claim `data-glm-0`" in finding.sentence
    assert "from 9Ti to 10Ti" in words(finding)


def test_a_quota_that_has_room_by_now_is_tried_again() -> None:
    text = refusal(FULL, a_quota({f"requests.{GPU}": "16"}, {f"requests.{GPU}": "8"}))
    assert "admission.quota-room-again" in text
    assert "at the latest 16 min" in text


def test_all_missing_pods_are_counted_into_the_raise() -> None:
    job = a_thing("Job", "train", spec={"parallelism": 4, "completions": 4, "template": a_template(4)})
    view = owners_view(job, refused(job, FULL))
    (finding,) = found(STAGE, asked(view, job))
    assert "its 4 missing pods" in finding.sentence
    assert "from 8 to 24" in words(finding)


def test_memory_and_cpu_are_raised_in_their_own_units() -> None:
    error = "exceeded quota: q, requested: requests.cpu=1500m,requests.memory=64Gi, used: requests.cpu=8,requests.memory=64Gi, limited: requests.cpu=9,requests.memory=96Gi"
    text = refusal(error)
    assert '"requests.cpu": "9500m"' in text
    assert '"requests.memory": "128Gi"' in text


def test_the_surge_pod_of_a_rolling_update_names_quota_surge_and_both_ways_out() -> None:
    deployment, _, _, view = surge()
    (finding,) = found(STAGE, asked(view, deployment))
    assert finding.id == "admission.quota-surge"
    for part in ("surge", "maxSurge 1", "quota `gpu`", "8 of 8", "2 old pods still serve", "no Pending pod"):
        assert part in finding.sentence
    patch, raised = finding.remedies
    assert json.loads(patch.command.split("-p ")[1].strip("'")) == {
        "spec": {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}
    }
    assert "kubectl -n llm patch resourcequota gpu" in raised.command
    assert "17 times" in finding.evidence[-1]


def test_about_a_pod_that_serves_it_is_told_beside() -> None:
    _, old, _, view = surge()
    pod = next(iter(view.pods_by_owner[old.uid]))
    (finding,) = found(STAGE, asked(view, pod))
    assert finding.level is Level.ALSO
    assert finding.sentence.startswith("`deployment/glm` is 1 pod short: ")


def test_without_old_pods_a_full_quota_is_no_matter_of_surge() -> None:
    deployment = a_deployment(replicas=1, spec=ROLLING)
    new = a_replicaset(deployment)
    view = owners_view(deployment, new, refused(new, FULL))
    assert [one.id for one in found(STAGE, asked(view, deployment))] == ["admission.quota"]


# ---- Pod Security ------------------------------------------------------------------------------------------------------

SECURITY = (
    'violates PodSecurity "restricted:latest": host namespaces (hostIPC=true), allowPrivilegeEscalation != false (container '
    '"vllm" must set securityContext.allowPrivilegeEscalation=false), hostPath volumes (volume "models")'
)


def test_pod_security_names_the_label_the_fields_and_one_patch() -> None:
    text = refusal(SECURITY, Namespace(name="llm", labels={"pod-security.kubernetes.io/enforce": "restricted"}))
    for part in (
        "pod-security.kubernetes.io/enforce=restricted",
        "hostIPC=true",
        '"hostIPC": false',
        "by hand: hostPath volumes",
    ):
        assert part in text
    assert '{"name": "vllm", "securityContext": {"allowPrivilegeEscalation": false}}' in text
    assert "enforce=privileged" in text, "baseline would refuse hostIPC as well"


def test_the_template_of_a_job_cannot_be_patched() -> None:
    job = a_thing("Job", "train", spec={"template": a_template()})
    (finding,) = found(STAGE, asked(owners_view(job, refused(job, SECURITY)), job))
    assert finding.remedies[0].command == "kubectl -n llm get job/train -o yaml"
    assert "create the Job again" in finding.remedies[0].action


def test_pod_security_without_a_label_is_the_servers_default() -> None:
    assert "the API server's default" in refusal(SECURITY)


def test_baseline_is_enough_where_only_restricted_refuses() -> None:
    text = refusal(
        'violates PodSecurity "restricted:v1.31": runAsNonRoot != true (pod or container "vllm" must set '
        "securityContext.runAsNonRoot=true)"
    )
    assert "enforce=baseline" in text
    assert '"runAsNonRoot": true' in text


# ---- webhooks ----------------------------------------------------------------------------------------------------------

DOWN = (
    'Internal error occurred: failed calling webhook "m.example.io": failed to call webhook: Post '
    '"https://hook.sys.svc:443/m?timeout=10s": no endpoints available for service "hook"'
)


def a_hook(**changed: object) -> Thing:
    hook = {"name": "m.example.io", "failurePolicy": "Fail", "rules": [{"resources": ["pods"]}], **changed}
    return a_thing("MutatingWebhookConfiguration", "hooks", "", webhooks=[{"name": "other"}, hook])


def a_server(replicas: int = 1, ready: int = 0) -> tuple[Thing, ...]:
    template = {"metadata": {"labels": {"app": "hook", "tier": "x"}}, "spec": {}}
    deployment = a_thing(
        "Deployment",
        "hook-server",
        "sys",
        spec={"replicas": replicas, "template": template},
        status={"readyReplicas": ready},
    )
    service = a_thing("Service", "hook", "sys", spec={"selector": {"app": "hook"}})
    slices = a_thing("EndpointSlice", "hook-1", "sys", labels={"kubernetes.io/service-name": "hook"}, endpoints=None)
    return deployment, service, slices


def test_a_webhook_without_endpoints_is_cluster_wide_and_its_server_is_named() -> None:
    text = refusal(DOWN, a_hook(), *a_server())
    for part in (
        "`sys/hook` has no ready endpoints",
        "the whole cluster",
        "`deployment/hook-server` in sys, 0 of 1",
        "/webhooks/1/",
    ):
        assert part in text
    assert text.index("rollout restart deployment/hook-server") < text.index("failurePolicy: Ignore")


def test_a_server_that_is_scaled_to_zero_is_scaled_up() -> None:
    assert "kubectl -n sys scale deployment/hook-server --replicas=2" in refusal(DOWN, a_hook(), *a_server(replicas=0))


def test_a_webhook_that_refuses_its_own_pod_must_be_let_go_first() -> None:
    server, *others = a_server()
    below = a_replicaset(server, "hook-server-1")
    text = refusal(DOWN, a_hook(), server, *others, below, refused(below, DOWN))
    assert "refuses its own pod too" in text
    assert text.index("failurePolicy: Ignore") < text.index("rollout restart deployment/hook-server")
    assert '"operator": "NotIn", "values": ["sys"]' in text


def test_a_webhook_with_a_selector_is_not_called_cluster_wide() -> None:
    text = refusal(DOWN, a_hook(namespaceSelector={"matchLabels": {"a": "b"}}), *a_server())
    assert "whole cluster" not in text


def test_a_webhook_whose_configuration_is_not_read_is_not_guessed() -> None:
    deployment = a_deployment()
    new = a_replicaset(deployment)
    view = owners_view(
        deployment, new, refused(new, DOWN), unread=("mutatingwebhookconfigurations", "services", "endpointslices")
    )
    (finding,) = found(STAGE, asked(view, deployment))
    assert "whole cluster" not in finding.sentence
    assert "“no endpoints available" in finding.sentence
    assert any("mutatingwebhookconfigurations" in one for one in finding.unknown)


def test_only_endpoints_that_are_ready_count() -> None:
    deployment, service, _ = a_server(ready=1)
    slices = a_thing(
        "EndpointSlice",
        "hook-1",
        "sys",
        labels={"kubernetes.io/service-name": "hook"},
        endpoints=[
            {"addresses": ["10.0.0.1"], "conditions": {"ready": False}},
            {"addresses": ["10.0.0.2"], "conditions": {"ready": True}},
            {"addresses": ["10.0.0.3"]},
        ],
    )
    text = refusal(DOWN.replace("no endpoints available", "x509: expired"), a_hook(), deployment, service, slices)
    assert "Service `sys/hook`: 2 ready endpoints" in text
    assert "x509: expired" in text.splitlines()[1]
    assert "kubectl -n sys logs deployment/hook-server" in text


def test_a_webhook_whose_configuration_is_not_there_is_to_be_found() -> None:
    text = refusal(DOWN, *a_server())
    assert "grep -n m.example.io" in text
    assert "failurePolicy: Ignore" not in text


def test_a_webhook_that_was_left_behind_is_deleted() -> None:
    text = refusal(DOWN, a_hook())
    assert "its service `sys/hook` does not exist" in text
    assert "kubectl delete mutatingwebhookconfiguration hooks" in text


# ---- names -------------------------------------------------------------------------------------------------------------


def test_a_missing_priority_class_has_a_neighbour() -> None:
    text = refusal("no PriorityClass with name serving-hihg was found", PriorityClass(name="serving-high"))
    assert "PriorityClass `serving-hihg`, which does not exist (`serving-high` does: a typing mistake?)" in text


def test_a_name_that_exists_by_now_is_tried_again() -> None:
    text = refusal("no PriorityClass with name high was found", PriorityClass(name="high"))
    assert text.startswith("admission.made-since")
    assert "did not exist when its next pod should have been made; it does by now" in text


def test_a_missing_runtime_class_lists_those_that_exist() -> None:
    text = refusal('pod rejected: RuntimeClass "nvidia" not found', a_thing("RuntimeClass", "kata", "", handler="kata"))
    assert "RuntimeClasses that exist: kata" in text


# ---- who is short ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "spec", "status"),
    [
        pytest.param("StatefulSet", {"replicas": 1}, {}, id="a StatefulSet"),
        pytest.param("DaemonSet", {}, {"desiredNumberScheduled": 3}, id="a DaemonSet"),
        pytest.param("Job", {"parallelism": 1}, {}, id="a Job"),
        pytest.param("LeaderWorkerSet", {"replicas": 1}, {}, id="an owner that makes other owners"),
    ],
)
def test_every_controller_is_heard(kind: str, spec: dict[str, object], status: dict[str, object]) -> None:
    owner = a_thing(kind, spec=spec | {"template": a_template()}, status=status)
    view = owners_view(owner, refused(owner, FULL))
    assert [one.id for one in found(STAGE, asked(view, owner))] == ["admission.quota"]


def test_a_condition_is_enough_when_the_event_has_expired() -> None:
    deployment = a_deployment()
    condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": FULL}
    new = a_replicaset(deployment, status={"conditions": [condition]})
    (finding,) = found(STAGE, asked(owners_view(deployment, new), deployment))
    assert (finding.id, finding.evidence[-1][:34]) == ("admission.quota", "Condition ReplicaFailure of `repli")


def test_a_deployment_whose_replicasets_are_not_there_speaks_by_its_condition() -> None:
    condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": FULL}
    deployment = a_deployment(status={"conditions": [condition]})
    assert [one.id for one in found(STAGE, asked(owners_view(deployment), deployment))] == ["admission.quota"]


def test_a_replicaset_that_only_an_event_knows_is_found() -> None:
    deployment = a_deployment()
    unseen, others = a_thing("ReplicaSet", "glm-6d"), a_thing("ReplicaSet", "glm-large-6d")
    assert found(STAGE, asked(owners_view(deployment, refused(others, SECURITY)), deployment)) == []
    view = owners_view(deployment, refused(unseen, SECURITY))
    assert [one.id for one in found(STAGE, asked(view, deployment))] == ["admission.pod-security"]


def test_without_any_word_the_quota_is_added_up() -> None:
    deployment = a_deployment(template=a_template(4))
    new = a_replicaset(deployment, template=a_template(4))
    view = owners_view(deployment, new, a_quota({f"requests.{GPU}": "8"}, {f"requests.{GPU}": "6"}))
    (finding,) = found(STAGE, asked(view, deployment))
    assert finding.id == "admission.quota"
    assert "6 of 8" in finding.sentence
    assert "No event of `replicaset/glm-new` is left" in finding.evidence[-1]


def test_without_any_word_and_with_room_it_is_said_that_nothing_tells() -> None:
    deployment = a_deployment()
    new = a_replicaset(deployment)
    view = owners_view(deployment, new, a_quota({"pods": "8"}, {"pods": "6"}))
    (finding,) = found(STAGE, asked(view, deployment))
    assert (finding.id, "only 0 of 1 pod" in finding.sentence) == ("admission.not-made", True)


# ---- nothing to say ----------------------------------------------------------------------------------------------------


def test_a_refusal_that_is_over_is_not_told() -> None:
    deployment = a_deployment()
    new = a_replicaset(deployment)
    view = owners_view(deployment, new, a_member(new, "glm-a"), refused(new, FULL))
    assert found(STAGE, asked(view, deployment)) == []


def test_a_pod_that_was_made_after_the_refusal_ends_it() -> None:
    owner = a_thing("StatefulSet", spec={"replicas": 2, "template": a_template()})
    made = an_event(owner, "SuccessfulCreate", "create Pod glm-0 in StatefulSet glm successful", minutes=2)
    assert found(STAGE, asked(owners_view(owner, refused(owner, FULL, minutes=9), made), owner)) == []


def test_pods_that_were_asked_for_a_moment_ago_are_not_missed() -> None:
    deployment = a_deployment(created=ago(seconds=20))
    new = a_replicaset(deployment, created=ago(seconds=20))
    assert found(STAGE, asked(owners_view(deployment, new), deployment)) == []
    old = a_deployment()
    scaled = an_event(old, "ScalingReplicaSet", "Scaled up replica set glm-new from 0 to 1", minutes=0.5)
    assert found(STAGE, asked(owners_view(old, a_replicaset(old), scaled), old)) == []


def test_pods_that_could_not_be_read_are_not_missed() -> None:
    deployment = a_deployment()
    view = owners_view(deployment, a_replicaset(deployment), unread=("pods",))
    assert found(STAGE, asked(view, deployment)) == []


def test_a_finished_or_suspended_job_wants_nothing() -> None:
    done = a_thing("Job", status={"conditions": [{"type": "Complete", "status": "True"}]})
    held = a_thing("Job", spec={"suspend": True})
    for job in (done, held):
        assert found(STAGE, asked(owners_view(job, refused(job, FULL)), job)) == []


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b'{"spec": 7, "status": []}', id="numbers and lists"),
        pytest.param(b'{"spec": {"replicas": "many", "template": "none"}}', id="texts"),
        pytest.param(b"{broken", id="no JSON"),
    ],
)
def test_odd_objects_do_no_harm(raw: bytes) -> None:
    deployment = a_thing("Deployment", raw=raw)
    new = a_thing("ReplicaSet", "glm-new", owner=deployment, raw=raw)
    quota = a_thing("ResourceQuota", "gpu", raw=raw)
    view = owners_view(deployment, new, quota, refused(new, FULL))
    assert {one.id for one in found(STAGE, asked(view, deployment))} <= {"admission.quota"}


def test_a_claim_as_a_subject_is_not_for_this_stage() -> None:
    claim = PersistentVolumeClaim(name="weights", namespace="llm")
    assert found(STAGE, asked(owners_view(claim), claim)) == []


# ---- what stands beside ------------------------------------------------------------------------------------------------


def test_finished_pods_count_where_objects_are_counted() -> None:
    full = (
        'pods "x" is forbidden: exceeded quota: gpu, requested: count/pods=1, used: count/pods=3, limited: count/pods=3'
    )
    over = [a_pod(f"old-{number}", phase="Succeeded") for number in range(2)]
    text = refusal(full, a_quota({"count/pods": "3"}, {"count/pods": "3"}), *over)
    assert "2 finished pods of it are counted too" in text
    assert "kubectl -n llm delete pods --field-selector=status.phase==Succeeded" in text
    alive = full.replace("count/pods", "pods")
    assert "finished" not in refusal(alive, a_quota({"pods": "3"}, {"pods": "3"}), *over)


def test_a_missing_account_is_made_by_one_command() -> None:
    error = 'pods "x" is forbidden: error looking up service account llm/reader: serviceaccount "reader" not found'
    text = refusal(error, a_thing("ServiceAccount", "reader", "prod"), a_thing("ServiceAccount", "default"))
    assert "which does not exist in namespace llm" in text
    assert "as in namespace prod, with its annotations and role bindings" in text
    assert "kubectl -n llm create serviceaccount reader" in text


def test_in_a_namespace_that_is_being_deleted_nothing_else_is_told() -> None:
    deployment = a_deployment(replicas=2)
    view = owners_view(deployment, a_replicaset(deployment, replicas=2))
    going = Fields({"metadata": {"deletionTimestamp": ago(hours=3)}})
    evidence = Evidence({ObjectRef("Namespace", "", "llm"): going})
    assert found(STAGE, asked(view, deployment, evidence)) == []
    assert [one.id for one in found(STAGE, asked(view, deployment))] == ["admission.not-made"]


def test_a_webhook_whose_pods_are_there_and_not_ready() -> None:
    server, *others = a_server()
    there = a_pod("hook-0", namespace="sys", labels={"app": "hook"})
    text = refusal(DOWN, a_hook(), server, *others, there)
    assert "/why deployment/sys/hook-server" in text
    assert "rollout restart" not in text
