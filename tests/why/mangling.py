"""The packed cases, mangled: what hand-written files, other releases and hostile users put where something else belongs."""

import asyncio
import atexit
import copy
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec
import yaml

from bot.adapters import files
from bot.adapters.files import SideFiles
from bot.command import Cluster, Reply
from bot.dialogue import all_commands, answer, understand
from bot.domain.evidence import Evidence, Ref, Wanted
from bot.gpu.inventory import Inventory
from config.settings import Settings
from tests.cases.packed import unpack

COMMANDS = all_commands()
LARGEST_BYTES = 120_000  # larger cases are alike inside, and slow
BOOM = "boom"  # must never stand alone in a command that people paste

REMOVE, RENAME, WRAP, LISTED, TWICE = "remove", "rename", "wrap", "listed", "twice"
NESTED: dict[str, Any] = {"name": "deep"}
for _ in range(200):
    NESTED = {"spec": NESTED}
VALUES: tuple[Any, ...] = (
    None,
    "",
    [],
    {},
    [None],
    [[]],
    {"": None},
    True,
    0,
    -1,
    1.5,
    2**62,
    2**80,
    "NaN",
    "٣",
    "-5Gi",
    "1e400",
    "x" * 50_000,
    "Bogus",
    "example.com/v9alpha1",
    "yesterday",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z",
    "2026-11-30T12:00:00+25:00",
    "<!channel> <@U0ANA> <#C1|x> &lt;!here&gt;",
    "*b* _i_ ~s~ `c` ```block``` <https://evil.example|ok>",
    "\x00\x1b[31mred\x07\u202egpj\u2066\ud7ff\n\n\nline",
    f"a`;{BOOM};`'; {BOOM} ;'$({BOOM})\" && {BOOM}",
    "`odd",
    "[(*+?{\\",
    "%s {0} {name}",
    NESTED,
    [NESTED, "x", 1],
)
STEPS = (REMOVE, RENAME, WRAP, LISTED, TWICE, *range(len(VALUES)))
TEXTS = tuple(index for index, value in enumerate(VALUES) if isinstance(value, str))


@dataclass(frozen=True)
class Known:
    """One case: its objects, what can be asked about it, and where each of its values stands."""

    name: str
    folder: Path
    now: str
    objects: tuple[dict[str, Any], ...]
    questions: tuple[str, ...]
    places: tuple[tuple[str | int, ...], ...]
    texts: tuple[tuple[str | int, ...], ...]  # those that hold a text


@cache
def unpacked() -> Path:
    target = Path(mkdtemp(prefix="cases-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    unpack(target)
    return target


@cache
def known() -> tuple[Known, ...]:
    """The smaller cases, by name."""
    return tuple(
        _read(folder)
        for folder in sorted(unpacked().iterdir())
        if sum(file.stat().st_size for file in folder.glob("*.yaml")) < LARGEST_BYTES
    )


def _read(folder: Path) -> Known:
    case = yaml.load((folder / "case.yaml").read_text("utf-8"), yaml.CSafeLoader)
    texts = [file.read_text("utf-8") for file in sorted(folder.glob("*.yaml")) if file.name != "case.yaml"]
    objects = [one for text in texts for one in yaml.load_all(text, yaml.CSafeLoader) if one]
    objects = [inner for one in objects for inner in one.get("items", [one])]
    asked = tuple(one["ask"] for one in case["questions"] if one["ask"].startswith("why"))
    places = tuple(_places(objects))
    texts = tuple(place for place in places if isinstance(_at(objects, place), str))
    return Known(folder.name, folder, case["now"], tuple(objects), asked, places, texts)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every value under each object, the objects themselves left out."""
    if len(path) > 1:
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from _places(inner, (*path, key))


def mangled(case: Known, changes: list[tuple[int, str | int]], *, texts: bool = False) -> list[dict[str, Any]]:
    """A copy of its objects with each change made where its number points; `texts`: among those that hold a text."""
    objects = copy.deepcopy(list(case.objects))
    places = case.texts if texts else case.places
    for number, step in changes:
        *path, key = places[number % len(places)]
        holder = _at(objects, path)
        if _has(holder, key):
            _change(holder, key, step)
    return objects


def _has(holder: Any, key: str | int) -> bool:
    if isinstance(holder, list):
        return isinstance(key, int) and key < len(holder)
    return isinstance(holder, dict) and key in holder


def _at(value: Any, path: Sequence[str | int]) -> Any:
    for key in path:
        if not _has(value, key):
            return None
        value = value[key]
    return value


def _change(holder: Any, key: Any, step: str | int) -> None:
    if step == REMOVE:
        del holder[key]
    elif step == RENAME and isinstance(holder, dict):
        holder[f"{key}New"] = holder.pop(key)
    elif step == TWICE and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    elif step == WRAP:
        holder[key] = {"value": holder[key]}
    elif isinstance(step, int):
        holder[key] = copy.deepcopy(VALUES[step])
    else:
        holder[key] = [holder[key]]


def cluster_of(case: Known, objects: list[dict[str, Any]], words: Sequence[str] = ()) -> tuple[Cluster, datetime]:
    """As `--from` reads it, with the case's own logs; `words` are put into those."""
    file = unpacked() / f"{case.name}.json"
    file.write_bytes(msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": objects}))
    loaded = files.read(file, now=datetime.now(UTC), at=datetime.fromisoformat(case.now.replace("Z", "+00:00")))
    loaded = msgspec.structs.replace(loaded, side=SideFiles(case.folder))
    inventory = Inventory(loaded.view, Settings().gpu.policy())
    return Cluster("case", loaded.view, inventory, looker=Mangler(loaded, words)), loaded.now


class Mangler(files.FileLooker):
    """Finds logs and readings in which some lines were put in place of others."""

    def __init__(self, loaded: files.Loaded, words: Sequence[str]) -> None:
        super().__init__(loaded)
        self._words = words

    def now(self, wanted: Wanted) -> Evidence:
        found = super().now(wanted)
        return Evidence(found.objects, self._mangled(found.texts), found.missing)

    def _mangled(self, texts: Mapping[Ref, str]) -> dict[Ref, str]:
        return {ref: "\n".join(self._lines(text.splitlines())) for ref, text in texts.items()}

    def _lines(self, lines: list[str]) -> Iterator[str]:
        for number, line in enumerate(lines):
            word = self._words[number % len(self._words)] if self._words else ""
            yield line.replace(line.split(" ")[-1], word) if word and number % 3 == 0 else line


def ask(cluster: Cluster, now: datetime, question: str) -> Reply:
    asked = understand(question, COMMANDS)
    return asyncio.run(answer(asked, {"case": cluster}, "case", lambda: now, COMMANDS))
