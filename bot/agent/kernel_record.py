"""One record of /dev/kmsg (kernel documentation: ABI/testing/dev-kmsg): `priority,sequence,microseconds,flags;text`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

_RECORD = re.compile(
    rb"\d{1,10},(?P<sequence>\d{1,20}),(?P<microseconds>\d{1,20}),[^;\n]{0,64};(?P<text>[^\n]{0,4096})"
)
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class Record:
    """A message of the kernel. `time` is reckoned from the boot, as dmesg does."""

    time: datetime
    text: str


def records(data: bytes, booted: datetime) -> Iterator[Record]:
    """The records in it; lines that begin with a blank tell of the device and are left out."""
    for line in data.split(b"\n"):
        if found := _RECORD.match(line):
            text = found["text"].decode("utf-8", "replace")
            since_boot = timedelta(microseconds=min(int(found["microseconds"]), 10**17))
            yield Record(booted + since_boot, _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text))
