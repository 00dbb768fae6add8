"""JSON patch, RFC 6902: six operations on paths of RFC 6901."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from bot.local.cluster.store.errors import ApiError

_MOST_OPERATIONS = 10_000  # kubernetes/kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go


def json_patch(target: Any, operations: Sequence[Mapping[str, Any]]) -> Any:
    """Return a patched copy; ApiError 422 where a path is absent or a test fails."""
    if not isinstance(operations, list) or not all(isinstance(step, dict) for step in operations):
        raise ApiError(400, "BadRequest", "a JSON patch is a list of operations")
    if len(operations) > _MOST_OPERATIONS:
        raise ApiError(413, "RequestEntityTooLarge", f"the patch has more than {_MOST_OPERATIONS} operations")
    document = [copy.deepcopy(target)]  # the root is an item too: the path "" replaces it
    for step in operations:
        try:
            _apply(document, step)
        except (KeyError, IndexError, ValueError, TypeError, AttributeError):
            path, name = step.get("path"), step.get("op")
            raise ApiError(422, "Invalid", f"{name} operation does not apply: doc is missing path: {path}") from None
    return document[0]


def _apply(document: list[Any], step: Mapping[str, Any]) -> None:
    path = _pointer(step["path"])
    match step["op"]:
        case "add":
            _add(document, path, copy.deepcopy(step["value"]))
        case "remove":
            _remove(document, path)
        case "replace":
            _remove(document, path)
            _add(document, path, copy.deepcopy(step["value"]))
        case "move":
            _add(document, path, _remove(document, _pointer(step["from"])))
        case "copy":
            _add(document, path, copy.deepcopy(_read(document, _pointer(step["from"]))))
        case "test":
            if _read(document, path) != step["value"]:
                raise ApiError(422, "Invalid", f"testing value {step['path']} failed: test failed")
        case unknown:
            raise ApiError(400, "BadRequest", f"unexpected kind of JSON patch operation: {unknown}")


def _pointer(text: str) -> list[str]:
    if text and not text.startswith("/"):
        raise ValueError(text)
    return ["0", *(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])]


def _index(items: list[Any], token: str) -> int:
    if not token.isdigit() or int(token) >= len(items):
        raise IndexError(token)
    return int(token)


def _read(value: Any, path: Sequence[str]) -> Any:
    for token in path:
        value = value[_index(value, token)] if isinstance(value, list) else value[token]
    return value


def _add(document: list[Any], path: Sequence[str], value: Any) -> None:
    parent, last = _read(document, path[:-1]), path[-1]
    if parent is document:
        document[:] = [value]
    elif isinstance(parent, list):
        parent.insert(len(parent) if last in ("-", str(len(parent))) else _index(parent, last), value)
    else:
        _require_object(parent)[last] = value


def _remove(document: list[Any], path: Sequence[str]) -> Any:
    parent, last = _read(document, path[:-1]), path[-1]
    if parent is document:
        return document[0]
    return parent.pop(_index(parent, last)) if isinstance(parent, list) else _require_object(parent).pop(last)


def _require_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value
