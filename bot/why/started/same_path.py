"""Other pods that mount the same path of their node and run: there it is in place."""

from collections.abc import Iterator

from bot.domain.pod import Pod
from bot.domain.words import names
from bot.why.case import Case
from bot.why.started.plain import plain


def same_path(case: Case, pod: Pod, path: str) -> tuple[str, ...]:
    """One line of evidence; nothing where no other pod of its owner runs elsewhere."""
    nodes = sorted({one.node for one in _siblings(case, pod) if one.phase == "Running"})
    return (f"`{plain(path)}` is there on {names(nodes)}, where pods of the same owner run",) if nodes else ()


def _siblings(case: Case, pod: Pod) -> Iterator[Pod]:
    if pod.owner is None or not pod.owner.uid:
        return
    for one in case.view.pods_by_owner.get(pod.owner.uid, ()):
        if one is not pod and one.node and one.node != pod.node and any(state.ready for state in one.states):
            yield one
