"""A Deployment's rolling update in numbers: which ReplicaSet is new, how many pods may be extra or gone."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.why.case import Case
from bot.why.makers import children, pods_under
from bot.why.shell import patch
from bot.why.standing import rank

REVISION = "deployment.kubernetes.io/revision"
_WELL = 8


@dataclass(frozen=True, slots=True)
class Rollout:
    """A Deployment with its ReplicaSets. `new` is the one of the wanted template; None where there is none yet.

    surge, unavailable: whole pods, as the controller rounds them. `old`: ReplicaSets of earlier templates that have
    pods. `recreate`: all old pods go before the first new one comes.
    """

    deployment: Thing
    fields: Fields
    new: Thing | None
    old: tuple[Thing, ...]
    new_pods: tuple[Pod, ...]
    old_pods: tuple[Pod, ...]
    wanted: int
    surge: int
    unavailable: int
    recreate: bool

    @property
    def under_way(self) -> bool:
        return bool(self.old_pods) and self.wanted > 0

    @property
    def serving(self) -> tuple[Pod, ...]:
        """Old pods that are ready."""
        return tuple(pod for pod in self.old_pods if well(pod))

    @property
    def stuck(self) -> bool:
        """Whether no old pod may go before a new one is ready."""
        ready = len(self.serving) + sum(1 for pod in self.new_pods if well(pod))
        return not self.recreate and self.under_way and ready <= self.wanted - self.unavailable

    @property
    def gone_at_least(self) -> int:
        """How many pods must be allowed to be missing for one more old pod to go."""
        ready = len(self.serving) + sum(1 for pod in self.new_pods if well(pod))
        return max(1, self.wanted - ready + 1)

    @property
    def words(self) -> str:
        """`maxSurge 25 % of 1 = 1, maxUnavailable 25 % = 0`."""
        told = self.fields.at("spec", "strategy", "rollingUpdate")
        return (
            f"maxSurge {_said(told.get('maxSurge'), self.surge, self.wanted)}, maxUnavailable "
            f"{_said(told.get('maxUnavailable'), self.unavailable, self.wanted)}"
        )


def well(pod: Pod) -> bool:
    """Runs and is ready."""
    return rank(pod)[0] == _WELL and not pod.deleted


def ready_replicas(pods: Sequence[Pod], size: int) -> int:
    """Replicas of `size` pods whose every pod is ready, as far as single pods can be told apart."""
    return sum(1 for pod in pods if well(pod)) // size


def deployment_of(case: Case) -> Thing | None:
    """The Deployment that is asked about, or to which the pod belongs."""
    return next((one for one in case.owners if one.kind == "Deployment"), None)


def rollout(case: Case) -> Rollout | None:
    """Of the Deployment around the subject; None where there is none."""
    deployment = deployment_of(case)
    if deployment is None:
        return None
    fields = case.fields(deployment)
    sets = sorted(children(case.view, deployment), key=_age, reverse=True)
    revision = deployment.annotations.get(REVISION, "")
    new = next(
        (one for one in sets if revision and one.annotations.get(REVISION) == revision), sets[0] if sets else None
    )
    if fields.flag("spec", "paused") and new is not None and not same_template(fields, case.fields(new)):
        new = None
    old = tuple(one for one in sets if one is not new and pods_under(case.view, one))
    replicas = fields.number("spec", "replicas")
    wanted = 1 if replicas is None else replicas
    surge, unavailable = limits(fields.at("spec", "strategy", "rollingUpdate"), wanted)
    return Rollout(
        deployment,
        fields,
        new,
        old,
        new_pods=_alive(pods_under(case.view, new)) if new else (),
        old_pods=_alive(tuple(pod for one in old for pod in pods_under(case.view, one))),
        wanted=wanted,
        surge=surge,
        unavailable=unavailable,
        recreate=fields.text("spec", "strategy", "type") == "Recreate",
    )


def limits(strategy: Fields, wanted: int) -> tuple[int, int]:
    """maxSurge rounds up, maxUnavailable down; 25 % each where nothing is said; if both come to 0, one may be gone.

    kubernetes/kubernetes:pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts).
    """
    surge = _share(strategy.get("maxSurge"), wanted, up=True)
    unavailable = _share(strategy.get("maxUnavailable"), wanted, up=False)
    return surge, unavailable if surge or unavailable else 1


def same_template(deployment: Fields, replicaset: Fields) -> bool:
    """Whether the pods of that ReplicaSet are what the Deployment wants; true where its template was not kept."""
    template = replicaset.get("spec", "template", "spec")
    return template is None or template == deployment.get("spec", "template", "spec")


def images(fields: Fields) -> dict[str, str]:
    """Container → image of a template."""
    return {one.text("name"): one.text("image") for one in fields.each("spec", "template", "spec", "containers")}


def one_at_a_time(rolling: Rollout, cost: str, *, verified: bool | None = None) -> Remedy:
    """First out, then in: a strategy that needs no room for an extra pod."""
    gone = rolling.gone_at_least
    change = {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": gone}}}}
    command = patch("deployment", rolling.deployment.name, json.dumps(change), namespace=rolling.deployment.namespace)
    return Remedy(f"Let an old pod go first: `maxSurge: 0`, `maxUnavailable: {gone}`", command, verified, cost)


def _alive(pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    return tuple(pod for pod in pods if not pod.finished)


def _age(replicaset: Thing) -> tuple[int, str, str]:
    revision = replicaset.annotations.get(REVISION, "")
    return (
        (int(revision) if revision.isascii() and revision.isdecimal() and len(revision) < 10 else 0),
        replicaset.created,
        replicaset.name,
    )


def _share(value: object, wanted: int, *, up: bool) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return max(0, value)
    text = value if isinstance(value, str) else "25%"
    number = text.removesuffix("%")
    if not (number.isascii() and number.isdecimal() and len(number) < 6):
        return 0
    exact = int(number) * wanted / 100
    return math.ceil(exact) if up else math.floor(exact)


def _said(value: object, whole: int, wanted: int) -> str:
    if isinstance(value, int):
        return str(whole)
    percent = value.removesuffix("%") if isinstance(value, str) else "25"
    return f"{percent[:6]} % of {wanted} = {whole}"
