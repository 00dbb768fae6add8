"""Who else writes an object, which fields are theirs, and what to change instead."""

from typing import Any

import msgspec
import pytest

from bot.changes.managers import Manager, concerned, managers, pull_request, touched
from bot.changes.managers.entries import entries, paths
from bot.changes.managers.fields import overlap
from bot.changes.managers.manager import ManagerKind
from bot.domain.change import Step, Target, Verb
from bot.domain.fields import Fields
from bot.domain.thing import Thing

REPLICAS = {"f:spec": {"f:replicas": {}}}
IMAGE = {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"engine"}': {".": {}, "f:image": {}}}}}}}
TRACKED = {"argocd.argoproj.io/tracking-id": "glm-app:apps/Deployment:llm/glm"}
HELM = {"meta.helm.sh/release-name": "glm", "meta.helm.sh/release-namespace": "llm"}
FLUX = {"kustomize.toolkit.fluxcd.io/name": "models", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
FLUX_HELM = {"helm.toolkit.fluxcd.io/name": "glm", "helm.toolkit.fluxcd.io/namespace": "llm"}


def entry(manager: str, fields: Any = REPLICAS, *, operation: str = "Update", subresource: str = "") -> dict[str, Any]:
    given = {"manager": manager, "operation": operation, "fieldsV1": fields, "time": "2026-11-30T10:00:00Z"}
    return given | ({"subresource": subresource} if subresource else {})


def deployment(
    *entries: dict[str, Any],
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    owner: dict[str, Any] | None = None,
) -> dict[str, Any]:
    metadata = {
        "name": "glm",
        "namespace": "llm",
        "labels": labels or {},
        "annotations": annotations or {},
        "managedFields": list(entries),
        "ownerReferences": [owner] if owner else [],
    }
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"replicas": 2}}


def scaler(kind: str, spec: dict[str, Any], *, target: str = "glm", **annotations: str) -> Thing:
    named = {key.replace("_", "-"): value for key, value in annotations.items()}
    full = {"scaleTargetRef": {"kind": "Deployment", "name": target}, **spec}
    return Thing(
        name="glm-scaler",
        namespace="llm",
        kind=kind,
        annotations={f"autoscaling.keda.sh/{key}": value for key, value in named.items()},
        raw=msgspec.json.encode({"spec": full}),
    )


HPA = scaler("HorizontalPodAutoscaler", {"minReplicas": 2, "maxReplicas": 8})
KEDA = scaler("ScaledObject", {"minReplicaCount": 0, "maxReplicaCount": 4})


