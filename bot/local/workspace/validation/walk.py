"""Walks blocks along their shapes and names each fault with its JSON pointer, as Slack does.

The wording follows Slack's ("must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]"): see
adobe/spacecat-api-service issue 176.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.local.workspace.validation import limits as at_most
from bot.local.workspace.validation.blocks import BLOCKS, PARTS
from bot.local.workspace.validation.elements import ELEMENTS, OBJECTS
from bot.local.workspace.validation.rich_text import RICH_TEXT
from bot.local.workspace.validation.shape import Field, Shape

UNTYPED = frozenset({"option", "option_group", "confirm", "feedback_button", "series", "point", "axis_config"})
BLOCK_ID: Shape = {"block_id": Field("string", at_most.IDENTIFIER)}
TEXTS = frozenset({"plain_text", "mrkdwn"})
SHAPES: dict[str, Shape] = {**OBJECTS, **PARTS, **RICH_TEXT, **ELEMENTS}
PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "block": (dict,),
    "list": (list,),
}


def fault(pointer: str, message: str) -> str:
    return f"[ERROR] {message} [json-pointer:{pointer}]"


def check(value: Any, field: Field, pointer: str) -> Iterator[str]:
    """Faults of a value that stands at `pointer` and should look like `field`."""
    if field.kind == "anything":
        return
    wanted = PYTHON_TYPES[field.kind]
    if not isinstance(value, wanted) or (isinstance(value, bool) and field.kind != "boolean"):
        yield fault(pointer, f"must be of type {field.kind}")
    elif isinstance(value, str):
        yield from check_string(value, field, pointer)
    elif isinstance(value, list):
        yield from check_list(value, field, pointer)
    elif isinstance(value, dict):
        yield from check_object(value, field, pointer)
    elif field.kind == "integer" and isinstance(value, int):
        yield from check_bounds(value, field, pointer)


def check_bounds(value: int, field: Field, pointer: str) -> Iterator[str]:
    if value < field.least:
        yield fault(pointer, f"must be more than {field.least - 1}")
    if field.most is not None and value > field.most:
        yield fault(pointer, f"must be less than {field.most + 1}")


def check_string(value: str, field: Field, pointer: str) -> Iterator[str]:
    if field.most is not None and len(value) > field.most:
        yield fault(pointer, f"must be less than {field.most + 1} characters")
    if len(value) < field.least:
        yield fault(pointer, f"must be more than {field.least - 1} characters")
    if field.one_of and value not in field.one_of:
        yield fault(pointer, f"must be a valid enum value, one of {', '.join(field.one_of)}")


def check_list(value: list[Any], field: Field, pointer: str) -> Iterator[str]:
    if field.most is not None and len(value) > field.most:
        yield fault(pointer, f"no more than {field.most} items allowed")
    if len(value) < field.least:
        yield fault(pointer, f"no fewer than {field.least} items allowed")
    if field.item is not None:
        for index, entry in enumerate(value):
            yield from check(entry, field.item, f"{pointer}/{index}")


def check_object(value: dict[str, Any], field: Field, pointer: str) -> Iterator[str]:
    untyped = field.of[0] if field.of and field.of[0] in UNTYPED else None
    kind = untyped or value.get("type")
    if kind not in field.of:
        yield fault(f"{pointer}/type", f"unsupported type: {kind}")
    elif kind in TEXTS:
        yield from check_text(value, field, pointer)
    elif field.kind == "block" or kind == "rich_text":
        yield from check_properties(value, {**BLOCKS[kind], **BLOCK_ID}, pointer, {"type"})
    else:
        yield from check_properties(value, SHAPES[kind], pointer, set() if untyped else {"type"})


def check_text(value: dict[str, Any], field: Field, pointer: str) -> Iterator[str]:
    shape: Shape = {"text": Field("string", field.text_most, 1, required=True)}
    shape |= {"emoji": Field("boolean")} if value["type"] == "plain_text" else {"verbatim": Field("boolean")}
    yield from check_properties(value, shape, pointer, {"type"})


def check_properties(value: Mapping[str, Any], shape: Shape, pointer: str, also: set[str]) -> Iterator[str]:
    """Missing, surplus and wrong properties of one object. A property that is null counts as absent."""
    for name, field in shape.items():
        if value.get(name) is None:
            if field.required:
                yield fault(pointer, f"missing required field: {name}")
        else:
            yield from check(value[name], field, f"{pointer}/{name}")
    for name in value:
        if name not in shape and name not in also:
            yield fault(pointer, f"invalid additional property: {name}")
