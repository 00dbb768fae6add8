"""The two questions: are these blocks a message, is this object a view?"""

from __future__ import annotations

import json
from typing import Any

from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.validation import limits as at_most
from bot.local.workspace.validation.blocks import BLOCKS, HOME_BLOCKS, MESSAGE_BLOCKS, UNCHECKED, VIEW_BLOCKS
from bot.local.workspace.validation.rules import check_all, check_block
from bot.local.workspace.validation.shape import Field, Shape, flag, plain, string, word
from bot.local.workspace.validation.walk import BLOCK_ID, check_properties, fault

VIEW: Shape = {
    "type": word("modal", "home", required=True),
    "title": plain(at_most.VIEW_TITLE),
    "submit": plain(at_most.VIEW_TITLE),
    "close": plain(at_most.VIEW_TITLE),
    "blocks": Field("list", at_most.VIEW_BLOCKS, required=True),
    "private_metadata": string(at_most.PRIVATE_METADATA),
    "callback_id": string(at_most.IDENTIFIER),
    "external_id": string(at_most.IDENTIFIER),
    "clear_on_close": flag(),
    "notify_on_close": flag(),
    "submit_disabled": flag(),
}


def check_message_blocks(blocks: Any) -> None:
    """Raises WorkspaceError `invalid_blocks` (with pointers), `invalid_blocks_format` or `msg_blocks_too_long`."""
    if not isinstance(blocks, list):
        raise WorkspaceError("invalid_blocks_format", [fault("/blocks", "must be of type list")])
    faults = faults_of_blocks(blocks, MESSAGE_BLOCKS, at_most.MESSAGE_BLOCKS, "/blocks")
    if faults:
        raise WorkspaceError("invalid_blocks", faults)
    if len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))) > at_most.MESSAGE_BLOCKS_JSON:
        raise WorkspaceError("msg_blocks_too_long")


def check_view(view: Any) -> None:
    """Raises WorkspaceError `invalid_arguments` with pointers under /view."""
    if not isinstance(view, dict):
        raise WorkspaceError("invalid_arguments", [fault("/view", "must be of type object")])
    faults = list(check_properties(view, VIEW, "/view", set()))
    if view.get("type") == "modal" and not view.get("title"):
        faults.append(fault("/view", "missing required field: title"))
    if isinstance(view.get("blocks"), list):
        allowed = HOME_BLOCKS if view.get("type") == "home" else VIEW_BLOCKS
        faults += faults_of_blocks(view["blocks"], allowed, at_most.VIEW_BLOCKS, "/view/blocks")
        if (
            view.get("type") == "modal"
            and not view.get("submit")
            and any(isinstance(block, dict) and block.get("type") == "input" for block in view["blocks"])
        ):
            faults.append(fault("/view/submit", "required when the view has input blocks"))
    if faults:
        raise WorkspaceError("invalid_arguments", faults)


def faults_of_blocks(blocks: list[Any], allowed: tuple[str, ...], most: int, pointer: str) -> list[str]:
    """Everything that is wrong, each with its pointer; rules across blocks only when each block is sound."""
    faults = [fault(pointer, f"no more than {most} items allowed")] if len(blocks) > most else []
    for index, block in enumerate(blocks):
        faults += faults_of_block(block, allowed, f"{pointer}/{index}")
    return faults or list(check_all(blocks, pointer))


def faults_of_block(block: Any, allowed: tuple[str, ...], pointer: str) -> list[str]:
    if not isinstance(block, dict):
        return [fault(pointer, "must be of type object")]
    kind = block.get("type")
    if kind not in allowed:
        return [fault(f"{pointer}/type", f"unsupported type: {kind}")]
    if kind in UNCHECKED:
        return []
    shape = {**BLOCKS[kind], **BLOCK_ID}
    return list(check_properties(block, shape, pointer, {"type"})) or list(check_block(block, pointer))
