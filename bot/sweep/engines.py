"""What checks say of inference engines, as troubles: replicas of one owner with the same fault are told once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, State, order
from bot.domain.engine_told import EngineTold
from bot.domain.evidence import Evidence, MetricsRef, Wanted
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.owners import top_owner
from bot.serving.engine_pods import is_engine
from bot.serving.metrics.read import read
from bot.sweep.trouble import Trouble

ASKED = 2_000  # engines whose metrics are looked up where nobody keeps them
NAMED = 3
Told = Mapping[str, EngineTold]  # by the pod's uid


def pods(view: View) -> list[Pod]:
    """Engines that run, by name."""
    running = (pod for pod in view.pods.values() if pod.phase == "Running" and not pod.deleted)
    return sorted((pod for pod in running if is_engine(pod)), key=lambda pod: natural(pod.key))


def wanted(view: View) -> Wanted:
    """One look at each, for those who keep no readings."""
    return Wanted(tuple(MetricsRef(pod.namespace, pod.name) for pod in pods(view)[:ASKED]))


def from_evidence(view: View, evidence: Evidence) -> dict[str, EngineTold]:
    """What one look told, by the pod's key. A page that carries times of its own tells of more than one."""
    found: dict[str, EngineTold] = {}
    for pod in pods(view)[:ASKED]:
        ref = MetricsRef(pod.namespace, pod.name)
        text = evidence.texts.get(ref)
        if text is None:
            found[pod.key] = EngineTold(trouble=evidence.missing.get(ref, "nobody asked it"))
            continue
        told = read(text)
        window = EngineTold().window.with_newer(told)
        found[pod.key] = EngineTold(window, "" if window else told[-1].trouble)
    return found


def scenes(view: View, told: Told, now: datetime) -> list[EngineScene]:
    """`told` by the pod's uid, or by its key where it has none."""
    found = ((pod, told.get(pod.uid) or told.get(pod.key)) for pod in _told_of(view, told))
    return [EngineScene(view, pod, one, now) for pod, one in found]


def _told_of(view: View, told: Told) -> list[Pod]:
    """All engines, those included that only a hint of the settings makes known."""
    known = dict.fromkeys(pods(view))
    hinted = (pod for pod in view.pods.values() if pod.uid in told and pod.phase == "Running")
    return list(known | dict.fromkeys(hinted))


def troubles(findings: Iterable[Finding], view: View) -> Iterator[Trouble]:
    """One for each fault of each owner, the worst first; those of one owner have one root."""
    alike: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for one in sorted((one for one in findings if one.alarming), key=order):
        pod = view.pods.get(one.subject.pod)
        if pod is not None:
            alike[f"{pod.namespace}/{top_owner(view, pod)[1]}", one.check].append(one)
    for (owner, _), group in alike.items():
        yield _trouble(owner, group, view)


def _trouble(owner: str, group: list[Finding], view: View) -> Trouble:
    first, *others = group
    hit = [view.pods[one.subject.pod] for one in group]
    same = names([one.subject.pod for one in others], NAMED)
    begun = [one.at for one in group if one.at is not None]
    return Trouble(
        id=first.check,
        severity=first.severity,
        sentence=first.sentence + (f"; the same with {same}" if same else ""),
        since=min(begun).isoformat() if begun else "",
        nodes=tuple(dict.fromkeys(pod.node for pod in hit if pod.node)),
        owner=owner,
        pods=tuple(hit),
        evidence=first.evidence,
        remedies=first.remedies,
        useless=first.useless,
        same=("engines", owner),
    )


def unseen(found: list[EngineScene], findings: Iterable[Finding]) -> Iterator[str]:
    """Engines that did not tell, by why; and those of which one reading tells too little."""
    silent = [(one, why) for one in found for why in one.missing]
    if silent:
        why = silent[0][1].partition(" (")[2].rstrip(")")
        whose = names([one.name for one, _ in silent], NAMED)
        yield f"metrics of {count(len(silent), 'engine')}: {whose}{f' ({why})' if why else ''}"
    once = [one for one in findings if one.check == "engine.no_tokens" and one.state is State.UNKNOWN]
    unproved = [one.subject.pod for one in once if one.subject.pod not in {scene.name for scene, _ in silent}]
    if unproved:
        yield (
            f"whether {names(unproved, NAMED)} still {'make' if len(unproved) > 1 else 'makes'} tokens: one look shows "
            "requests and no rate; the running bot sees it within a minute or two"
        )