@pytest.mark.parametrize(
    ("raw", "others", "told"),
    [
        pytest.param(deployment(), (), [], id="nobody"),
        pytest.param(deployment(entry("kubectl-scale")), (), [], id="a person who changed a field once"),
        pytest.param(deployment(entry("gpubot", operation="Apply")), (), [], id="ourselves"),
        pytest.param(
            deployment(entry("kube-controller-manager", subresource="scale")), (), [], id="what built-in controllers set"
        ),
        pytest.param(
            deployment(annotations=TRACKED), (), ["Argo CD application glm-app"], id="Argo CD by its annotation"
        ),
        pytest.param(
            deployment(annotations={"argocd.argoproj.io/tracking-id": "other:apps/Deployment:llm/other"}),
            (),
            [],
            id="a tracking id that was copied from another object",
        ),
        pytest.param(
            deployment(labels={"argocd.argoproj.io/instance": "glm"}),
            (),
            ["Argo CD application glm"],
            id="Argo CD by its own label",
        ),
        pytest.param(
            deployment(labels={"app.kubernetes.io/instance": "glm"}), (), [], id="a label that charts set as well"
        ),
        pytest.param(
            deployment(entry("argocd-controller", operation="Apply"), labels={"app.kubernetes.io/instance": "glm"}),
            (),
            ["Argo CD application glm"],
            id="that label where Argo CD writes fields",
        ),
        pytest.param(
            deployment(entry("argocd-application-controller")), (), ["Argo CD"], id="Argo CD by its fields alone"
        ),
        pytest.param(
            deployment(labels=FLUX), (), ["Flux Kustomization flux-system/models"], id="Flux Kustomization by labels"
        ),
        pytest.param(
            deployment(entry("kustomize-controller", operation="Apply")),
            (),
            ["Flux Kustomization"],
            id="Flux Kustomization by its fields",
        ),
        pytest.param(
            deployment(
                entry("helm-controller"),
                labels={**FLUX_HELM, "app.kubernetes.io/managed-by": "Helm"},
                annotations=HELM,
            ),
            (),
            ["Flux HelmRelease llm/glm"],
            id="a HelmRelease is no Helm release by hand",
        ),
        pytest.param(
            deployment(labels={"app.kubernetes.io/managed-by": "Helm"}, annotations=HELM),
            (),
            ["Helm release llm/glm"],
            id="Helm by label and annotations",
        ),
        pytest.param(
            deployment(labels={"app.kubernetes.io/managed-by": "Helm"}), (), [], id="the label that rendered charts carry"
        ),
        pytest.param(deployment(entry("helm")), (), ["a Helm release"], id="Helm by its fields"),
        pytest.param(
            deployment(owner={"controller": True, "kind": "InferenceService", "name": "glm", "apiVersion": "x/v1"}),
            (),
            ["InferenceService glm"],
            id="an operator's custom resource",
        ),
        pytest.param(
            deployment(owner={"controller": False, "kind": "InferenceService", "name": "glm"}),
            (),
            [],
            id="an owner that only collects garbage",
        ),
        pytest.param(deployment(), (HPA,), ["HPA glm-scaler"], id="an HPA"),
        pytest.param(deployment(), (KEDA, HPA), ["KEDA ScaledObject glm-scaler"], id="KEDA and the HPA it made"),
        pytest.param(deployment(), (scaler("HorizontalPodAutoscaler", {}, target="other"),), [], id="another's HPA"),
        pytest.param(
            deployment(entry("kubectl-client-side-apply")), (), ["whoever runs `kubectl apply`"], id="kubectl apply"
        ),
        pytest.param(
            deployment(entry("our-pipeline", operation="Apply")), (), ["field manager our-pipeline"], id="a pipeline"
        ),
        pytest.param(deployment(entry("Terraform")), (), ["field manager Terraform"], id="Terraform"),
        pytest.param(
            deployment(
                entry("helm"), entry("argocd-controller"), annotations={**TRACKED, **HELM}, labels=FLUX,
                owner={"controller": True, "kind": "LLM", "name": "glm", "apiVersion": "x/v1"},
            ),
            (HPA,),
            [
                "LLM glm",
                "HPA glm-scaler",
                "Argo CD application glm-app",
                "Flux Kustomization flux-system/models",
                "Helm release llm/glm",
            ],
            id="the most immediate first",
        ),
    ],
)  # fmt: skip
def test_who_manages_it(raw: dict[str, Any], others: tuple[Thing, ...], told: list[str]) -> None:
    assert [manager.name for manager in managers(raw, others)] == told


def one(raw: dict[str, Any], *others: Thing) -> Manager:
    [found] = managers(raw, others)
    return found


@pytest.mark.parametrize(
    ("manager", "reverts"),
    [
        pytest.param(one(deployment(), HPA), "between 2 and 8, every 15 s by default; while there are 0", id="HPA"),
        pytest.param(one(deployment(), KEDA), "between 0 and 4, within seconds: every 30 s", id="KEDA"),
        pytest.param(
            one(deployment(), scaler("ScaledObject", {}, paused_replicas="3")),
            "paused and held at 3",
            id="held by KEDA",
        ),
        pytest.param(
            one(deployment(), scaler("ScaledObject", {}, paused="true")), "undoes nothing until", id="KEDA paused"
        ),
        pytest.param(
            one(deployment(), scaler("ScaledObject", {}, paused="false")), "between 0 and 100", id="not paused"
        ),
        pytest.param(one(deployment(annotations=TRACKED)), "the object does not show which", id="Argo CD"),
        pytest.param(one(deployment(labels=FLUX)), "at every interval", id="Flux"),
        pytest.param(
            one(deployment(labels=FLUX, annotations={"kustomize.toolkit.fluxcd.io/reconcile": "disabled"})),
            "undoes nothing",
            id="Flux told to leave it alone",
        ),
        pytest.param(one(deployment(labels=FLUX_HELM)), "driftDetection.mode enabled", id="Flux with Helm"),
        pytest.param(one(deployment(entry("helm"))), "until then it undoes nothing", id="Helm"),
        pytest.param(
            one(deployment(entry("p", operation="Apply"))),
            "applied the next time (last on 2026-11-30)",
            id="a pipeline",
        ),
    ],
)
def test_what_it_undoes_and_when(manager: Manager, reverts: str) -> None:
    assert reverts in manager.reverts


@pytest.mark.parametrize(
    ("raw", "others", "wanted", "told"),
    [
        pytest.param(deployment(entry("helm")), (), (".spec.replicas",), ["a Helm release"], id="its own field"),
        pytest.param(deployment(entry("helm", IMAGE)), (), (".spec.replicas",), [], id="another field of its"),
        pytest.param(
            deployment(entry("helm", IMAGE)), (), (".spec.template.spec.containers",), ["a Helm release"], id="a list"
        ),
        pytest.param(
            deployment(annotations=TRACKED),
            (),
            (".spec.paused",),
            ["Argo CD application glm-app"],
            id="not known which",
        ),
        pytest.param(deployment(), (HPA,), (".spec.template.metadata.labels.a",), [], id="an HPA has only replicas"),
    ],
)
def test_whom_a_change_concerns(
    raw: dict[str, Any], others: tuple[Thing, ...], wanted: tuple[str, ...], told: list[str]
) -> None:
    assert [manager.name for manager in concerned(managers(raw, others), wanted)] == told


