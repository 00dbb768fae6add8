"""What a sweep wants looked up: readings and kernel messages of every GPU node, logs of so many pods that look ill."""

from collections.abc import Iterator
from datetime import datetime

from bot.checks import look
from bot.domain.evidence import LogRef, ObjectRef, Ref, Wanted
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import Policy
from bot.sweep.budgets import blocking
from bot.sweep.suspects import doubtful, groups, logs
from bot.why.ask import to_look_up
from bot.why.subject import of_pod

GROUPS = 24  # groups that do not run whose pods are looked up whole, with their logs
READY = 60  # Ready GPU pods whose logs are looked into
LOGS = 240  # in all


def wanted(view: View, inventory: Inventory, now: datetime) -> Wanted:
    """The most telling first. Logs come after what is cheap: an adapter may run out of time."""
    policy = inventory.policy
    ill = Wanted(tuple(_ill(view, policy, now)))
    nodes = look.wanted(view, policy, now)
    every = dict.fromkeys((*ill.refs, *_ready(view, now), *nodes.refs))
    kept = [ref for ref in every if not isinstance(ref, LogRef)]
    return Wanted((*kept, *[ref for ref in every if isinstance(ref, LogRef)][:LOGS]))


def _ill(view: View, policy: Policy, now: datetime) -> Iterator[Ref]:
    yield from (one.ref for one in blocking(view))
    for group in groups(view, now)[:GROUPS]:
        yield from to_look_up(of_pod(group.first), view, policy, now).refs


def _ready(view: View, now: datetime) -> Iterator[Ref]:
    for pod in doubtful(view, now)[:READY]:
        yield ObjectRef("Pod", pod.namespace, pod.name)
        yield from logs(pod)
