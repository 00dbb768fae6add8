"""The catalogue of Xids as data: docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, autumn 2026.

Some numbers exist on some architectures only. Numbers that the catalogue marks as unused are left out.
"""

from collections.abc import Iterable

from bot.gpu.xid_entry import Blame, Clears, Urgency, Xid

PROGRAM, EITHER, GPU, LINK, NOTHING = Blame.PROGRAM, Blame.EITHER, Blame.GPU, Blame.LINK, Blame.NOTHING
NOW, TODAY, KNOW = Urgency.NOW, Urgency.TODAY, Urgency.KNOW

_ENGINES = (*range(39, 42), *range(70, 73), *range(75, 78), 85, *range(126, 136))
_VIDEO = (82, 83, 84, 86, 88, 89, *range(96, 106), 139)


def _alike(codes: Iterable[int], meaning: str, blame: Blame, clears: Clears, urgency: Urgency) -> tuple[Xid, ...]:
    return tuple(Xid(code, meaning, blame, clears, urgency) for code in codes)


_ENTRIES = (
    Xid(8, "the GPU stopped working through its queue", EITHER, Clears.PROGRAM, TODAY),
    *_alike((11, 25, 80), "a command stream that the GPU refused", PROGRAM, Clears.PROGRAM, KNOW),
    Xid(
        32,
        "a command stream that arrived corrupted",
        PROGRAM,
        Clears.PROGRAM,
        KNOW,
        "Again and again on one GPU with different programs it points to PCIe",
    ),
    Xid(13, "a program's kernel failed on the GPU", PROGRAM, Clears.PROGRAM, KNOW),
    Xid(31, "a program read or wrote memory that is not its own", PROGRAM, Clears.PROGRAM, KNOW),
    Xid(37, "an error in the driver's firmware", GPU, Clears.NOTHING_NEEDED, KNOW),
    Xid(38, "an error in the driver's firmware", GPU, Clears.VENDOR, TODAY),
    *_alike(_ENGINES, "a copy engine failed", EITHER, Clears.PROGRAM, KNOW),
    Xid(43, "a program was stopped on the GPU after its own error", PROGRAM, Clears.PROGRAM, KNOW),
    Xid(44, "an error while programs took turns", GPU, Clears.NOTHING_NEEDED, KNOW),
    Xid(45, "a program was cleaned up on the GPU after it ended", NOTHING, Clears.NOTHING_NEEDED, KNOW),
    Xid(46, "the GPU stopped working", GPU, Clears.RESET, NOW),
    Xid(48, "a memory error that could not be corrected", GPU, Clears.RESET, NOW),
    Xid(54, "its power cable", GPU, Clears.CABLES, NOW),
    Xid(60, "the security processor failed", GPU, Clears.PROGRAM, TODAY),
    Xid(61, "an internal controller stopped", GPU, Clears.VENDOR, TODAY),
    Xid(62, "the power controller halted", GPU, Clears.RESET, NOW),
    Xid(
        63,
        "a bad memory row was put aside",
        GPU,
        Clears.NOTHING_NEEDED,
        KNOW,
        "The spare row is used after the next reset; until then nothing is wrong",
    ),
    Xid(64, "a bad memory row could not be put aside", GPU, Clears.RESET, NOW),
    Xid(66, "a driver call that is not allowed", GPU, Clears.NOTHING_NEEDED, KNOW),
    Xid(67, "a driver call that is not allowed", GPU, Clears.NOTHING_NEEDED, KNOW),
    Xid(68, "the video decoder failed", PROGRAM, Clears.PROGRAM, KNOW),
    Xid(69, "a program used the graphics engine wrongly", PROGRAM, Clears.PROGRAM, KNOW),
    Xid(74, "an NVLink error", LINK, Clears.LINKS, NOW),
    Xid(78, "drivers of host and guest do not fit", GPU, Clears.UPDATE, TODAY),
    Xid(79, "the GPU has fallen off the bus", GPU, Clears.POWER, NOW),
    *_alike(_VIDEO, "a video or image engine failed", PROGRAM, Clears.PROGRAM, KNOW),
    Xid(92, "many memory errors that were corrected", GPU, Clears.VENDOR, TODAY),
    Xid(93, "the board's flash has been written too often", GPU, Clears.NOTHING_NEEDED, KNOW),
    Xid(
        94,
        "a memory error that was confined to one program",
        GPU,
        Clears.RESET,
        TODAY,
        "Other programs are not touched; look for the third in 30 days before a replacement",
    ),
    Xid(95, "a memory error that may have touched every program on the GPU", GPU, Clears.RESET, NOW),
    Xid(109, "a program did not give the GPU back in time", EITHER, Clears.RESET, TODAY),
    Xid(110, "a security fault", GPU, Clears.RESET, NOW),
    Xid(119, "the GPU's firmware (GSP) does not answer", GPU, Clears.REBOOT, NOW),
    Xid(120, "the GPU's firmware (GSP) failed", GPU, Clears.REBOOT, NOW),
    Xid(121, "an error on the link to the CPU", LINK, Clears.VENDOR, TODAY),
    *_alike(range(122, 126), "the board's flash could not be read", GPU, Clears.VENDOR, KNOW),
    Xid(136, "an NVLink did not come up", LINK, Clears.RESET, NOW),
    Xid(137, "a GPU was kept from another one's memory", LINK, Clears.NOTHING_NEEDED, KNOW),
    Xid(140, "a memory error that was not recovered", GPU, Clears.RESET, NOW),
    Xid(141, "an event of the driver's fast path", NOTHING, Clears.NOTHING_NEEDED, KNOW),
    Xid(142, "the video encoder failed", GPU, Clears.VENDOR, TODAY),
    Xid(143, "the GPU did not start", GPU, Clears.RESET, NOW),
    *_alike(range(144, 151), "an event of an NVLink unit", LINK, Clears.SEE_154, TODAY),
    Xid(151, "a key of confidential computing could not be renewed", GPU, Clears.REBOOT, TODAY),
    *_alike((152, 153), "the deep learning accelerator failed", GPU, Clears.NOTHING_NEEDED, KNOW),
    Xid(154, "the driver names what has to be done", NOTHING, Clears.SEE_154, KNOW),
    Xid(155, "an NVLink error that software found", LINK, Clears.RESET, NOW),
    Xid(156, "a broken part of the GPU was put aside", GPU, Clears.RESET, TODAY),
    Xid(157, "a broken part of the GPU could not be put aside", GPU, Clears.VENDOR, TODAY),
    Xid(158, "the GPU stopped answering", GPU, Clears.RESET, NOW),
    Xid(159, "an error on the link to the CPU", LINK, Clears.VENDOR, TODAY),
    *_alike((160, 161), "memory was marked for repair", GPU, Clears.NOTHING_NEEDED, KNOW),
    *_alike((162, 163, 164), "power smoothing changed", NOTHING, Clears.NOTHING_NEEDED, KNOW),
    Xid(165, "power smoothing is used up", GPU, Clears.VENDOR, TODAY),
    *_alike((166, 170), "NVLink in confidential mode", LINK, Clears.VENDOR, TODAY),
    Xid(167, "PCIe stopped answering", GPU, Clears.POWER, NOW),
    Xid(168, "the GPU has less memory than it should", GPU, Clears.VENDOR, TODAY),
    Xid(169, "the security processor halted", GPU, Clears.RESET, NOW),
    *_alike((171, 172), "where the memory error of Xid 48 is", NOTHING, Clears.SEE_154, KNOW),
    Xid(173, "the link to the CPU is broken", LINK, Clears.RESET, NOW),
    Xid(185, "a spare part of the GPU is used", NOTHING, Clears.NOTHING_NEEDED, KNOW),
)
TABLE = {entry.code: entry for entry in _ENTRIES}
