"""Drivers, CUDA and images as data: config/drivers.yaml, read when the first fact is asked for, and checked whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

from bot.domain import data_file
from bot.domain.data_file import Texts, text_of
from bot.domain.errors import ConfigError
from bot.domain.version import Version, version

FILE = "drivers.yaml"
KINDS = ("long-term", "production", "new-feature")
_BUILD = "cu"  # cu129 is CUDA 12.9


@dataclass(frozen=True, slots=True)
class Branch:
    """`ends` is None where nobody told; `exact` is False where only that it is over is known, not since when."""

    number: int
    kind: str
    first: Version | None
    ends: date | None
    exact: bool
    note: str


@dataclass(frozen=True, slots=True)
class Bad:
    """Drivers from `first` to `last` do `what`; on MIG only where `mig` is set."""

    first: Version
    last: Version
    what: str
    instead: str
    mig: bool
    source: str


@dataclass(frozen=True, slots=True)
class Forward:
    """Where a compatibility package helps, by parts of product names."""

    package: str
    data_centre: tuple[str, ...]
    some: tuple[str, ...]
    never: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """`releases`: from which release on the default image holds which CUDA, the newest first; `builds`: by tag."""

    name: str
    builds: Mapping[str, Version]
    releases: tuple[tuple[Version, Version], ...]
    opt_in: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """`families`: CUDA's major version → the oldest driver; `toolkits`: CUDA → its own driver, the newest first."""

    as_of: str
    branches: Mapping[int, Branch]
    bad: tuple[Bad, ...]
    families: Mapping[int, Version]
    toolkits: Mapping[Version, Version]
    forward: Forward
    images: tuple[Image, ...]


@cache
def matrix() -> Matrix:
    """Raises ConfigError."""
    return read(data_file.load(FILE), str(data_file.FOLDER / FILE))


def read(told: Texts, where: str) -> Matrix:
    """Raises ConfigError that says what is wrong with which entry."""
    try:
        toolkits = {_cuda(key): _version(facts, "driver") for key, facts in _each(told, "toolkits")}
        return Matrix(
            as_of=text_of(told, "as_of"),
            branches={int(key): _branch(key, facts) for key, facts in _each(told, "branches")},
            bad=tuple(_bad(facts) for _, facts in _each(told, "bad")),
            families={_cuda(key).major: _version(facts, "driver") for key, facts in _each(told, "families")},
            toolkits=dict(sorted(toolkits.items(), reverse=True)),
            forward=_forward(_mapping(told, "forward")),
            images=tuple(_image(key, facts) for key, facts in _each(told, "images")),
        )
    except ValueError as wrong:
        raise ConfigError(f"{where}: {wrong}") from wrong


def _branch(key: str, facts: Texts) -> Branch:
    if (kind := text_of(facts, "kind")) not in KINDS:
        raise ValueError(f"branch {key}: `kind` is one of {', '.join(KINDS)}")
    ends = date.fromisoformat(text_of(facts, "ends")) if "ends" in facts else None
    first = _version(facts, "first") if "first" in facts else None
    return Branch(int(key), kind, first, ends, facts.get("exact") != "no", text_of(facts, "note"))


def _bad(facts: Texts) -> Bad:
    return Bad(
        _version(facts, "from"),
        _version(facts, "to"),
        text_of(facts, "what"),
        text_of(facts, "instead"),
        facts.get("where") == "mig",
        text_of(facts, "source"),
    )


def _forward(facts: Texts) -> Forward:
    return Forward(
        text_of(facts, "package"), _parts(facts, "data_centre"), _parts(facts, "some"), _parts(facts, "never")
    )


def _image(name: str, facts: Texts) -> Image:
    releases = _mapping(facts, "releases") if "releases" in facts else {}
    from_on = sorted(((_cuda(key.removeprefix("v")), _version(releases, key)) for key in releases), reverse=True)
    return Image(name, {tag: _built(tag) for tag in _parts(facts, "builds")}, tuple(from_on), text_of(facts, "opt_in"))


def _built(tag: str) -> Version:
    """`cu129` is CUDA 12.9."""
    digits = tag.removeprefix(_BUILD)
    if not digits.isdigit() or len(digits) != 3:
        raise ValueError(f"a build is written as {_BUILD}129, not `{tag}`")
    return Version(int(digits[:2]), int(digits[2]))


def _each(told: Texts, key: str) -> Iterator[tuple[str, Texts]]:
    for name in (inner := _mapping(told, key)):
        yield name, _mapping(inner, name)


def _mapping(told: Texts, key: str) -> Texts:
    found = told.get(key)
    if not isinstance(found, dict):
        raise ValueError(f"`{key}` has to be a mapping")
    return found


def _parts(facts: Texts, key: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text_of(facts, key).split(",") if part.strip())


def _version(facts: Texts, key: str) -> Version:
    found = version(text_of(facts, key))
    if found is None:
        raise ValueError(f"`{key}` has to be a version, not `{text_of(facts, key)}`")
    return found


def _cuda(key: str) -> Version:
    found = version(key)
    if found is None:
        raise ValueError(f"`{key}` has to be a version")
    return found
