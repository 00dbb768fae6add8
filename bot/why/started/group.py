"""Pods that form one engine together, and the proxies that stand between them."""

from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import PROXIES

_LWS = "leaderworkerset.sigs.k8s.io/name"
_LWS_INDEX = "leaderworkerset.sigs.k8s.io/group-index"
_KEYS = ("ray.io/cluster", "training.kubeflow.org/job-name", "volcano.sh/job-name", "jobset.sigs.k8s.io/jobset-name")


def members(case: Case) -> tuple[Pod, ...]:
    """Of the pod's engine, itself included; only itself where nothing says that it has others."""
    pod = case.pod
    if pod is None:
        return ()
    keys = (_LWS, _LWS_INDEX) if _LWS in pod.labels else next(((key,) for key in _KEYS if key in pod.labels), ())
    if not keys:
        return (pod,)
    alike = [
        one
        for one in case.view.pods.values()
        if one.namespace == pod.namespace and all(one.labels.get(key) == pod.labels.get(key) for key in keys)
    ]
    return tuple(sorted(alike, key=lambda one: one.name)) or (pod,)


def proxy(pod: Pod) -> str:
    """The name of its service mesh proxy; empty where it has none."""
    return next((one.name for one in pod.containers if one.name in PROXIES), "")
