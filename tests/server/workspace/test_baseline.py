"""Known findings in the editor: the command line's baseline silences them, and the quick fix adds to it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from lsprotocol import types

from ... import forked

pytestmark = pytest.mark.slow

SETTINGS = '[tool.lsp-evalplus]\nbaseline = "known.json"\n'
WRONG = '''\
def shout(text: str) -> str:
    """Loud.

    >>> shout("a")
    'A!'
    """
    return text + "!"


def whisper(text: str) -> str:
    """Silent.

    >>> whisper("A")
    'a'
    """
    return text
'''


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a folder."""
    command = [*forked.command(), "check", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)


def names(diagnostics: list[types.Diagnostic]) -> set[str]:
    return {one.data["name"] for one in diagnostics}


def prepare(editor) -> None:
    editor.write("pyproject.toml", SETTINGS)


async def test_what_the_command_line_knows_is_not_told_in_the_editor(new_editor):
    editor = await new_editor(before=prepare)
    editor.write("pkg/shout.py", WRONG)
    written = check(editor.root, "pkg/shout.py::shout", "--write-baseline", "known.json")
    assert written.returncode == 0, written.stderr

    uri = editor.open("pkg/shout.py")
    published = await editor.diagnostics(uri)

    assert names(published.diagnostics) == {"whisper"}


@pytest.mark.parametrize("literals", [True, False])
async def test_the_quick_fix_writes_what_the_command_line_reads(new_editor, literals):
    editor = await new_editor(before=prepare, literals=literals)
    uri = editor.open("pkg/shout.py", WRONG)
    published = await editor.diagnostics(uri, lambda found: names(found) == {"shout", "whisper"})
    for name in ("shout", "whisper"):
        one = next(one for one in published.diagnostics if one.data["name"] == name)
        actions = await editor.actions(uri, one)
        (action,) = [action for action in actions if "add it to known.json" in action.title]
        command = action.command if literals else action
        assert await editor.run(command.command, *command.arguments) is True
        assert not [other for other in actions if "Ignore" in other.title and other is not action]

    await editor.diagnostics(uri, lambda found: not found)

    known = json.loads((editor.root / "known.json").read_text())["findings"]
    assert {(one["path"], one["name"]) for one in known} == {("pkg/shout.py", "shout"), ("pkg/shout.py", "whisper")}
    checked = check(editor.root, "pkg/shout.py")
    assert checked.returncode == 0, checked.stdout
    assert "2 known findings left out" in checked.stdout
    assert check(editor.root, "pkg/shout.py", "--baseline", "known.json").returncode == 0
    # Another input is another finding.
    editor.replace(uri, ">>> whisper(\"A\")\n    'a'", ">>> whisper(\"B\")\n    'b'")
    await editor.diagnostics(uri, lambda found: names(found) == {"whisper"})


async def test_a_baseline_that_changes_is_read_again(new_editor):
    editor = await new_editor(before=prepare)
    uri = editor.open("shout.py", WRONG)
    await editor.diagnostics(uri, lambda found: len(found) == 2)
    assert check(editor.root, "shout.py", "--write-baseline", "known.json").returncode == 0

    def changed() -> None:
        event = types.FileEvent((editor.root / "known.json").as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    changed()
    await editor.diagnostics(uri, lambda found: not found)
    (editor.root / "known.json").unlink()
    changed()
    await editor.diagnostics(uri, lambda found: len(found) == 2)
    (editor.root / "known.json").write_text("nonsense")
    changed()
    message = await editor.take("window/showMessage")
    assert "known.json" in message.message
    registered = [one.params for one in editor.seen if one.method == "client/registerCapability"]
    assert "known.json" in str(registered)


async def test_nothing_is_written_outside_of_the_project(new_editor):
    settings = SETTINGS.replace("known", "../known")
    editor = await new_editor(files={"pyproject.toml": settings}, options={"trusted": True})
    uri = editor.open("shout.py", WRONG)
    await editor.diagnostics(uri, lambda found: len(found) == 2)

    assert await editor.run("lspEvalplus.ignoreFinding", {"uri": uri, "name": "shout"}) is False

    assert "outside" in (await editor.take("window/showMessage")).message
    assert not (editor.root.parent / "known.json").exists()
