"""What is said of a driver's version: until when its branch is supported, which images of engines start on it."""

from collections.abc import Iterator, Mapping
from datetime import date

from bot.domain.version import Version, version
from bot.serving.driver import How, how, minimum_driver, newest_cuda
from bot.serving.matrix import matrix


def supported(text: str, today: date) -> str:
    """`supported until June 2028`, `out of support since February 2026`; empty for a branch that is not known."""
    found = version(text) if text else None
    if found is None:
        return ""
    branch = matrix().branches.get(found.major)
    if branch is None or branch.ends is None:
        return "out of support" if found.major < _oldest_supported(today) else ""
    if branch.ends < today:
        return f"out of support since {branch.ends:%B %Y}" if branch.exact else "out of support"
    return f"supported until {branch.ends:%B %Y}"


def out_of_support(text: str, today: date) -> bool:
    return supported(text, today).startswith("out of")


def _oldest_supported(today: date) -> int:
    """Branches are numbered in the order in which they come: all before the oldest that lives are over."""
    living = (one.number for one in matrix().branches.values() if one.ends is not None and one.ends >= today)
    return min(living, default=0)


def cuda(text: str) -> str:
    """`13.0`, the newest CUDA that the driver was made for; empty where that is not known."""
    found = version(text) if text else None
    newest = newest_cuda(found) if found else None
    return str(newest) if newest else ""


def starts(text: str, product: str = "") -> str:
    """`images with CUDA 13 and older start`; where builds of engines do not, which, and what would make them.

    product: as the driver or a label names it; only some take a compatibility package.
    """
    found = version(text) if text else None
    major = next((one for one in sorted(matrix().families, reverse=True) if _starts(one, found)), None)
    if found is None or major is None:
        return ""
    told = {mark: (of, how(of, found, product)) for mark, of in _published().items()}
    minor = [mark for mark, (_, how_) in told.items() if how_ is How.MINOR]
    beside = f" ({' and '.join(minor)} by minor-version compatibility)" if minor else ""
    return "; ".join((f"images with CUDA {major} and older start{beside}", *_others(told)))


def _starts(major: int, driver: Version | None) -> bool:
    needed = minimum_driver(Version(major))
    return driver is not None and needed is not None and driver >= needed


def builds(text: str, product: str = "") -> dict[str, str]:
    """For scripts: the mark in an image's tag → how it runs on that driver, for each build that engines publish."""
    found = version(text) if text else None
    if found is None:
        return {}
    told = {mark: how(of, found, product) for mark, of in _published().items()}
    return {mark: str(one) for mark, one in told.items() if one is not None}


def _others(told: Mapping[str, tuple[Version, How | None]]) -> Iterator[str]:
    """Builds that do not start by themselves."""
    for mark, (of, how_) in told.items():
        package = f"{matrix().forward.package}-{of.major}-{of.minor}"
        match how_:
            case How.FORWARD:
                yield f"{mark} only with {package}, opted in"
            case How.PERHAPS:
                yield f"{mark} only with {package}, if that GPU takes it"
            case How.NO:
                yield f"{mark} not at all"


def _published() -> dict[str, Version]:
    """The newest first."""
    found = {mark: of for image in matrix().images for mark, of in image.builds.items()}
    return dict(sorted(found.items(), key=lambda item: item[1], reverse=True))
