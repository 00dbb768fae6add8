"""Who asks, and whether they may: bearer tokens to users, and refusals in kube-apiserver's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.local.cluster.api.paths import Target
from bot.local.cluster.store.errors import ApiError

Allow = Callable[["User", str, str, str, str], bool]
"""allow(user, verb, group, resource, namespace): `resource` is `pods` or `pods/log`, namespace "" is all of them."""


@dataclass(frozen=True, slots=True)
class User:
    """An authenticated caller."""

    name: str
    groups: tuple[str, ...] = ()

    @property
    def all_groups(self) -> tuple[str, ...]:
        """The groups given, and the one of everybody who is known."""
        return (*self.groups, "system:authenticated")


EVERYBODY = User("system:admin", ("system:masters",))
"""Who the caller is when the server was given no tokens."""


def authenticate(authorization: str, tokens: Mapping[str, User] | None) -> User:
    """Return the caller of a request with this Authorization header; ApiError 401."""
    if tokens is None:
        return EVERYBODY
    scheme, _, token = authorization.partition(" ")
    user = tokens.get(token.strip()) if scheme.lower() == "bearer" else None
    if user is None:
        raise ApiError(401, "Unauthorized", "Unauthorized")
    return user


def refusal(user: User, verb: str, target: Target) -> ApiError:
    """403: the caller may not."""
    resource, group = target.qualified_resource, target.resource.group
    where = f'in the namespace "{target.namespace}"' if target.namespace else "at the cluster scope"
    subject = f'{target.resource.qualified} "{target.name}"' if target.name else target.resource.qualified
    message = (
        f'{subject} is forbidden: User "{user.name}" cannot {verb} resource "{resource}" in API group "{group}" {where}'
    )
    details = {"name": target.name, "group": group, "kind": target.resource.plural}
    return ApiError(403, "Forbidden", message, {key: value for key, value in details.items() if value})
