"""Which NVIDIA driver a CUDA version needs, and what image tags say about the CUDA inside.

Two minimums (docs.nvidia.com/deploy/cuda-compatibility): of the major version, which is what a container needs to
start, and of the toolkit itself, which PTX that is compiled at run time needs. The tables are as of November 2026:
CUDA toolkit release notes, "CUDA Toolkit and Corresponding Driver Versions"; 13.3 through third-party quotes.
"""

import re
from typing import NamedTuple


class Version(NamedTuple):
    """A CUDA or driver version: major and minor compare as numbers."""

    major: int
    minor: int = 0
    patch: int = 0

    def __str__(self) -> str:
        patch = f".{self.patch:02d}" if self.patch else ""
        return f"{self.major}.{self.minor:02d}{patch}" if self.major >= _FIRST_DRIVER else f"{self.major}.{self.minor}"


_FIRST_DRIVER = 100  # driver branches have three digits, CUDA's major versions two
_FAMILY = {13: Version(580), 12: Version(525, 60, 13), 11: Version(450, 80, 2)}
_TOOLKIT = {
    Version(13, 3): Version(610, 43, 2),
    Version(13, 2): Version(595, 45, 4),
    Version(13, 1): Version(590, 44, 1),
    Version(13, 0): Version(580, 65, 6),
    Version(12, 9): Version(575, 51, 3),
    Version(12, 8): Version(570, 26),
    Version(12, 6): Version(560, 28, 3),
    Version(12, 5): Version(555, 42, 2),
    Version(12, 4): Version(550, 54, 14),
    Version(12, 3): Version(545, 23, 6),
    Version(12, 2): Version(535, 54, 3),
    Version(12, 1): Version(530, 30, 2),
    Version(12, 0): Version(525, 60, 13),
    Version(11, 8): Version(520, 61, 5),
    Version(11, 7): Version(515, 43, 4),
    Version(11, 6): Version(510, 39, 1),
    Version(11, 5): Version(495, 29, 5),
    Version(11, 4): Version(470, 42, 1),
}
_NUMBERS = re.compile(r"(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?")
_CU = re.compile(r"(?<![a-z])cu(1[0-9])(\d)(?!\d)")  # cu129, cu130
_CUDA = re.compile(r"(?<![a-z])cuda[-_]?(1[0-9])(?:[._](\d{1,2}))?(?![\d])")  # cuda13, cuda12.8
_BARE = re.compile(r"(?:^|[-_])(1[1-9])\.(\d)(?:\.\d)?(?=$|[-_])")
_VLLM = re.compile(r"(?:^|/)vllm-openai:v?(\d{1,2})\.(\d{1,3})(?:\.\d{1,3})?(?=$|[-.])")
# The default image of vLLM releases, from (major, minor) on (vllm-project/vllm: wheel metadata, pull request 39878).
_VLLM_DEFAULT = (
    ((0, 20), Version(13, 0)),
    ((0, 11), Version(12, 9)),
    ((0, 9), Version(12, 8)),
    ((0, 8), Version(12, 4)),
)


def version(text: str) -> Version | None:
    """`550.144.03`, `12.4` or `13` as a version; what follows the third number is left out."""
    found = _NUMBERS.match(text.strip())
    return Version(*(int(part or 0) for part in found.groups())) if found else None


def decode(number: int | str) -> Version | None:
    """CUDA's own number: 12040 is 12.4 (cudaDriverGetVersion)."""
    text = str(number).strip()
    if not text.isascii() or not text.isdigit() or not 4 <= len(text) <= 6:
        return None
    value = int(text)
    return Version(value // 1000, value % 1000 // 10)


def minimum_driver(cuda: Version) -> Version | None:
    """The oldest driver on which a container with that CUDA starts (minor-version compatibility)."""
    return _FAMILY.get(cuda.major)


def toolkit_driver(cuda: Version) -> Version | None:
    """The oldest driver that compiles that toolkit's PTX; None for a version that is not in the table."""
    return _TOOLKIT.get(Version(cuda.major, cuda.minor))


def newest_cuda(driver: Version) -> Version | None:
    """The CUDA version a driver was made for: 550.144.03 gives 12.4."""
    return next((cuda for cuda, needed in _TOOLKIT.items() if driver >= needed), None)


def starts_on(cuda: Version, driver: Version) -> bool | None:
    """Whether a container with that CUDA starts on that driver without a compatibility package; None if unknown."""
    needed = minimum_driver(cuda)
    return None if needed is None else driver >= needed


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
    if found and (Version(int(found[1]), int(found[2])) in _TOOLKIT) and ("cuda" in path or found.start() > 0):
        return Version(int(found[1]), int(found[2]))
    return _of_vllm(name)


def _of_vllm(image: str) -> Version | None:
    found = _VLLM.search(image)
    if found is None:
        return None
    release = (int(found[1]), int(found[2]))
    return next((cuda for first, cuda in _VLLM_DEFAULT if release >= first), None)
