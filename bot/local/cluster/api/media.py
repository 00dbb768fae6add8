"""Bodies in and out: which formats are read, and in which form a client wants its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import yaml
from aiohttp import web

from bot.local.cluster.api import protobuf
from bot.local.cluster.store.errors import ApiError, bad_request, unsupported_media

Json = dict[str, Any]
Shape = Literal["Object", "Table", "PartialObjectMetadata"]
JSON_TYPE = "application/json"
YAML_TYPE = "application/yaml"
_READABLE = (JSON_TYPE, YAML_TYPE)
encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an answer: objects as they are, a table's rows, or metadata only."""

    shape: Shape = "Object"
    media_type: str = JSON_TYPE


def form_of(accept: str) -> Form:
    """Return the first form of an Accept header that can be served; JSON objects when it names none."""
    for offered in accept.split(","):
        media, *parameters = [part.strip() for part in offered.split(";")]
        if media not in (JSON_TYPE, "*/*", "application/*"):
            continue
        given = dict(part.partition("=")[::2] for part in parameters)
        wanted = given.get("as", "").removesuffix("List")
        if not wanted:
            return Form()
        if given.get("v") == "v1" and given.get("g") == "meta.k8s.io" and wanted in ("Table", "PartialObjectMetadata"):
            shape: Shape = "Table" if wanted == "Table" else "PartialObjectMetadata"
            return Form(shape)
    return Form()


async def read_body(request: web.BaseRequest) -> Any:
    """Return the decoded body, {} when there is none; ApiError 400 or 415."""
    raw = await _raw(request)
    content_type = request.headers.get("Content-Type", "")
    if not raw:
        return {}
    if raw.startswith(protobuf.MAGIC) or "protobuf" in content_type or "cbor" in content_type:
        review = protobuf.review(request.path, raw) if raw.startswith(protobuf.MAGIC) else None
        if review is not None:
            return review
        raise unsupported_media(content_type, _READABLE)
    return _yaml(raw) if "yaml" in content_type else _json(raw)


async def _raw(request: web.BaseRequest) -> bytes:
    try:
        return await request.read()
    except web.HTTPRequestEntityTooLarge as too_large:
        message = f"Request entity too large: limit is {too_large.text}"
        raise ApiError(413, "RequestEntityTooLarge", message) from None


def _json(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {error}") from None


def _yaml(raw: bytes) -> Any:
    if raw.lstrip()[:1] in (b"{", b"["):
        return _json(raw)
    try:
        # dates and numbers must come out as JSON has them
        return msgspec.to_builtins(yaml.safe_load(raw), str_keys=True)
    except (yaml.YAMLError, TypeError) as error:
        raise bad_request(f"error parsing YAML: {error}") from None


def answer(body: Any, status: int = 200, content_type: str = JSON_TYPE) -> web.Response:
    """Return a response with a JSON body; bytes are sent as they are."""
    return web.Response(
        body=body if isinstance(body, bytes) else encode(body), status=status, headers={"Content-Type": content_type}
    )


def success(status: int, message: str = "", details: Json | None = None) -> web.Response:
    """Return a `Status` that says Success."""
    body: Json = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    body |= {"message": message} if message else {}
    body |= {"details": details} if details else {}
    return answer(body | {"code": status}, status)
