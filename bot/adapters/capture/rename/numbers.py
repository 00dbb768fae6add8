"""Ids, addresses and hosts, replaced by numbers in the order in which they come."""

import re

_UUID = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:[-_][0-9A-Fa-f]{4}){3}[-_][0-9A-Fa-f]{12}(?![0-9A-Fa-f])")
_IPV4 = re.compile(r"(?<![\w.-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w-]|\.\d)")
_IPV6 = re.compile(
    r"(?<![\w:.])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}"
    r"|(?:[0-9A-Fa-f]{1,4}:){2,7}:)(?![\w:])"
)
_PERSON = re.compile(r"[A-Za-z0-9][\w.+-]*@(?=[A-Za-z0-9-]+\.[A-Za-z])")
_NOWHERE = ("0.0.0.0", "127.0.0.1", "255.255.255.255")


class Numbers:
    """Every new thing gets the next number of its sort."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], int] = {}
        self._counts: dict[str, int] = {}

    def ids(self, text: str) -> str:
        """All UUIDs of a text."""
        return _UUID.sub(lambda found: self._id(found[0]), text)

    def addresses(self, text: str) -> str:
        """All IP addresses of a text."""
        text = _IPV4.sub(lambda found: self._ipv4(found[0]), text)
        return (
            _IPV6.sub(lambda found: f"fd00::{self._number('ipv6', found[0].lower()):x}", text) if ":" in text else text
        )

    def people(self, text: str) -> str:
        """The part of mail addresses that names a person."""
        return (
            _PERSON.sub(lambda found: f"person-{self._number('person', found[0].lower())}@", text)
            if "@" in text
            else text
        )

    def host(self, name: str) -> str:
        """A host's name or a domain."""
        return f"host-{self._number('host', name.lower())}.example"

    def machine(self, text: str) -> str:
        """A machine id: 32 hexadecimal digits."""
        return f"{self._number('machine', text):032x}"

    def _id(self, text: str) -> str:
        plain = text.lower().replace("_", "-")
        new = f"00000000-0000-4000-8000-{self._number('id', plain):012x}"
        return new.replace("-", "_") if "_" in text else new

    def _ipv4(self, text: str) -> str:
        if text in _NOWHERE:
            return text
        number = self._number("ipv4", text)
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"

    def _number(self, sort: str, text: str) -> int:
        number = self._seen.get((sort, text))
        if number is None:
            number = self._counts[sort] = self._counts.get(sort, 0) + 1
            self._seen[sort, text] = number
        return number
