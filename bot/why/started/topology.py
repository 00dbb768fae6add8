"""GPUs are free, but not enough of them on one NUMA node."""

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count
from bot.gpu.kind import gpus_of
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.kubelet_words import message
from bot.why.started.numa import Split, policy, split
from bot.why.started.owned import counted
from bot.why.started.say import quote

HOLDERS_SHOWN = 4


def not_aligned(case: Case, pod: Pod) -> Finding:
    """The kubelet's TopologyAffinityError, with the split of free GPUs where the node agent tells it."""
    name, scope = policy(case)
    wanted = gpus_of(pod)
    parts = split(case.evidence.agent(pod.node))
    ruled = f"topology manager (policy `{name}`{f', scope `{scope}`' if scope else ''})" if name else "topology manager"
    return Finding(
        "kubelet.topology",
        f"the kubelet's {ruled} on {pod.node} turned it away: {_missing(wanted, parts)}",
        evidence=(
            f"kubelet: {quote(message(case))}",
            *([f"{pod.node}: {parts.words} (by running processes)"] if parts else []),
            *_holders(case, pod),
            *counted(case, pod, "rejected"),
        ),
        remedies=(
            Remedy(
                f"Free one NUMA node of {pod.node}: see which pods hold GPUs there, and move the small ones together",
                kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={pod.node}"),
            ),
            Remedy(
                f"Keep pods with {wanted or 'many'} GPUs and small ones on different nodes, by node pool or affinity"
            ),
            Remedy(
                "Where the pods can do without alignment, set the kubelet's topologyManagerPolicy to `best-effort`",
                cost="slower transfers between GPU and host memory",
            ),
        ),
        useless=(
            "Retrying does not help: the scheduler does not see NUMA nodes and sends the next pod to the same place",
        ),
        unknown=_unknown(pod, name, parts),
    )


def _missing(wanted: int, parts: Split | None) -> str:
    gpus = count(wanted, "free GPU") if wanted else "its devices free"
    if parts is None:
        return f"it needs {gpus} on one NUMA node (socket), and what is free there is split over several"
    if parts.largest < wanted:
        return f"no NUMA node has {gpus}, the free ones are split: {parts.words}"
    return f"it needs {gpus} on one NUMA node, together with its CPUs and memory there; now {parts.words}"


def _holders(case: Case, pod: Pod) -> tuple[str, ...]:
    held = [
        (one.key, amount)
        for one in sorted(case.view.on_node(pod.node), key=lambda one: one.key)
        if one.occupies and (amount := gpus_of(one))
    ]
    if not held:
        return ()
    shown = ", ".join(f"{key} {amount}" for key, amount in held[:HOLDERS_SHOWN])
    more = f" and {len(held) - HOLDERS_SHOWN} more" if len(held) > HOLDERS_SHOWN else ""
    return (f"GPUs of {pod.node} are held by {shown}{more}",)


def _unknown(pod: Pod, name: str, parts: Split | None) -> tuple[str, ...]:
    return (
        *(
            ()
            if name
            else (f"the topology policy of {pod.node} (`topologyManagerPolicy` in its kubelet configuration)",)
        ),
        *(() if parts else (f"how the free GPUs of {pod.node} are split (`nvidia-smi topo -m` on the node tells)",)),
    )
