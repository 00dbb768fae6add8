"""Browser tests run only when they are asked for: by this folder, by `-m browser`, or by GPUBOT_BROWSER=1."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Browser

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    named = any("tests/browser" in argument for argument in config.args)
    marked = "browser" in (config.option.markexpr or "")
    asked = named or marked or os.environ.get("GPUBOT_BROWSER") == "1"
    return None if asked else True


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """Debian's chromium, without a network of its own."""
    if CHROMIUM is None or find_spec("playwright") is None:
        pytest.skip("needs Debian's chromium and the playwright package")
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture
def screenshots() -> Path:
    folder = Path("build/screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
