"""What the tests of the engine share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .. import forked


@pytest.fixture(autouse=True)
def forked_zygotes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Zygotes start as forks, but where their starts and ends are tested."""
    if "host" in request.path.parts:
        yield
    else:
        with forked.forked_zygotes():
            yield
