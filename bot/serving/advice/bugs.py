"""Faults of the engine that are known for that model, version, GPU and set-up."""

from collections.abc import Iterator

from bot.serving.advice.advice import Advice, Remark, Setup
from bot.serving.model import Bug

_FP8 = {"fp8", "fp8_e4m3", "fp8_ds_mla"}


def judge(setup: Setup) -> Iterator[Remark]:
    if setup.model is None or setup.version is None:
        return
    for bug in setup.model.bugs:
        if _concerns(bug, setup):
            yield Remark("known fault", f"{setup.engine} {setup.version}", bug.instead, f"{bug.what} ({bug.source})")


def _concerns(bug: Bug, setup: Setup) -> bool:
    version = setup.version
    if bug.engine != setup.engine or version is None:
        return False
    if (bug.first is not None and version < bug.first) or (bug.fixed is not None and version >= bug.fixed):
        return False
    if bug.gpus and setup.generation not in bug.gpus:
        return False
    if bug.when == "bf16-kv":
        return setup.lacks("kv-cache-dtype") or (setup.flag("kv-cache-dtype") or "auto") not in _FP8
    if bug.when == "mtp-with-dbo":
        return setup.mtp is True and setup.flag("enable-dbo") is not None
    return setup.mtp is True if bug.when == "mtp" else not bug.when


ADVICE = Advice("bugs", judge, __doc__ or "")
