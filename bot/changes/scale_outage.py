"""What ends where the last replica goes: the model, and the services that have nobody behind them then."""

from collections.abc import Iterator

from bot.changes.outage import model_of
from bot.domain.view import View
from bot.domain.words import count, names
from bot.scaling.preview import Preview
from bot.why.models import serving

SHOWN = 4


def outage(view: View, told: Preview) -> tuple[str, ...]:
    """Only of a scale to none."""
    return tuple(_outage(view, told)) if told.now.wanted and not told.wanted else ()


def _outage(view: View, told: Preview) -> Iterator[str]:
    if model := model_of(told.thing.fields):
        others = [one.key for one in serving(view, model) if one.thing is not None and one.key != told.thing.key]
        verb = "serves" if len(others) == 1 else "serve"
        still = f"; {names(others)} {verb} it, too" if others else ", nobody else here does"
        ready = count(told.now.ready, "ready replica")
        yield f"Model {model} is served no more by {told.thing.key} ({ready} now){still}"
    if left := sorted(_left_alone(view, told)):
        verb = "has" if len(left) == 1 else "have"
        yield f"Service {names(left, SHOWN)} {verb} no pod behind it then: its users get connection errors"


def _left_alone(view: View, told: Preview) -> Iterator[str]:
    """Services that select pods of this object and no others."""
    namespace, going = told.thing.namespace, {pod.key for pod in told.now.pods}
    labels = [pod.labels for pod in told.now.pods]
    beside = [pod.labels for pod in view.pods.values() if pod.namespace == namespace and pod.key not in going]
    for service in view.things("services").values():
        wanted = service.fields.map("spec", "selector").items() if service.namespace == namespace else ()
        if wanted and any(wanted <= one.items() for one in labels) and not any(wanted <= one.items() for one in beside):
            yield service.name
