"""From what the kubelet gave out to GPUs and slices of the reading. Pure.

Ids of devices: `GPU-…` and `MIG-…` (NVIDIA/k8s-device-plugin), with `::2` behind them where a GPU is shared in time; an
index with that plugin's `index` strategy; `nvidia0`, `nvidia0/gi1`, `nvidia0/vgpu3` on GKE
(GoogleCloudPlatform/container-engine-accelerators); `gpu-0`, `gpu-0-mig-9-4-4` of the DRA driver.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.agent.pods.kubelet import Given

_GKE = re.compile(r"nvidia(?P<minor>\d{1,3})(?:/gi(?P<instance>\d{1,3}))?(?:/vgpu\d{1,3})?")
_DRA = re.compile(r"gpu-(?P<minor>\d{1,3})(?:-mig-\d{1,3}-\d{1,3}-\d{1,3})?")
Gpu = dict[str, Any]


@dataclass(slots=True)
class Holders:
    """Pods by GPU index, and by the uuid of a slice."""

    of_gpu: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    of_slice: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def holders(given: Iterable[Given], gpus: Iterable[Gpu]) -> Holders:
    gpus = list(gpus)
    found = Holders()
    for one in given:
        for gpu in gpus:
            if _add(one, gpu, found):
                break
    return found


def _add(one: Given, gpu: Gpu, found: Holders) -> bool:
    device = one.device.partition("::")[0]
    cut = next((each for each in gpu.get("migDevices", ()) if _is_slice(device, each, gpu)), None)
    if cut is None and not _is_gpu(device, gpu):
        return False
    found.of_gpu[gpu["index"]].add(one.pod)
    if cut is not None:
        found.of_slice[cut["uuid"]].add(one.pod)
    return True


def _is_gpu(device: str, gpu: Gpu) -> bool:
    if device == gpu.get("uuid") or device == str(gpu["index"]):
        return True
    match = _GKE.fullmatch(device) or _DRA.fullmatch(device)
    return match is not None and int(match["minor"]) == gpu.get("minorNumber")


def _is_slice(device: str, cut: dict[str, Any], gpu: Gpu) -> bool:
    if "uuid" not in cut:
        return False
    if device == cut["uuid"]:
        return True
    match = _GKE.fullmatch(device)
    return (
        match is not None
        and match["instance"] is not None
        and int(match["minor"]) == gpu.get("minorNumber")
        and int(match["instance"]) == cut.get("gpuInstanceId")
    )


def with_pods(gpu: Gpu, found: Holders) -> Gpu:
    """That GPU with the pods that have it; a slice has `pod` where exactly one has it."""
    told = gpu | {"pods": sorted(found.of_gpu.get(gpu["index"], ()))}
    if slices := gpu.get("migDevices"):
        told["migDevices"] = [_slice_with_pods(cut, found.of_slice.get(cut.get("uuid", ""), set())) for cut in slices]
    return told


def _slice_with_pods(cut: dict[str, Any], pods: set[str]) -> dict[str, Any]:
    single = {"pod": next(iter(pods))} if len(pods) == 1 else {}
    return cut | {"pods": sorted(pods)} | single
