"""One GPU from several readings: the agent's word, and the exporter's for what the agent did not tell."""

from collections.abc import Iterable

import msgspec

from bot.domain.gpu_reading import EccCounts, GpuReading, RemappedRows

_NESTED = (EccCounts, RemappedRows)


def gpus(first: tuple[GpuReading, ...], second: tuple[GpuReading, ...]) -> tuple[GpuReading, ...]:
    """All GPUs of both; of one that both know, what the first does not tell is taken from the second."""
    known = [_filled(one, other) if (other := find(second, one)) else one for one in first]
    only_second = [one for one in second if not find(first, one)]
    return tuple(sorted((*known, *only_second), key=lambda gpu: gpu.index))


def find(among: Iterable[GpuReading], gpu: GpuReading) -> GpuReading | None:
    """The same GPU: by its UUID, and by its place only where one of them tells no UUID."""
    for one in among:
        if one.uuid == gpu.uuid if one.uuid and gpu.uuid else one.index == gpu.index:
            return one
    return None


def _filled(one: GpuReading, other: GpuReading) -> GpuReading:
    changes = {}
    for name in GpuReading.__struct_fields__:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, _NESTED):
            changes[name] = _filled_part(mine, theirs)
        elif mine is None or mine == "":
            changes[name] = theirs
    return msgspec.structs.replace(one, **changes)


def _filled_part(mine: msgspec.Struct, theirs: msgspec.Struct) -> msgspec.Struct:
    untold = {name: getattr(theirs, name) for name in mine.__struct_fields__ if getattr(mine, name) is None}
    return msgspec.structs.replace(mine, **untold)
