"""Replacing names in an object: the same word by the same word everywhere, the longest that matches first."""

import re
from collections.abc import Mapping
from typing import Any

from bot.adapters.capture.rename import words
from bot.adapters.capture.rename.hosts import is_cluster_name, is_host, is_public
from bot.adapters.capture.rename.numbers import Numbers

_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?")
_MEANT = re.compile(rf"(?:[\"'`/(_{{]|\b(?:{'|'.join(words.NOUNS)})s?:? )\Z", re.IGNORECASE)
_FOLLOWED = re.compile(r"[/:][A-Za-z0-9]")


class Renamer:
    """`atoms` is what `plan` made. Hosts, addresses and ids are numbered as they come, so the order matters."""

    def __init__(self, atoms: Mapping[str, str]) -> None:
        self._atoms = atoms
        self._numbers = Numbers()
        self._known: dict[str, str] = {}

    def item(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of an object with all names replaced."""
        result: dict[str, Any] = self._value(item, "")
        return result

    def text(self, text: str) -> str:
        """A name, or prose with names in it."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._text(text)
        return known

    def key(self, key: str) -> str:
        """A label's, annotation's or taint's key: only a domain that is not public is replaced."""
        domain, slash, name = key.partition("/")
        return f"{self._numbers.host(domain)}/{name}" if slash and not is_public(domain) else key

    # ---- objects -------------------------------------------------------------------------------------------------

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, str):
            return self._string(value, key)
        if isinstance(value, list):
            return self._command(value) if key in ("command", "args") else [self._value(one, key) for one in value]
        if isinstance(value, dict):
            return self._fields(value, key)
        return value

    def _string(self, value: str, key: str) -> str:
        if key in words.FIXED:
            return value
        if key in words.KEYS:
            return self.key(value)
        return self._numbers.machine(value) if key == "machineID" else self.text(value)

    def _fields(self, fields: Mapping[str, Any], around: str) -> dict[str, Any]:
        if around == "annotations":
            return {self.key(name): self._value(value, "") for name, value in fields.items()}
        if around in words.MAPS:
            return {self.key(name): self._of_key(name, value) for name, value in fields.items()}
        label = fields.get("key")
        if isinstance(label, str) and ("operator" in fields or "effect" in fields):  # requirement, taint, toleration
            return {
                name: self._of_key(label, value) if name in ("value", "values") else self._value(value, name)
                for name, value in fields.items()
            }
        return {name: self._value(value, name) for name, value in fields.items()}

    def _of_key(self, label: str, value: Any) -> Any:
        """Values under public keys are public, unless they are a name from head to foot (kubernetes.io/hostname)."""
        if isinstance(value, list):
            return [self._of_key(label, one) for one in value]
        if not isinstance(value, str):
            return self._value(value, "")
        domain, slash, _ = label.partition("/")
        exact = self._atoms.get(value)
        if exact is not None:
            return exact
        is_name = not slash or not is_public(domain) or words.NAMING_KEYS.fullmatch(label) or len(value) > 63
        if is_name or domain in ("kubernetes.io", "batch.kubernetes.io"):
            return self.text(value)
        return self._numbers.addresses(self._numbers.ids(value))

    def _command(self, arguments: list[Any]) -> list[Any]:
        """A model is known by its path: that stays. The rest of a command is text."""
        result = []
        before = ""
        for argument in arguments:
            names_model = before in words.MODEL_FLAGS or str(argument).partition("=")[0] in words.MODEL_FLAGS
            result.append(argument if names_model else self._value(argument, ""))
            before = argument if isinstance(argument, str) else ""
        return result

    # ---- text ----------------------------------------------------------------------------------------------------

    def _text(self, text: str) -> str:
        if text in self._atoms and self._atoms[text] != text:
            return self._atoms[text]
        text = self._numbers.people(self._numbers.addresses(self._numbers.ids(text)))
        return _TOKEN.sub(lambda found: self._token(found[0], self._is_meant(found)), text)

    def _is_meant(self, found: re.Match[str]) -> bool:
        """Whether a name is expected here: then even an everyday word is one."""
        before = _MEANT.search(found.string, max(0, found.start() - 24), found.start())
        return bool(before or _FOLLOWED.match(found.string, found.end()))

    def _token(self, token: str, meant: bool) -> str:
        exact = self._atoms.get(token)
        if exact is not None:
            return token if token in words.PLAIN and not meant else exact
        if "/" in token:
            return self._path(token)
        if is_host(token) and not is_cluster_name(token):
            return token if is_public(token) else self._numbers.host(token)
        for separator in (".", "_"):
            if separator in token:
                first, *rest = token.split(separator)
                # The parts of limits.cpu are no names, those of glm-0.glm.llm are three.
                names = separator == "_" or is_cluster_name(token) or first in self._atoms
                return separator.join((self._token(first, True), *(self._token(part, names) for part in rest)))
        return self._hyphened(token) if "-" in token else token

    def _path(self, token: str) -> str:
        first, *rest = token.split("/")
        if len(rest) == 1 and is_host(first) and first not in words.REGISTRIES and is_public(first):
            return token  # nvidia.com/gpu, kubernetes.io/hostname
        return "/".join(self._token(part, True) for part in (first, *rest))

    def _hyphened(self, token: str) -> str:
        """Names inside a longer one, from the left, each time the longest."""
        parts = token.split("-")
        result, start = [], 0
        while start < len(parts):
            end = next((end for end in range(len(parts), start, -1) if self._part(parts[start:end])), start + 1)
            word = "-".join(parts[start:end])
            result.append(self._atoms[word] if self._part(parts[start:end]) else word)
            start = end
        return "-".join(result)

    def _part(self, parts: list[str]) -> bool:
        word = "-".join(parts)
        return word in self._atoms and word not in words.PLAIN and len(word) > 2
