"""Which GPU an index is, remembered: a lost one does not tell its uuid any more."""

from typing import Any

KEYS = ("uuid", "name", "serial", "pciInfo", "minorNumber", "numaNodeId")
Gpu = dict[str, Any]


def identities(gpus: list[Gpu]) -> dict[int, Gpu]:
    """Index → what says which GPU it is."""
    return {gpu["index"]: {key: gpu[key] for key in KEYS if key in gpu} for gpu in gpus if "uuid" in gpu}


def identified(gpus: list[Gpu], known: dict[int, Gpu]) -> list[Gpu]:
    """GPUs that do not say who they are get what is known of their index, unless another one has that uuid now."""
    present = {gpu["uuid"] for gpu in gpus if "uuid" in gpu}
    return [_identified(gpu, known.get(gpu["index"], {}), present) for gpu in gpus]


def _identified(gpu: Gpu, known: Gpu, present: set[str]) -> Gpu:
    if "uuid" in gpu or not known or known["uuid"] in present:
        return gpu
    return known | gpu
