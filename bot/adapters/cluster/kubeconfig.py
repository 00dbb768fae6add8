"""Finding a context, its cluster and its user in one or more kubeconfig files, as kubectl does.

The official package merges the files; its own messages are not shown, since they may quote a user with his token.
"""

import os
from dataclasses import dataclass
from typing import Any

import yaml

from bot.domain.errors import ConfigError

Entry = dict[str, Any]


@dataclass(frozen=True)
class Selection:
    """What one context names. The directories are where relative paths start."""

    described: str
    context: str
    namespace: str
    cluster: Entry
    user: Entry
    cluster_name: str
    user_name: str
    cluster_directory: str
    user_directory: str
    merger: Any  # kubernetes.config.kube_config.KubeConfigMerger: holds the files as they are


def default_paths() -> list[str]:
    """KUBECONFIG may name several files, separated as in PATH; else ~/.kube/config."""
    named = [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    return named or ["~/.kube/config"]


def exists(paths: list[str]) -> bool:
    return any(os.path.exists(os.path.expanduser(path)) for path in paths)


def select(paths: list[str], context: str | None) -> Selection:
    """Read the files and pick the context; None picks the current one. Raises ConfigError. It blocks: use a thread."""
    merger = _merged(paths)
    where = ", ".join(_short(path) for path in merger.paths)
    contexts = _named(merger, "contexts", where)
    name = context or _current(merger)
    if not name:
        raise ConfigError(f"{where} names no current context: choose one of {_list(contexts)}.")
    if name not in contexts:
        raise ConfigError(f"There is no context `{name}` in {where}: there are {_list(contexts)}.")
    chosen = _part(contexts[name], "context")
    cluster_name, user_name = str(chosen.get("cluster") or ""), str(chosen.get("user") or "")
    cluster = _referred(_named(merger, "clusters", where), cluster_name, "cluster", name, where)
    user = _referred(_named(merger, "users", where), user_name, "user", name, where) if user_name else None
    return Selection(
        described=f"context `{name}` of {where}",
        context=name,
        namespace=str(chosen.get("namespace") or "default"),
        cluster=_part(cluster, "cluster"),
        user=_part(user, "user") if user is not None else {},
        cluster_name=cluster_name,
        user_name=user_name,
        cluster_directory=_directory(cluster),
        user_directory=_directory(user) if user is not None else "",
        merger=merger,
    )


def _merged(paths: list[str]) -> Any:
    from kubernetes.config import kube_config
    from kubernetes.config.config_exception import ConfigException

    merger_of: Any = kube_config.KubeConfigMerger  # the package is not typed here
    there = [path for path in map(os.path.expanduser, paths) if os.path.exists(path)]
    where = ", ".join(map(_short, there or paths))
    if not there:
        raise ConfigError(f"There is no kubeconfig at {where}: name one with --kubeconfig or KUBECONFIG.")
    try:
        merger = merger_of(os.pathsep.join(there))
    except yaml.YAMLError as error:
        raise ConfigError(f"{where} is not valid YAML{_line(error)}.") from error
    except OSError as error:
        raise ConfigError(f"Cannot read {where}: {error.strerror}.") from error
    except (ConfigException, AttributeError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{where} is not a kubeconfig: it lacks clusters, contexts or users.") from error
    return merger


def _current(merger: Any) -> str | None:
    """The first file that names one wins, as with kubectl; the official package takes the last."""
    named = (config.get("current-context") for config in merger.config_files.values())
    return next((str(name) for name in named if name), None)


def _line(error: yaml.YAMLError) -> str:
    """Only the place: the text of the error quotes the file, which may hold a token."""
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark is not None else ""


def _named(merger: Any, section: str, where: str) -> dict[str, Any]:
    try:
        return {str(entry.value["name"]): entry for entry in merger.config.value[section]}
    except (AttributeError, KeyError, TypeError) as error:
        raise ConfigError(f"{where} is not a kubeconfig: an entry of its {section} has no name.") from error


def _part(entry: Any, key: str) -> Entry:
    part = entry.value.get(key)
    if not isinstance(part, dict):
        raise ConfigError(f"The {key} `{entry.value['name']}` of {_short(entry.path)} is empty.")
    return part


def _referred(entries: dict[str, Any], name: str, what: str, context: str, where: str) -> Any:
    if name not in entries:
        raise ConfigError(f"Context `{context}` of {where} names the {what} `{name}`, which is not there.")
    return entries[name]


def _directory(entry: Any) -> str:
    return os.path.dirname(os.path.abspath(str(entry.path)))


def _list(names: dict[str, Any]) -> str:
    shown = [f"`{name}`" for name in sorted(names)]
    return ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if len(shown) > 10 else "") if shown else "none"


def _short(path: str) -> str:
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if home != "/" and path.startswith(f"{home}/") else path
