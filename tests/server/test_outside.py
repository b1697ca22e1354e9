"""What other programs do to files: agents, checkouts, installers; and files that are nobody's business."""

from __future__ import annotations

import os
import subprocess

import pytest
from lsprotocol import types

from .session.test_acceptances import BEFORE, COMPLETION, SHOUT, commit

pytestmark = pytest.mark.slow

WRONG = 'def f(a: int) -> int:\n    """\n    >>> f(1)\n    2\n    """\n    return a\n'
TWO = BEFORE + "\n\ndef half(number: int) -> float:\n    return number / 2\n"
ANOTHER_PROGRAM = "(Checked because another program changed it.)"


def changed(editor, *names: str) -> None:
    """What a client that watches files says."""
    events = [types.FileEvent(editor.uri(name), types.FileChangeType.Changed) for name in names]
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))


@pytest.mark.parametrize(
    "foreign",
    [
        ".venv/lib/python3.11/site-packages/p.py",
        "tools/env1/lib/p.py",
        "node_modules/x/p.py",
        "build/lib/p.py",
        ".cache/p.py",
        "generated/p.py",
        "ignored/p.py",
    ],
)
async def test_files_that_are_not_the_projects_own_are_left_alone(new_editor, foreign):
    editor = await new_editor(
        files={
            "pyproject.toml": '[tool.lsp-evalplus]\nexclude = ["generated/**"]\n',
            ".gitignore": "ignored/\n",
            "a.py": BEFORE,
            "tools/env1/pyvenv.cfg": "",
        }
    )
    commit(editor.root)
    editor.write(foreign, WRONG)
    editor.write("own.py", WRONG)

    changed(editor, foreign, "own.py")

    published = await editor.diagnostics(editor.uri("own.py"))
    assert published.diagnostics[0].message.endswith(ANOTHER_PROGRAM)
    assert await editor.run("lspEvalplus.checkFile", {"uri": editor.uri("a.py")})
    assert editor.inbox == []


async def test_an_excluded_file_is_checked_only_when_asked_for(new_editor):
    editor = await new_editor(files={"pyproject.toml": '[tool.lsp-evalplus]\nexclude = ["gen*.py"]\n'})
    editor.write("a.py", BEFORE)
    commit(editor.root)
    uri = editor.open("generated.py", WRONG)
    editor.save(uri)
    other = editor.open("own.py", WRONG)
    await editor.diagnostics(other)

    results = await editor.run("lspEvalplus.checkChanges")
    assert [result["uri"] for result in results] == [other]
    lenses = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    assert not await editor.client.text_document_code_lens_async(lenses)
    assert editor.inbox == []

    (result,) = await editor.run("lspEvalplus.checkFile", {"uri": uri})
    assert result["verdict"] == "differs"
    await editor.diagnostics(uri)
    editor.write("pyproject.toml", "")
    changed(editor, "pyproject.toml")
    await editor.run("lspEvalplus.checkFile", {"uri": uri})


async def test_excluding_a_file_takes_its_findings_back(new_editor):
    editor = await new_editor()
    uri = editor.open("own.py", WRONG)
    await editor.diagnostics(uri)

    editor.configuration = {"": {"exclude": ["own.py"]}, editor.root.as_uri(): {"exclude": ["own.py"]}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))

    await editor.diagnostics(uri, lambda found: not found)


async def test_an_open_document_that_an_agent_writes_is_checked_without_a_save(new_editor):
    """The editor reads the file again, which is a change like any other, and says that the file was written."""
    editor = await new_editor(files={"a.py": TWO}, options={"debounce": 0})
    commit(editor.root)
    uri = editor.open("a.py")

    editor.write("a.py", TWO.replace("number * 2", "number * 3"))
    editor.replace(uri, "number * 2", "number * 3")
    changed(editor, "a.py")

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.code == "behaviour-changed"


