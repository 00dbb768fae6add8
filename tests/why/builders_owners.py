"""Builders for what stands above pods: controllers with their templates, events, quotas, autoscalers, claims."""

from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any
from zlib import crc32

import msgspec

from bot.domain.event import Event
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.node import Condition
from bot.domain.pod import Container, ContainerState, Pod
from bot.domain.record import Owner, Record
from bot.domain.source import Reading, Source
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from bot.domain.thing import Thing, plural
from bot.domain.view import View
from bot.domain.workload import Workload
from bot.why.ask import case_of
from bot.why.case import Case
from bot.why.finding import Finding, Stage
from bot.why.subject import Subject, of_pod, of_thing
from tests.factories import NOW, POLICY, a_pod, a_view

GPU = "nvidia.com/gpu"
TABLES = (
    "deployments statefulsets daemonsets cronjobs jobsets horizontalpodautoscalers scaledobjects knativeautoscalers services "
    "endpointslices resourcequotas limitranges serviceaccounts runtimeclasses leases mutatingwebhookconfigurations "
    "validatingwebhookconfigurations resourceclaimtemplates workloads persistentvolumeclaims persistentvolumes storageclasses "
    "csidrivers events"
).split()
OF_THEIR_OWN = {
    PersistentVolumeClaim: "persistentvolumeclaims",
    PersistentVolume: "persistentvolumes",
    StorageClass: "storageclasses",
    Event: "events",
}
KNATIVE_TABLES = {"PodAutoscaler": "knativeautoscalers"}


def ago(**passed: float) -> str:
    """A time before NOW, as the API server writes it: `ago(minutes=5)`."""
    return (NOW - timedelta(**passed)).strftime("%Y-%m-%dT%H:%M:%SZ")


def ahead(**left: float) -> str:
    return (NOW + timedelta(**left)).strftime("%Y-%m-%dT%H:%M:%SZ")


def a_thing(kind: str, name: str = "glm", namespace: str = "llm", **changed: Any) -> Thing:
    """Any object; spec, status and other parts of its top by name. `owner` is a thing."""
    parts = {key: changed.pop(key) for key in ("spec", "status", "webhooks", "endpoints", "handler") if key in changed}
    owner = changed.pop("owner", None)
    made = Workload if kind in ("ReplicaSet", "Job") and "api_version" not in changed else Thing
    defaults: dict[str, Any] = {
        "uid": f"uid-{kind}-{namespace}-{name}",
        "created": ago(days=1),
        "owner": Owner(owner.kind, owner.name, owner.uid) if owner is not None else None,
        "raw": msgspec.json.encode(parts),
    }
    return made(kind=kind, name=name, namespace=namespace, **(defaults | changed))


def a_template(gpus: int = 1, image: str = "engine:v1", **spec: Any) -> dict[str, Any]:
    """One container `vllm`; `container` adds to it."""
    more = spec.pop("container", {})
    container = {"name": "vllm", "image": image, "resources": {"limits": {GPU: str(gpus)}}, **more}
    return {"metadata": {"labels": {"app": "glm"}}, "spec": {"containers": [container], **spec}}


def a_deployment(name: str = "glm", *, replicas: int = 1, revision: int = 2, **changed: Any) -> Thing:
    template = changed.pop("template", None) or a_template()
    spec = {"replicas": replicas, "template": template, **changed.pop("spec", {})}
    annotations = {"deployment.kubernetes.io/revision": str(revision), **changed.pop("annotations", {})}
    return a_thing("Deployment", name, spec=spec, annotations=annotations, **changed)


def a_replicaset(
    deployment: Thing, name: str = "glm-new", *, replicas: int = 1, revision: int = 2, **changed: Any
) -> Thing:
    template = changed.pop("template", None) or a_template()
    spec = {"replicas": replicas, "template": template}
    annotations = {"deployment.kubernetes.io/revision": str(revision)}
    namespace = deployment.namespace
    return a_thing("ReplicaSet", name, namespace, spec=spec, annotations=annotations, owner=deployment, **changed)


