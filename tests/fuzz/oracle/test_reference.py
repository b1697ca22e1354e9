"""Designated references: who names them, where they are, and what is said when they cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.config.settings import Layer, Settings, apply_layer, load_settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import OracleKind, Span
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.reference import read_source
from lsp_evalplus.fuzz.source.discover import Module, read_module

REFERENCE = "def g(x):\n    '''>>> g(1)\n    1\n    '''\n    return x\n\n\ndef f(x):\n    return -x\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.lsp-evalplus.references]\n"pkg/a.py::f" = "ref.py::g"\n', encoding="utf-8"
    )
    (tmp_path / "pkg").mkdir()
    (tmp_path / "ref.py").write_text(REFERENCE, encoding="utf-8")
    return tmp_path


def module_of(project: Path, text: str = "def f(x):\n    return x\n") -> Module:
    return read_module(text, project / "pkg" / "a.py")


def test_pyproject_names_one(project: Path) -> None:
    module = module_of(project)
    (oracle,) = oracles_for(module.target("f"), module, settings=load_settings(project / "pkg"))
    assert (oracle.kind, oracle.source) == (OracleKind.REFERENCE, "ref.py::g")
    assert oracle.reference is not None
    assert oracle.reference.qualname == "g"
    assert oracle.reference_path == str(project / "ref.py")
    assert oracle.reference_span == Span(0, 4, 0, 5)
    assert [example.arguments for example in oracle.examples] == ["(1,)"]


@pytest.mark.parametrize(
    ("comment", "name"),
    [("../ref.py::g", "g"), ("../ref.py", "f"), ("::other", "other")],
)
def test_a_comment_names_one_relative_to_the_file(comment: str, name: str, project: Path) -> None:
    text = f"# lsp-evalplus: reference={comment}\ndef f(x):\n    return x\n\n\ndef other(x):\n    return x\n"
    (project / "pkg" / "a.py").write_text(text, encoding="utf-8")
    module = module_of(project, text)
    oracle = oracles_for(module.target("f"), module, settings=load_settings(project / "pkg"))[0]
    assert oracle.reference is not None
    assert oracle.reference.qualname == name


@pytest.mark.parametrize("path", ["pkg/a.py", None])
def test_one_in_the_same_text_needs_no_file(path: str | None, project: Path) -> None:
    text = "# lsp-evalplus: reference=::g\ndef f(x):\n    return x\n\n\ndef g(x):\n    return x\n"
    module = read_module(text, project / path if path else None)

    oracle = oracles_for(module.target("f"), module)[0]

    assert oracle.source == ("a.py::g" if path else "::g")
    assert oracle.reference_path == (str(project / path) if path else None)


def test_one_that_is_missing_in_a_text_without_a_file_is_told() -> None:
    module = read_module("# lsp-evalplus: reference=::g\ndef f(x):\n    return x\n")

    with pytest.raises(UserError, match=r"\(?named by the comment above 'f'.* cannot be used: .*no function 'g'"):
        oracles_for(module.target("f"), module)


def test_the_flag_goes_first(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    module = module_of(project, "# lsp-evalplus: reference=nowhere.py::g\ndef f(x):\n    return x\n")
    oracle = oracles_for(module.target("f"), module, reference="ref.py::f")[0]
    assert oracle.source == "ref.py::f"


def test_the_text_may_come_from_an_editor(project: Path) -> None:
    module = module_of(project)
    settings = load_settings(project / "pkg")
    (oracle,) = oracles_for(module.target("f"), module, settings=settings, read=lambda path: "def g(x): return 42")
    assert oracle.reference is not None
    assert "42" in oracle.reference.source


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("missing.py::g", "(named by --reference) cannot be used|missing.py does not exist"),
        ("ref.py::gg", r"has no function 'gg'; did you mean 'g'\?"),
        ("pkg::g", "is a folder"),
        ("binary.py::g", "binary.py is not Python source text"),
        ("broken.py::g", "it does not parse"),
        ("files.py::g", r"files.py::g \(named by --reference\) cannot be used: reads files: open"),
        ("::", "names no reference|does not exist"),
    ],
)
def test_one_sentence_says_why_not(
    reference: str, sentence: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    (project / "binary.py").write_bytes(b"\xff\xfe\x00\x01")
    (project / "broken.py").write_text("def g(x:\n", encoding="utf-8")
    (project / "files.py").write_text("def g(x):\n    return open(x)\n", encoding="utf-8")
    module = module_of(project)
    with pytest.raises(UserError, match=sentence) as caught:
        oracles_for(module.target("f"), module, reference=reference)
    assert "\n" not in str(caught.value)


def test_a_comment_that_names_a_file_from_the_top_is_told_how_to_name_it(project: Path) -> None:
    text = "# lsp-evalplus: reference=ref.py::g\ndef f(x):\n    return x\n"
    (project / "pkg" / "a.py").write_text(text, encoding="utf-8")

    with pytest.raises(
        UserError, match=r"does not exist\. Its path is relative to the file of the comment: \.\./ref\.py\.$"
    ):
        oracles_for(module_of(project, text).target("f"), module_of(project, text))


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        read_source(tmp_path / "no.py")
    with pytest.raises(UserError, match="is a folder"):
        read_source(tmp_path)


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with open(tmp_path / "huge.py", "wb") as file:
        file.truncate(17 << 20)
    with pytest.raises(UserError, match=r"pipe\.py cannot be read: it is no ordinary file\.$"):
        read_source(tmp_path / "pipe.py")
    with pytest.raises(UserError, match=r"/dev/zero cannot be read: it is no ordinary file\.$"):
        read_source(Path("/dev/zero"))
    with pytest.raises(UserError, match=r"huge\.py cannot be read: it has more than 16 MB\.$"):
        read_source(tmp_path / "huge.py")


def test_a_declared_encoding_is_honoured(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    assert "é" in read_source(path)


def test_the_ladder_is_in_order_and_complete() -> None:
    text = """
import icontract
def g(x): return x
# lsp-evalplus: reference=::g
@icontract.ensure(lambda result: result is not None)
def f(x: int) -> int:
    '''f(1) == 1'''
    return x
"""
    module = read_module(text, Path("a.py"))
    every = [kind.value for kind in OracleKind]
    settings = apply_layer(Settings(), Layer("here", {"oracles": every}))
    found = oracles_for(module.target("f"), module, settings=settings, read=lambda path: text)
    assert [oracle.kind.value for oracle in found] == ["reference", "examples", "contract", "annotation", "robustness"]
    assert all(oracle.contract is not None for oracle in found)
    assert all(oracle.examples for oracle in found)
    only = apply_layer(Settings(), Layer("here", {"oracles": ["contract"]}))
    found = oracles_for(module.target("f"), module, settings=only, read=lambda path: text)
    assert [oracle.kind.value for oracle in found] == ["contract"]


@pytest.mark.parametrize(
    ("signature", "kinds"),
    [
        ("f(x)", []),
        ("f(x) -> int", ["annotation"]),
        ("f(x: int)", ["robustness"]),
        ("f(x: Any) -> Any", []),
        ("f(x: int, y=1)", ["robustness"]),
        ("f(x: int, y)", []),
        ("f()", []),
    ],
)
def test_the_weakest_oracles(signature: str, kinds: list[str]) -> None:
    module = read_module(f"from typing import Any\ndef {signature}:\n    return x\n")
    settings = apply_layer(Settings(), Layer("here", {"oracles": ["annotation", "robustness"]}))
    assert [oracle.kind.value for oracle in oracles_for(module.target("f"), module, settings=settings)] == kinds
