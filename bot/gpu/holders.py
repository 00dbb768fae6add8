"""Who holds GPUs, in each of the ways in which people split them; kept as holdings come and go."""

from collections.abc import Callable

from bot.gpu.row import Holding


def _owner(holding: Holding) -> str:
    return f"{holding.namespace}/{holding.owner_kind.lower()}/{holding.owner}"


SPLITS: dict[str, Callable[[Holding], str]] = {
    "team": lambda holding: holding.team or f"no team ({holding.namespace})",
    "namespace": lambda holding: holding.namespace,
    "owner": _owner,
}


class Holders:
    """`by` maps split → namespace → who → how many. Nobody is in it who holds none."""

    def __init__(self) -> None:
        self.by: dict[str, dict[str, dict[str, int]]] = {split: {} for split in SPLITS}

    def change(self, holding: Holding, sign: int) -> None:
        """`sign` is +1 where somebody came to hold them, -1 where they were let go."""
        for split, name in SPLITS.items():
            namespaces = self.by[split]
            holders = namespaces.setdefault(holding.namespace, {})
            who = name(holding)
            left = holders.get(who, 0) + sign * holding.amount
            if left:
                holders[who] = left
                continue
            del holders[who]
            if not holders:
                del namespaces[holding.namespace]
