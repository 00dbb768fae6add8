"""Where an engine's metrics are, from the pod's whole object: settings, `--port`, annotations, ports, the usual one.

What the engine was told to listen on counts for more than an annotation, which may name a mesh's own page (istio:
15020 and 15090, path /stats/prometheus). Without any word the engine's default stands (vLLM 8000, SGLang 30000).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.domain.fields import Fields
from bot.serving.arguments import EngineArguments, read_arguments
from bot.serving.engine_pods import Hint, engine_of_image

PORT, PATH, SCHEME = "prometheus.io/port", "prometheus.io/path", "prometheus.io/scheme"
_MESH_PORTS = frozenset({15_020, 15_021, 15_090, 4_191})
_PORT_NAMES = ("metrics", "http-metrics", "http", "api", "http-api", "server", "openai", "serving", "web", "http1")
_DEFAULTS = {"vllm": 8_000, "sglang": 30_000, "tgi": 80, "triton": 8_002}
_METRICS_PORTS = {"triton": ("metrics-port",)}  # engines that tell them on a port of their own
_CONTAINERS_MOST = 16
_PATH_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One page of metrics. `source`: what said so, for people."""

    port: int
    path: str = "/metrics"
    scheme: str = "http"
    container: str = ""
    engine: str = ""
    source: str = ""


def endpoints(pod: Fields, hints: Iterable[Hint] = ()) -> tuple[Endpoint, ...]:
    """Of each engine in the pod, no port twice; none where no container of it is an engine.

    `hints`: from the settings, the first that fits counts.
    """
    told = _hinted(pod, hints)
    if told is not None and told.port is not None:
        return (Endpoint(told.port, _path(told.path), told.scheme or "http", "", told.engine, "settings"),)
    found: dict[int, Endpoint] = {}
    for container in _engines(pod, told):
        one = _of(pod, container, told)
        if one is not None:
            found.setdefault(one.port, one)
    return tuple(found.values())


def arguments(container: Fields) -> EngineArguments:
    """What an engine's container was told; its environment as far as it stands there itself."""
    words = (*_texts(container, "command"), *_texts(container, "args"))
    known = {one.text("name"): one.text("value") for one in container.each("env") if one.text("name")}
    return read_arguments(words, known, container.text("image"))


def _engines(pod: Fields, told: Hint | None) -> Iterator[Fields]:
    containers = list(pod.each("spec", "containers"))[:_CONTAINERS_MOST]
    found = [one for one in containers if engine_of_image(one.text("image")) or arguments(one).engine]
    if not found and told is not None:
        found = containers[:1]
    yield from found


def _of(pod: Fields, container: Fields, told: Hint | None) -> Endpoint | None:
    engine = engine_of_image(container.text("image")) or arguments(container).engine
    ports = dict(_ports(container))
    annotations = pod.map("metadata", "annotations")
    path = _path(told.path if told else "")
    for port, source in _candidates(container, engine, ports, annotations):
        if port is None or not 0 < port < 65_536:
            continue
        by_annotation = _whole(annotations.get(PORT)) == port
        if by_annotation and not (told and told.path):
            path = _path(annotations.get(PATH, ""))
        scheme = annotations.get(SCHEME, "") if by_annotation else ""
        secure = "ssl-certfile" in arguments(container).flags
        scheme = (told.scheme if told else "") or ("https" if scheme == "https" or secure else "http")
        return Endpoint(port, path, scheme, container.text("name"), engine, source)
    return None


def _candidates(
    container: Fields, engine: str, ports: Mapping[str, int], annotations: Mapping[str, str]
) -> Iterator[tuple[int | None, str]]:
    """The best first."""
    flags = arguments(container).flags
    for flag in _METRICS_PORTS.get(engine, ("port",)):
        yield _whole(flags.get(flag)), f"--{flag}"
    annotated = _whole(annotations.get(PORT))
    if annotated not in _MESH_PORTS and (not ports or annotated in ports.values()):
        yield annotated, f"annotation {PORT}"
    if engine == "triton":
        yield ports.get("metrics"), "port metrics"
    else:
        yield from ((ports.get(name), f"port {name}") for name in _PORT_NAMES)
        yield (next(iter(ports.values())) if len(ports) == 1 else None), "its only port"
    yield _DEFAULTS.get(engine), "the engine's default"
    yield next(iter(ports.values()), None), "its first port"


def _ports(container: Fields) -> Iterator[tuple[str, int]]:
    for place, one in enumerate(container.each("ports")):
        number = one.number("containerPort")
        if number is not None and one.text("protocol") in ("", "TCP"):
            yield one.text("name") or f"#{place}", number


def _hinted(pod: Fields, hints: Iterable[Hint]) -> Hint | None:
    labels = pod.map("metadata", "labels")
    namespace = pod.text("metadata", "namespace")
    return next((one for one in hints if one.fits_labels(namespace, labels)), None)


def _path(text: str) -> str:
    """A path on the same pod, whatever somebody wrote."""
    plain = text.strip().lstrip("/")[:_PATH_LONGEST]
    return f"/{plain}" if plain and plain.isascii() and plain.isprintable() and " " not in plain else "/metrics"


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= 5 else None


def _texts(container: Fields, name: str) -> list[str]:
    found: Any = container.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
