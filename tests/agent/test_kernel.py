"""The kernel's messages, as /dev/kmsg gives them: every form of an Xid, from a pipe that goes on."""

import asyncio
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.agent.hearing import Hearing
from bot.agent.kernel_ear import KernelEar, KernelSign
from bot.agent.kernel_record import Record, records
from bot.agent.kernel_tail import KernelTail
from bot.agent.xids import Xids
from bot.gpu.kernel_log import KernelLog

BOOT = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
BUS = "0000:05:00"


def kmsg(text: str, seconds: float = 3.5, sequence: int = 1) -> str:
    return f"4,{sequence},{int(seconds * 1e6)},-;{text}\n"


def signs(*texts: str) -> list[KernelSign]:
    ear = KernelEar()
    heard = (ear.hear(Record(BOOT, text)) for text in texts)
    return [one for one in heard if one]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        pytest.param(
            ["NVRM: Xid (PCI:0000:05:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."],
            [(79, BUS)],
            id="with pid and name unknown",
        ),
        pytest.param(
            ["NVRM: Xid (PCI:0000:05:00): 13, pid=2701876, name=python3, Graphics SM Warp Exception"],
            [(13, BUS)],
            id="with pid and name",
        ),
        pytest.param(
            ["NVRM: Xid (PCI:0000:05:00): 48, An uncorrectable double bit error (DBE) has been detected"],
            [(48, BUS)],
            id="without pid and name",
        ),
        pytest.param(
            ["NVRM: Xid (0000:05:00): 31, pid=<unknown>, name=<unknown>, MMU Fault"], [(31, BUS)], id="without PCI:"
        ),
        pytest.param(
            ["NVRM: Xid (PCI:0000:05:00 GPU-I:05): 94, pid=7194, name=python3, Contained"],
            [(94, BUS)],
            id="of an instance of a cut GPU",
        ),
        pytest.param(
            [
                "NVRM: GPU at PCI:0000:05:00: GPU-1d7e0a49-b099-45d3-97e3-ca05b336564c",
                "NVRM: Xid (PCI:0000:05:00): 62, 32a9",
            ],
            [(62, BUS)],
            id="after the line that names the GPU",
        ),
        pytest.param(
            ["NVRM: GPU 0000:05:00.0: GPU has fallen off the bus."], [(79, BUS)], id="off the bus without the word Xid"
        ),
        pytest.param(
            [
                "NVRM: The NVIDIA GPU 0000:05:00.0",
                "NVRM: (PCI ID: 10de:2330) installed in this system has",
                "NVRM: fallen off the bus and is not responding to commands.",
            ],
            [(79, BUS)],
            id="off the bus over three lines",
        ),
        pytest.param(
            [
                "NVRM: The NVIDIA GPU 0000:05:00.0",
                "NVRM: installed is not supported",
                "NVRM: a",
                "NVRM: b",
                "NVRM: fallen off the bus",
            ],
            [],
            id="a sentence that went on otherwise",
        ),
        pytest.param(
            ["NVRM: Xid (PCI:0000:05:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000 0x00000000)"],
            [(149, BUS)],
            id="NVLink 5, fatal",
        ),
        pytest.param(
            ["NVRM: Xid (PCI:0000:05:00): 145, RLW_SRC_TRACK Nonfatal XC1 i0 Link -1 (0x00000002 0x0)"],
            [(145, BUS)],
            id="NVLink 5, not fatal, no link",
        ),
        pytest.param(
            [
                "NVRM: Xid (PCI:0000:05:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"
            ],
            [(154, BUS)],
            id="the driver wants a reset",
        ),
        pytest.param(
            [
                "NVRM: Xid (PCI:0000:05:00): 119, pid=1, name=x, Timeout after 6s of waiting for RPC response from GPU3 GSP! Expected function 76"
            ],
            [(119, BUS)],
            id="GSP",
        ),
        pytest.param(
            [
                "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",
                "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 20034, Severity 1 Engine instance 30 Sub-engine instance 00",
                "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 20034, Data {0x50000001, 0x50000001}",
            ],
            [(20034, BUS)],
            id="an NVSwitch error once, its details not counted",
        ),
        pytest.param(["usb 1-1: Xid (PCI:0000:05:00): 79"], [], id="not the driver's line"),
        pytest.param(["NVRM: Xid (PCI:zz): 79"], [], id="no address"),
    ],
)
def test_every_form(texts: list[str], found: list[tuple[int, str]]) -> None:
    heard = signs(*texts)
    assert [(one.code, one.bus) for one in heard] == found
    assert all(one.switch is (one.code > 1000) for one in heard)


