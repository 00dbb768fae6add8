"""The columns that a CustomResourceDefinition declares for its kind (`additionalPrinterColumns`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.local.cluster.api.tables.columns import AGE, NAME, Cell, Column, Json, since

# .a.b  ['a.b']  [0]  [?(@.type=="Ready")]: what printer columns use of JSONPath
_STEP = re.compile(
    r"\.(?P<field>[\w/-]+(?:\\\.[\w/-]+)*)|\['(?P<quoted>[^']+)'\]|\[(?P<index>\d+)\]"
    r"|\[\?\(@\.(?P<key>\w+)\s*==\s*[\"'](?P<value>[^\"']*)[\"']\)\]"
)


def declared_columns(version: Mapping[str, Any]) -> tuple[Column, ...]:
    """Return the columns of one version of a definition: name and age when it declares none."""
    declared = version.get("additionalPrinterColumns") or []
    if not declared:
        return (NAME, AGE)
    return (NAME, *(_column(column) for column in declared))


def _column(declared: Mapping[str, Any]) -> Column:
    kind = declared.get("type", "string")
    cell = _cell(declared.get("jsonPath", ""), kind)
    shown = "string" if kind == "date" else kind
    return Column(declared["name"], cell, declared.get("priority", 0), shown, declared.get("description", ""))


def _cell(path: str, kind: str) -> Cell:
    steps = [found.groupdict() for found in _STEP.finditer(path)]

    def cell(obj: Json, now: datetime) -> Any:
        value = read(obj, steps)
        if kind == "date":
            return since(value, now)
        return "" if value is None else value

    return cell


def read(value: Any, steps: list[dict[str, str | Any]]) -> Any:
    """Follow parsed steps into an object; None when a step leads nowhere."""
    for step in steps:
        value = _follow(value, step)
    return value


def _follow(value: Any, step: Mapping[str, Any]) -> Any:
    if step["index"] is not None:
        place = int(step["index"])
        return value[place] if isinstance(value, list) and place < len(value) else None
    if step["key"] is not None:
        items = value if isinstance(value, list) else []
        return next((item for item in items if str(item.get(step["key"])) == step["value"]), None)
    name = step["quoted"] or step["field"].replace("\\.", ".")
    return value.get(name) if isinstance(value, Mapping) else None
