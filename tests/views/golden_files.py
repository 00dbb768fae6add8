"""What people see, kept in files: `UPDATE_GOLDEN=1 make test` writes them anew, and the diff is read before it lands."""

import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "golden"


def matches(name: str, actual: Any) -> None:
    """Text goes to NAME.txt, anything else to NAME.json."""
    suffix = "txt" if isinstance(actual, str) else "json"
    text = actual if isinstance(actual, str) else json.dumps(actual, indent=1, ensure_ascii=False)
    file = FOLDER / f"{name}.{suffix}"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(text + "\n", encoding="utf-8")
    assert file.exists(), f"{file.name} is missing: UPDATE_GOLDEN=1 writes it"
    assert text + "\n" == file.read_text(encoding="utf-8")
