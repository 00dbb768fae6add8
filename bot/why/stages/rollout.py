"""A new version that does not come through: the rollout as a whole, not one pod of it.

    no room       a rolling update starts the new pod first; it waits for what its own predecessor holds
    StatefulSet   a broken pod of an old revision blocks the update to the repaired one
    deadline      ProgressDeadlineExceeded only says that time has passed: it is a symptom and stops nothing
    controller    nobody has made a ReplicaSet for the newest template

Numbers are rounded as the controllers do: maxSurge up, maxUnavailable down.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.thing import Thing
from bot.domain.words import count, duration, names
from bot.why.amounts import added, said, scarcest_first
from bot.why.case import Case
from bot.why.change import End, World
from bot.why.deadlines import deadline
from bot.why.finding import Finding, Level, Stage
from bot.why.makers import pods_under
from bot.why.revisions import old_revision
from bot.why.rolling import Rollout, images, one_at_a_time, rollout, well
from bot.why.room import free_on
from bot.why.shell import kubectl

RECREATE = '[{"op":"replace","path":"/spec/strategy","value":{"type":"Recreate"}}]'
NO_CONTROLLER_SECONDS = 120
MOST_TRIED = 16


def judge(case: Case) -> Iterator[Finding]:
    rolling = rollout(case)
    if rolling is not None:
        yield from _no_room(case, rolling)
        yield from deadline(case, rolling)
        yield from _not_begun(case, rolling)
        yield from _state(case, rolling)
    yield from old_revision(case)


# ---- no room for the extra pod ---------------------------------------------------------------------------------------


def _no_room(case: Case, rolling: Rollout) -> Iterator[Finding]:
    """The new pod fits as soon as one old pod is gone, and no old pod may go before the new one is ready."""
    pod = case.pod
    if pod is None or not case.waits or pod.gated or pod not in rolling.new_pods or not rolling.stuck:
        return
    world = World(pod, case.state)
    if world.fits(at_most=1):
        return
    for holders in _holders(rolling):
        scarce = _short_of(case, pod, holders)
        node, title = holders[0].node, "its old pods"
        if scarce and End(holders, title).apply(world).fits((node,)):
            yield _held_by_own(case, rolling, pod, holders, scarce)
            return


def _holders(rolling: Rollout) -> Iterator[tuple[Pod, ...]]:
    """Old pods that have a node, one by one, those that serve last; then all of one node together."""
    placed = sorted((one for one in rolling.old_pods if one.node), key=lambda one: (well(one), natural(one.name)))
    yield from ((one,) for one in placed[:MOST_TRIED])
    for node in sorted({one.node for one in placed}, key=natural)[:MOST_TRIED]:
        together = tuple(one for one in placed if one.node == node)
        if len(together) > 1:
            yield together


def _short_of(case: Case, pod: Pod, holders: tuple[Pod, ...]) -> str:
    """What the new pod asks for, the old ones hold and their node lacks; empty where it is something else."""
    node = case.view.nodes.get(holders[0].node)
    free = free_on(case.view, node) if node else {}
    held = added(one.requests for one in holders)
    short = (one for one, asked in pod.requests.items() if asked > free.get(one, 0) and held.get(one))
    return next(iter(scarcest_first(short)), "")


def _held_by_own(case: Case, rolling: Rollout, pod: Pod, holders: tuple[Pod, ...], scarce: str) -> Finding:
    one = len(holders) == 1
    who = f"the old pod{'' if one else 's'} {names([f'`{each.name}`' for each in holders], 3)} of the same Deployment"
    held = f"hold{'s' if one else ''} the {said(scarce, added(each.requests for each in holders)[scarce])}"
    whose = "it needs" if case.subject.pod is not None else f"its new pod `{pod.name}` needs"
    serve = names([f"`{each.name}`" for each in rolling.serving], 3)
    still = f"; {serve} still serve{'s' if len(rolling.serving) == 1 else ''}" if serve else ""
    return Finding(
        "rollout.no-room",
        f"{who} {held} on {holders[0].node} that {whose}, and may not stop before the new one is ready "
        f"({rolling.words}): waiting will not help{still}",
        evidence=(
            *_versions(case, rolling),
            f"Tried on a copy of the cluster: without {names([f'`{each.name}`' for each in holders], 3)} the new "
            "pod has a "
            "place, now it has none",
        ),
        remedies=tuple(_ways_out(rolling, verified=one)),
        useless=("Waiting does not help: old and new wait for each other",),
    )


def _ways_out(rolling: Rollout, *, verified: bool) -> Iterator[Remedy]:
    cost = "one pod fewer serves from the old pod's end until the new one is ready"
    yield one_at_a_time(rolling, cost, verified=verified or None)
    name, namespace = rolling.deployment.name, rolling.deployment.namespace
    yield Remedy(
        "Or `Recreate`: all old pods end before the first new one starts",
        kubectl("patch", "deployment", name, "--type", "json", "-p", RECREATE, namespace=namespace),
        cost="nothing serves until the new pods are ready",
    )


def _versions(case: Case, rolling: Rollout) -> Iterator[str]:
    """Old and new, with what they run."""
    for which, sets in (("New", (rolling.new,) if rolling.new else ()), ("Old", rolling.old)):
        for one in sets:
            yield f"{which}: {_version(case, one)}"


def _version(case: Case, replicaset: Thing) -> str:
    pods = [pod for pod in pods_under(case.view, replicaset) if not pod.finished]
    ready = sum(1 for pod in pods if well(pod))
    run = names([f"`{image}`" for image in images(case.fields(replicaset)).values()], 2)
    return f"`{replicaset.title}`, {ready} of {count(len(pods), 'pod')} ready{f', {run}' if run else ''}"


# ---- symptoms and state ----------------------------------------------------------------------------------------------


def _not_begun(case: Case, rolling: Rollout) -> Iterator[Finding]:
    """There is no ReplicaSet at all, long after the Deployment was made."""
    age = case.age_seconds(rolling.deployment.created)
    if rolling.new or rolling.old or rolling.fields.flag("spec", "paused") or not case.view.knows("replicasets"):
        return
    if not rolling.wanted or age is None or age < NO_CONTROLLER_SECONDS or case.subject.pods or case.pod is not None:
        return
    lease = case.view.thing("Lease", "kube-system", "kube-controller-manager")
    renewed = case.fields(lease).text("spec", "renewTime") if lease else ""
    seconds = case.age_seconds(renewed)
    told = (
        f"Lease `kube-system/kube-controller-manager` was renewed {duration(seconds)} ago"
        if seconds is not None
        else ""
    )
    yield Finding(
        "rollout.no-controller",
        f"no ReplicaSet was made for it since it was created {duration(age)} ago: the Deployment controller "
        "(kube-controller-manager) does not work or may not create one",
        evidence=(told,) if told else (),
        remedies=(
            Remedy(
                "Look at its events, then at kube-controller-manager",
                kubectl("describe", rolling.deployment.title, namespace=rolling.deployment.namespace),
            ),
        ),
        unknown=case.not_read("events", "leases"),
    )


def _state(case: Case, rolling: Rollout) -> Iterator[Finding]:
    """How far a rollout is, for who asks about the Deployment."""
    if case.subject.thing is not rolling.deployment or not rolling.under_way or not rolling.new:
        return
    if rolling.fields.flag("spec", "paused"):
        return
    yield Finding(
        "rollout.under-way",
        f"A rollout is under way: {len([pod for pod in rolling.new_pods if well(pod)])} of "
        f"{count(rolling.wanted, 'new pod')} ready, {count(len(rolling.old_pods), 'old pod')} left ({rolling.words})",
        Level.NOTE,
        evidence=tuple(_versions(case, rolling)),
    )


STAGE = Stage(
    "rollout",
    24,
    judge,
    needs=frozenset({"deployments", "replicasets", "statefulsets", "leases", "events", "pods", "nodes"}),
    docs=__doc__ or "",
)
