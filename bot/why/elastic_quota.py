"""ElasticQuota: a namespace's share, kept by the scheduler itself and not by the API server.

kubernetes-sigs/scheduler-plugins:pkg/capacityscheduling/capacity_scheduling.go (PreFilter). The pod exists and waits;
nodes may be free.
"""

import re
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.shell import kubectl, quoted

_OWN = Pattern(r"because ElasticQuota (?P<name>[\w.-]{1,253}) is more than (?P<which>Max|Min)", re.IGNORECASE)
_ALL = "total ElasticQuota used is more than min"


def over_share(case: Case) -> Iterator[Finding]:
    """Only from the scheduler's words: nobody reads the kind."""
    told = case.pod.condition("PodScheduled") if case.pod else None
    if case.pod is None or told is None:
        return
    message, namespace = told.message[:2000], case.pod.namespace
    own = _OWN.search(message)
    if own is None and _ALL not in message:
        return
    name = f" `{own['name']}`" if own else ""
    which = (
        f"ElasticQuota{name} of {namespace} has no room left under its {own['which'].lower()}"
        if own
        else f"the ElasticQuotas of all namespaces together are used up to their min, beyond which {namespace} may "
        "only borrow what others leave"
    )
    yield Finding(
        "groups.elastic-quota",
        f"the scheduler holds it back, since {which}",
        evidence=(f"the scheduler says {quoted(message, 300)}",),
        remedies=(
            Remedy(
                "Compare max, min and used of the quota",
                kubectl("get", "elasticquotas.scheduling.x-k8s.io", "-o", "yaml", namespace=namespace),
            ),
            Remedy("End other pods of the namespace, or raise the quota", verified=False),
        ),
        useless=("More nodes do not help: the quota is what is short.",),
        unknown=("ElasticQuotas: gpubot does not read this kind",),
        weight=2,
    )
