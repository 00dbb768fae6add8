"""Gates that are neither Kueue's nor known: whose they may be, by the name's domain, and how those are doing."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.pod_state import ailing
from bot.why.shell import kubectl


def foreign_gates(case: Case, pod: Pod, gates: list[str]) -> Finding:
    domain = gates[0].partition("/")[0] if "/" in gates[0] else ""
    suspects = _suspects(case, gates)
    who = f"whoever set {'it' if len(gates) == 1 else 'them'}"
    by = f" (likely {names([_suspected(one) for one in suspects], 2)})" if suspects else ""
    listed = names([f"`{gate}`" for gate in gates], 3)
    return Finding(
        "gates.foreign",
        f"no scheduler looks at it, because it is gated by {listed}: only {who} lifts "
        f"{'it' if len(gates) == 1 else 'them'}{by}",
        evidence=(f"{count(len(pod.spec.gates), 'gate')} in spec.schedulingGates",),
        remedies=(
            *_ailing_first(suspects),
            Remedy(
                f"Look for the controller of {domain or listed} and what it logs",
                kubectl("get", "pods", "-A")
                + (f" | grep -i {domain.split('.')[0]}" if domain.split(".")[0].isalnum() else ""),
            ),
        ),
        useless=("More nodes or GPUs do not help while a gate is there.",),
        weight=1,
    )


def _suspects(case: Case, gates: list[str]) -> list[Pod]:
    """Pods whose name holds the first word of a gate's domain; those that ail first."""
    domains = (gate.partition("/")[0] for gate in gates if "/" in gate)
    said = {word for domain in domains if len(word := domain.split(".", maxsplit=1)[0]) > 3}
    found = [
        pod
        for pod in case.view.pods.values()
        if pod.node and not pod.finished and any(word in pod.name for word in said)
    ]
    return sorted(found, key=lambda pod: (not ailing(pod), pod.key))[:2]


def _suspected(pod: Pod) -> str:
    return f"`{pod.key}`, which is not well: {ailing(pod)}" if ailing(pod) else f"`{pod.key}`"


def _ailing_first(suspects: list[Pod]) -> Iterator[Remedy]:
    for pod in suspects:
        if ailing(pod):
            yield Remedy(
                f"See why `{pod.key}` does not work", kubectl("describe", "pod", pod.name, namespace=pod.namespace)
            )
