"""What a file imports counts as the editor has it, saved or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Program
from lsp_evalplus.server.analysis.analysis import Analysis
from lsp_evalplus.server.analysis.facts import FileText, PreparedFunction

IMPORTER = "from helper import h\n\n\ndef f(a: int) -> int:\n    return h(a)\n"
EXAMPLE = IMPORTER.replace("    return", '    """\n    >>> f(1)\n    2\n    """\n    return')
RIGHT = "def h(a):\n    return a + 1\n"
WRONG = "def h(a):\n    return a\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "helper.py").write_text(RIGHT)
    (tmp_path / "trusted.py").write_text(IMPORTER)
    (tmp_path / "a.py").write_text(EXAMPLE.replace("def f", "# lsp-evalplus: reference=trusted.py\ndef f"))
    return tmp_path


def prepared(folder: Path, **open_texts: str) -> PreparedFunction:
    path = folder / "a.py"
    texts = {str(folder / f"{name}.py"): text for name, text in open_texts.items()}
    found = Analysis().prepare(FileText(path.read_text(), str(path)), "f", Settings(root=folder), texts, None)
    assert found is not None
    return found


def imported(program: Program) -> dict[str, str]:
    return {module.name: module.source for module in program.modules}


def test_both_sides_import_the_unsaved_text(folder: Path) -> None:
    found = prepared(folder, helper=WRONG)

    assert imported(found.target.program) == {"helper": WRONG}
    references = [one.reference for one in found.oracles if one.reference is not None]
    assert [imported(one) for one in references] == [{"helper": WRONG}]
    assert str(folder / "helper.py") in found.depends_on


@pytest.mark.parametrize("text", [RIGHT, RIGHT.replace("\n", "\r\n"), "def h(a:\n"])
def test_a_text_that_is_saved_or_broken_leaves_what_is_on_disk(folder: Path, text: str) -> None:
    assert prepared(folder, helper=text, other=WRONG) == prepared(folder)


def test_an_unsaved_text_makes_another_question(folder: Path) -> None:
    keys = {prepared(folder).key, prepared(folder, helper=WRONG).key, prepared(folder, helper="h = abs\n").key}

    assert len(keys) == 3


def test_what_an_unsaved_text_imports_is_depended_on(folder: Path) -> None:
    (folder / "deep.py").write_text(RIGHT)

    found = prepared(folder, helper="from deep import h\n", deep=WRONG)

    assert set(imported(found.target.program)) == {"helper", "deep"}
    assert str(folder / "deep.py") in found.depends_on


@pytest.mark.slow
async def test_typing_in_a_helper_checks_its_importers(new_editor):
    editor = await new_editor(files={"helper.py": RIGHT, "a.py": EXAMPLE}, options={"debounce": 0})
    uri, helper = editor.open("a.py"), editor.open("helper.py")
    await editor.run("lspEvalplus.checkFile", {"uri": uri})

    editor.change(helper, WRONG)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.message.startswith("f(1) returned 1")

    editor.change(helper, "def h(a):\n    return a + 1  # again\n")
    await editor.diagnostics(uri, lambda found: not found)

    editor.change(helper, WRONG)
    await editor.diagnostics(uri)
    editor.close_document(helper)
    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_a_helper_that_opens_with_unsaved_text(new_editor):
    editor = await new_editor(files={"helper.py": RIGHT, "a.py": EXAMPLE})
    uri = editor.open("a.py")
    await editor.run("lspEvalplus.checkFile", {"uri": uri})

    item = types.TextDocumentItem(editor.uri("helper.py"), "python", 1, WRONG)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    await editor.diagnostics(uri)


@pytest.mark.slow
async def test_nothing_is_run_of_an_untrusted_workspace(new_editor):
    mark = "open('ran', 'w')\n"
    files = {"helper.py": RIGHT, "a.py": EXAMPLE}
    editor = await new_editor(files=files, options={"debounce": 0, "trusted": False})
    uri, helper = editor.open("a.py"), editor.open("helper.py")

    editor.change(helper, mark + WRONG)

    assert await editor.run("lspEvalplus.checkFile", {"uri": uri}) == []
    assert editor.inbox == []
    assert not (editor.root / "ran").exists()
