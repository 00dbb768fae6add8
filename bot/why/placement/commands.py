"""Commands that work when pasted: names from the cluster are quoted for a shell."""

from collections.abc import Sequence

from bot.domain.pod import Pod
from bot.why import shell

KINDS = {
    "Deployment": "deployment",
    "StatefulSet": "statefulset",
    "DaemonSet": "daemonset",
    "ReplicaSet": "replicaset",
    "Job": "job",
    "CronJob": "cronjob",
    "LeaderWorkerSet": "leaderworkerset",
}


def kubectl(namespace: str, *words: str) -> str:
    return shell.kubectl(*words, namespace=namespace)


def delete_pods(pods: Sequence[Pod]) -> str:
    """All of them, one command for each namespace."""
    by_namespace: dict[str, list[str]] = {}
    for pod in pods:
        by_namespace.setdefault(pod.namespace, []).append(pod.name)
    return " && ".join(kubectl(space, "delete", "pod", *found) for space, found in by_namespace.items())
