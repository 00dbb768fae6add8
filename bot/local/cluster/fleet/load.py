"""Reads fleet files and says exactly what is wrong with one that is not right."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import yaml

from bot.local.cluster.fleet.duration import parse_duration
from bot.local.cluster.fleet.schema import Fleet, Nodes
from bot.local.cluster.simulator.faults import Faults
from bot.local.cluster.simulator.node_spec import NodeSpec
from bot.local.cluster.simulator.products import PRODUCTS

DATA = Path(__file__).parent / "data"
RANGE = re.compile(r"\[(\d+)-(\d+)\]")
NOT_A_NODE_FIELD = ("names", "age")


class FleetError(Exception):
    """A fleet file cannot be used; the text names the file and the place in it."""


def scenarios() -> list[str]:
    return sorted(path.stem for path in DATA.glob("*.yaml"))


def load_scenario(name: str) -> Fleet:
    """Raises FleetError."""
    path = DATA / f"{name}.yaml"
    if not path.exists():
        raise FleetError(f"there is no scenario {name!r}: {', '.join(scenarios())}")
    return load_fleet(path)


def load_fleet(path: Path) -> Fleet:
    """The file with its parts in one. Raises FleetError."""
    files = _read(path)
    whole = Fleet(
        title=files[-1].title,
        nodes=[n for f in files for n in f.nodes],
        namespaces=[n for f in files for n in f.namespaces],
        priorities=[p for f in files for p in f.priorities],
        workloads=[w for f in files for w in f.workloads],
        objects=[o for f in files for o in f.objects],
        faults=[x for f in files for x in f.faults],
    )
    _check(path, whole)
    return whole


def node_specs(nodes: Nodes) -> list[NodeSpec]:
    """One for each name."""
    fields = {name: getattr(nodes, name) for name in nodes.__struct_fields__ if name not in NOT_A_NODE_FIELD}
    return [NodeSpec(name=name, **fields) for name in expand(nodes.names)]


def expand(names: str) -> list[str]:
    """`gpu-[1-3]` is gpu-1, gpu-2, gpu-3."""
    found = RANGE.search(names)
    if not found:
        return [names]
    return [f"{names[: found.start()]}{n}{names[found.end() :]}" for n in range(int(found[1]), int(found[2]) + 1)]


def _read(path: Path) -> list[Fleet]:
    try:
        fleet = msgspec.convert(yaml.safe_load(path.read_text()), Fleet)
    except FileNotFoundError:
        raise FleetError(f"{path.name}: there is no such file") from None
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise FleetError(f"{path.name}: {error}") from None
    return [*(part for name in fleet.parts for part in _read(path.parent / f"{name}.yaml")), fleet]


def _check(path: Path, fleet: Fleet) -> None:
    problems = list(_problems(fleet))
    if problems:
        raise FleetError(f"{path.name}: {'; '.join(problems)}")


def _problems(fleet: Fleet) -> Iterator[str]:
    names = [name for nodes in fleet.nodes for name in expand(nodes.names)]
    yield from (f"two nodes are named {name}" for name in sorted({n for n in names if names.count(n) > 1}))
    known = {namespace.name for namespace in fleet.namespaces}
    for nodes in fleet.nodes:
        if nodes.product and nodes.product not in PRODUCTS:
            yield f"nodes {nodes.names}: unknown product {nodes.product}"
    for workload in fleet.workloads:
        where = f"{workload.kind} {workload.namespace}/{workload.name}"
        if workload.namespace not in known:
            yield f"{where}: there is no namespace {workload.namespace}"
        yield from (f"{where}: there is no node {host}" for host in workload.hosts if host not in names)
    for fault in fleet.faults:
        if fault.fault not in Faults.names():
            yield f"there is no fault {fault.fault}"
    ages = [x.age for x in fleet.nodes] + [x.age for x in fleet.workloads]
    ages += [x.age for x in fleet.objects] + [x.age for x in fleet.faults]
    for age in ages:
        try:
            parse_duration(age)
        except ValueError as error:
            yield str(error)
