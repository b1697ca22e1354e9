"""The loopback server, for tests that speak with a model."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def loopback() -> ModuleType:
    """The module `tests/loopback/server.py`."""
    path = Path(__file__).parents[2] / "loopback" / "server.py"
    spec = importlib.util.spec_from_file_location("loopback_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["loopback_server"] = module
    spec.loader.exec_module(module)
    return module
