"""Objects as YAML the way `kubectl get -o yaml` prints them: keys in order, blocks only, numbers as text in quotes."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# What some YAML reader takes for a number, a truth value, a time or nothing, though it is text here.
_AMBIGUOUS = re.compile(
    r"[-+]?[\d_]+(?:\.[\d_]*)?(?:e[-+]?\d+)?|[-+]?\.[\d_]+(?:e[-+]?\d+)?|[-+]?0[xob][\da-f_]+"  # numbers
    r"|[-+]?[\d_]+(?::[\d_]+)+(?:\.[\d_]*)?|[-+]?\.inf|\.nan"
    r"|\d{4}-\d\d?-\d\d?(?:[Tt\s].*)?"  # times
    r"|~|=|<<|null|y|n|yes|no|on|off|true|false|",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
_WIDEST = 2**31 - 1  # lines are never folded


class _Dumper(_Base):  # type: ignore[misc]  # libyaml's dumper where there is one
    """The safe dumper with kubectl's quotes."""

    def ignore_aliases(self, data: Any) -> bool:
        del data  # kubectl writes no anchors, whatever is shared in memory
        return True


def _text(dumper: Any, text: str) -> yaml.ScalarNode:
    style = '"' if _AMBIGUOUS.fullmatch(text) else "|" if "\n" in text else None
    node: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)
    return node


_Dumper.add_representer(str, _text)


def document(item: Mapping[str, Any]) -> bytes:
    """One object as one YAML document, without the line that parts documents."""
    written: bytes = yaml.dump(
        item,
        Dumper=_Dumper,
        encoding="utf-8",
        default_flow_style=False,
        sort_keys=True,
        allow_unicode=True,
        width=_WIDEST,
    )
    return written
