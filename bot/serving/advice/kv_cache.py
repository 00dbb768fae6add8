"""What the cache of keys and values is kept in: FP8 takes half the room, where GPU and model allow it.

`auto` of vLLM means BF16 on Hopper for models with sparse attention (vllm-project/vllm 0.33).
"""

from collections.abc import Iterator

from bot.domain.text import inert
from bot.serving.advice.advice import Advice, Remark, Setup

_FP8 = {"fp8", "fp8_e4m3", "fp8_ds_mla"}


def judge(setup: Setup) -> Iterator[Remark]:
    support = setup.support
    if support is None or not setup.generation:
        return
    wanted = support.kv_dtypes.get(setup.generation) or support.kv_dtypes.get("usual", "")
    now = setup.flag("kv-cache-dtype")
    if not wanted or (now is None and not setup.lacks("kv-cache-dtype")):
        return
    kept = (now or "auto").lower()
    if kept == wanted or {kept, wanted} <= _FP8:
        return
    if wanted == "auto" and kept in _FP8:
        yield Remark("kv-cache-dtype", inert(kept, 30), "auto", f"on {setup.generation.upper()} FP8 is no gain here")
    elif wanted in _FP8 and not (kept == "auto" and setup.generation == "blackwell"):
        yield Remark("kv-cache-dtype", inert(kept, 30), wanted, "the same memory holds almost twice the tokens")


ADVICE = Advice("kv_cache", judge, __doc__ or "")
