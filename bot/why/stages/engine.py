"""The engine inside: what it was told against what it has, its ranks, its driver, and whether it works while Ready.

Engines wait for ever for GPUs beyond the container's limit, for ranks behind a mesh proxy; images carry a CUDA that the
node's driver is too old for; a broken GPU context answers 500 to everything beside a healthy `/health`.
"""

from collections.abc import Iterator

from bot.domain.evidence import NodeRef, Ref, Wanted
from bot.domain.pod import Pod
from bot.serving.phase import Wait
from bot.serving.signature import Blame
from bot.why.case import Case
from bot.why.containers import Container, main
from bot.why.finding import NOTHING_WANTED, Finding, Level, Stage
from bot.why.started.broken import broken
from bot.why.started.crashing import crashing
from bot.why.started.cuda import pair
from bot.why.started.engine_words import quoted
from bot.why.started.gpu_words import amount
from bot.why.started.logs import last_words, present, reading, refs
from bot.why.started.ranks import more_than_it_has, waits
from bot.why.started.start import starting


def judge(case: Case) -> Iterator[Finding]:
    pod, one = case.pod, main(case)
    if pod is None or one is None or not pod.node or pod.finished or pod.deleted:
        return
    ended = crashing(case)
    if ended is not None:
        yield from _behind_a_crash(case, pod, ended)
    elif one.running and one.ready:
        yield from broken(case, pod, one, reading(present(case, one)))
    elif (start := starting(case)) is not None and start.waits:
        lines = (quoted(start.read.cause),) if start.read.cause else ()
        told = list(more_than_it_has(case, one, Level.CAUSE, lines))
        yield from (
            told
            if told and _for_gpus(start.progress.waits_for if start.progress else None)
            else waits(case, pod, start)
        )


def wants(case: Case) -> Wanted:
    pod, one = case.pod, main(case)
    if pod is None or one is None or pod.phase != "Running" or not amount(pod):
        return NOTHING_WANTED
    node: tuple[Ref, ...] = (NodeRef("agent", pod.node), NodeRef("kernel", pod.node))
    return Wanted((*refs(case, one), *node))


def _for_gpus(wait: Wait | None) -> bool:
    return wait in (Wait.PLACEMENT_GROUP, Wait.SHARDS)


def _behind_a_crash(case: Case, pod: Pod, one: Container) -> Iterator[Finding]:
    read = reading(last_words(case, one) or one.own_message)
    cause = read.cause
    if cause is None:
        return
    if Blame.ARGUMENTS in cause.signature.blames and not cause.signature.id.startswith("kv-cache"):
        yield from more_than_it_has(case, one, Level.ROOT)
    if Blame.DRIVER in cause.signature.blames:
        yield from _driver(case, pod, one)


def _driver(case: Case, pod: Pod, one: Container) -> Iterator[Finding]:
    """Both versions. The log knows the driver's side, node labels and the image's name tell the other."""
    found = pair(one.image, case.view.nodes.get(pod.node), case.evidence.agent(pod.node))
    if found.driver is None or found.fits is True:
        return
    image = f"The image `{one.image}` carries {found.words}" if found.image else f"The image `{one.image}` needs more"
    yield Finding(
        "engine.driver-too-old",
        f"{image}; {pod.node} has {found.driver_words}",
        Level.ROOT,
        useless=("Newer releases of the image do not help here: their CUDA is as new or newer",),
    )


STAGE = Stage("engine", 108, judge, wants, frozenset({"pods", "nodes"}), docs=__doc__ or "")
