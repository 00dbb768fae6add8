"""What runs, compared with what the catalogue advises for that model on these GPUs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.deploying.budgets import startup_seconds
from bot.deploying.chips import chip, generation
from bot.domain.errors import UserError
from bot.domain.evidence import Evidence, ObjectRef, Wanted
from bot.domain.version import version as version_of
from bot.scaling.served import Served, pod_template
from bot.serving.advice.advice import Remark, Setup
from bot.serving.advice.collect import remarks
from bot.serving.catalogue import catalogue, find
from bot.serving.model import Model, Variant

MODEL, VARIANT = "gpubot.dev/model", "gpubot.dev/variant"
_LINES_MOST = 200


@dataclass(frozen=True, slots=True)
class Compared:
    """model: of the catalogue; None: it does not know this one. unknown: what could not be compared, and why."""

    model: Model | None
    remarks: tuple[Remark, ...]
    unknown: tuple[str, ...] = ()


def compared(one: Served, product: str, version: str, evidence: Evidence) -> Compared:
    """product: the label of its GPUs; version: as the engine says itself, else as its image's tag does."""
    model, variant = known(one)
    config = _config(one)
    read = _settings(one, config, evidence)
    card = chip(product) if product else None
    setup = Setup(
        engine=one.engine,
        kind=one.thing.kind,
        version=version_of(version) if version else None,
        told=one.told,
        flags={**(read or {}), **one.told.flags},
        owner=one.thing.fields,
        pod=pod_template(one.thing),
        container=one.container,
        unread=str(config) if config is not None and read is None else "",
        generation=generation(card) if card is not None else "",
        start_seconds=startup_seconds(variant.weights_bytes) if variant is not None else 0,
        model=model,
        variant=variant,
        support=variant.support(one.engine) if variant is not None else None,
        image=one.image,
        environment={name: value.text("value") for value in one.container.each("env") if (name := value.text("name"))},
    )
    return Compared(model, remarks(setup), tuple(_unknown(one, setup, product)))


def wanted(one: Served) -> Wanted:
    """The engine's configuration file, where it is a ConfigMap's."""
    config = _config(one)
    return Wanted((config,)) if config is not None and config.kind == "ConfigMap" else Wanted()


def known(one: Served) -> tuple[Model | None, Variant | None]:
    """By the labels of what gpubot deployed, else by the checkpoint's id, the path, the served name."""
    labels = one.thing.labels
    by_label = f"{labels[MODEL]}-{labels.get(VARIANT, '')}" if MODEL in labels else ""
    path = one.told.model.rstrip("/")
    for word in (by_label, path, path.rpartition("/")[2], one.told.served_name):
        if not word:
            continue
        try:
            model, variant = find(catalogue(), word)
        except UserError:
            continue
        return model, variant or _only(model)
    return None, None


def _only(model: Model) -> Variant | None:
    """What people mean where they do not say: the first."""
    return model.variants[0] if model.variants else None


def _config(one: Served) -> ObjectRef | None:
    """Where its `--config` file comes from; of kind `file` where no ConfigMap is mounted there."""
    path = one.told.flags.get("config", "")
    if not path:
        return None
    mounts = [mount for mount in one.container.each("volumeMounts") if path.startswith(mount.text("mountPath") or "-")]
    for mount in mounts:
        for volume in pod_template(one.thing).each("volumes"):
            name = volume.text("configMap", "name")
            if name and volume.text("name") == mount.text("name"):
                return ObjectRef("ConfigMap", one.thing.namespace, name)
    return ObjectRef("file", "", path)


def _settings(one: Served, config: ObjectRef | None, evidence: Evidence) -> dict[str, str] | None:
    """`name: value`, one a line; None where it could not be read."""
    found = evidence.objects.get(config) if config is not None else None
    if found is None:
        return None
    file = one.told.flags.get("config", "").rpartition("/")[2]
    data: Mapping[str, str] = found.map("data")
    text = data.get(file) or next(iter(data.values()), "")
    pairs = (line.partition(":") for line in text.splitlines()[:_LINES_MOST] if line[:1] not in ("#", " ", "-", ""))
    return {name.strip().replace("_", "-"): value.strip().strip("'\"") for name, _, value in pairs}


def _unknown(one: Served, setup: Setup, product: str) -> Iterator[str]:
    if setup.model is None:
        yield f"the catalogue has no model {one.model}: its parsers, cache and version are not compared"
    elif setup.support is None:
        yield f"the catalogue says nothing of {setup.model.title} on {one.engine or 'this engine'}"
    elif setup.version is None:
        yield "which version of the engine runs: neither the engine nor its image's tag says"
    if setup.unread:
        yield f"{setup.unread}, which holds more of its settings, was not read: flags that are not set are not told"
    if setup.model is not None and not setup.generation:
        yield f"which GPUs it runs on{f' ({product})' if product else ''}: what its cache is kept in is not compared"
