"""No file names a package registry's host, and lock files carry hashes without index addresses.

python tests/hygiene.py
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Put together here so that this file does not name them either.
HOSTS = re.compile("|".join(map(re.escape, (
    "pypi" + ".org", "pythonhosted" + ".org", "proxy.golang" + ".org", "sum.golang" + ".org", "registry.npmjs" + ".org",
    "crates" + ".io", "repo1.maven" + ".org", "repo.maven.apache" + ".org", "deb.debian" + ".org",
))))  # fmt: skip
LOCKED = re.compile(r"^[a-z0-9][a-z0-9._-]*==\S+( ; .+)? \\$|^    --hash=sha256:[0-9a-f]{64}( \\)?$")


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def problems() -> list[str]:
    """One line for each thing that is wrong."""
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        for number, line in enumerate(text.splitlines(), start=1):
            if HOSTS.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: names a package registry's host")
            if path.parent.name == "lock" and not LOCKED.match(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: is neither a pinned package nor a hash")
    return found


if __name__ == "__main__":
    wrong = problems()
    print("\n".join(wrong) or "hygiene: no registry's host, every package pinned by hash")
    sys.exit(bool(wrong))