def a_member(owner: Thing, name: str, *, node: str = "gpu-1", ready: bool = True, **changed: Any) -> Pod:
    """A pod of that controller; one with a node that is not ready has a container that starts."""
    conditions = () if ready or not node else (Condition("Ready", "False", since=ago(minutes=5)),)
    states = (ContainerState("vllm", ready=ready),) if node else ()
    defaults: dict[str, Any] = {
        "owner": Owner(owner.kind, owner.name, owner.uid),
        "conditions": conditions,
        "states": states,
        "containers": (Container("vllm", "engine:v1"),),
        "created": ago(hours=1),
        "uid": f"uid-{name}",
    }
    return a_pod(name, node=node, namespace=owner.namespace, **(defaults | changed))


def an_event(about: Thing | Record, reason: str, message: str = "", *, minutes: float = 5, **changed: Any) -> Event:
    kind = getattr(about, "kind", type(about).__name__)
    defaults: dict[str, Any] = {
        "namespace": getattr(about, "namespace", "") or "default",
        "about_kind": kind,
        "about_namespace": getattr(about, "namespace", ""),
        "about_name": about.name,
        "last": ago(minutes=minutes),
    }
    number = crc32(f"{reason} {message} {minutes}".encode())
    return Event(name=f"{about.name}.{number}", reason=reason, message=message, **(defaults | changed))


def refused(about: Thing, error: str, **changed: Any) -> Event:
    """As controllers say it."""
    return an_event(about, "FailedCreate", f"Error creating: {error}", **changed)


def a_quota(hard: Mapping[str, str], used: Mapping[str, str], name: str = "gpu", **spec: Any) -> Thing:
    return a_thing("ResourceQuota", name, spec={"hard": hard, **spec}, status={"hard": hard, "used": used})


def a_volume_claim(name: str = "weights", **changed: Any) -> PersistentVolumeClaim:
    defaults: dict[str, Any] = {
        "namespace": "llm",
        "phase": "Pending",
        "size": Fraction(2**40),
        "access_modes": frozenset({"ReadWriteMany"}),
    }
    return PersistentVolumeClaim(name=name, **(defaults | changed))


def owners_view(*records: Any, unread: tuple[str, ...] = ()) -> View:
    """As `a_view`, with every kind that these stages read."""
    plain = [one for one in records if not isinstance(one, Thing) and type(one) not in OF_THEIR_OWN]
    view = a_view(*plain, unread=unread)
    for table in TABLES:
        reading = Reading.FORBIDDEN if table in unread else Reading.LIVE
        view.sources[table] = Source(table, reading, None if table in unread else NOW, f"needs `list {table}`")
    for one in records:
        if isinstance(one, Thing):
            view.put(KNATIVE_TABLES.get(one.kind) or plural(one.kind), one.key, one)
        elif type(one) in OF_THEIR_OWN:
            namespace = getattr(one, "namespace", "")
            view.put(OF_THEIR_OWN[type(one)], f"{namespace}/{one.name}" if namespace else one.name, one)
    return view


def asked(view: View, about: Thing | Pod | PersistentVolumeClaim, evidence: Evidence = NO_EVIDENCE) -> Case:
    """A case about an owner, a pod or a claim."""
    if isinstance(about, Pod):
        subject = of_pod(about)
    elif isinstance(about, Thing):
        subject = of_thing(view, about)
    else:
        subject = Subject("PersistentVolumeClaim", about.name, about.namespace, record=about)
    return case_of(subject, view, POLICY, NOW, evidence)


def found(stage: Stage, case: Case) -> list[Finding]:
    return list(stage.judge(case))


def words(finding: Finding) -> str:
    """All of a finding as one text, for looking something up in it."""
    remedies = (text for one in finding.remedies for text in (one.action, one.command, one.cost))
    return "\n".join(
        (finding.sentence, *finding.evidence, *remedies, *finding.useless, *finding.unknown, finding.until)
    )
