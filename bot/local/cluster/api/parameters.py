"""Query parameters, read once and typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.local.cluster.store.errors import ApiError, bad_request
from bot.local.cluster.store.facets import Query, selectable
from bot.local.cluster.store.resources import Resource
from bot.local.cluster.store.selectors import parse_fields, parse_labels

_TRUE = ("true", "1", "t", "True", "TRUE")


def flag(query: Mapping[str, str], name: str) -> bool:
    """Whether a boolean parameter is set."""
    return query.get(name, "") in _TRUE


def number(query: Mapping[str, str], name: str) -> int | None:
    """Return a whole number, None when it is not given; ApiError 400."""
    text = query.get(name, "")
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise bad_request(f"strconv.ParseInt: parsing {text!r}: invalid syntax ({name})") from None


def version(query: Mapping[str, str], name: str = "resourceVersion") -> int | None:
    """Return a resourceVersion; None when it is not given or 0 (any version will do). ApiError 400."""
    text = query.get(name, "")
    if text and not text.isdigit():
        raise bad_request(f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: invalid syntax')
    return int(text or 0) or None


def dry_run(query: Mapping[str, str]) -> bool:
    """Whether nothing is to be stored; ApiError 400 for a value other than All."""
    given = query.get("dryRun", "")
    if given not in ("", "All"):
        raise ApiError(422, "Invalid", f'dryRun: Unsupported value: "{given}": supported values: "All"')
    return given == "All"


def field_manager(query: Mapping[str, str], user_agent: str) -> str:
    """Return the name that fields are recorded under: as given, else the first word of the User-Agent."""
    return query.get("fieldManager") or user_agent.partition("/")[0].strip()[:128] or "unknown"


def selection(query: Mapping[str, str], resource: Resource) -> Query:
    """Return both selectors; ApiError 400."""
    labels = parse_labels(query.get("labelSelector", ""))
    fields = parse_fields(query.get("fieldSelector", ""), resource, selectable(resource))
    return Query.of(resource, labels, fields)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What every write can say besides its body."""

    manager: str
    dry_run: bool
    force: bool
    field_validation: str

    @classmethod
    def of(cls, query: Mapping[str, str], user_agent: str) -> WriteOptions:
        """Read them; ApiError 400 or 422."""
        validation = query.get("fieldValidation", "")
        if validation not in ("", "Ignore", "Warn", "Strict"):
            raise bad_request(f'fieldValidation: Unsupported value: "{validation}"')
        return cls(field_manager(query, user_agent), dry_run(query), flag(query, "force"), validation)
