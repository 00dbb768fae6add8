"""A length that is more than the model was made for: answers beyond it are of no use, and the cache pays for it."""

from collections.abc import Iterator

from bot.serving.advice.advice import Advice, Remark, Setup


def judge(setup: Setup) -> Iterator[Remark]:
    wanted = setup.told.max_model_len
    if setup.variant is None or wanted is None or wanted <= setup.variant.context_tokens:
        return
    most = f"{setup.variant.context_tokens:,}"
    yield Remark("context", f"{wanted:,} tokens", f"{most} at most", "the engine refuses it, or writes nonsense", True)


ADVICE = Advice("context", judge, __doc__ or "")
