"""Looking things up in a folder: whole objects, logs, what nodes and pods say of themselves."""

from pathlib import Path

import msgspec

from bot.adapters.files.load import Loaded
from bot.adapters.files.side import LogKey
from bot.domain.evidence import LOG_MAX_BYTES, Evidence, LogRef, MetricsRef, NodeRef, ObjectRef, Ref, Wanted
from bot.domain.fields import Fields

TEXT_MAX_BYTES = 2 * 2**20


class FileLooker:
    """A `Looker` over what was loaded. Nothing here takes time, so no time runs out."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence:
        del timeout_seconds
        return self.now(wanted)

    def now(self, wanted: Wanted) -> Evidence:
        """The same without awaiting."""
        objects: dict[ObjectRef, Fields] = {}
        texts: dict[Ref, str] = {}
        missing: dict[Ref, str] = {}
        for ref in wanted.refs:
            if isinstance(ref, ObjectRef):
                found = self._object(ref)
                if found is None:
                    missing[ref] = "not in the folder"
                else:
                    objects[ref] = found
            else:
                file = self._file(ref)
                if file is None:
                    missing[ref] = "not in the folder"
                    continue
                try:
                    texts[ref] = _tail(file, LOG_MAX_BYTES if isinstance(ref, LogRef) else TEXT_MAX_BYTES)
                except OSError as error:
                    missing[ref] = f"cannot be read: {error.strerror or error}"
        return Evidence(objects, texts, missing)

    def _object(self, ref: ObjectRef) -> Fields | None:
        raw = self._loaded.raws.get(ref)
        if raw is None:
            return None
        try:
            return Fields(msgspec.json.decode(raw, type=dict), str(ref))
        except (msgspec.DecodeError, RecursionError):
            return None

    def _file(self, ref: Ref) -> Path | None:
        side = self._loaded.side
        match ref:
            case LogRef(namespace, pod, container, previous):
                whole = None if previous else side.logs.get(LogKey(namespace, pod, ""))
                return side.logs.get(LogKey(namespace, pod, container, previous)) or whole
            case NodeRef("kernel", node):
                return side.kernel.get(node)
            case NodeRef("agent", node):
                return side.agents.get(node)
            case MetricsRef(namespace, pod):
                return side.metrics.get(f"{namespace}/{pod}")
            case _:
                return None


def _tail(file: Path, at_most: int) -> str:
    """The end of a file; a first line that was cut is left out."""
    with file.open("rb") as opened:
        opened.seek(0, 2)
        size = opened.tell()
        opened.seek(max(0, size - at_most))
        data = opened.read(at_most)
    text = data.decode("utf-8", "replace")
    return text.partition("\n")[2] if size > at_most else text
