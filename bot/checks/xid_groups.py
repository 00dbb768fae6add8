"""Which check tells which Xid, so that every number is told once and none is left out."""

from functools import cache

from bot.gpu.xid_entry import Blame
from bot.gpu.xid_table import catalogue

LOST = frozenset({79, 167})
FIRMWARE = frozenset({119, 120})  # told by driver.hangs
RECOVERY = frozenset({154})
HALTED = frozenset({46, 61, 62, 110, 143, 158, 169})
MEMORY = frozenset({48, 63, 64, 92, 94, 95, 140, 171, 172})
LINKS = frozenset({74, 136, 155, *range(144, 151)})
BOARD = frozenset({54, 93, *range(122, 126)})
CONTEXT = frozenset({109})
CLEANUP = frozenset({45})
_NAMED = LOST | FIRMWARE | RECOVERY | HALTED | MEMORY | LINKS | BOARD | CONTEXT | CLEANUP


@cache
def program() -> frozenset[int]:
    """Those that are the program's own, or may be, by the catalogue."""
    blamed = (one.code for one in catalogue().entries.values() if one.blame in (Blame.PROGRAM, Blame.EITHER))
    return frozenset(blamed) - _NAMED


@cache
def told_elsewhere() -> frozenset[int]:
    """Those that a check of their own, or the one for programs, tells."""
    return _NAMED | program()