def step(body: dict[str, Any], *, verb: Verb = Verb.PATCH, subresource: str = "") -> Step:
    target = Target(
        api_version="apps/v1", kind="Deployment", resource="deployments", name="glm", subresource=subresource
    )
    return Step(verb=verb, target=target, body=body)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param(step({"spec": {"workers": 3}}, subresource="scale"), (".spec.replicas",), id="a scale"),
        pytest.param(
            step({"metadata": {"name": "glm", "labels": {"a/b.c": "d"}}, "spec": {"paused": None}}, verb=Verb.APPLY),
            (".metadata.labels.a/b.c", ".spec.paused"),
            id="the leaves of what is applied",
        ),
        pytest.param(step({"spec": {"containers": [{"a": 1}]}}), (".spec.containers",), id="a list is one field"),
        pytest.param(step({}, verb=Verb.DELETE), (), id="a deletion sets nothing"),
    ],
)
def test_which_fields_a_step_sets(given: Step, told: tuple[str, ...]) -> None:
    assert touched(given) == told


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(".spec.replicas", ".spec.replicas", True, id="the same"),
        pytest.param(".spec", ".spec.replicas", True, id="what lies in it"),
        pytest.param(".spec.replicasMax", ".spec.replicas", False, id="the same beginning of a word"),
        pytest.param('.spec.c[name="a"].image', ".spec.c.image", True, id="an item of a list"),
        pytest.param(".metadata.labels.a.b/c", ".metadata.labels.a.b/d", False, id="labels with dots"),
        pytest.param(".metadata.labels.a.b/c", ".metadata.labels", True, id="a label in the labels"),
    ],
)
def test_fields_overlap(one: str, other: str, same: bool) -> None:
    assert (overlap(one, other), overlap(other, one)) == (same, same)


def test_field_paths_are_written_as_the_api_server_writes_them() -> None:
    fields = {
        "f:metadata": {"f:labels": {".": {}, "f:app.kubernetes.io/name": {}}, "f:finalizers": {'v:"a"': {}}},
        "f:spec": {"f:containers": {'k:{"name":"c","port":1}': {".": {}, "f:args": {"i:0": {}}}}},
    }
    assert paths(fields) == (
        ".metadata.labels.app.kubernetes.io/name",
        '.metadata.finalizers[="a"]',
        '.spec.containers[name="c",port=1].args[0]',
    )


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(None, id="none"),
        pytest.param([1, 2], id="a list"),
        pytest.param({"f:a": "text"}, id="a text for a set"),
        pytest.param({"k:{broken": {}}, id="a key that is no JSON"),
        pytest.param({"f:" + "a" * 10_000: {}}, id="a name without end"),
        pytest.param({f"f:{n}": {} for n in range(10_000)}, id="more fields than anybody has"),
    ],
)
def test_odd_managed_fields_do_no_harm(given: Any) -> None:
    raw = deployment({"manager": 5, "fieldsV1": given}, {"manager": "x\u202e<!channel>", "fieldsV1": given})
    found = entries(Fields(raw))
    assert [entry.manager for entry in found] == ["5", "x‹!channel>"]
    assert all(len(path) <= 240 for entry in found for path in entry.paths)
    assert max(len(entry.paths) for entry in found) <= 2000
    managers(raw)


def test_an_object_of_any_shape_has_no_managers() -> None:
    assert managers({"metadata": {"labels": [], "managedFields": {"a": 1}, "ownerReferences": "x"}}) == ()


def test_the_pull_request_says_which_field_of_which_source() -> None:
    helm = one(deployment(labels={"app.kubernetes.io/managed-by": "Helm"}, annotations=HELM))
    text = pull_request(helm, "deployment llm/glm", {".spec.replicas": (2, 4)}, "the queue is long")
    assert text == (
        "deployment llm/glm: replicas 2 → 4\n"
        "\n"
        "In the values of Helm release llm/glm:\n"
        "- .spec.replicas: 2 → 4 (charts mostly call it `replicaCount`)\n"
        "\n"
        "Because: the queue is long"
    )


def test_where_there_is_no_source_there_is_no_pull_request() -> None:
    assert pull_request(one(deployment(), HPA), "deployment llm/glm", {".spec.replicas": (2, 4)}) == ""
    assert one(deployment(), HPA).kind is ManagerKind.AUTOSCALER
