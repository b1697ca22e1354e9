"""What every test may use: the loopback server, for tests that speak with a model."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def loopback() -> ModuleType:
    """The module `tests/loopback/server.py`."""
    path = Path(__file__).parent / "loopback" / "server.py"
    spec = importlib.util.spec_from_file_location("loopback_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["loopback_server"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def serve(loopback: ModuleType) -> Iterator[Callable[..., Any]]:
    """Starts loopback servers that end with the test."""
    with ExitStack() as stack:

        def start(answer: Any = lambda body: ["hi"] * body.get("n", 1), **options: Any) -> Any:
            return stack.enter_context(loopback.Loopback(answer, **options).running())

        yield start
