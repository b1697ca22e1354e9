"""What the tests of the guest share: calls in the process of the tests are limited by a clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock


@pytest.fixture
def clock() -> Iterator[CallClock]:
    clock = CallClock()
    clock.install()
    yield clock
    clock.remove()
