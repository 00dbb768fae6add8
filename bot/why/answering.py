"""From a question to its answer: all that waits, one thing, a thing under other circumstances, a thing to come."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain.errors import NotFoundError, UpstreamError
from bot.domain.evidence import NO_EVIDENCE, Evidence, Wanted
from bot.domain.history import History
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.grammar import nearest, quoted
from bot.why import overview, trial
from bot.why.above import topmost
from bot.why.ask import case_of
from bot.why.ask import to_look_up as looked_up
from bot.why.explain import Explanation, explain
from bot.why.fitting import Fitting, fitting
from bot.why.models import serving
from bot.why.overview import Overview
from bot.why.question import Question
from bot.why.standing import rank
from bot.why.subject import Subject, find, of_pod, of_thing
from bot.why.trial import Trial

CHOICES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with everything that it may be answered from."""

    question: Question
    options: Mapping[str, str]
    view: View
    inventory: Inventory
    now: datetime
    evidence: Evidence = NO_EVIDENCE
    history: History | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """Several things that were meant, perhaps. `left`: how many more there are."""

    word: str
    subjects: tuple[Subject, ...]
    left: int = 0


Result = Explanation | Overview | Trial | Fitting | Choice


def answer(asked: Asked) -> Result:
    """Raises UsageError, NotFoundError; UpstreamError where the cluster could not be read."""
    question = asked.question
    if question.fits is not None:
        return fitting(asked.view, asked.inventory, question.fits, asked.options)
    if not question.word:
        _check_namespace(asked)
        return overview.overview(
            asked.view, asked.inventory.policy, asked.now, asked.evidence, asked.options.get("namespace", "")
        )
    found = subjects(asked)
    if len(found) > 1:
        return Choice(question.word, tuple(found[:CHOICES_SHOWN]), max(0, len(found) - CHOICES_SHOWN))
    case = case_of(found[0], asked.view, asked.inventory.policy, asked.now, asked.evidence)
    if question.changes:
        return trial.trial(case, question.changes)
    return explain(case)


def to_look_up(asked: Asked) -> Wanted:
    """What the answer wants to see beside the view. Raises as `answer`."""
    question, policy = asked.question, asked.inventory.policy
    if question.fits is not None:
        return Wanted()
    if not question.word:
        return overview.to_look_up(asked.view, policy, asked.now, asked.options.get("namespace", ""))
    found = subjects(asked)
    return looked_up(found[0], asked.view, policy, asked.now) if len(found) == 1 else Wanted()


def _check_namespace(asked: Asked) -> None:
    """Raises NotFoundError for a namespace that is not there, where it is known which there are."""
    wanted, view = asked.options.get("namespace", ""), asked.view
    if not wanted or wanted in view.namespaces or any(pod.namespace == wanted for pod in view.pods.values()):
        return
    if view.knows("namespaces"):
        close = nearest(wanted, list(view.namespaces)[:5_000])
        hint = f"did you mean `/why pending namespace={close}`?" if close else "`kubectl get namespaces` lists them."
        raise NotFoundError(f"No namespace here is called {quoted(wanted)}; {hint}")


def subjects(asked: Asked) -> list[Subject]:
    """Who is meant: one where that is clear. Raises NotFoundError with the nearest names."""
    view, word = asked.view, asked.question.word
    found = find(view, word) or serving(view, word)
    if namespace := asked.options.get("namespace"):
        found = [one for one in found if one.namespace == namespace]
    if not found:
        raise _nobody(asked)
    return _one_of(found, view)


def _one_of(found: list[Subject], view: View) -> list[Subject]:
    """Pods of one owner are their owner's; of a pod and its owner with one name the pod that waits is meant."""
    if len(found) < 2:
        return found
    pods = [one.pod for one in found if one.pod is not None]
    if len(pods) == len(found) and _siblings(pods):
        owner = topmost(view, pods[0].owner, pods[0].namespace)
        return [of_thing(view, owner)] if owner else [of_pod(min(pods, key=rank))]
    if len(pods) == 1 and all((one.namespace, one.name) == (pods[0].namespace, pods[0].name) for one in found):
        return [of_pod(pods[0])]  # the worker set of a group bears its leader's name
    inside = {pod.key for one in found if one.thing for pod in one.pods}
    apart = [one for one in found if not (one.pod and one.pod.key in inside)]
    return apart or found


def _siblings(pods: list[Pod]) -> bool:
    """Whether one controller made them all."""
    owners = {(pod.namespace, pod.owner.uid) if pod.owner else None for pod in pods}
    return len(owners) == 1 and None not in owners


def _nobody(asked: Asked) -> Exception:
    view, word = asked.view, asked.question.word
    if not view.knows("pods"):
        source = view.source("pods")
        why = f"pods could not be read ({source.detail or source.reading})"
        return UpstreamError(f"Whether there is {quoted(word)} cannot be told: {why}.", retryable=True)
    waiting = sorted(view.waiting, key=lambda pod: (pod.created, pod.key))
    shown = ", ".join(pod.key for pod in waiting[:4])
    more = f" and {len(waiting) - 4} more" if len(waiting) > 4 else ""
    close = nearest(word.rpartition("/")[2], [*{pod.name for pod in view.pods.values()}, *view.nodes][:5_000])
    hint = f" Did you mean `/why {close}`?" if close else ""
    now = f" Waiting now: {shown}{more}." if waiting else " Nothing waits now."
    example = f" Try `/why {waiting[0].key}`." if waiting and not close else " Try `/why pending`." if not close else ""
    return NotFoundError(f"Nothing here is called {quoted(word)}.{hint}{now}{example}")
