"""Node groups as Cluster Autoscaler sees them: from its status ConfigMap, else from its log.

kubernetes/autoscaler:cluster-autoscaler/clusterstate/utils/status.go. Up to release 1.29 the ConfigMap
kube-system/cluster-autoscaler-status holds text for people, from 1.30 on YAML.
"""

import re
from dataclasses import dataclass

from bot.domain.evidence import LogRef, ObjectRef
from bot.domain.fields import Fields
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.domain.view import View

NAMESPACE, CONFIG_MAP = "kube-system", "cluster-autoscaler-status"
STATUS = ObjectRef("ConfigMap", NAMESPACE, CONFIG_MAP)
LONGEST = 128 * 1024
_APP_LABELS = ("app", "app.kubernetes.io/name", "k8s-app")
_OLD_GROUP = Pattern(
    r"Name:\s+(?P<name>\S+)\s+Health:[^\n]*?ready=(?P<ready>\d{1,6})[^\n]*?cloudProviderTarget=(?P<target>\d{1,6}) "
    r"\(minSize=(?P<min>\d{1,6}), maxSize=(?P<max>\d{1,6})\)\)[^\n]*(?P<rest>(?:\n(?!\s*Name:)[^\n]*)*)"
)
_READY = Pattern(r"registered:\n(?: +\w+: .*\n)*? +ready: (?P<ready>\d{1,6})")
_OLD_BACKOFF = Pattern(r"ScaleUp:\s+Backoff")
_LOG_SIZE = Pattern(
    r"(?:node ?group|MIG|ASG)\s+(?P<name>[^\s,]{1,200})[ ,:(]+min(?:Size)?[=:]\s*(?P<min>\d{1,6})[ ,]+"
    r"max(?:Size)?[=:]\s*(?P<max>\d{1,6})[ ,]+(?:target|size|current)\w*[=:]\s*(?P<target>\d{1,6})",
    re.IGNORECASE,
)
_LOG_REFUSED = Pattern(
    r"Pod (?P<pod>\S{1,500}) can't be scheduled on (?P<group>[^\s,]{1,200}), "
    r"predicate checking error: (?P<why>[^\n;]{1,500})"
)


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """`target` nodes are wanted now, between `least` and `most`. `backoff`: why it is left alone for a while."""

    name: str
    target: int
    least: int
    most: int
    ready: int | None = None
    backoff: str = ""

    @property
    def empty(self) -> bool:
        """Nobody has ever seen a node of it, as far as can be told: its nodes are imagined from a template."""
        return self.target == 0 and not self.ready

    @property
    def words(self) -> str:
        return f"`{self.name}` {self.target} of at most {self.most} nodes"


def is_autoscaler(pod: Pod) -> bool:
    named = any("cluster-autoscaler" in pod.labels.get(label, "") for label in _APP_LABELS)
    return named or pod.name.startswith("cluster-autoscaler")


def autoscalers(view: View) -> list[Pod]:
    """The ready ones first."""
    found = [pod for pod in view.pods_that(is_autoscaler) if not pod.finished]
    return sorted(found, key=lambda pod: (pod.condition("Ready") is not None, pod.key))


def log_of(pod: Pod) -> LogRef:
    container = next((one.name for one in pod.containers if "autoscaler" in one.name), "")
    return LogRef(pod.namespace, pod.name, container or (pod.containers[0].name if pod.containers else ""))


def from_config_map(config_map: Fields) -> list[NodeGroup]:
    text = config_map.text("data", "status")[:LONGEST]
    return _old(text) or _new(text)


def _old(text: str) -> list[NodeGroup]:
    return [
        NodeGroup(
            one["name"],
            int(one["target"]),
            int(one["min"]),
            int(one["max"]),
            int(one["ready"]),
            "a scale-up failed a moment ago" if _OLD_BACKOFF.search(one["rest"]) else "",
        )
        for one in _OLD_GROUP.finditer(text)
    ]


def _new(text: str) -> list[NodeGroup]:
    """The YAML as the autoscaler writes it: block style, keys sorted, one list entry for each group."""
    body = re.split(
        r"^(?=[A-Za-z])", f"\n{text}".partition("\nnodeGroups:")[2].lstrip("\n"), maxsplit=1, flags=re.MULTILINE
    )[0]
    return [_group(entry) for entry in re.split(r"^- ", body, flags=re.MULTILINE) if _value(entry, "name")]


def _group(entry: str) -> NodeGroup:
    up = entry.partition("scaleUp:")[2]
    said = _value(up, "errorMessage") or _value(up, "errorCode") or "a scale-up failed a moment ago"
    ready = _READY.search(entry)
    return NodeGroup(
        _value(entry, "name"),
        _whole(entry, "cloudProviderTarget"),
        _whole(entry, "minSize"),
        _whole(entry, "maxSize"),
        int(ready["ready"]) if ready else None,
        said if _value(up, "status") == "Backoff" else "",
    )


def _value(text: str, key: str) -> str:
    """What stands behind the first `key:`, without quotes."""
    found = re.search(rf"^ *{key}: (.{{1,400}})$", text, re.MULTILINE)
    return found[1].strip().strip("\"'") if found else ""


def _whole(text: str, key: str) -> int:
    value = _value(text, key)
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 7 else 0


def from_log(log: str) -> list[NodeGroup]:
    """The newest word on each group."""
    found = {
        one["name"]: NodeGroup(one["name"], int(one["target"]), int(one["min"]), int(one["max"]))
        for one in _LOG_SIZE.finditer(log[-LONGEST:])
    }
    return list(found.values())


def refusals(log: str, pod_key: str) -> dict[str, str]:
    """Why that pod would not fit on a new node of each group, as the log has it."""
    return {one["group"]: one["why"].strip() for one in _LOG_REFUSED.finditer(log[-LONGEST:]) if one["pod"] == pod_key}
