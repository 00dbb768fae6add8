"""Further flags that the model's recipe has: code of its own, the form of chat templates."""

from collections.abc import Iterator

from bot.domain.text import inert
from bot.serving.advice.advice import Advice, Remark, Setup


def judge(setup: Setup) -> Iterator[Remark]:
    for argument in setup.support.arguments if setup.support is not None else ():
        name, _, wanted = argument.removeprefix("--").partition("=")
        now = setup.flag(name)
        if (now is None and not setup.lacks(name)) or (now is not None and now == (wanted or now)):
            continue
        title = setup.model.title if setup.model else "the model"
        yield Remark(name, inert(now, 40) if now else "not set", wanted or "set", f"{title} is served with it")


ADVICE = Advice("further", judge, __doc__ or "")
