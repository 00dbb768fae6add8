"""The containers of a pod: what is asked for them, and what the kubelet last said of them.

Read from the whole pod where it was looked up, else from what the view keeps (kubernetes/api:core/v1/types.go,
Container and ContainerStatus).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.pod import Container as Kept
from bot.domain.pod import ContainerState, Pod
from bot.gpu.kind import is_gpu_resource
from bot.serving.arguments import EngineArguments, read_arguments
from bot.why.case import Case
from bot.why.started.plain import plain
from bot.why.started.probe import Probe, read_probe

PROXIES = frozenset({"istio-proxy", "linkerd-proxy", "kuma-sidecar", "consul-dataplane", "envoy", "envoy-sidecar"})


@dataclass(frozen=True, slots=True)
class Container:
    """One container with its status. `init` runs before the others; a `sidecar` is an init container that stays."""

    name: str
    spec: Fields
    status: Fields
    init: bool = False
    sidecar: bool = False

    @property
    def waiting(self) -> str:
        """The reason why it waits; empty where it does not."""
        return plain(self.status.text("state", "waiting", "reason"))

    @property
    def message(self) -> str:
        """What the kubelet says about its waiting or its end."""
        return self.status.text("state", "waiting", "message") or self.ended.text("message")

    @property
    def own_message(self) -> str:
        """The same, but of the failure itself: that it is held back for a while says nothing."""
        return "" if self.message.startswith("back-off ") else self.message

    @property
    def running(self) -> bool:
        return isinstance(self.status.get("state", "running"), dict)

    @property
    def since(self) -> str:
        """When the present run began."""
        return self.status.text("state", "running", "startedAt")

    @property
    def is_over(self) -> bool:
        """Whether it has ended and is not being started again right now."""
        return isinstance(self.status.get("state", "terminated"), dict)

    @property
    def ended(self) -> Fields:
        """How its newest run that is over ended; empty where none has."""
        now = self.status.at("state", "terminated")
        return now if now else self.status.at("lastState", "terminated")

    @property
    def exit_code(self) -> int | None:
        return self.ended.number("exitCode")

    @property
    def out_of_memory(self) -> bool:
        return self.ended.text("reason") == "OOMKilled"

    @property
    def restarts(self) -> int:
        return self.status.number("restartCount") or 0

    @property
    def ready(self) -> bool:
        return self.status.flag("ready") is True

    @property
    def image(self) -> str:
        return plain(self.spec.text("image") or self.status.text("image"))

    @property
    def limits(self) -> dict[str, str]:
        return self.spec.map("resources", "limits")

    @property
    def requests(self) -> dict[str, str]:
        return self.spec.map("resources", "requests")

    @property
    def gpus(self) -> dict[str, int]:
        """Its GPUs by resource name. An extended resource has equal requests and limits, or one of the two."""
        asked = self.requests | self.limits
        return {name: int(text) for name, text in asked.items() if is_gpu_resource(name) and text.isdecimal()}

    @property
    def mounts(self) -> dict[str, str]:
        """Path → volume's name."""
        found = ((one.text("mountPath"), one.text("name")) for one in self.spec.each("volumeMounts"))
        return {plain(path.rstrip("/")) or "/": name for path, name in found if path}

    @property
    def environment(self) -> dict[str, str]:
        """Variables with a value of their own; those from Secrets and fields are not known."""
        return {one.text("name"): one.text("value") for one in self.spec.each("env") if one.get("value") is not None}

    @property
    def arguments(self) -> EngineArguments:
        command = (*self.spec.texts("command"), *self.spec.texts("args"))
        return read_arguments(command, self.environment, self.image)

    def probe(self, kind: str) -> Probe | None:
        """`kind` is liveness, readiness or startup."""
        return read_probe(self.spec, kind)


def containers(case: Case) -> tuple[Container, ...]:
    """Init containers first, each kind in the order of the spec."""
    if case.pod is None:
        return ()
    detail = case.detail
    return tuple(_of_whole(detail)) if detail.get("spec") else tuple(_of_record(case.pod))


def main(case: Case) -> Container | None:
    """The container that the pod is about: the first with a GPU, else the first that is no proxy."""
    own = [one for one in containers(case) if not one.init]
    with_gpu = (one for one in own if one.gpus)
    others = (one for one in own if one.name not in PROXIES)
    return next(with_gpu, None) or next(others, None) or next(iter(own), None)


def any_began(case: Case) -> bool:
    """Whether some container, init ones included, runs or has run: then sandbox and volumes are there."""
    return any(one.running or one.ended for one in containers(case))


def volume(case: Case, name: str) -> Fields:
    """The pod's volume of that name; empty where the whole pod is not known."""
    return next((one for one in case.detail.each("spec", "volumes") if one.text("name") == name), Fields())


def _of_whole(detail: Fields) -> Iterator[Container]:
    for spec_list, status_list, init in (
        ("initContainers", "initContainerStatuses", True),
        ("containers", "containerStatuses", False),
    ):
        said = {one.text("name"): one for one in detail.each("status", status_list)}
        for spec in detail.each("spec", spec_list):
            name = plain(spec.text("name"))
            sidecar = init and spec.text("restartPolicy") == "Always"
            yield Container(name, spec, said.get(name) or Fields(), init, sidecar)


def _of_record(pod: Pod) -> Iterator[Container]:
    """What the view keeps, in the form of the API; all else of the containers is not known."""
    states = {one.name: one for one in pod.states}
    for kept in pod.containers:
        yield Container(kept.name, Fields(_spec(kept)), Fields(_status(states.get(kept.name))), kept.init, kept.sidecar)


def _spec(kept: Kept) -> dict[str, object]:
    gpus = {name: str(amount) for name, amount in kept.requests.items() if is_gpu_resource(name)}
    return {"name": kept.name, "image": kept.image, "resources": {"requests": gpus}}


def _status(state: ContainerState | None) -> dict[str, object]:
    if state is None:
        return {}
    ended = {"terminated": {"exitCode": state.exit_code, "reason": state.terminated}} if state.terminated else {}
    status: dict[str, object] = {"ready": state.ready, "restartCount": state.restarts}
    if state.waiting:
        return status | {"state": {"waiting": {"reason": state.waiting}}, "lastState": ended}
    return status | {"state": ended or {"running": {}}}
