"""Verify a GPU node from end to end: a one-off pod asks for one GPU there and runs nvidia-smi. It is always removed."""

from collections.abc import Iterator
from datetime import datetime

from bot.changes.kind import Ask, ChangeKind, Phase, Progress
from bot.changes.node_steps import node_of
from bot.changes.verify_evidence import counted, ended, free, gpu_resource, holders, offers, ran, taints, waits
from bot.changes.verify_pod import CONTAINER, DEADLINE_SECONDS, DEFAULT_IMAGE, manifest
from bot.domain.change import Plan, Size, Step, Target, Verb
from bot.domain.errors import UsageError
from bot.domain.evidence import Evidence, LogRef, Wanted
from bot.domain.node import Node
from bot.domain.view import View
from bot.why.shell import kubectl

FOLLOW_SECONDS = DEADLINE_SECONDS + 60
SEEN_SECONDS = 30.0  # a view may lag behind the API server


def plan(ask: Ask) -> Plan:
    """Arguments: node, pod, namespace, image. The pod's name is given, so that the same plan comes again."""
    node = node_of(ask)
    name, namespace = ask.arguments.get("pod", ""), ask.arguments.get("namespace", "default")
    image = ask.arguments.get("image", DEFAULT_IMAGE)
    if not name:
        raise UsageError("A verification needs a name for its pod.")
    resource = gpu_resource(node)
    target = Target(api_version="v1", kind="Pod", resource="pods", namespace=namespace, name=name)
    return Plan(
        kind=CHANGE.name,
        arguments={"node": node.name, "pod": name, "namespace": namespace, "image": image},
        title=f"verify {node.name} with a one-off pod",
        because=ask.because,
        steps=(_create(ask.view, node, target, resource or "nvidia.com/gpu", image),),
        effects=tuple(_effects(ask.view, node, resource, image)),
        costs=("One GPU for as long as the pod runs, five minutes at most",),
        size=Size(gpus=1, namespaces=(namespace,)),
        refused=_refused(ask.view, node, resource),
        undo=(_delete(target),),  # while it runs; afterwards it is cleaned up already
        cleanup=(_delete(target),),
    )


def _create(view: View, node: Node, target: Target, resource: str, image: str) -> Step:
    return Step(
        verb=Verb.CREATE,
        target=target,
        body=manifest(view, node, resource, image),
        before={"pod": None},
        after={"pod": target.name, "image": image, f"limits.{resource}": "1", "affinity metadata.name": node.name},
        says=f"create pod {target.namespace}/{target.name}",
    )


def _delete(target: Target) -> Step:
    return Step(
        verb=Verb.DELETE,
        target=target,
        before={"pod": target.name},
        after={"pod": None},
        says=f"delete pod {target.namespace}/{target.name}",
        command=kubectl("delete", "pod", target.name, namespace=target.namespace),
    )


def _effects(view: View, node: Node, resource: str, image: str) -> Iterator[str]:
    if resource:
        yield f"{offers(node, resource)}; {counted(node, resource, free(view, node, resource))}"
    yield f"2. A pod with one GPU runs `nvidia-smi` there (image {image}); it is removed whatever happens"
    yield f"{taints(node)}" + ("; this pod tolerates them" if any(taint.blocks for taint in node.taints) else "")


def _refused(view: View, node: Node, resource: str) -> str:
    if not resource:
        return (
            f"Step 1 fails already: {node.name} offers no NVIDIA GPU in allocatable; `/gpu node {node.name}` says why."
        )
    if node.ready is not True:
        return f"{node.name} is not Ready, so no pod would start there; `/gpu node {node.name}` says more."
    if free(view, node, resource) < 1:
        return f"No GPU is free on {node.name}: {holders(view, node)}. A pod that asks for one would only wait."
    return ""


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    key = f"{plan.arguments['namespace']}/{plan.arguments['pod']}"
    pod, age = view.pods.get(key), (now - applied_at).total_seconds()
    if pod is None:
        if age < SEEN_SECONDS:
            return Progress(Phase.GOING, "The API server has taken the pod; it is not seen yet.")
        return Progress(Phase.FAILED, f"Not told: {ended(None)}.")
    if pod.phase == "Succeeded":
        return Progress(Phase.DONE, f"{plan.arguments['node']} runs a pod with a GPU.")
    if pod.phase == "Failed":
        return Progress(Phase.FAILED, f"{plan.arguments['node']} does not pass: {ended(pod)}.", subject=key)
    if age > DEADLINE_SECONDS:
        why = ended(pod) if pod.node else waits(pod)
        return Progress(Phase.FAILED, f"{plan.arguments['node']} does not pass in time: {why}.", subject=key)
    return Progress(Phase.GOING, "The pod starts." if pod.node else "The pod waits for its node.", subject=key)


def proof_wants(plan: Plan, view: View) -> Wanted:
    del view
    return Wanted((_log(plan),))


def proof(plan: Plan, view: View, progress: Progress, evidence: Evidence) -> Progress:
    """The verdict with all three steps."""
    node = view.nodes.get(plan.arguments["node"])
    pod = view.pods.get(f"{plan.arguments['namespace']}/{plan.arguments['pod']}")
    said = evidence.texts.get(_log(plan), "")
    first = [offers(node, gpu_resource(node) or "nvidia.com/gpu")] if node else []
    last = [taints(node)] if node else []
    return Progress(progress.phase, progress.sentence, (*first, *ran(said, pod), *last), progress.subject)


def _log(plan: Plan) -> LogRef:
    return LogRef(plan.arguments["namespace"], plan.arguments["pod"], CONTAINER)


CHANGE = ChangeKind(
    "gpu-verify",
    plan,
    follow,
    needs=frozenset({"nodes", "pods", "runtimeclasses"}),
    proof=proof,
    proof_wants=proof_wants,
    follow_seconds=FOLLOW_SECONDS,
)
