"""What parent and worker say to each other: one JSON object a line, told apart by `kind`."""

from typing import Any

import msgspec

PARENT, BEAT = "GPUBOT_AGENT_PID", "GPUBOT_AGENT_BEAT_SECONDS"  # environment of the worker
LONGEST_BYTES = 8 * 2**20  # one line: a reading of 16 GPUs, cut up and shared, is far below


class Ask(msgspec.Struct, frozen=True, tag_field="kind", tag="ask"):
    """Read all GPUs now. `dear` includes what costs milliseconds: processes, retired pages, slices, links."""

    dear: bool = False


class Reading(msgspec.Struct, frozen=True, tag_field="kind", tag="reading", kw_only=True, rename="camel"):
    """All GPUs once; keys inside `gpus` are those that `bot.gpu.reading` reads."""

    gpus: list[dict[str, Any]]
    driver_version: str = ""
    cuda_driver_version: int | None = None
    nvml_version: str = ""
    dear: bool = False


class Beat(msgspec.Struct, frozen=True, tag_field="kind", tag="beat"):
    """The worker lives; for `seconds` it has been inside `call` (of GPU `gpu`, where it is of one)."""

    call: str
    seconds: float
    gpu: int | None = None


class Xid(msgspec.Struct, frozen=True, tag_field="kind", tag="xid"):
    """An Xid event of NVML: the number alone, NVML has no text for it."""

    code: int
    bus: str = ""
    uuid: str = ""


class Failed(msgspec.Struct, frozen=True, tag_field="kind", tag="failed"):
    """NVML as a whole does not work: the worker ends after this. `error` is NVML's code."""

    call: str
    error: int
    text: str = ""


Said = Reading | Beat | Xid | Failed
_DECODER = msgspec.json.Decoder(Said)


def read(line: bytes) -> Said:
    """Raises msgspec.DecodeError where the line is none of them."""
    return _DECODER.decode(line)
