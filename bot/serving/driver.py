"""Which NVIDIA driver a CUDA version needs, and what image tags say about the CUDA inside.

Two minimums (docs.nvidia.com/deploy/cuda-compatibility): of the major version, which is what a container needs to
start, and of the toolkit itself, which PTX that is compiled at run time needs. config/drivers.yaml has both tables.
"""

import enum
import re
from functools import cache

from bot.domain.pattern import Pattern
from bot.domain.version import Version, version
from bot.serving.matrix import Image, matrix

__all__ = ("How", "Version", "cuda_of_image", "decode", "how", "minimum_driver", "newest_cuda", "starts_on", "version")

_CU = Pattern(r"(?<![a-z])cu(1[0-9])(\d)(?!\d)")  # cu129, cu130
_CUDA = Pattern(r"(?<![a-z])cuda[-_]?(1[0-9])(?:[._](\d{1,2}))?(?![\d])")  # cuda13, cuda12.8
_BARE = Pattern(r"(?:^|[-_])(1[1-9])\.(\d)(?:\.\d)?(?=$|[-_])")


class How(enum.StrEnum):
    """How a container with some CUDA runs on some driver."""

    NATIVE = "yes"  # the driver is as new as the toolkit's own
    MINOR = "minor-version compatibility"  # starts; PTX that is compiled at run time may not
    FORWARD = "forward compatibility"  # only with a compatibility package in the image, on such a GPU
    PERHAPS = "perhaps forward compatibility"  # whether such a package works on that GPU is not known
    NO = "no"


def decode(number: int | str) -> Version | None:
    """CUDA's own number: 12040 is 12.4 (cudaDriverGetVersion)."""
    text = str(number).strip()
    if not text.isascii() or not text.isdigit() or not 4 <= len(text) <= 6:
        return None
    value = int(text)
    return Version(value // 1000, value % 1000 // 10)


def minimum_driver(cuda: Version) -> Version | None:
    """The oldest driver on which a container with that CUDA starts (minor-version compatibility)."""
    return matrix().families.get(cuda.major)


def toolkit_driver(cuda: Version) -> Version | None:
    """The oldest driver that compiles that toolkit's PTX; None for a version that is not in the table."""
    return matrix().toolkits.get(Version(cuda.major, cuda.minor))


def newest_cuda(driver: Version) -> Version | None:
    """The CUDA version a driver was made for: 550.144.03 gives 12.4."""
    return next((cuda for cuda, needed in matrix().toolkits.items() if driver >= needed), None)


def starts_on(cuda: Version, driver: Version) -> bool | None:
    """Whether a container with that CUDA starts on that driver without a compatibility package; None if unknown."""
    needed = minimum_driver(cuda)
    return None if needed is None else driver >= needed


def how(cuda: Version, driver: Version, product: str) -> How | None:
    """How such a container runs on that GPU (as the driver names it); None where the tables do not know that CUDA."""
    starts = starts_on(cuda, driver)
    if starts is None:
        return None
    if not starts:
        return _forward(product)
    own = toolkit_driver(cuda)
    return How.NATIVE if own is not None and driver >= own else How.MINOR


def _forward(product: str) -> How:
    """A compatibility package works on data-centre GPUs, on some RTX boards, and on no others."""
    name = " ".join(product.replace("-", " ").split()).casefold()
    known = matrix().forward
    if _says(name, known.never):
        return How.NO
    if not name or _says(name, known.some):
        return How.PERHAPS
    return How.FORWARD if _says(name, known.data_centre) else How.PERHAPS


def _says(name: str, parts: tuple[str, ...]) -> bool:
    return any(f" {part.casefold()} " in f" {name} " or name.startswith(f"{part.casefold()} ") for part in parts)


def cuda_of_image(image: str) -> Version | None:
    """The CUDA version inside an image as its name tells it, or vLLM's release implies; None where neither does."""
    name = image.partition("@")[0].lower()
    path, _, tag = name.rpartition(":")
    if not path or "/" in tag:
        path, tag = name, ""
    for pattern, where in ((_CU, tag), (_CUDA, tag), (_CU, path), (_CUDA, path)):
        if found := pattern.search(where):
            return Version(int(found[1]), int(found[2] or 0))
    found = _BARE.search(tag)
    if found and (Version(int(found[1]), int(found[2])) in matrix().toolkits) and ("cuda" in path or found.start() > 0):
        return Version(int(found[1]), int(found[2]))
    return next((cuda for one in matrix().images if (cuda := _by_release(one, name))), None)


def _by_release(image: Image, name: str) -> Version | None:
    """What the default image of that release holds."""
    found = _release(image.name).search(name)
    if found is None:
        return None
    release = Version(int(found[1]), int(found[2]))
    return next((cuda for first, cuda in image.releases if release >= first), None)


@cache
def _release(name: str) -> Pattern:
    return Pattern(rf"(?:^|/){re.escape(name)}:v?(\d{{1,2}})\.(\d{{1,3}})(?:\.\d{{1,3}})?(?=$|[-.])")
