"""How the spec of a pod that waits is changed: the template of its owner by one exact command, or the pod made anew.

A Deployment and a DaemonSet replace their pods by themselves once the template is another. A StatefulSet waits for the
pod that waits, and a ReplicaSet leaves its pods as they are: there the pods that wait are deleted as well. The template
of a Job and the spec of a pod stand fast, but for tolerations, which may be added to a pod:
kubernetes/kubernetes:pkg/apis/core/validation/validation.go (ValidatePodUpdate).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.node import Taint
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.gpu.owners import top_owner
from bot.why.placement.commands import KINDS, kubectl
from bot.why.placement.nodes import Survey
from bot.why.placement.owned import owned
from bot.why.placement.patches import AT, added, escaped, json_patch, merge_patch, without_requirement
from bot.why.rolling import limits

PATCHED = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
DELETED_MOST = 20


@dataclass(frozen=True, slots=True)
class Way:
    """`command` does it, or only looks where no single command can. `how` goes on after the action, `cost` names whom
    it costs what.
    """

    command: str
    how: str = ""
    cost: str = ""


def tolerate(survey: Survey, taint: Taint) -> Way:
    """One more toleration, in the template where that can be changed, else in the pods that wait."""
    operator = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
    wanted = {"key": taint.key, **operator, "effect": taint.effect}
    kind, name = top_owner(survey.state.view, survey.pod)
    if kind not in PATCHED:
        there = bool(survey.pod.spec.tolerations)
        change = json_patch(added("/spec/tolerations", wanted, there=there))
        patches = (kubectl(survey.pod.namespace, "patch", "pod", pod.name, *change) for pod in _waiting(survey))
        later = "" if kind == "Pod" else f"; pods that {kind.lower()}/{name} makes later need it in their template"
        return Way(" && ".join(patches), later)
    template = _template(survey)
    if template is None:
        return _changed(survey, None)
    there = bool(template.get("tolerations"))
    return _changed(survey, ("patch", *json_patch(added(f"{AT}/tolerations", wanted, there=there))))


def spread(survey: Survey, field: str, value: str) -> Way:
    """That field in every constraint that forbids."""
    template = _template(survey)
    if template is None:
        return _changed(survey, None)
    rules = template.get("topologySpreadConstraints")
    steps = [
        {"op": "add", "path": f"{AT}/topologySpreadConstraints/{index}/{field}", "value": value}
        for index, one in enumerate(rules if isinstance(rules, list) else ())
        if isinstance(one, dict) and one.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"
    ]
    if value == "ScheduleAnyway":  # with which the API server does not allow it
        steps += [
            {"op": "remove", "path": f"{AT}/topologySpreadConstraints/{index}/minDomains"}
            for index, one in enumerate(rules if isinstance(rules, list) else ())
            if isinstance(one, dict) and "minDomains" in one
        ]
    return _changed(survey, ("patch", *json_patch(steps)) if steps else None)


def without_label(survey: Survey, key: str) -> Way:
    """No demand for that label of a node, neither in the selector nor in the required affinity."""
    template = _template(survey)
    if template is None:
        return _changed(survey, None)
    steps = without_requirement(template, key)
    if key in template.map("nodeSelector"):
        steps.append({"op": "remove", "path": f"{AT}/nodeSelector/{escaped(key)}"})
    return _changed(survey, ("patch", *json_patch(steps)) if steps else None)


def amount(survey: Survey, resource: str, wanted: int, instead_of: str = "") -> Way:
    """Another amount of a resource, or of another resource; exact where one container asks for all of it."""
    old = instead_of or resource
    asking = [one for one in survey.pod.containers if one.requests.get(old)]
    if len(asking) != 1 or (asking[0].init and not asking[0].sidecar):
        return _changed(survey, None)
    name, value = asking[0].name, str(wanted)
    if not instead_of and not asking[0].sidecar:
        told = f"{resource}={value}"
        return _changed(survey, ("set", "resources", "-c", name, f"--limits={told}", f"--requests={told}"))
    renamed = {**({instead_of: None} if instead_of else {}), resource: value}
    part = "initContainers" if asking[0].sidecar else "containers"
    resources = {"limits": renamed, "requests": renamed}
    return _changed(survey, merge_patch({part: [{"name": name, "resources": resources}]}))


def less(survey: Survey, resource: str, quantity: str) -> Way:
    """A smaller request of CPU, memory or the like; exact where one container asks for all of it. Limits stay."""
    asking = [one for one in survey.pod.containers if one.requests.get(resource)]
    if len(asking) != 1 or asking[0].init:
        return edited(survey)
    return _changed(survey, ("set", "resources", "-c", asking[0].name, f"--requests={resource}={quantity}"))


def edited(survey: Survey) -> Way:
    """By hand: no single command is right for everybody."""
    return _changed(survey, None)


def priority(survey: Survey, name: str) -> Way:
    return _changed(survey, merge_patch({"priorityClassName": name}))


# ---- what makes the change real --------------------------------------------------------------------------------------


def _changed(survey: Survey, words: Sequence[str] | None) -> Way:
    """`words` of kubectl that change a template, without what they change; None: no single command can."""
    kind, name = top_owner(survey.state.view, survey.pod)
    space, thing = survey.pod.namespace, _owner(survey)
    if kind == "Pod":
        return Way(
            kubectl(space, "get", "pod", survey.pod.name, "-o", "yaml"),
            "; the spec of a pod cannot be changed: make it anew with that",
        )
    if kind == "Job":
        return Way(
            kubectl(space, "get", f"job/{name}", "-o", "yaml"),
            "; a Job's template cannot be changed: delete the Job and make it anew with that",
        )
    target = f"{KINDS.get(kind, kind.lower())}/{name}"
    if kind == "CronJob":
        return Way(kubectl(space, "edit", target), "; its next Job has that, the one that waits must be made anew")
    if kind not in PATCHED:
        return Way(kubectl(space, "edit", target) if kind in KINDS else kubectl(space, "get", target, "-o", "yaml"))
    if words is None or _held_back(thing):
        return Way(kubectl(space, "edit", target), cost=_restarts(survey, kind))
    verb = ("set", "resources") if words[0] == "set" else ("patch",)
    command = kubectl(space, *verb, target, *words[len(verb) :])
    if not _replaces(kind, thing):
        waiting = [pod.name for pod in _waiting(survey)]
        command = f"{command} && {kubectl(space, 'delete', 'pod', *waiting)}"
    return Way(command, cost=_restarts(survey, kind))


def _held_back(thing: Thing | None) -> bool:
    """Whether new pods would not get the new template: a paused Deployment, a StatefulSet with a partition."""
    if thing is None:
        return False
    partition = thing.fields.number("spec", "updateStrategy", "rollingUpdate", "partition")
    return bool(thing.fields.flag("spec", "paused")) or bool(partition)


def _replaces(kind: str, thing: Thing | None) -> bool:
    """Whether its controller makes new pods in place of those that wait."""
    if kind == "DaemonSet":
        return thing is None or thing.fields.text("spec", "updateStrategy", "type") != "OnDelete"
    return kind == "Deployment"


def _restarts(survey: Survey, kind: str) -> str:
    """Who is made anew beside the pod that waits."""
    running = [pod for pod in owned(survey.state.view, [survey.pod]) if pod.node]
    if not running or kind == "ReplicaSet":
        return ""
    verb = "starts" if len(running) == 1 else "start"
    return f"{count(len(running), 'running pod')} of it {verb} again with the new template{_surge(survey, kind)}"


def _surge(survey: Survey, kind: str) -> str:
    """A rolling update that may take no pod away needs room for one more."""
    thing = _owner(survey)
    if kind != "Deployment" or thing is None or thing.fields.text("spec", "strategy", "type") == "Recreate":
        return ""
    replicas = thing.fields.number("spec", "replicas")
    _, unavailable = limits(thing.fields.at("spec", "strategy", "rollingUpdate"), 1 if replicas is None else replicas)
    return "" if unavailable else ", the last of them once an extra pod has found room (`maxUnavailable` is 0)"


def _waiting(survey: Survey) -> list[Pod]:
    """The pod and others of its owner that wait as it does; their new ones are alike."""
    found = {pod.name for pod in owned(survey.state.view, [survey.pod]) if not pod.node}
    names = sorted(found | {survey.pod.name}, key=lambda name: (name != survey.pod.name, natural(name)))
    pods = survey.state.view.pods
    return [pods.get(f"{survey.pod.namespace}/{name}", survey.pod) for name in names[:DELETED_MOST]]


def _owner(survey: Survey) -> Thing | None:
    kind, name = top_owner(survey.state.view, survey.pod)
    return survey.state.view.thing(kind, survey.pod.namespace, name)


def _template(survey: Survey) -> Fields | None:
    """The pod template's spec; None where the owner is not known."""
    thing = _owner(survey)
    spec = thing.fields.at("spec", "template", "spec") if thing is not None else Fields()
    return spec if spec else None
