"""What the tests of searches share: they load programs into the process of the tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _clean_modules() -> Iterator[None]:
    before, output = dict(sys.modules), (sys.stdout, sys.stderr)
    yield
    sys.stdout, sys.stderr = output
    for name in set(sys.modules) - set(before):
        del sys.modules[name]
