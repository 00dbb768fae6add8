"""Groups of pods that are of use only together: LeaderWorkerSets, JobSets, pod groups of gang schedulers.

Without gang scheduling the leaders of a LeaderWorkerSet can be placed first and take everything that their workers
need: many pods run and no group serves. So this stage counts whole groups, never leaders alone, says how many would fit
and advises to scale to that. It also names groups that wait for members which do not exist, and workers that are made
only once their leader is ready.

Facts: kubernetes-sigs/lws:pkg/controllers/pod_controller.go, kubernetes-sigs/scheduler-plugins:pkg/coscheduling,
kubernetes/kubernetes:pkg/scheduler/framework/plugins/gangscheduling, kubernetes-sigs/jobset:api.
"""

from collections.abc import Iterator

from bot.why.case import Case
from bot.why.elastic_quota import over_share
from bot.why.finding import Finding, Stage
from bot.why.gangs import coscheduled, native
from bot.why.jobset_order import later_jobs
from bot.why.lws_findings import incomplete


def judge(case: Case) -> Iterator[Finding]:
    yield from incomplete(case)
    yield from later_jobs(case)
    if case.waits:
        yield from coscheduled(case)
        yield from native(case)
        yield from over_share(case)


STAGE = Stage(
    "groups",
    48,
    judge,
    needs=frozenset(
        {"pods", "nodes", "leaderworkersets", "statefulsets", "coschedulinggroups", "jobsets", "jobs", "events"}
    ),
    docs=__doc__ or "",
)
