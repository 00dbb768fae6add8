"""A ConfigMap, Secret or key that a pod names and that is not there.

kubernetes/kubernetes:pkg/volume/configmap, pkg/volume/secret, pkg/kubelet/kubelet_pods.go.
"""

import re
from dataclasses import dataclass, replace

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.why.case import Case
from bot.why.containers import volume
from bot.why.shell import kubectl
from bot.why.started.plain import plain

_OBJECT = Pattern(r"\b(configmap|secret|persistentvolumeclaim|serviceaccount)s? \"([\w./-]{1,253})\" not found", re.I)
_KEY = Pattern(r"couldn't find key ([\w./-]{1,253}) in (ConfigMap|Secret) ([\w.-]{1,63})/([\w.-]{1,253})")
_REFERENCE = Pattern(r"(configmap|secret) ?references non-existent (?:config |secret )?key: ([\w./-]{1,253})", re.I)
_SECRET_REFERENCE = Pattern(r"references non-existent secret key: ([\w./-]{1,253})")
_VOLUME = Pattern(r'for volume "([^"]{1,200})"')
_NAMES = {"configmap": "ConfigMap", "secret": "Secret", "serviceaccount": "ServiceAccount"}


@dataclass(frozen=True, slots=True)
class Missing:
    """`key` is empty where the whole object is missing; `name` where the message does not tell it."""

    kind: str
    name: str = ""
    key: str = ""

    @property
    def words(self) -> str:
        whole = f"{self.kind} `{self.name}`" if self.name else f"a {self.kind} that it names"
        return f"{whole} has no key `{self.key}`" if self.key else f"{whole} does not exist"

    def remedy(self, pod: Pod) -> Remedy:
        kind = self.kind.lower()
        look = kubectl("-n", pod.namespace, "get", kind, *([self.name] if self.name else []), *_keys(kind))
        if self.key:
            return Remedy(f"Put the key `{self.key}` into it, or correct the key in the pod's template", look)
        return Remedy(f"Create it in namespace {pod.namespace}, or correct the name in the pod's template", look)


def missing_object(message: str) -> Missing | None:
    """None where the message tells of something else."""
    if found := _KEY.search(message):
        return Missing(found[2], found[4], found[1])
    if found := _SECRET_REFERENCE.search(message):
        return Missing("Secret", "", found[1])
    if found := _REFERENCE.search(message):
        return Missing(_NAMES[found[1].lower()], "", found[2])
    if found := _OBJECT.search(message):
        kind = found[1].lower()
        return Missing(_NAMES.get(kind, "PersistentVolumeClaim"), found[2].rpartition("/")[2])
    return None


def of_volume(case: Case, missing: Missing, message: str) -> Missing:
    """With the name that the pod's volume in the message has for it, where the whole pod is known."""
    found = _VOLUME.search(message)
    kept = volume(case, found[1]) if found else Fields()
    name = kept.text("configMap", "name") or kept.text("secret", "secretName")
    sources = kept.each("projected", "sources")
    part = {"ConfigMap": "configMap", "Secret": "secret"}.get(missing.kind, "")
    named = [text for one in sources if (text := one.text(part, "name"))]
    return replace(missing, name=plain(name or (named[0] if len(named) == 1 else "")))


def _keys(kind: str) -> tuple[str, ...]:
    """Shows a ConfigMap's content; a Secret's stays out of sight."""
    return ("-o", "yaml") if kind == "configmap" else ()
