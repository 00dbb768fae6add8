"""Where a container puts the model it downloads, and whether that is one of its volumes."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.serving.phase import Phase
from bot.why.case import Case
from bot.why.containers import Container, containers, main, volume
from bot.why.started.logs import present, reading
from bot.why.started.plain import plain
from bot.why.started.say import quote

_OURS = ("/var/run/secrets", "/dev/shm", "/etc/", "/tmp")
_DISK_LINE = Pattern(r"\b\d{1,3}%.{0,40}(?:mounted|used|/)|\bUse%")


@dataclass(frozen=True, slots=True)
class Cache:
    """`unused`: mounted volumes that the download does not go to. `downloads`: its log says that it was downloading."""

    container: str
    unused: tuple[str, ...] = ()
    downloads: bool = False
    empty_dir: bool = False  # the first of `unused` is an emptyDir
    evidence: tuple[str, ...] = ()

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        if not self.unused:
            return (Remedy(f"Give `{self.container}` a volume for its model cache and point `HF_HOME` at it"),)
        path = self.unused[0]
        variables = f"`HF_HOME={path}` (and `HF_HUB_CACHE` or `HUGGINGFACE_HUB_CACHE`, where the image sets one)"
        same_disk = "an emptyDir helps only where it lies on another disk than the containers: `df` tells"
        return (
            Remedy(
                f"Put the model cache on the volume that is mounted already: {variables} for `{self.container}`",
                cost=same_disk if self.empty_dir else "",
            ),
        )


def cache_of(case: Case, name: str) -> Cache | None:
    """Of the container with that name, or of the main one; None where the whole pod is not known."""
    found = next((one for one in containers(case) if one.name == name), None) or main(case)
    if found is None or not case.detail:
        return None
    read = reading(present(case, found))
    downloads = bool(read.progress and read.progress.phase is Phase.DOWNLOAD)
    directory = plain(found.arguments.download_dir)
    unused = tuple(path for path in _volumes(case, found) if not _within(directory, path))
    empty_dir = bool(unused) and isinstance(volume(case, found.mounts[unused[0]]).get("emptyDir"), dict)
    return Cache(found.name, unused, downloads, empty_dir, tuple(_evidence(case, found, unused, directory)))


def _volumes(case: Case, container: Container) -> Iterator[str]:
    """Paths of volumes that could hold a model."""
    for path, name in container.mounts.items():
        kept = volume(case, name)
        large = kept.get("persistentVolumeClaim") or kept.get("hostPath") or kept.get("ephemeral") or kept.get("csi")
        on_disk = isinstance(kept.get("emptyDir"), dict) and kept.text("emptyDir", "medium") != "Memory"
        if (large or on_disk) and not path.startswith(_OURS):
            yield path


def _within(directory: str, path: str) -> bool:
    return directory == path or directory.startswith(path.rstrip("/") + "/")


def _evidence(case: Case, container: Container, unused: tuple[str, ...], directory: str) -> Iterator[str]:
    for path in unused[:2]:
        where = f"its cache is set to `{directory}`" if directory else "nothing points the model cache there"
        yield f"the volume mounted at `{path}` is not used for the download: {where}"
    log = present(case, container)
    read = reading(log)
    if read.progress and read.progress.phase is Phase.DOWNLOAD:
        yield f"its log ends while it was {read.progress.summary}"
    told = [line for line in read.tail if _DISK_LINE.search(line) and len(line) < 200]
    yield from (f"its log on disks: {quote(line)}" for line in told[-2:])
