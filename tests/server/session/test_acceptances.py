"""From an accepted completion to a finding, in every way in which the server can hear of it."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest
from lsprotocol import types

BEFORE = "def double(number: int) -> int:\n    return number * 2\n"
AFTER = "def double(number: int) -> int:\n    return number * number\n"
SHOUT = '''\
def shout(text: str) -> str:
    """Loud.

    >>> shout("a")
    'A!'
    """
'''
COMPLETION = '    result = text\n    result += "!"\n    return result\n'


def commit(folder: Path) -> None:
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        git(folder, *arguments)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, timeout=280)


def report(uri: str, version: int, text: str, old: str = "number") -> dict:
    start = text.index("return") + len("return ")
    column = start - text.rindex("\n", 0, start) - 1
    line = text.count("\n", 0, start)
    ranges = [{"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 15}}]
    return {
        "textDocument": {"uri": uri, "version": version},
        "ranges": ranges,
        "kind": "full",
        "source": "test.copilot",
    }


@pytest.mark.slow
async def test_an_implementation_that_a_generic_function_registers_is_checked_through_it(new_editor):
    """Implementations are all called ``_``, and only the last of them is found by that name."""
    head = "from functools import singledispatch\n\n\n@singledispatch\ndef size(value) -> int:\n    return 0\n\n\n"
    last = "@size.register\ndef _(value: str) -> int:\n    return len(value)\n"
    before = f"{head}@size.register\ndef _(value: list) -> int:\n    return len(value) + 1\n\n\n{last}"
    after = before.replace("len(value) + 1", "len(value) or 1")
    editor = await new_editor(files={"a.py": before}, options={"debounce": 0})
    commit(editor.root)
    uri = editor.open("a.py")
    version = editor.change(uri, after)
    line = after.split("\n").index("    return len(value) or 1")
    ranges = [{"start": {"line": line, "character": 11}, "end": {"line": line, "character": 26}}]
    what = {
        "textDocument": {"uri": uri, "version": version},
        "ranges": ranges,
        "kind": "full",
        "source": "test.copilot",
    }
    editor.client.protocol.notify("lspEvalplus/accepted", what)

    found = await editor.diagnostics(uri, lambda found: bool(found))
    assert [one.data["name"] for one in found.diagnostics] == ["size"]
    assert "size([0])" in found.diagnostics[0].message


@pytest.mark.slow
@pytest.mark.parametrize("way", ["notification", "command"])
async def test_a_reported_acceptance_is_checked_against_head_and_typing_is_not(new_editor, way):
    """What the user types is no news to him, and HEAD is all that could speak against it."""
    judged = SHOUT + "    return text\n\n\n"
    editor = await new_editor(files={"a.py": BEFORE}, options={"debounce": 0})
    commit(editor.root)
    uri = editor.open("a.py")
    editor.change(uri, BEFORE + judged)
    await editor.diagnostics(uri)
    editor.change(uri, AFTER + judged)
    version = editor.change(uri, AFTER + judged.replace("return text", "return text + text"))
    # The finding of the text before stands until the new text was checked; what that gives is another result.
    changed = await editor.diagnostics(uri, lambda found: "'aa'" in str([one.data for one in found]))
    assert [one.data["name"] for one in changed.diagnostics] == ["shout"]
    hover = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 5))
    assert await editor.client.text_document_hover_async(hover) is None

    if way == "notification":
        editor.client.protocol.notify("lspEvalplus/accepted", report(uri, version, AFTER))
    else:
        assert await editor.run("lspEvalplus.accepted", report(uri, version, AFTER)) is True

    published = await editor.diagnostics(uri, lambda found: len(found) == 2)
    diagnostic = next(one for one in published.diagnostics if one.data["name"] == "double")
    assert diagnostic.code == "behaviour-changed"
    assert "before (git HEAD)" in diagnostic.message
    assert "looks like" not in diagnostic.message
    assert "Accepted code (from test.copilot)." in (await editor.client.text_document_hover_async(hover)).contents.value


@pytest.mark.slow
async def test_an_acceptance_is_remembered_by_the_next_session(new_editor):
    first = await new_editor(files={"a.py": BEFORE})
    commit(first.root)
    uri = first.open("a.py")
    first.change(uri, AFTER)
    first.client.protocol.notify("lspEvalplus/accepted", report(uri, 2, AFTER))
    await first.diagnostics(uri)
    first.save(uri)
    await first.close()

    second = await new_editor()
    again = second.open("a.py")
    await second.diagnostics(again)
    hover = types.HoverParams(types.TextDocumentIdentifier(again), types.Position(0, 5))
    assert (
        "Accepted code (reported by the editor)."
        in (await second.client.text_document_hover_async(hover)).contents.value
    )


async def test_a_large_insertion_is_taken_for_accepted_where_nothing_is_reported(new_editor):
    editor = await new_editor(files={"shout.py": SHOUT + "    pass\n"}, options={"debounce": 60})
    commit(editor.root)
    uri = editor.open("shout.py")

    editor.replace(uri, "    pass\n", COMPLETION)

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.code == "example-fails"
    assert diagnostic.message.endswith("(Checked because this looks like accepted code.)")


async def test_who_reports_is_believed_and_nothing_is_guessed(new_editor):
    editor = await new_editor(files={"shout.py": SHOUT + "    pass\n", "a.py": BEFORE}, options={"debounce": 60})
    commit(editor.root)
    other = editor.open("a.py")
    editor.change(other, AFTER)
    editor.client.protocol.notify("lspEvalplus/accepted", report(other, 2, AFTER))
    await editor.diagnostics(other)
    uri = editor.open("shout.py")
    await editor.until_read(uri)

    editor.replace(uri, "    pass\n", COMPLETION)

    await editor.until_read(uri)
    document = types.TextDocumentIdentifier(uri)
    assert not await editor.client.text_document_code_lens_async(types.CodeLensParams(document))


@pytest.mark.slow
async def test_manual_means_that_only_commands_check(new_editor):
    editor = await new_editor(options={"trigger": "manual", "debounce": 0})
    uri = editor.open("shout.py", SHOUT + COMPLETION)
    editor.save(uri)
    await editor.until_read(uri)
    document = types.TextDocumentIdentifier(uri)
    assert not await editor.client.text_document_code_lens_async(types.CodeLensParams(document))

    (result,) = await editor.run("lspEvalplus.checkFile", {"uri": uri})

    assert result["verdict"] == "differs"
    await editor.diagnostics(uri)


@pytest.mark.slow
async def test_with_trigger_save_typing_starts_nothing(new_editor):
    editor = await new_editor(options={"trigger": "save", "debounce": 0})
    uri = editor.open("shout.py", "x = 1\n")
    await editor.until_read(uri)
    editor.change(uri, SHOUT + COMPLETION)
    await asyncio.sleep(0.1)
    await editor.until_read(uri)
    document = types.TextDocumentIdentifier(uri)
    assert not await editor.client.text_document_code_lens_async(types.CodeLensParams(document))

    editor.save(uri)

    await editor.diagnostics(uri)


@pytest.mark.slow
async def test_a_language_model_without_consent_is_not_asked_and_nothing_waits_for_it(new_editor):
    editor = await new_editor(options={"llm": {"enabled": True, "baseUrl": "http://127.0.0.1:9/v1", "model": "m"}})
    uri = editor.open("shout.py", SHOUT + COMPLETION)

    await editor.diagnostics(uri)


DOUBLE = "def double(number: int) -> int:\n"


def accept(editor, uri: str, old: str, new: str) -> None:
    """Replace text as an accepted completion does, and report it."""
    version = editor.replace(uri, old, new)
    text = editor.texts[uri]
    line = text.count("\n", 0, text.index(new))
    end = {"line": line + new.count("\n"), "character": 0}
    params = {
        "textDocument": {"uri": uri, "version": version},
        "ranges": [{"start": {"line": line, "character": 0}, "end": end}],
        "kind": "full",
    }
    editor.client.protocol.notify("lspEvalplus/accepted", params)


async def test_without_git_the_text_that_was_replaced_is_what_the_function_did_before(new_editor):
    editor = await new_editor(files={"a.py": BEFORE})
    uri = editor.open("a.py")

    accept(editor, uri, "    return number * 2\n", "    return number * number\n")

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.code == "behaviour-changed"
    assert diagnostic.severity == types.DiagnosticSeverity.Information
    assert "before (the version you just replaced)" in diagnostic.message
    parted, result = diagnostic.related_information
    assert parted.message == "the first line that runs otherwise than in the version you just replaced"
    assert (parted.location.range.start, result.location.range.start) == (types.Position(1, 4), types.Position(1, 4))
    hover = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 5))
    text = (await editor.client.text_document_hover_async(hover)).contents.value
    assert "Line 2, the result comes from here: `return number * number`" in text
    restored = await editor.chosen(uri, diagnostic, "Restore the version you just replaced")
    editor.apply(restored.edit)
    assert editor.texts[uri] == BEFORE
    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_the_replaced_text_is_asked_after_head_and_only_when_it_is_another(new_editor):
    editor = await new_editor(files={"a.py": BEFORE, "b.py": BEFORE})
    commit(editor.root)
    both, same = editor.open("a.py"), editor.open("b.py")
    editor.change(both, DOUBLE + "    return number + 1\n")
    hover = types.Position(0, 5)

    accept(editor, both, "    return number + 1\n", "    return number * number\n")
    accept(editor, same, "    return number * 2\n", "    return number * number\n")

    (diagnostic,) = (await editor.diagnostics(both)).diagnostics
    assert "before (git HEAD)" in diagnostic.message
    await editor.run("lspEvalplus.checkFunction", {"uri": both, "name": "double"})
    document = types.TextDocumentIdentifier(both)
    text = (await editor.client.text_document_hover_async(types.HoverParams(document, hover))).contents.value
    assert text.index("Differs from git HEAD") < text.index("Differs from the version you just replaced")
    await editor.diagnostics(same)
    document = types.TextDocumentIdentifier(same)
    text = (await editor.client.text_document_hover_async(types.HoverParams(document, hover))).contents.value
    assert "the version you just replaced" not in text
    editor.inbox.clear()


@pytest.mark.slow
async def test_a_refactoring_that_was_accepted_is_told_to_agree(new_editor):
    editor = await new_editor(files={"a.py": BEFORE})
    uri = editor.open("a.py")

    accept(editor, uri, "    return number * 2\n", "    return number + number\n")

    await editor.run("lspEvalplus.checkFunction", {"uri": uri, "name": "double"})
    document = types.TextDocumentIdentifier(uri)
    lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(document))
    title = lenses[0].command.title
    assert "inputs agree with the version you just replaced" in title


@pytest.mark.slow
async def test_what_was_only_begun_is_no_version(new_editor):
    """A stub that is filled in was nothing that could be kept as it was."""
    stub = SHOUT.replace("    >>>", "    So").replace("'A!'", "so")
    editor = await new_editor(files={"shout.py": stub + "    pass\n", "b.py": BEFORE})
    uri, other = editor.open("shout.py"), editor.open("b.py")

    accept(editor, uri, "    pass\n", COMPLETION)
    accept(editor, other, "    return number * 2\n", "    return number * number\n")

    await editor.diagnostics(other)
    document = types.TextDocumentIdentifier(uri)
    titles = ["… checking"]
    while titles == ["… checking"]:
        lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(document))
        titles = [lens.command.title for lens in lenses]
    assert titles[0].startswith("○ reaches a return statement for ")


PAIR = "def first(n: int) -> int:\n    return n\n\n\ndef second(n: int) -> int:\n    return n\n"
OTHER_PAIR = PAIR.replace("return n", "return n + 1", 1).replace("return n\n", "total = n\n    return total * 2\n")


async def test_what_a_checkout_brings_is_not_taken_for_accepted(new_editor):
    """HEAD was asked for a moment before; the branch changes it."""
    editor = await new_editor(files={"a.py": PAIR}, options={"debounce": 60})
    commit(editor.root)
    git(editor.root, "checkout", "-qb", "other")
    (editor.root / "a.py").write_text(OTHER_PAIR)
    git(editor.root, "commit", "-qam", "second")
    git(editor.root, "checkout", "-q", "-")
    uri = editor.open("a.py")
    await editor.until_read(uri)
    git(editor.root, "checkout", "-q", "other")

    editor.change(uri, OTHER_PAIR)

    await editor.until_read(uri)
    document = types.TextDocumentIdentifier(uri)
    assert not await editor.client.text_document_code_lens_async(types.CodeLensParams(document))
    editor.change(uri, OTHER_PAIR.replace("n + 1", "n + 2").replace("total = n\n", "total = n - 1\n"))
    await editor.diagnostics(uri, lambda found: len(found) == 2)
