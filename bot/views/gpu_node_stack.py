"""What stands between a node's cards and a pod, bottom up, one line each: the node, its cards, driver, CUDA, toolkit,
runtime, who manages them, device plugin, and what keeps pods away."""

from collections.abc import Iterator
from datetime import datetime

from bot.checks.scene import Scene
from bot.domain.document import Code, Line, Span, line
from bot.domain.pod import Pod
from bot.domain.words import duration, names
from bot.gpu import cordon
from bot.gpu.kind import product_label, sharing_of
from bot.gpu.stack.link import Link
from bot.gpu.stack.manager import By, image_tag, manager
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.vendor import NVIDIA
from bot.views import gpu_driver, gpu_past
from bot.views.gpu_node_findings import offered

_BESIDE = (Link.VALIDATOR, Link.GPU_FEATURES, Link.EXPORTER, Link.DCGM, Link.MIG_MANAGER, Link.FABRIC_MANAGER)
_LABELS = ("gpu.product", "gpu.count", "mig.config", "mig.config.state", "gpu.clique", "gpu-driver-upgrade-state")
_DEPLOY = "nvidia.com/gpu.deploy."
LABEL_MAX = 60


def lines(scene: Scene, now: datetime) -> tuple[Line, ...]:
    """Of a node without GPUs only what any node has."""
    found = [_node(scene)]
    if scene.sight.expected is not None or scene.sight.gpus is not None:
        found.append(_cards(scene))
        found += list(_software(scene, now))
    return (*found, *_pods(scene))


def _node(scene: Scene) -> Line:
    node = scene.node
    condition = node.condition("Ready")
    state = {True: "Ready", False: "not Ready", None: "silent"}[node.ready]
    age = scene.sight.age(condition.since) if condition else None
    facts = (
        f"{state}{f' for {duration(age)}' if age else ''}",
        f"kubelet {node.kubelet_version}" if node.kubelet_version else "",
        f"kernel {node.kernel_version}" if node.kernel_version else "",
        node.os_image,
        node.labels.get("node.kubernetes.io/instance-type", ""),
    )
    return line(f"node: {_joined(facts)}")


def _cards(scene: Scene) -> Line:
    """What is there, what is offered of it, how it is shared."""
    sight = scene.sight
    rows = [offered(row) for row in sight.gpus.rows] if sight.gpus else []
    memory = next((gpu.memory_total_bytes for gpu in scene.gpus if gpu.memory_total_bytes), None)
    told = sight.expected
    should = f"{told.count} expected by {told.source}" if told and told.count and not rows else ""
    facts = (
        "; ".join(rows) or "none is offered",
        f"{memory / 2**30:.0f} GiB each" if memory else "",
        _shared(scene),
        should.replace("`", ""),
    )
    return line(f"cards: {_joined(facts)}")


def _shared(scene: Scene) -> str:
    """Time-slicing, and MPS without limits."""
    shared = any(amount and sharing_of(name, scene.node.labels) for name, amount in scene.node.capacity.items())
    return "memory is not kept apart between shares" if shared else ""


def _software(scene: Scene, now: datetime) -> Iterator[Line]:
    if scene.sight.vendor is NVIDIA:
        yield line(f"driver: {_driver(scene, now)}")
        yield line(f"CUDA: {_cuda(scene)}")
        yield line(f"toolkit: {_toolkit(scene)}")
    yield line(f"runtime: {_runtime(scene)}")
    yield line(f"managed by: {manager(scene.sight).told}")
    yield line(f"plugin: {_plugin(scene)}")
    if before := gpu_past.of_node(scene.past, now):
        yield line(f"before: {before}")
    if beside := [_pod(link, pod) for link in _BESIDE for pod in scene.sight.links.get(link, ())]:
        yield line(f"beside: {', '.join(beside)}")
    yield _labels(scene)


def _driver(scene: Scene, now: datetime) -> str:
    text = scene.driver_version
    pod = _first(scene, Link.DRIVER)
    where = _state(pod) if pod else "on the host (no driver pod)" if text else "no driver pod"
    return _joined((text or "version not told", gpu_driver.supported(text, now.date()), where))


