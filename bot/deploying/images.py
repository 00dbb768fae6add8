"""Which image of an engine starts on the drivers of a pool: the usual one, or the build with an older CUDA."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.deploying.candidate import Pool
from bot.deploying.wish import Wish
from bot.domain.version import Version, version
from bot.domain.words import names
from bot.serving.driver import How, cuda_of_image, how, minimum_driver
from bot.serving.matrix import matrix
from bot.serving.model import Release, Support

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Built:
    """An image that starts there, as far as can be told. cuda: None where its name does not tell."""

    name: str
    version: Version
    cuda: Version | None
    warnings: tuple[str, ...] = ()


def built(wish: Wish, support: Support, release: Release, pool: Pool) -> Built | tuple[str, str]:
    """Where none starts: why not, and what would help."""
    asked = wish.image or _named(release, release.version)
    number = _version_of(asked) or release.version
    if number < support.first:
        return (
            f"{support.engine} {_shown(number)} cannot serve {wish.model.title}: {_shown(support.first)} is the first "
            "that can",
            f"Type image={_named(release, release.version)}",
        )
    told = _judged(asked, number, pool)
    if isinstance(told, Built) or wish.image:
        return told
    builds = next((one.builds for one in matrix().images if release.image.endswith(one.name)), {})
    last = told
    for tag, _ in sorted(builds.items(), key=lambda one: one[1], reverse=True):
        other = _judged(f"{asked}-{tag}", number, pool)
        if isinstance(other, Built):
            return Built(other.name, number, other.cuda, (*other.warnings, f"{told[0]}: taken is the build {tag}"))
        last = other
    return last


def _judged(image: str, number: Version, pool: Pool) -> Built | tuple[str, str]:
    cuda = cuda_of_image(image)
    if cuda is None:
        return Built(image, number, None, (f"which CUDA {image} holds is not known: whether it starts is not sure",))
    if pool.driver is None:
        return Built(image, number, cuda, ("no node of it tells its driver: whether the image starts is not sure",))
    way = how(cuda, pool.driver, pool.product)
    if way in (How.NATIVE, How.MINOR, None):
        return Built(image, number, cuda, tuple(_unsure(pool)))
    needs, oldest = minimum_driver(cuda), names(pool.on_driver(pool.driver), _NAMED)
    return (
        f"image {image} holds CUDA {cuda}, which needs driver {needs} or newer; the oldest there is "
        f"{pool.driver} ({oldest})",
        f"Upgrade the driver of {pool.title} to {needs} or newer",
    )


def _unsure(pool: Pool) -> Iterator[str]:
    if None in pool.drivers:
        silent = names(pool.on_driver(None), _NAMED)
        yield f"the driver of {silent} is not known: whether the image starts there is not sure"


def _named(release: Release, number: Version) -> str:
    return f"{release.image}:v{_shown(number)}"


def _version_of(image: str) -> Version | None:
    """By its tag: `v0.33.0-cu129`."""
    tag = image.rpartition(":")[2]
    return version(tag.removeprefix("v")) if tag.removeprefix("v")[:1].isdigit() else None


def _shown(number: Version) -> str:
    return f"{number.major}.{number.minor}.{number.patch}"
