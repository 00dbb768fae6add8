"""How far the weights have come, by the pod that downloads them and the end of its log."""

from collections.abc import Iterator

from bot.domain.pod import Pod
from bot.domain.words import duration
from bot.serving.bar import Bar, read_bar
from bot.serving.lines import clean
from bot.serving.reading import read

GB = 1e9
LINES = 60  # from the end, among which a bar of bytes is looked for
_WHOLE = "Download"  # of all files; bars of single files begin with their names (huggingface/huggingface_hub: tqdm)


def downloading(pod: Pod | None, log: str, weights_bytes: int) -> str:
    """`412 of 704 GB, 1.9 GB/s, about 3 min left`; what else can be said of it where no figure is in the log."""
    if pod is None:
        return "waits for the download, whose pod is not made yet"
    if not pod.node:
        return f"waits for the download, and {pod.name} for a node"
    bar = next(_bars(log), None)
    if bar is not None:
        return _figures(bar, weights_bytes)
    told = read(log).progress if log else None
    return told.summary if told is not None else "waits for the download"


def _bars(log: str) -> Iterator[Bar]:
    for line in reversed(clean(log)[-LINES:]):
        if line.text.startswith(_WHOLE) and (bar := read_bar(line.text)).done_bytes:
            yield bar


def _figures(bar: Bar, weights_bytes: int) -> str:
    """The total of a bar grows as files are found, so the weights' own size is the total."""
    done = bar.done_bytes or 0
    whole = max(weights_bytes, done)
    told = f"{done / GB:.0f} of {whole / GB:.0f} GB"
    if not bar.elapsed_seconds:
        return told
    speed = done / bar.elapsed_seconds
    return f"{told}, {speed / GB:.1f} GB/s, about {duration((whole - done) / speed)} left"
