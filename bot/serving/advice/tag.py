"""An image whose tag names no release: the next start may run another version."""

from collections.abc import Iterator

from bot.domain.text import inert
from bot.serving.advice.advice import Advice, Remark, Setup
from bot.serving.engine_pods import version_of_image


def judge(setup: Setup) -> Iterator[Remark]:
    image = setup.image
    if not image or version_of_image(image) or "@sha256:" in image:
        return
    tag = image.rpartition("/")[2].partition(":")[2] or "no tag"
    yield Remark("image", inert(tag, 60), "a tag that names a release", "the next start may run another version")


ADVICE = Advice("tag", judge, __doc__ or "")