def test_that_no_recovery_is_needed_any_more_clears_the_gpu() -> None:
    xids = Xids()
    hearing = Hearing(xids)
    hearing.record(Record(BOOT, "NVRM: Xid (PCI:0000:05:00): 48, DBE"))
    hearing.record(
        Record(
            BOOT,
            "NVRM: Xid (PCI:0000:05:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
        )
    )
    assert [one.code for one in xids.open()] == [48, 154]
    later = BOOT + timedelta(minutes=5)
    hearing.record(
        Record(
            later,
            "NVRM: Xid (PCI:0000:05:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)",
        )
    )
    assert xids.open() == []
    assert {one.by for one in xids.cleared} == {"the driver asks for no recovery any more"}


def test_a_driver_that_is_loaded_again_clears_the_node() -> None:
    xids = Xids()
    hearing = Hearing(xids)
    hearing.record(Record(BOOT, "NVRM: Xid (PCI:0000:05:00): 48, DBE"))
    hearing.record(
        Record(
            BOOT + timedelta(minutes=5),
            "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (root@host)",
        )
    )
    assert xids.open() == []


def test_records_of_kmsg() -> None:
    data = (
        "6,339,5140900,-;NVRM: one\n SUBSYSTEM=pci\n DEVICE=+pci:0000:05:00.0\n"
        "30,340,5690716,c,caller=T1;two\\x09and a half; three\nno record\n"
    )
    assert list(records(data.encode(), BOOT)) == [
        Record(BOOT + timedelta(seconds=5.1409), "NVRM: one"),
        Record(BOOT + timedelta(seconds=5.690716), "two\tand a half; three"),
    ]


def test_kept_lines_read_as_the_kernel_log_of_a_node() -> None:
    ear = KernelEar()
    for text in (
        "Linux version 6.8.0",
        "audit: nothing",
        "INFO: task nvidia-smi:77 blocked for more than 122 seconds.",
        "NVRM: Xid (PCI:0000:05:00): 79, gone",
    ):
        ear.hear(Record(BOOT, text))
    log = KernelLog("\n".join(ear.lines))
    assert log.booted == BOOT
    assert [one.code for one in log.xids] == [79]
    assert [one.name for one in log.hung] == ["nvidia-smi"]
    assert len(ear.lines) == 3


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A pipe in the file system, and the end that is written to."""
    path = tmp_path / "kmsg"
    os.mkfifo(path)
    end = os.open(path, os.O_RDWR)
    yield str(path), end
    os.close(end)


async def test_what_was_there_before_comes_first_then_each_line_as_it_is_written(pipe: tuple[str, int]) -> None:
    path, end = pipe
    heard: asyncio.Queue[Record] = asyncio.Queue()
    os.write(end, "".join(kmsg(f"before {number}", number) for number in range(300)).encode())
    tail = KernelTail(path, BOOT, heard.put_nowait)
    tail.open()
    before = [(await asyncio.wait_for(heard.get(), 10)).text for _ in range(300)]
    os.write(end, (kmsg("whole") + kmsg("cut in")[:-4]).encode())
    assert (await asyncio.wait_for(heard.get(), 10)).text == "whole"
    os.write(end, kmsg("cut in")[-4:].encode())
    after = await asyncio.wait_for(heard.get(), 10)
    tail.close()
    assert before == [f"before {number}" for number in range(300)]
    assert after == Record(BOOT + timedelta(seconds=3.5), "cut in")
    assert not tail.trouble


@pytest.mark.parametrize(
    ("name", "why"),
    [
        pytest.param("absent", "No such file or directory", id="there is none"),
        pytest.param(".", "", id="what cannot be followed"),
    ],
)
async def test_a_log_that_cannot_be_followed_is_told(tmp_path: Path, name: str, why: str) -> None:
    tail = KernelTail(str(tmp_path / name), BOOT, lambda _: None)
    tail.open()
    assert tail.trouble.startswith(f"the kernel log cannot be read: {why}")
    assert not tail.following
