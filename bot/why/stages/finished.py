"""Work that is done: completed pods and jobs hold nothing any more and need nobody."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.time import read_time
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.containers import containers
from bot.why.finding import Finding, Level, Stage
from bot.why.started.say import clock, delete_pod


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or pod.phase != "Succeeded":
        return
    own = [one for one in containers(case) if not one.init]
    over = max((one.ended.text("finishedAt") for one in own), default="")
    began, ended = read_time(pod.started), read_time(over)
    took = f" after {duration((ended - began).total_seconds())}" if began and ended and ended > began else ""
    at = clock(case, over)
    yield Finding(
        "finished.completed",
        f"{pod.key} has done its work{f' {at}' if at else ''}{took} and holds no GPUs any more",
        Level.NOTE,
        evidence=(
            *(f"`{one.name}` exited with code {one.exit_code}" for one in own if one.exit_code is not None),
            *_job(case),
        ),
        remedies=(Remedy("Delete it when its log is no longer needed", delete_pod(pod), False),),
    )


def _job(case: Case) -> Iterator[str]:
    for owner in case.owners:
        if owner.kind == "Job" and case.fields(owner).condition("Complete").text("status") == "True":
            yield f"job {owner.key} is complete"


STAGE = Stage("finished", 112, judge, needs=frozenset({"pods", "jobs"}), docs=__doc__ or "")
