"""Limits that a system refuses are named, and the others are set."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.sandbox import rlimits

resource = pytest.importorskip("resource")
SETTINGS: dict[str, Any] = {
    "memory_bytes": 1 << 32,
    "file_bytes": 1 << 20,
    "open_files": 64,
    "forks": False,
    "cpu_seconds": 1.5,
}
KINDS = {
    "CORE": "core dumps",
    "AS": "memory",
    "FSIZE": "size of files",
    "NOFILE": "open files",
    "CPU": "processor time",
}


@pytest.mark.parametrize("refused", [(), *[(name,) for name in KINDS], tuple(KINDS)])
def test_a_refused_limit_is_named_and_the_others_are_set(
    monkeypatch: pytest.MonkeyPatch, refused: tuple[str, ...]
) -> None:
    numbers = {getattr(resource, "RLIMIT_" + name): name for name in KINDS}
    found: dict[str, tuple[int, int]] = {}

    def setrlimit(kind: int, limits: tuple[int, int]) -> None:
        if numbers[kind] in refused:
            raise ValueError("current limit exceeds maximum limit")
        found[numbers[kind]] = limits

    monkeypatch.setattr(resource, "setrlimit", setrlimit)

    state = rlimits.apply(SETTINGS)

    assert set(found) == set(KINDS) - set(refused)
    assert (state == "on") == (not refused)
    assert all(KINDS[name] in state for name in refused)
    if "CPU" in found:
        assert found["CPU"] == (2, 3)
