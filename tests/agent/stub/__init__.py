"""A libnvidia-ml.so.1 in C, built when a test first needs it; the unmodified pynvml loads it in the worker."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("nvml.c")
LIBRARY = "libnvidia-ml.so.1"
NO_COMPILER = "the NVML stub needs a C compiler called cc"


def compiler() -> str | None:
    return shutil.which("cc")


def build(folder: Path) -> Path:
    """The folder for LD_LIBRARY_PATH."""
    cc = compiler()
    assert cc, NO_COMPILER
    command = [cc, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-Wl,-soname,{LIBRARY}"]
    subprocess.run([*command, "-o", str(folder / LIBRARY), str(SOURCE)], check=True)
    return folder


@dataclass(frozen=True, slots=True)
class Stub:
    """One stubbed node: what its driver says can be changed while it is read."""

    library: Path
    script: Path

    def says(self, *lines: str) -> None:
        """From now on; replaced at once, so that no call reads half of it."""
        new = self.script.with_suffix(".new")
        new.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
        new.rename(self.script)

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (str(self.library), os.environ.get("LD_LIBRARY_PATH"))))
        return {"LD_LIBRARY_PATH": path, "NVML_STUB_SCRIPT": str(self.script)}
