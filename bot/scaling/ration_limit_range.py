"""LimitRanges that no pod of the template gets past: kubernetes:plugin/pkg/admission/limitranger."""

from collections.abc import Iterable, Iterator, Mapping

from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.scaling.ration import Ration
from bot.scaling.standing import Standing
from bot.why.amounts import amounts_of, number, said
from bot.why.shell import kubectl


def of_limit_ranges(now: Standing) -> Iterator[Ration]:
    containers = [container for spec in now.template_specs for container in spec.each("containers")]
    for one in now.case.view.things("limitranges").values():
        if one.namespace != now.thing.namespace:
            continue
        for item in one.fields.each("spec", "limits"):
            if item.text("type") == "Container":
                yield from _too_large(one, amounts_of(item.map("max")), containers)


def _too_large(limit: Thing, most: Mapping[str, int], containers: Iterable[Fields]) -> Iterator[Ration]:
    for container in containers:
        asked = amounts_of({**container.map("resources", "requests"), **container.map("resources", "limits")})
        for resource in sorted(most.keys() & asked.keys()):
            if asked[resource] > most[resource]:
                yield Ration(
                    0,
                    f"LimitRange `{limit.name}` of namespace {limit.namespace} allows a container "
                    f"{said(resource, most[resource])} at most and `{container.text('name')}` asks for "
                    f"{number(resource, asked[resource])}",
                    "limit-range",
                    kubectl("describe", "limitrange", limit.name, namespace=limit.namespace),
                    shows="See what it allows",
                )
