"""Commands that work when pasted, and quotes of what clusters say."""

import shlex

from bot.domain.text import inert


def kubectl(*words: str, namespace: str = "") -> str:
    """`kubectl -n llm get pod glm-0`, every word quoted where a shell would need it."""
    place = ("-n", namespace) if namespace else ()
    return shlex.join(("kubectl", *place, *words))


def patch(kind: str, name: str, change: str, *, namespace: str = "") -> str:
    """A merge patch; `change` is JSON."""
    return kubectl("patch", kind, name, "--type", "merge", "-p", change, namespace=namespace)


def quoted(text: str, longest: int = 200) -> str:
    """“what was said”, on one line and capped."""
    return f"“{inert(text, longest)}”"
