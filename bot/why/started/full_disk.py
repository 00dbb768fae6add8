"""Which disk is full, where a program's last words name a file on it: a volume of the pod, or the container's own."""

import math
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.serving.reading import Reading
from bot.why.case import Case
from bot.why.containers import Container, volume
from bot.why.finding import Finding, Level
from bot.why.shell import kubectl
from bot.why.started.plain import plain
from bot.why.started.say import size

IDS = frozenset({"disk-full", "disk-quota"})
GROWTH = 1.5
_PATH = Pattern(r"['\"`]?(/[\w.@+-]{1,200}(?:/[\w.@+-]{1,200}){0,30})")


def full_disk(case: Case, pod: Pod, one: Container, read: Reading) -> Iterator[Finding]:
    """Nothing where the log names no file, or the whole pod is not known."""
    cause = read.cause
    if cause is None or cause.signature.id not in IDS or not case.detail.get("spec"):
        return
    after = cause.line.partition("space left")[2] or cause.line
    found = _PATH.search(after)
    path = next((mount for mount in sorted(one.mounts, key=len, reverse=True) if found and _in(found[1], mount)), "")
    kept = volume(case, one.mounts.get(path, ""))
    if claim := plain(kept.text("persistentVolumeClaim", "claimName")):
        yield _claim(case, pod, claim, path)
    elif isinstance(kept.get("emptyDir"), dict):
        yield _empty_dir(path, kept.text("emptyDir", "sizeLimit"), kept.text("emptyDir", "medium") == "Memory")
    elif found and not path:
        yield Finding(
            "crash.full-own-disk",
            f"The full disk is the container's own: no volume is mounted above `{plain(found[1])}`",
            Level.ROOT,
            remedies=(Remedy(f"Mount a volume there, or let `{one.name}` write to one that it has"),),
        )


def _in(path: str, mount: str) -> bool:
    return path == mount or path.startswith(mount.rstrip("/") + "/")


def _claim(case: Case, pod: Pod, claim: str, path: str) -> Finding:
    record = case.view.persistentvolumeclaims.get(f"{pod.namespace}/{claim}")
    has = record.size if record is not None else None
    large = f" of {size(has)}" if has else ""
    more = math.ceil(float(has) * GROWTH / 2**30) if has else 0
    patch = f'{{"spec":{{"resources":{{"requests":{{"storage":"{more}Gi"}}}}}}}}'
    known = kubectl("-n", pod.namespace, "get", "pvc", claim)
    return Finding(
        "crash.full-claim",
        f"The full disk is claim `{claim}`{large}, mounted at `{path}`",
        Level.ROOT,
        remedies=(
            Remedy(
                f"Enlarge the claim{f' to {more} GiB, say' if more else ''}, if its storage class allows it "
                "(allowVolumeExpansion)",
                kubectl("-n", pod.namespace, "patch", "pvc", claim, "-p", patch) if more else known,
                False,
            ),
            Remedy("Or delete what is on it that nobody needs: models and revisions of earlier days"),
        ),
    )


def _empty_dir(path: str, limit: str, in_memory: bool) -> Finding:
    where = "memory" if in_memory else "the node's disk"
    return Finding(
        "crash.full-empty-dir",
        f"The full disk is the emptyDir mounted at `{path}`{f', limited to {size(limit)}' if limit else ''}, which "
        f"lies in {where}",
        Level.ROOT,
        remedies=(Remedy("Raise its sizeLimit" if limit else "Use a claim that is large enough in its place"),),
    )
