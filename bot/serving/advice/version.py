"""The engine's version: too old for the model, or older than advised."""

from collections.abc import Iterator

from bot.serving.advice.advice import Advice, Remark, Setup


def judge(setup: Setup) -> Iterator[Remark]:
    support, version, model = setup.support, setup.version, setup.model
    if support is None or version is None or model is None:
        return
    if version < support.first:
        because = f"older releases of {setup.engine} cannot serve {model.title}"
        yield Remark("version", f"{setup.engine} {version}", f"{support.first} at least", because, grave=True)
    elif version < support.advised:
        because = f"it can serve {model.title}, and later releases do so with fewer faults or less memory"
        yield Remark("version", f"{setup.engine} {version}", f"{support.advised} or later", because)


ADVICE = Advice("version", judge, __doc__ or "")