async def test_a_pipe_keeps_nobody_waiting(new_editor):
    """The server ends at `exit`, which is what `close` looks at."""
    editor = await new_editor(files={"a.py": WRONG})
    os.mkfifo(editor.root / "pipe.py")

    changed(editor, "pipe.py")

    assert await editor.run("lspEvalplus.checkFile", {"uri": editor.uri("pipe.py")}) == []
    assert await editor.run("lspEvalplus.checkFile", {"uri": "file:///dev/zero"}) == []


REFERRED = "# lsp-evalplus: reference={}::f\ndef f(a: int) -> int:\n    return a\n"
SUCCESSOR = "def f(a: int) -> int:\n    return a + 1\n"


@pytest.mark.parametrize(
    ("text", "written", "content"),
    [
        (REFERRED.format("new.py"), "new.py", SUCCESSOR),
        (REFERRED.format("sub/../new.py"), "new.py", SUCCESSOR),
        ("from helper import h\n" + WRONG.replace("return a", "return h(a)"), "helper.py", "def h(a):\n    return a\n"),
        ("from p import h\n" + WRONG.replace("return a", "return h.h(a)"), "p/h.py", "def h(a):\n    return a\n"),
    ],
)
async def test_what_was_missing_is_there_at_last(new_editor, text, written, content):
    editor = await new_editor(files={"a.py": text, "sub/b.py": ""})
    uri = editor.open("a.py")
    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    assert editor.inbox == []

    editor.write(written, content)
    changed(editor, written)

    await editor.diagnostics(uri)


@pytest.mark.parametrize("path", ["new.py", "sub/../new.py"])
async def test_a_reference_that_is_closed_unsaved_is_the_one_on_disk(new_editor, path):
    editor = await new_editor(files={"new.py": SUCCESSOR, "a.py": REFERRED.format(path), "sub/b.py": ""})
    uri, reference = editor.open("a.py"), editor.open("new.py")
    await editor.diagnostics(uri)
    editor.change(reference, SUCCESSOR.replace("a + 1", "a"))
    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    await editor.diagnostics(uri, lambda found: not found)

    editor.close_document(reference)

    await editor.diagnostics(uri)


@pytest.mark.parametrize("written", ["", "def f(a: int) -> int:\n    return a\n", None])
async def test_a_reference_that_opens_with_unsaved_text_is_that_text(new_editor, written):
    editor = await new_editor(files={"a.py": REFERRED.format("new.py")})
    if written is not None:
        editor.write("new.py", written)
    item = types.TextDocumentItem(editor.uri("new.py"), "python", 1, SUCCESSOR)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    uri = editor.open("a.py")

    await editor.run("lspEvalplus.checkFile", {"uri": uri})

    await editor.diagnostics(uri)


async def test_what_opens_as_it_is_on_disk_counts_as_it_is_there(new_editor):
    editor = await new_editor(files={"a.py": REFERRED.format("new.py"), "new.py": SUCCESSOR.replace("\n", "\r\n")})
    reference, uri = editor.open("new.py"), editor.open("a.py")
    await editor.run("lspEvalplus.checkFile", {"uri": reference})
    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    await editor.diagnostics(uri)

    editor.write("new.py", SUCCESSOR.replace("a + 1", "a"))
    changed(editor, "new.py")

    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.parametrize("uri", ["untitled:One", "file:///nowhere/one.py"])
async def test_a_reference_in_the_same_unsaved_text(new_editor, uri):
    editor = await new_editor(files={"a.py": ""})
    text = REFERRED.format("").replace("::f", "::g") + "\n\n" + SUCCESSOR.replace("f(", "g(")
    editor.client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
    )

    await editor.run("lspEvalplus.checkFile", {"uri": uri})

    await editor.diagnostics(uri)


async def test_what_was_moved_to_another_file_is_compared_with_what_it_was_there(new_editor):
    editor = await new_editor(files={"a.py": TWO})
    commit(editor.root)
    (editor.root / "a.py").rename(editor.root / "b.py")

    uri = editor.open("b.py", TWO.replace("number * 2", "number * 3"))

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.code == "behaviour-changed"
    assert diagnostic.message.endswith("before (a.py at git HEAD).")


