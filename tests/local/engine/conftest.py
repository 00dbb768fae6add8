"""An engine on a port of its own, and a client that asks it."""

from collections.abc import AsyncIterator

import pytest

from tests.local.engine.helpers import TOOLS, Asking, serving


@pytest.fixture
async def glm() -> AsyncIterator[Asking]:
    async with serving(*TOOLS, "--reasoning-parser=glm45") as (_, asking):
        yield asking
