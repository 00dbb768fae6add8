"""Server-side tables: what `kubectl get` prints, a column definition and a row of cells an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from bot.local.cluster.api.tables import core, others, workloads
from bot.local.cluster.api.tables.columns import AGE, NAME, Column

Json = dict[str, Any]
Include = Literal["None", "Metadata", "Object"]
BUILT_IN: Mapping[tuple[str, str], tuple[Column, ...]] = {**core.COLUMNS, **workloads.COLUMNS, **others.COLUMNS}
PLAIN = (NAME, AGE)


def table(
    columns: Iterable[Column],
    objects: Iterable[Json],
    metadata: Json,
    now: datetime,
    *,
    include: Include = "Metadata",
    headed: bool = True,
) -> Json:
    """Return a `Table`; `include` says how much of each object goes with its row."""
    columns = tuple(columns)
    rows = [{"cells": [c.cell(obj, now) for c in columns], "object": _included(obj, include)} for obj in objects]
    definitions = [column.definition() for column in columns] if headed else []
    kind = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}
    return {**kind, "columnDefinitions": definitions, "rows": rows}


def partial_metadata(obj: Json) -> Json:
    """Return an object's metadata alone, as `PartialObjectMetadata`."""
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}


def _included(obj: Json, include: Include) -> Json | None:
    if include == "None":
        return None
    return obj if include == "Object" else partial_metadata(obj)
