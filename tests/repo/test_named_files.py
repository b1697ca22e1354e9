"""Documents name files and modules that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [ROOT / root / "lsp_evalplus" for root in ("fuzz", "server", "bench")]
DOCUMENTS = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# Below which folders a name such as `guest/values/plain.py` or `engine/check.py` is looked for.
BASES = [
    ROOT,
    ROOT / "fuzz/lsp_evalplus",
    ROOT / "server/lsp_evalplus",
    ROOT / "bench/lsp_evalplus",
    ROOT / "fuzz/lsp_evalplus/fuzz",
    ROOT / "fuzz/lsp_evalplus/fuzz/guest",
    ROOT / "server/lsp_evalplus/server",
    ROOT / "bench/lsp_evalplus/bench",
]
ROOMS = {path.name for base in BASES for path in base.iterdir() if path.is_dir()}
FILE = re.compile(r"`([a-z_]+(?:/[a-z_]+)+\.py)`")
MODULE = re.compile(r"`((?:fuzz|server|bench)\.[a-z_]+(?:\.[A-Za-z_]+)*)")


def exists_as_module(dotted: str) -> bool:
    """Whether a dotted name leads to a package, a module, or a name that a module mentions."""
    for package in PACKAGES:
        path, names = package, dotted.split(".")
        while names and (path / names[0]).is_dir():
            path /= names.pop(0)
        if path == package:
            continue
        if not names or (path / f"{names[0]}.py").is_file():
            module = path / f"{names[0]}.py" if names else path / "__init__.py"
            return len(names) < 2 or re.search(rf"\b{names[1]}\b", module.read_text(encoding="utf-8")) is not None
        if re.search(rf"\b{names[0]}\b", (path / "__init__.py").read_text(encoding="utf-8")):
            return True
    return False


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_is_named_exists(document: Path) -> None:
    named = [name for name in FILE.findall(document.read_text(encoding="utf-8")) if name.split("/")[0] in ROOMS]

    assert [name for name in named if not any((base / name).is_file() for base in BASES)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_module_that_is_named_exists(document: Path) -> None:
    named = MODULE.findall(document.read_text(encoding="utf-8"))

    assert [name for name in named if not exists_as_module(name)] == []


def test_the_test_sees_what_is_stale() -> None:
    assert exists_as_module("fuzz.guest.values.plain")
    assert exists_as_module("fuzz.llm.client.LlmClient")
    assert not exists_as_module("fuzz.guest.plain")
    assert not exists_as_module("fuzz.seeds.llm_client.LlmClient")
    assert FILE.findall("see `engine/check.py` and `x.py`") == ["engine/check.py"]
