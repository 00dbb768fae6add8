"""Whether pods of that template can be made at all: what their namespace, and the API server's last answer, say."""

from collections.abc import Iterator

from bot.domain.evidence import ObjectRef
from bot.scaling.ration import Ration
from bot.scaling.standing import Standing
from bot.why.admission_errors import Kind, parse
from bot.why.makers import Failure, failure, makers
from bot.why.shell import kubectl, quoted

_NAMED = (
    ("PriorityClass", "priorityclasses", False, "priorityClassName"),
    ("ServiceAccount", "serviceaccounts", True, "serviceAccountName"),
    ("RuntimeClass", "runtimeclasses", False, "runtimeClassName"),
)
_LEFT = "See what its deletion waits for"
PASSING = frozenset({Kind.QUOTA, Kind.EXISTS, Kind.OVERLOADED})  # quotas are added up; the others may be over


def wanted(now_in: str) -> ObjectRef:
    """`now_in`: the namespace, of which views keep no time of deletion."""
    return ObjectRef("Namespace", "", now_in)


def of_namespace(now: Standing) -> Iterator[Ration]:
    view, name = now.case.view, now.thing.namespace
    if name not in view.namespaces and view.knows("namespaces") and view.namespaces:
        yield Ration(0, f"namespace {name} does not exist", "namespace")
    elif now.case.evidence.object("Namespace", "", name).text("metadata", "deletionTimestamp"):
        why = f"namespace {name} is being deleted, and no pod can be made in it any more"
        yield Ration(0, why, "namespace", kubectl("get", "namespace", name, "-o", "yaml"), shows=_LEFT)


def of_names(now: Standing) -> Iterator[Ration]:
    """Admission looks up what the template names: kubernetes:plugin/pkg/admission/{priority,serviceaccount}."""
    for spec in now.template_specs:
        for kind, table, place, named in _NAMED:
            name = spec.text(named)
            key = f"{now.thing.namespace}/{name}" if place else name
            there = now.case.view.tables.get(table, {})
            if name and not _built_in(name) and now.case.view.knows(table) and key not in there:
                look = kubectl("get", table, namespace=now.thing.namespace if place else "")
                yield Ration(
                    0,
                    f"its template names {kind} `{name}`, and there is none of that name",
                    "name",
                    look,
                    shows="See which there are",
                )


def _built_in(name: str) -> bool:
    """Made by the API server itself; files may leave them out."""
    return name == "default" or name.startswith("system-")


def of_last_refusal(now: Standing) -> Iterator[Ration]:
    """Pods that are asked for already are refused, for a reason that holds for those to come as well."""
    told = _refusal(now)
    if told is not None:
        refusal = parse(told.message)
        if refusal.kind not in PASSING:
            why = f"the API server refuses its pods already: {quoted(refusal.text, 240)}"
            look = kubectl("describe", now.maker.title, namespace=now.thing.namespace)
            yield Ration(0, why, "refused", look, shows="See what it was told")


def _refusal(now: Standing) -> Failure | None:
    found = (failure(now.case, one) for one in makers(now.case) if one.thing.key == now.maker.key)
    return next((one for one in found if one is not None), None)
