"""The refusals of an API server: code, reason and wording of a `Status` object.

Wording follows kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go, because clients and
people match on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.local.cluster.store.resources import Resource

Json = dict[str, Any]


class ApiError(Exception):
    """An answer other than success; `status_body()` is what goes over the wire."""

    def __init__(
        self, code: int, reason: str, message: str, details: Json | None = None, metadata: Json | None = None
    ) -> None:
        """`metadata` is that of a list, where the refusal tells how to go on."""
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details or {}
        self.metadata = metadata or {}

    def status_body(self) -> Json:
        """Return the `Status` object of this refusal."""
        body: Json = {"kind": "Status", "apiVersion": "v1", "metadata": self.metadata, "status": "Failure"}
        body |= {"message": self.message, "reason": self.reason}
        if self.details:
            body["details"] = self.details
        return body | {"code": self.code}


def _details(resource: Resource, name: str) -> Json:
    details = {"name": name, "group": resource.group, "kind": resource.plural}
    return {key: value for key, value in details.items() if value}


def not_found(resource: Resource, name: str) -> ApiError:
    """404: there is no such object."""
    return ApiError(404, "NotFound", f'{resource.qualified} "{name}" not found', _details(resource, name))


def already_exists(resource: Resource, name: str) -> ApiError:
    """409: the name is taken."""
    return ApiError(409, "AlreadyExists", f'{resource.qualified} "{name}" already exists', _details(resource, name))


def conflict(resource: Resource, name: str, why: str) -> ApiError:
    """409: the write was made against another state than the present one."""
    message = f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}'
    return ApiError(409, "Conflict", message, _details(resource, name))


def stale(resource: Resource, name: str) -> ApiError:
    """409: the resourceVersion of the write is not the present one."""
    why = "the object has been modified; please apply your changes to the latest version and try again"
    return conflict(resource, name, why)


def invalid(resource: Resource, name: str, causes: Sequence[tuple[str, str, str]]) -> ApiError:
    """422: each cause is (field, cause reason such as FieldValueRequired, message)."""
    told = [f"{field}: {message}" for field, _, message in causes]
    listed = told[0] if len(told) == 1 else "[" + ", ".join(told) + "]"
    qualified = f"{resource.kind}.{resource.group}" if resource.group else resource.kind
    details = {"name": name, "group": resource.group, "kind": resource.kind}
    details = {key: value for key, value in details.items() if value}
    rows = [{"reason": reason, "message": message, "field": field} for field, reason, message in causes]
    message = f'{qualified} "{name}" is invalid: {listed}'
    return ApiError(422, "Invalid", message, {**details, "causes": rows})


def bad_request(message: str) -> ApiError:
    """400: the request itself cannot be understood."""
    return ApiError(400, "BadRequest", message)


def forbidden(resource: Resource, name: str, why: str) -> ApiError:
    """403: refused by admission or authorization."""
    target = f'{resource.qualified} "{name}"' if name else resource.qualified
    return ApiError(403, "Forbidden", f"{target} is forbidden: {why}", _details(resource, name))


def expired(version: int, floor: int) -> ApiError:
    """410: the history before `floor` is forgotten; the client must list again."""
    return ApiError(410, "Expired", f"too old resource version: {version} ({floor})")


def no_such_path() -> ApiError:
    """404: the path names no resource at all."""
    return ApiError(404, "NotFound", "the server could not find the requested resource")


def unsupported_media(given: str, accepted: Sequence[str]) -> ApiError:
    """415: the body is in a format that this server does not read."""
    known = ", ".join(accepted)
    message = f"the body of the request was in an unknown format - accepted media types include: {known} (was {given})"
    return ApiError(415, "UnsupportedMediaType", message)
