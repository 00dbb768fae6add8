"""Somebody else's name on a request, so that the API server judges and records that person.

https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
"""

from bot.domain.person import Identity

AUTHENTICATED = "system:authenticated"
_ACCOUNT = "system:serviceaccount:"


def headers(identity: Identity) -> tuple[tuple[str, str], ...]:
    """Raises ValueError for names that no header can hold, and for nobody."""
    if not identity.user:
        raise ValueError("nobody is named")
    for name in (identity.user, *identity.groups):
        if not name.isprintable():
            raise ValueError(f"{name[:60]!r} can be nobody's name")
    return (("Impersonate-User", identity.user), *(("Impersonate-Group", group) for group in identity.groups))


def all_groups(identity: Identity) -> tuple[str, ...]:
    """With those that the API server adds to everybody it knows: an access review is judged by what it is told."""
    added = [AUTHENTICATED]
    if identity.user.startswith(_ACCOUNT):
        namespace = identity.user.removeprefix(_ACCOUNT).partition(":")[0]
        added += ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
    return tuple(dict.fromkeys((*identity.groups, *added)))
