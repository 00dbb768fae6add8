"""Which check tells which Xid, so that every number is told once and none is left out."""

from bot.gpu import xid
from bot.gpu.xid_table import TABLE

LOST = frozenset({79, 167})
FIRMWARE = frozenset({119, 120})  # told by driver.hangs
RECOVERY = frozenset({154})
HALTED = frozenset({46, 61, 62, 110, 143, 158, 169})
MEMORY = frozenset({48, 63, 64, 92, 94, 95, 140, 171, 172})
LINKS = frozenset({74, 136, 155, *range(144, 151)})
BOARD = frozenset({54, 93, *range(122, 126)})
CONTEXT = frozenset({109})
CLEANUP = frozenset({45})
PROGRAM = frozenset(
    code
    for code, entry in TABLE.items()
    if entry.blame in (xid.Blame.PROGRAM, xid.Blame.EITHER) and code not in CONTEXT
)
TOLD_ELSEWHERE = LOST | FIRMWARE | RECOVERY | HALTED | MEMORY | LINKS | BOARD | CONTEXT | CLEANUP | PROGRAM
