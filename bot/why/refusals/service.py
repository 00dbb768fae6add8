"""Who stands behind a service: its endpoints, and the controller whose pods it selects."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.why.case import Case
from bot.why.makers import children
from bot.why.shell import kubectl

SERVERS = ("deployments", "statefulsets", "daemonsets")


@dataclass(frozen=True, slots=True)
class Behind:
    """`endpoints`: how many are ready; `there`: whether the service exists. None where that is not read."""

    namespace: str
    name: str
    there: bool | None
    endpoints: int | None
    controller: Thing | None
    wanted: int | None
    ready: int
    made: frozenset[str]  # names of the controllers below it
    pods: int = 0  # of its own, ready or not

    @property
    def title(self) -> str:
        return f"{self.namespace}/{self.controller.name}" if self.controller else f"{self.namespace}/{self.name}"

    def owns(self, name: str) -> bool:
        return self.controller is not None and name in {self.controller.name, *self.made}

    @property
    def evidence(self) -> Iterator[str]:
        if self.there is False:
            yield f"Service `{self.namespace}/{self.name}` does not exist"
        elif self.endpoints is not None:
            yield f"Service `{self.namespace}/{self.name}`: {count(self.endpoints, 'ready endpoint')}"
        if self.controller is not None and self.wanted is not None:
            yield (
                f"Behind it: `{self.controller.title}` in {self.namespace}, {self.ready} of "
                f"{count(self.wanted, 'pod')} ready"
            )

    @property
    def remedies(self) -> Iterator[Remedy]:
        """Bring it back."""
        if self.controller is None:
            return
        title = self.controller.title
        if self.wanted == 0:
            yield Remedy(
                f"Bring `{self.title}` back: it is scaled to 0",
                kubectl("scale", title, "--replicas=2", namespace=self.namespace),
            )
        elif self.ready:
            yield Remedy(
                f"Look why `{self.title}` does not answer although its pods are ready",
                kubectl("logs", title, "--tail=50", namespace=self.namespace),
            )
        elif self.pods:
            yield Remedy(
                f"See why `{self.title}` is not ready ({self.ready} of {self.wanted}), and bring it back",
                f"/why {title.replace('/', f'/{self.namespace}/')}",
            )
        else:
            yield Remedy(
                f"Bring `{self.title}` back: {self.ready} of {self.wanted} ready",
                kubectl("rollout", "restart", title, namespace=self.namespace),
            )


def behind(case: Case, namespace: str, name: str) -> Behind:
    """What is known about that service."""
    service = case.view.thing("Service", namespace, name)
    selector = case.fields(service).map("spec", "selector") if service else {}
    controller = _controller(case, namespace, selector)
    fields = case.fields(controller) if controller else None
    wanted = None
    if fields is not None:
        wanted = fields.number("spec", "replicas")
        wanted = fields.number("status", "desiredNumberScheduled") if wanted is None else wanted
    ready = 0
    if fields is not None:
        ready = fields.number("status", "readyReplicas") or fields.number("status", "numberReady") or 0
    return Behind(
        namespace,
        name,
        there=True if service else (False if case.view.knows("services") else None),
        endpoints=_endpoints(case, namespace, name),
        controller=controller,
        wanted=wanted,
        ready=ready,
        made=frozenset(one.name for one in children(case.view, controller)) if controller else frozenset(),
        pods=_pods(case, namespace, selector),
    )


def _pods(case: Case, namespace: str, selector: dict[str, str]) -> int:
    there = (pod for pod in case.view.pods.values() if pod.namespace == namespace and not pod.finished)
    return sum(1 for pod in there if selector and selector.items() <= pod.labels.items())


def _controller(case: Case, namespace: str, selector: dict[str, str]) -> Thing | None:
    if not selector:
        return None
    for table in SERVERS:
        for one in case.view.things(table).values():
            labels = (
                case.fields(one).map("spec", "template", "metadata", "labels") if one.namespace == namespace else {}
            )
            if labels and selector.items() <= labels.items():
                return one
    return None


def _endpoints(case: Case, namespace: str, name: str) -> int | None:
    """Addresses that are ready; those that say nothing count as ready (discovery/v1/types.go)."""
    if not case.view.knows("endpointslices"):
        return None
    slices = [
        one
        for one in case.view.things("endpointslices").values()
        if one.namespace == namespace and one.labels.get("kubernetes.io/service-name") == name
    ]
    return sum(
        len(endpoint.texts("addresses"))
        for one in slices
        for endpoint in case.fields(one).each("endpoints")
        if endpoint.flag("conditions", "ready") is not False
    )
