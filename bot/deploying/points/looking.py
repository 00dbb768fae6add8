"""What the points look up because it is not kept: the storage classes in full, of which one may be the default."""

from bot.domain.evidence import Evidence, ObjectRef, Wanted
from bot.domain.view import View
from bot.why.existing_volumes import DEFAULT_CLASS

MOST_CLASSES = 12


def wanted(view: View) -> Wanted:
    if len(view.storageclasses) > MOST_CLASSES:
        return Wanted()
    return Wanted(tuple(map(_ref, sorted(view.storageclasses))))


def default_class(view: View, evidence: Evidence) -> str | None:
    """Its name; empty where there is none for certain; None where that is not known."""
    found = {name: evidence.objects.get(_ref(name)) for name in sorted(view.storageclasses)}
    for name, told in found.items():
        if told is not None and told.map("metadata", "annotations").get(DEFAULT_CLASS) == "true":
            return name
    return None if any(told is None for told in found.values()) else ""


def _ref(name: str) -> ObjectRef:
    return ObjectRef("StorageClass", "", name)
