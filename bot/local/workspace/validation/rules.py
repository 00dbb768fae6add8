"""The rules about blocks that are not about a single property: either this or that, unique ids, equal rows, sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bot.local.workspace.validation import limits as at_most
from bot.local.workspace.validation.walk import fault

Json = dict[str, Any]


def check_block(block: Json, pointer: str) -> Iterator[str]:
    """Rules within one block whose properties are sound."""
    kind = block["type"]
    if kind == "section" and not (block.get("text") or block.get("fields")):
        yield fault(pointer, "missing required field: text or fields")
    if kind == "image" and not (block.get("image_url") or block.get("slack_file")):
        yield fault(pointer, "missing required field: image_url or slack_file")
    if kind == "container":
        yield from check_container(block, pointer)
    if kind in ("table", "data_table"):
        yield from check_rows(block, pointer)
    for place, element in interactive(block, pointer):
        yield from check_element(element, place)


def check_container(block: Json, pointer: str) -> Iterator[str]:
    if bool(block.get("title")) == bool(block.get("rich_text_title")):
        yield fault(pointer, "exactly one of title and rich_text_title is required")
    for index, child in enumerate(block["child_blocks"]):
        yield from check_block(child, f"{pointer}/child_blocks/{index}")


def check_rows(block: Json, pointer: str) -> Iterator[str]:
    widths = {len(row) for row in block["rows"]}
    if block["type"] == "data_table" and len(widths) > 1:
        yield fault(f"{pointer}/rows", "all rows must have the same number of columns")
    characters = sum(len(str(cell.get("text", ""))) for row in block["rows"] for cell in row)
    if block["type"] == "data_table" and characters > at_most.DATA_TABLE_CONTENT:
        yield fault(f"{pointer}/rows", f"no more than {at_most.DATA_TABLE_CONTENT} characters allowed")


def check_element(element: Json, pointer: str) -> Iterator[str]:
    kind = element["type"]
    sources = bool(element.get("options")) + bool(element.get("option_groups"))
    if kind in ("static_select", "multi_static_select") and sources != 1:
        yield fault(pointer, "exactly one of options and option_groups is required")
    if kind == "plain_text_input" and element.get("min_length", 0) > element.get("max_length", at_most.INPUT_LENGTH):
        yield fault(pointer, "min_length must not be greater than max_length")


def check_all(blocks: list[Json], pointer: str) -> Iterator[str]:
    """Rules across the blocks of one message or view."""
    block_ids = Counter(block["block_id"] for block in blocks if block.get("block_id"))
    for repeated in (block_id for block_id, times in block_ids.items() if times > 1):
        yield fault(pointer, f"block_id {repeated} already exists")
    for index, block in enumerate(blocks):
        action_ids = Counter(element["action_id"] for _, element in interactive(block, "") if element.get("action_id"))
        for repeated in (action_id for action_id, times in action_ids.items() if times > 1):
            yield fault(f"{pointer}/{index}", f"action_id {repeated} already exists for this block")
    if sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > at_most.MESSAGE_MARKDOWN:
        yield fault(pointer, f"markdown text must be less than {at_most.MESSAGE_MARKDOWN + 1} characters in sum")
    if sum(block["type"] == "data_visualization" for block in blocks) > at_most.MESSAGE_CHARTS:
        yield fault(pointer, f"no more than {at_most.MESSAGE_CHARTS} data_visualization blocks allowed")


def interactive(block: Json, pointer: str) -> Iterator[tuple[str, Json]]:
    """The elements of a block with their places: accessory, input element, and those of actions."""
    for name in ("accessory", "element"):
        if isinstance(block.get(name), dict):
            yield f"{pointer}/{name}", block[name]
    if block["type"] in ("actions", "context_actions"):
        for index, element in enumerate(block["elements"]):
            yield f"{pointer}/elements/{index}", element
    for index, child in enumerate(block.get("child_blocks") or []):
        yield from interactive(child, f"{pointer}/child_blocks/{index}")
