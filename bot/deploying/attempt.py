"""One variant on one pool with one engine, while it is being worked out, and what a person should know of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.deploying.candidate import Pool
from bot.deploying.chips import Chip, generation
from bot.deploying.images import Built
from bot.deploying.sizing import kv_dtype
from bot.deploying.wish import Wish
from bot.domain.version import Version
from bot.serving.model import Bug, Support, Variant

_STAGES = "guessing ahead does not go with stages over several nodes, so it is off"


@dataclass(frozen=True, slots=True)
class Try:
    """One variant on one pool with one engine."""

    wish: Wish
    variant: Variant
    support: Support
    version: Version
    pool: Pool
    chip: Chip
    image: Built

    @property
    def what(self) -> str:
        return f"{self.wish.model.title} {self.variant.id} on {self.pool.title}"


def guesses(one: Try, stages: int) -> int:
    """Tokens guessed ahead; none over several stages, nor where a known fault of that version comes of it."""
    wrong = any(bug.when == "mtp" and _has(bug, one) for bug in one.wish.model.bugs)
    return 0 if stages > 1 or wrong else one.support.mtp_tokens


def _has(bug: Bug, one: Try) -> bool:
    if bug.engine != one.support.engine or (bug.gpus and generation(one.chip) not in bug.gpus):
        return False
    return (bug.first is None or one.version >= bug.first) and (bug.fixed is None or one.version < bug.fixed)


def _shows(bug: Bug, one: Try) -> bool:
    """Whether it is set up so that the fault comes of it."""
    if bug.when == "bf16-kv":
        return kv_dtype(one.support, one.chip) == "auto"
    return bug.when != "mtp-with-dbo" or "--enable-dbo" in one.wish.arguments


def warnings(one: Try, ranks: int, stages: int) -> Iterator[str]:
    yield from one.image.warnings
    if one.pool.driver_above is not None:
        yield f"nodes with driver {one.pool.driver_above} and older are left out: the image would not start there"
    if one.version < one.support.advised:
        engine, advised = one.support.engine, shown(one.support.advised)
        yield f"{engine} {shown(one.version)} can serve it; {advised} or newer is advised"
    for bug in one.wish.model.bugs:
        if _has(bug, one) and _shows(bug, one):
            left_out = ", so guessing ahead is off" if bug.when == "mtp" else ""
            yield f"{bug.what}{left_out}; instead: {bug.instead}"
    if ranks > 2 and one.pool.nvlink is False:
        yield f"{ranks} {one.pool.product} are joined by PCIe alone, which slows every token"
    if ranks > 2 and one.pool.nvlink is None:
        yield f"whether {one.pool.product} of a node are joined by NVLink is not known; PCIe alone slows every token"
    if stages > 1 and one.support.mtp_tokens:
        yield _STAGES
    if one.wish.model.note:
        yield f"{one.wish.model.title}: {one.wish.model.note}"
    if one.wish.source == "modelscope" and one.variant.note:
        yield f"{one.variant.modelscope}: {one.variant.note}"
    if not one.variant.measured:
        yield "Its memory was worked out and not measured: tokens are ± 10 %"
    if one.variant.precision == "fp8" and one.chip.capability < (8, 9):
        yield f"{one.pool.product} has no FP8 of its own: weights stay FP8, the arithmetic is slower"


def shown(version: Version) -> str:
    """As engines write it, with all three numbers."""
    return f"{version.major}.{version.minor}.{version.patch}"
