"""Which words of a capture are names, found by where they stand: metadata, owners, references, labels, image paths."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bot.adapters.capture.rename import words
from bot.adapters.capture.rename.hosts import holder_of, is_host, is_public


class Named(NamedTuple):
    """A word in a role. `owner` is the name of the object it belongs to, if any."""

    word: str
    role: str
    owner: str = ""


# Fields that refer to an object by its name, wherever they stand, and the role of what they refer to.
REFERENCES = {
    "nodeName": "node",
    "namespace": "ns",
    "claimName": "pvc",
    "volumeName": "pv",
    "secretName": "secret",
    "serviceAccountName": "sa",
    "serviceAccount": "sa",
    "storageClassName": "sc",
    "priorityClassName": "priority",
    "serviceName": "svc",
    "subdomain": "svc",
    "queueName": "lq",
    "clusterQueue": "cq",
    "cohort": "cohort",
    "cohortName": "cohort",
    "nominatedNodeName": "node",
    "host": "node",
    "holderIdentity": "holder",
}
# Fields that hold a reference with a `name` inside.
INSIDE = {
    "configMap": "cm",
    "configMapRef": "cm",
    "configMapKeyRef": "cm",
    "secretRef": "secret",
    "secretKeyRef": "secret",
    "imagePullSecrets": "secret",
}


def names(item: Mapping[str, Any]) -> Iterator[Named]:
    """Every name in one object, its own first. Public ones and words seen before come out too: planning sorts them."""
    kind = item.get("kind", "")
    metadata = item.get("metadata", {})
    if kind != "Event" and isinstance(metadata.get("name"), str):
        owners = [owner for owner in metadata.get("ownerReferences") or () if isinstance(owner, Mapping)]
        yield Named(metadata["name"], _role(kind), str(owners[0].get("name", "")) if owners else "")
    yield from _walk(item, "")


def _role(kind: str) -> str:
    return words.ROLES.get(kind) or kind.lower()


def _walk(value: Any, key: str) -> Iterator[Named]:
    if isinstance(value, list):
        for one in value:
            yield from _walk(one, key)
    elif isinstance(value, dict):
        yield from _fields(value, key)
    elif isinstance(value, str) and value:
        if key in REFERENCES:
            yield Named(value, REFERENCES[key])
        elif key == "image":
            yield from _image(value)


def _fields(fields: dict[str, Any], around: str) -> Iterator[Named]:
    if around in words.MAPS:
        yield from (named for key in fields for named in _domain(key.rpartition("/")[0]))
    if around in words.LABEL_MAPS:
        yield from (named for label, value in fields.items() for named in _label(label, value))
        return
    name, kind, label = fields.get("name"), fields.get("kind"), fields.get("key")
    if isinstance(name, str) and isinstance(kind, str) and around != "metadata":  # an owner, a target, a claim's holder
        yield Named(name, _role(kind))
    if isinstance(name, str) and around in INSIDE:
        yield Named(name, INSIDE[around])
    if isinstance(label, str):  # a requirement, a taint, a toleration
        for value in (fields.get("value"), *(fields.get("values") or ())):
            yield from _label(label, value)
    for inner, value in fields.items():
        yield from _walk(value, inner)


def _label(label: str, value: Any) -> Iterator[Named]:
    if not isinstance(value, str) or not value or label in words.HASH_KEYS:
        return
    domain, slash, _ = label.rpartition("/")
    if slash and is_public(domain) and not words.NAMING_KEYS.fullmatch(label):
        return
    if not words.PUBLIC_VALUE.fullmatch(value) and not words.PUBLIC_MODEL.fullmatch(value) and value not in words.PLAIN:
        yield Named(value, "v")


def _domain(domain: str) -> Iterator[Named]:
    """Who a domain belongs to: people use that word in other places too."""
    if is_host(domain) and not is_public(domain) and (holder := holder_of(domain)):
        yield Named(holder, "org")


def _image(image: str) -> Iterator[Named]:
    """The owners in an image's path; its host is seen where it stands, its last part says what it is."""
    path = image.partition("@")[0].split("/")
    if len(path) > 1 and ("." in path[0] or ":" in path[0]):
        yield from _domain(path[0].partition(":")[0])
        path = path[1:]
    yield from (Named(owner, "org") for owner in path[:-1] if owner not in words.PUBLIC_OWNERS)
