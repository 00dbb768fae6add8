"""Who owns `replicas`: the autoscaler that sets them, in one form for HPA, KEDA and Knative.

kubernetes/api:autoscaling/v2/types.go; kedacore/keda:apis/keda/v1alpha1/scaledobject_types.go;
knative/serving:pkg/apis/autoscaling/register.go (annotations).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.why.case import Case

KNATIVE = "autoscaling.knative.dev"
KEDA_PAUSED = "autoscaling.keda.sh/paused-replicas"
KSERVE = "serving.kserve.io/inferenceservice"
KNATIVE_REVISION = "serving.knative.dev/revision"
KNATIVE_SERVICE = "serving.knative.dev/service"
KEDA_COOLDOWN_SECONDS = 300
KNATIVE_WINDOW = "60s"
APPLIERS = (  # label or annotation → who writes the object again and again
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
    ("meta.helm.sh/release-name", "Helm"),
)


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """`least` and `most` replicas; None where it does not say. `window`: after which quiet time it scales down."""

    thing: Thing
    fields: Fields
    sort: str  # HPA, KEDA or Knative
    least: int | None
    most: int | None
    window: str = ""

    @property
    def title(self) -> str:
        names = {"HPA": "HPA", "KEDA": "ScaledObject", "Knative": "Knative autoscaler"}
        return f"{names[self.sort]} `{self.thing.name}`"

    @property
    def to_zero(self) -> bool:
        return self.least == 0


def autoscalers(case: Case, target: Thing) -> Iterator[Autoscaler]:
    """Those that set the replicas of this object."""
    for hpa in _aiming(case, "horizontalpodautoscalers", target):
        fields = case.fields(hpa)
        least = fields.number("spec", "minReplicas")
        yield Autoscaler(hpa, fields, "HPA", 1 if least is None else least, fields.number("spec", "maxReplicas"))
    for scaled in _aiming(case, "scaledobjects", target):
        yield _keda(scaled, case.fields(scaled))
    knative = list(_aiming(case, "knativeautoscalers", target))
    if not knative and KNATIVE_REVISION in target.labels:
        knative = [target]  # its annotations are those of its autoscaler
    yield from (_knative(one, case.fields(one)) for one in knative)


def applied_by(thing: Thing) -> str:
    """The tool that writes this object again at each of its syncs; empty where nothing says so."""
    both: Mapping[str, str] = {**thing.labels, **thing.annotations}
    return next((who for key, who in APPLIERS if key in both), "")


def _aiming(case: Case, table: str, target: Thing) -> Iterator[Thing]:
    for one in case.view.things(table).values():
        reference = case.fields(one).at("spec", "scaleTargetRef")
        aims_at = (one.namespace, reference.text("kind") or "Deployment", reference.text("name"))
        if aims_at == (target.namespace, target.kind, target.name):
            yield one


def _knative(thing: Thing, fields: Fields) -> Autoscaler:
    told = thing.annotations
    least = _annotated(told, "min-scale", "minScale", unset=0)
    most = _annotated(told, "max-scale", "maxScale", unset=None) or None  # 0: no limit
    return Autoscaler(thing, fields, "Knative", least, most, told.get(f"{KNATIVE}/window", KNATIVE_WINDOW))


def _keda(scaled: Thing, fields: Fields) -> Autoscaler:
    least, most = fields.number("spec", "minReplicaCount"), fields.number("spec", "maxReplicaCount")
    cooldown = fields.number("spec", "cooldownPeriod")
    seconds = KEDA_COOLDOWN_SECONDS if cooldown is None else cooldown
    return Autoscaler(scaled, fields, "KEDA", least or 0, 100 if most is None else most, f"{seconds}s")


def _annotated(told: Mapping[str, str], *keys: str, unset: int | None) -> int | None:
    """Both spellings are in use."""
    value = next((told[f"{KNATIVE}/{key}"] for key in keys if f"{KNATIVE}/{key}" in told), "")
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 8 else unset
