"""What lies at a path: one file, our folder, or what `kubectl cluster-info dump --output-directory` wrote.

The dump's layout is that of kubernetes/kubectl:pkg/cmd/clusterinfo/clusterinfo_dump.go: `nodes.json` beside one
folder per namespace with `pods.json` and six more lists in it, and one folder per pod with its `logs.txt`. With
`--output yaml` the same names end in `.yaml`.
"""

from pathlib import Path

import msgspec

from bot.adapters.files.errors import STANDARD_INPUT
from bot.domain.errors import ConfigError

CASE_FILE = "case.yaml"
SUFFIXES = (".yaml", ".yml", ".json")


class Layout(msgspec.Struct, frozen=True):
    """Where the objects are. `namespaces` are those of a dump; `root` is None where there are no side files."""

    files: tuple[Path, ...]
    root: Path | None = None
    case: Path | None = None
    is_dump: bool = False
    namespaces: tuple[str, ...] = ()


def layout(path: Path) -> Layout:
    """Look at the path, not into its files. Raises ConfigError: missing, unreadable, or a folder without objects."""
    try:
        if path == STANDARD_INPUT:
            return Layout((path,))
        if not path.exists():
            raise ConfigError(f"{path} does not exist")
        return _folder(path) if path.is_dir() else Layout((path,))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error


def _folder(root: Path) -> Layout:
    entries = sorted(root.iterdir())
    namespaces = tuple(entry for entry in entries if entry.is_dir() and _list_file(entry, "pods"))
    if namespaces and (nodes := _list_file(root, "nodes")):
        lists = [file for namespace in namespaces for file in _object_files(sorted(namespace.iterdir()))]
        return Layout((nodes, *lists), root, is_dump=True, namespaces=tuple(each.name for each in namespaces))
    files = _object_files(entries)
    case = root / CASE_FILE if (root / CASE_FILE).is_file() else None
    if not files and case is None:
        what = "is empty" if not entries else f"holds no file that ends in {', '.join(SUFFIXES)}"
        raise ConfigError(f"{root} {what}: a folder of Kubernetes objects is read")
    return Layout(files, root, case)


def _object_files(entries: list[Path]) -> tuple[Path, ...]:
    return tuple(
        entry
        for entry in entries
        if entry.suffix in SUFFIXES and entry.name != CASE_FILE and not entry.name.startswith(".") and entry.is_file()
    )


def _list_file(folder: Path, name: str) -> Path | None:
    return next((file for suffix in SUFFIXES if (file := folder / f"{name}{suffix}").is_file()), None)