@pytest.mark.parametrize("way", ["edits", "range", "whole"])
async def test_several_functions_that_change_at_once_are_an_agents_work(new_editor, way):
    editor = await new_editor(files={"a.py": TWO}, options={"debounce": 60}, watch=False)
    commit(editor.root)
    uri = editor.open("a.py")
    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    new = TWO.replace("number * 2", "number * 3").replace("number / 2", "number / 3")

    end = editor.position(TWO, len(TWO))
    if way == "edits":
        changes = [
            types.TextDocumentContentChangePartial(types.Range(types.Position(line, 20), types.Position(line, 21)), "3")
            for line in (5, 1)
        ]
        changes[0].text = "4"
        new = new.replace("number / 3", "number / 4")
        identifier = types.VersionedTextDocumentIdentifier(2, uri)
        editor.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))
    elif way == "range":
        editor.edit(uri, types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), end), new), new)
    else:
        editor.change(uri, new)

    published = await editor.diagnostics(uri, lambda found: len(found) == 2)
    assert {one.data["name"] for one in published.diagnostics} == {"double", "half"}
    assert all(one.message.endswith(ANOTHER_PROGRAM) for one in published.diagnostics)


async def test_renaming_in_several_functions_is_no_agents_work(new_editor):
    text = BEFORE + "\n\ndef twice(number: int) -> int:\n    return double(number)\n"
    editor = await new_editor(files={"a.py": text}, options={"debounce": 0})
    commit(editor.root)
    uri = editor.open("a.py")
    where = [types.Range(types.Position(line, 4), types.Position(line, 10)) for line in (0,)]
    where.append(types.Range(types.Position(5, 11), types.Position(5, 17)))
    changes = [types.TextDocumentContentChangePartial(one, "duplo") for one in reversed(where)]
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    hover = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(4, 5))
    assert "Accepted" not in (await editor.client.text_document_hover_async(hover)).contents.value


async def test_without_a_watching_client_git_is_asked_what_changed(new_editor):
    editor = await new_editor(files={"a.py": TWO, "b.py": BEFORE}, watch=False)
    commit(editor.root)
    editor.open("b.py")
    uri = editor.uri("a.py")

    def is_found() -> bool:
        editor.write("a.py", TWO.replace("number * 2", "number * 3"))  # It may be before the first look, so again.
        return any(one.method == "textDocument/publishDiagnostics" for one in editor.inbox)

    await editor.wait(is_found)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.message.endswith(ANOTHER_PROGRAM)

    subprocess.run(
        [
            "git",
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
            "commit",
            "-qam",
            "2",
        ],
        cwd=editor.root,
        check=True,
        timeout=280,
    )
    await editor.diagnostics(uri, lambda found: not found)


async def test_a_place_that_the_editor_writes_in_its_own_way_is_one_place(new_editor):
    editor = await new_editor(files={"a@b (c)+ü.py": WRONG.replace("    2\n", "    1\n")})
    commit(editor.root)
    path = editor.write("a@b (c)+ü.py", WRONG)
    uri = "file://" + path.as_posix().replace(" ", "%20").replace("ü", "%c3%bc")
    assert uri != path.as_uri()
    item = types.TextDocumentItem(uri, "python", 1, WRONG)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await editor.diagnostics(uri)

    (result,) = await editor.run("lspEvalplus.checkChanges")

    assert result["uri"] == uri
    assert editor.inbox == []


async def test_code_that_stands_in_a_closed_file_of_the_project_was_pasted(new_editor):
    editor = await new_editor(
        files={"shout.py": SHOUT + "    pass\n", "deep/er/other.py": f"def other(text):\n{COMPLETION}"},
        options={"debounce": 60},
    )
    commit(editor.root)
    uri = editor.open("shout.py")

    editor.replace(uri, "    pass\n", COMPLETION)

    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert "(Checked because" not in diagnostic.message