def _cuda(scene: Scene) -> str:
    """As the driver itself says, else the newest that it was made for."""
    said = scene.agent.cuda_version if scene.agent else None
    newest = f"{said[0]}.{said[1]}" if said else gpu_driver.cuda(scene.driver_version)
    newest = newest or scene.node.labels.get("nvidia.com/cuda.runtime-version.full", "")
    return _joined((newest or "not told", gpu_driver.starts(scene.driver_version, product(scene))))


def product(scene: Scene) -> str:
    """As the driver names its first GPU, else as a label does."""
    return next((gpu.name for gpu in scene.gpus if gpu.name), "") or product_label(scene.node.labels)


def _toolkit(scene: Scene) -> str:
    pod = _first(scene, Link.TOOLKIT)
    if pod is not None:
        return _joined((_tag(pod), _state(pod)))
    by_operator = manager(scene.sight).by is By.OPERATOR
    return "no pod of it there" if by_operator else "no pod, so it has to be on the host"


def _runtime(scene: Scene) -> str:
    if not scene.view.knows("runtimeclasses"):
        classes = "runtime classes were not read"
    else:
        found = [
            one.name
            for one in scene.view.things("runtimeclasses").values()
            if "nvidia" in one.fields.text("handler") or "nvidia" in one.name
        ]
        classes = f"runtime class {names(sorted(found))}" if found else "no runtime class for GPUs"
    return _joined((scene.node.runtime_version.replace("://", " "), classes))


def _plugin(scene: Scene) -> str:
    pods = [*scene.sight.links.get(Link.DEVICE_PLUGIN, ()), *scene.sight.links.get(Link.DRA_DRIVER, ())]
    told = [_joined((f"{pod.key}", _tag(pod), _state(pod))) for pod in pods[:2]]
    return "; ".join(told) or "no pod of it there"


def _labels(scene: Scene) -> Line:
    labels = scene.node.labels
    told = [f"{key}={labels[f'nvidia.com/{key}']}"[:LABEL_MAX] for key in _LABELS if labels.get(f"nvidia.com/{key}")]
    paused = [
        key.removeprefix("nvidia.com/")
        for key, value in labels.items()
        if key.startswith(_DEPLOY) and "paused" in value
    ]
    told += [f"{key}={labels[f'nvidia.com/{key}']}" for key in paused]
    if not told:
        return line("labels: none of nvidia.com/ that describes its GPUs")
    spans: list[Span] = ["labels (nvidia.com/): "]
    for index, text in enumerate(told):
        spans += [", "] * bool(index) + [Code(text)]
    return tuple(spans)


def _pods(scene: Scene) -> Iterator[Line]:
    """What keeps new pods away."""
    taints = [str(one) for one in scene.node.taints]
    if taints:
        spans: list[Span] = ["taints: "]
        for index, text in enumerate(taints[:4]):
            spans += [", "] * bool(index) + [Code(text)]
        yield (*spans, *((f" and {len(taints) - 4} more",) if len(taints) > 4 else ()))
    else:
        yield line("taints: none")
    if scene.node.unschedulable:
        yield line(
            f"cordoned {cordon.who(scene.node) or 'and nothing on it tells by whom'}".replace(
                "cordoned by", "cordoned: by"
            )
        )


def _pod(link: Link, pod: Pod) -> str:
    return f"{link}" if stuck(pod) is None else f"{link} not ready ({_held(pod)})"


def _first(scene: Scene, link: Link) -> Pod | None:
    return next(iter(scene.sight.links.get(link, ())), None)


def _tag(pod: Pod) -> str:
    return next((tag for one in pod.containers if not one.init and (tag := image_tag(one.image))), "")


def _state(pod: Pod) -> str:
    return "ready" if stuck(pod) is None else f"not ready ({_held(pod)})"


def _held(pod: Pod) -> str:
    held = stuck(pod)
    if held is None:
        return ""
    what = held.waiting or held.terminated or "running, not ready yet"
    return f"{what}, {held.restarts} restarts" if held.restarts else what


def _joined(facts: tuple[str, ...]) -> str:
    return " · ".join(fact for fact in facts if fact)
