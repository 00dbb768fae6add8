"""Memory errors."""

from typing import Any

from bot.checks.finding import Severity
from bot.checks.scene import Scene
from tests.checks.building import Told, a_scene, before, gpu, kernel, xid

DAY = 86_400.0


def one(**changed: Any) -> Scene:
    return a_scene(gpu(0, **changed))


def by_xid(code: int, says: str, severity: Severity, near: int = 13) -> Told:
    return Told(
        rf"gpu-1's GPU 0 reported Xid {code} \({says}.*\) 1 min ago",
        severity,
        lambda: a_scene(gpu(0), log=kernel(xid(code))),
        lambda: a_scene(gpu(0), log=kernel(xid(code, ago=DAY + 60), xid(near))),
        a_scene,
    )


def ecc(corrected: int, uncorrected: int = 0) -> dict[str, Any]:
    return gpu(0, totalEccErrors={"volatile": {"corrected": corrected, "uncorrected": uncorrected}})


def rows(**changed: int) -> Scene:
    return one(remappedRows=changed)


TOLD = {
    "double_bit": by_xid(48, "a memory error that could not be corrected", Severity.CRITICAL),
    "contained": by_xid(94, "a memory error that was confined", Severity.WARNING),
    "uncontained": by_xid(95, "a memory error that may have touched", Severity.CRITICAL),
    "unrecovered": by_xid(140, "a memory error that was not recovered", Severity.CRITICAL),
    "many_corrected": by_xid(92, "many memory errors", Severity.WARNING),
    "remap_event": by_xid(64, "a bad memory row could not be put aside", Severity.CRITICAL),
    "uncorrected": Told(
        "gpu-1's GPU 0 had 3 memory errors that could not be corrected since its driver was loaded",
        Severity.CRITICAL,
        lambda: a_scene(ecc(0, 3)),
        lambda: a_scene(ecc(41)),
        lambda: one(totalEccErrors=None),
    ),
    "corrected": Told(
        "gpu-1's GPU 0 corrects 2,000 memory errors an hour",
        Severity.WARNING,
        lambda: a_scene(ecc(2005), earlier=before((3600, [ecc(5)]))),
        lambda: a_scene(ecc(90_000), earlier=before((3600, [ecc(89_990)]))),
        lambda: one(totalEccErrors=None),
    ),
    "remap_failed": Told(
        "gpu-1's GPU 0 failed to remap a bad row of its memory after 9 rows that were",
        Severity.CRITICAL,
        lambda: rows(uncRows=9, failureOccurred=1),
        lambda: rows(uncRows=9),
        lambda: one(remappedRows=None),
    ),
    "remap_pending": Told(
        "gpu-1's GPU 0 has a bad row of memory that waits for a reset",
        Severity.WARNING,
        lambda: rows(isPending=1),
        lambda: rows(uncRows=1),
        lambda: one(remappedRows=None),
    ),
    "remapped_rows": Told(
        r"gpu-1's GPU 0 repaired 64 rows of its memory with spare ones .*wearing out",
        Severity.WARNING,
        lambda: rows(uncRows=64),
        lambda: rows(corrRows=70),
        lambda: one(remappedRows=None),
    ),
    "unrepairable": Told(
        "gpu-1's GPU 0 has memory that cannot be repaired",
        Severity.CRITICAL,
        lambda: one(unrepairableMemoryFlag=1),
        lambda: rows(uncRows=1),
        lambda: one(unrepairableMemoryFlag=None),
    ),
    "sram": Told(
        "gpu-1's GPU 0 passed the threshold for errors in its SRAM",
        Severity.CRITICAL,
        lambda: one(sramEccErrorStatus={"bThresholdExceeded": 1}),
        lambda: a_scene(ecc(0, 1)),
        lambda: one(sramEccErrorStatus=None),
    ),
    "retired_pages": Told(
        "gpu-1's GPU 0 has put 60 memory pages of 64 aside",
        Severity.CRITICAL,
        lambda: one(name="Tesla V100", remappedRows=None, retiredPages=60),
        lambda: one(name="Tesla V100", remappedRows=None, retiredPages=10, retiredPagesPendingStatus=0),
        lambda: one(name="Tesla V100", remappedRows=None),
    ),
    "ecc_mode": Told(
        "gpu-1's GPU 0 has error correction of its memory switched off",
        Severity.INFO,
        lambda: one(eccMode={"current": 0, "pending": 0}),
        one,
        lambda: one(eccMode=None),
    ),
}
