"""Which workloads would be left without a replica that serves, when these pods go."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bot.changes.pods import serves
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu.kind import gpus_of
from bot.gpu.owners import top_owner
from bot.serving.arguments import read_arguments

_TEMPLATES = (
    ("spec", "template", "spec"),
    ("spec", "leaderWorkerTemplate", "workerTemplate", "spec"),
    ("spec", "predictor"),
)


@dataclass(frozen=True, slots=True)
class Loss:
    """One owner: how many of its pods go, and how many that serve are left elsewhere. `model` where its engine says."""

    namespace: str
    kind: str
    name: str
    pods: tuple[Pod, ...]
    left: int
    model: str = ""

    @property
    def last(self) -> bool:
        """Whether the last replica that serves is among those that go."""
        return not self.left and any(serves(pod) for pod in self.pods)

    @property
    def words(self) -> str:
        """`deployment llm/glm (model glm-5.2): 2 pods, 16 GPUs`."""
        model = f" (model {self.model})" if self.model else ""
        gpus = sum(map(gpus_of, self.pods))
        held = f", {count(gpus, 'GPU')}" if gpus else ""
        return f"{self.kind.lower()} {self.namespace}/{self.name}{model}: {count(len(self.pods), 'pod')}{held}"


def losses(view: View, going: Iterable[Pod]) -> tuple[Loss, ...]:
    """One entry for each owner, those with most GPUs first."""
    gone = tuple(going)
    grouped: dict[tuple[str, str, str], list[Pod]] = defaultdict(list)
    for pod in gone:
        grouped[(pod.namespace, *top_owner(view, pod))].append(pod)
    left = _left(view, set(grouped), {pod.key for pod in gone})
    found = [Loss(*owner, tuple(pods), left.get(owner, 0), _model(view, *owner)) for owner, pods in grouped.items()]
    return tuple(sorted(found, key=lambda one: (-sum(map(gpus_of, one.pods)), one.namespace, one.name)))


def _left(view: View, owners: set[tuple[str, str, str]], gone: set[str]) -> dict[tuple[str, str, str], int]:
    spaces = {namespace for namespace, _, _ in owners}
    found: dict[tuple[str, str, str], int] = defaultdict(int)
    for pod in view.pods.values():
        if pod.namespace in spaces and pod.node and pod.key not in gone and serves(pod):
            found[(pod.namespace, *top_owner(view, pod))] += 1
    return found


def _model(view: View, namespace: str, kind: str, name: str) -> str:
    thing = view.thing(kind, namespace, name)
    return model_of(thing.fields) if thing is not None else ""


def model_of(fields: Fields) -> str:
    """The name under which an engine in that template serves; empty where no command line says."""
    for path in _TEMPLATES:
        for container in fields.at(*path).each("containers"):
            environment = {one.text("name"): one.text("value") for one in container.each("env")}
            told = read_arguments((*container.texts("command"), *container.texts("args")), environment)
            if name := told.served_name or told.model.rstrip("/").rpartition("/")[2]:
                return name
    return ""
