"""The packed cases, unpacked the same way by every Python that is supported."""

import tarfile
from collections.abc import Collection
from pathlib import Path

PACKED = Path(__file__).with_name("cases.tar.xz")


def unpack(target: Path, cases: Collection[str] = ()) -> None:
    """Those cases, or all. Python 3.11.2, which Debian 12 has, knows no filters yet; newer ones want one to be named."""
    with tarfile.open(PACKED) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
        members = [one for one in packed if not cases or set(cases) & set(Path(one.name).parts)]
        packed.extractall(target, members)
