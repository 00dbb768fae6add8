"""Kueue itself: while its controller does not run, nothing is admitted and no gate is lifted."""

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import names
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.pod_state import ailing
from bot.why.shell import kubectl

NAME = "kueue-controller-manager"


def is_controller(pod: Pod) -> bool:
    named = pod.labels.get("app.kubernetes.io/name") == "kueue" and pod.labels.get("control-plane") != "kueueviz"
    return (named or pod.name.startswith(NAME)) and "kueueviz" not in pod.name


def controllers_down(case: Case) -> list[Pod]:
    """Its pods, where none of them is ready; empty where one is, or none is to be seen."""
    mine = [pod for pod in case.view.pods.values() if is_controller(pod) and not pod.finished]
    bad = [pod for pod in mine if ailing(pod)]
    return sorted(bad, key=lambda pod: pod.key) if len(bad) == len(mine) else []


def down(case: Case) -> Finding | None:
    """The root of whatever waits for Kueue."""
    bad = controllers_down(case)
    if not bad:
        return None
    first = bad[0]
    which = names([f"`{pod.key}` ({ailing(pod)})" for pod in bad], 3)
    return Finding(
        "kueue.controller-down",
        f"Kueue itself does not run: {which}, and until it does nothing is let in",
        Level.ROOT,
        remedies=(
            Remedy(
                "See why Kueue's controller does not run",
                kubectl("describe", "pod", first.name, namespace=first.namespace),
            ),
            Remedy(
                "Read its last words", kubectl("logs", first.name, "--previous", "--tail=50", namespace=first.namespace)
            ),
        ),
        useless=("More quota does not help: nobody looks at it.",),
        weight=9,
    )
