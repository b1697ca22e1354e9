"""Each feature through a real process: pull, lenses, hover, hints, commands, quick fixes applied and run."""

from __future__ import annotations

import doctest
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

SHOUT = '''\
def shout(text: str) -> str:
    """Loud.

    >>> shout("a")
    'A!'
    """
    return text + "!"
'''
FIRST_LINE = types.Range(types.Position(0, 0), types.Position(1, 0))
RIGHT = SHOUT.replace('text + "!"', 'text.upper() + "!"')
REFERENCE = """\
def absolute(number: int) -> int:
    return number if number > 0 else -number
"""
CANDIDATE = '''\
# lsp-evalplus: reference=reference.py::absolute
def absolute(number: int) -> int:
    """Never negative.

    >>> absolute(3)
    3
    """
    return number
'''


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, timeout=280)


def commit_all(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")


@pytest.mark.slow
async def test_pulled_diagnostics_are_never_pushed(new_editor):
    editor = await new_editor(pull=True)
    uri = editor.open("shout.py", SHOUT)
    document = types.TextDocumentIdentifier(uri)

    await editor.take("workspace/diagnostic/refresh")
    report = await editor.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))

    assert report.kind == "full"
    assert [one.code for one in report.items] == ["example-fails"]
    params = types.DocumentDiagnosticParams(document, previous_result_id=report.result_id)
    again = await editor.client.text_document_diagnostic_async(params)
    assert (again.kind, again.result_id) == ("unchanged", report.result_id)

    editor.change(uri, RIGHT)
    await editor.take("workspace/diagnostic/refresh")
    fixed = await editor.client.text_document_diagnostic_async(params)
    assert (fixed.kind, list(fixed.items)) == ("full", [])
    assert not [one for one in editor.seen if one.method == "textDocument/publishDiagnostics"]


@pytest.mark.slow
async def test_a_pull_is_answered_empty_where_findings_are_pushed(editor):
    uri = editor.open("shout.py", SHOUT)
    await editor.diagnostics(uri)

    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    report = await editor.client.protocol.send_request_async("textDocument/diagnostic", params)

    assert editor.server.capabilities.diagnostic_provider is None
    assert list(report.items) == []


async def test_hover_lens_hint_and_panel_tell_the_same(new_editor):
    editor = await new_editor(options={"inlayHints": True})
    uri = editor.open("shout.py", SHOUT)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    document, name = types.TextDocumentIdentifier(uri), types.Position(0, 5)

    hover = await editor.client.text_document_hover_async(types.HoverParams(document, name))
    elsewhere = await editor.client.text_document_hover_async(types.HoverParams(document, types.Position(6, 5)))
    lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(document))
    hints = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(document, FIRST_LINE))
    panel = await editor.client.protocol.send_request_async(
        "lspEvalplus/finding", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}}
    )

    assert ">>> shout('a')" in hover.contents.value
    assert "`returned 'a!'`" in hover.contents.value
    assert hover.range == diagnostic.range
    assert elsewhere is None
    assert [lens.command.title for lens in lenses] == ["✗ shout('a')"]
    assert [hint.label for hint in hints] == ["✗ shout('a') returned 'a!'"]
    assert (panel["call"] if isinstance(panel, dict) else panel.call) == "shout('a')"


@pytest.mark.slow
async def test_a_client_without_markdown_gets_plain_words(new_editor):
    editor = await new_editor(markdown=False)
    uri = editor.open("shout.py", SHOUT)
    await editor.diagnostics(uri)

    where = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 5))
    contents = (await editor.client.text_document_hover_async(where)).contents

    assert contents.kind == types.MarkupKind.PlainText
    assert contents.value.startswith("lsp-evalplus\n\n>>> shout('a')\nthis function: returned 'a!'\n")
    assert "expected (docstring examples): returned 'A!'" in contents.value
    assert not set("`|*") & set(contents.value)


async def test_agreement_and_obstacles_are_lenses_and_no_diagnostics(editor):
    text = RIGHT + '\n\ndef read(path):\n    """\n    >>> read("x")\n    \'y\'\n    """\n    return open(path).read()\n'
    uri = editor.open("shout.py", text)
    document = types.TextDocumentIdentifier(uri)

    async def titles() -> list[str]:
        lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(document))
        return [lens.command.title for lens in lenses or ()]

    seen: list[list[str]] = []
    while not (seen and len(seen[-1]) == 2 and "checking" not in "".join(seen[-1])):
        count = sum(one.method == "workspace/codeLens/refresh" for one in editor.seen)
        seen.append(await titles())
        if "checking" in "".join(seen[-1]) or len(seen[-1]) < 2:
            await editor.wait(lambda n=count: sum(m.method == "workspace/codeLens/refresh" for m in editor.seen) > n)

    agrees, obstacle = seen[-1]
    assert agrees.startswith("○ does what its one example says · ")
    assert obstacle.startswith("not checked: ")


@pytest.mark.slow
@pytest.mark.parametrize("resolve", [True, False])
async def test_every_quick_fix_does_what_it_says(new_editor, resolve):
    editor = await new_editor(resolve=resolve, files={"reference.py": REFERENCE})
    uri = editor.open("numbers_.py", CANDIDATE)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    call = diagnostic.data["call"]

    actions = {action.title: action for action in await editor.actions(uri, diagnostic)}
    assert {title.split(" ")[0] for title in actions} == {"Show", "Add", "This", "Debug", "Check", "Ignore"}
    for action in actions.values():
        assert (action.edit is not None) is (not resolve and action.command is None)
        assert action.command is not None or action.kind == "quickfix"

    example = await editor.chosen(uri, diagnostic, "as an example")
    editor.apply(example.edit)
    assert f">>> {call}" in editor.texts[uri]
    assert failed_examples(editor.root / "numbers_.py") == 1
    editor.change(uri, CANDIDATE)

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics if editor.inbox else [diagnostic]
    ignored = await editor.chosen(uri, diagnostic, "Ignore")
    editor.apply(ignored.edit)
    assert "# lsp-evalplus: ignore=" in editor.texts[uri]
    await editor.diagnostics(uri, lambda found: not found or found[0].data["call"] != call)


def failed_examples(path: Path) -> int:
    spec = importlib.util.spec_from_file_location("examined", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return doctest.testmod(module, report=False).failed


@pytest.mark.slow
async def test_a_client_without_literals_gets_commands_only(new_editor):
    editor = await new_editor(literals=False)
    uri = editor.open("shout.py", SHOUT)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    actions = await editor.actions(uri, diagnostic)

    assert {type(action) for action in actions} == {types.Command}


@pytest.mark.slow
async def test_actions_of_other_kinds_are_not_offered(editor):
    uri = editor.open("shout.py", SHOUT)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    context = types.CodeActionContext([diagnostic], only=[types.CodeActionKind.Refactor])

    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), diagnostic.range, context)

    assert not await editor.client.text_document_code_action_async(params)


@pytest.mark.slow
async def test_the_failing_input_is_shown_as_a_script_that_runs(editor):
    uri = editor.open("shout.py", SHOUT)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    action = await editor.chosen(uri, diagnostic, "Show the failing input")

    result = await editor.run(action.command.command, *action.command.arguments)

    shown = await editor.take("window/showDocument")
    assert shown.uri == result["uri"]
    path = Path(shown.uri.removeprefix("file://"))
    assert path.read_text() == result["text"]
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=280)
    assert done.stdout.splitlines() == ["returned: 'a!'", "expected: returned 'A!'"]
    assert not path.is_relative_to(editor.root)


@pytest.mark.slow
async def test_debugging_adds_a_launch_configuration_that_runs(editor):
    editor.write(".vscode/launch.json", '{"version": "0.2.0", "configurations": [{"name": "mine"}]}')
    uri = editor.open("shout.py", SHOUT)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    action = await editor.chosen(uri, diagnostic, "Debug")

    await editor.run(action.command.command, *action.command.arguments)

    await editor.take("workspace/applyEdit")
    mine, ours = json.loads((editor.root / ".vscode/launch.json").read_text())["configurations"]
    assert mine == {"name": "mine"}
    assert ours["type"] == "debugpy"
    done = subprocess.run([ours["python"], ours["program"]], cwd=ours["cwd"], capture_output=True, timeout=280)
    assert done.returncode == 0


async def test_check_function_answers_with_the_result(editor):
    uri = editor.open("shout.py", RIGHT)

    (result,) = await editor.run("lspEvalplus.checkFunction", {"uri": uri, "name": "shout", "budgetFactor": 0.1})
    nothing = await editor.run("lspEvalplus.checkFunction", {"uri": uri, "name": "absent"})

    assert (result["name"], result["verdict"]) == ("shout", "agrees")
    assert result["inputs"] > 0
    assert list(nothing) == []


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], [{}], [{"uri": 3}], [{"uri": "file:///nowhere.py"}]])
async def test_commands_with_bad_arguments_are_refused_in_words(editor, arguments):
    with pytest.raises(Exception, match=r"argument|Expected") as refused:
        await editor.run("lspEvalplus.checkFunction", *arguments)

    assert "Traceback" not in str(refused.value)


@pytest.mark.slow
async def test_functions_changed_since_head_in_files_that_are_not_open(new_editor):
    editor = await new_editor(
        files={"a.py": "def f(n: int):\n    return n + 1\n", "b.py": "def g(n: int):\n    return n\n"}
    )
    commit_all(editor.root)
    uri = editor.write("a.py", "def f(n: int):\n    return n + 2\n\n\ndef new(n: int):\n    return n\n").as_uri()

    results = {one["name"]: one for one in await editor.run("lspEvalplus.checkChanges")}

    assert set(results) == {"f", "new"}
    assert results["f"]["verdict"] == "differs"
    assert results["f"]["oracle"]["source"] == "git HEAD"
    assert results["new"]["verdict"] == "not_checked"
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.severity == types.DiagnosticSeverity.Information
    assert diagnostic.code == "behaviour-changed"


SEALED = """\
_KEY = object()


class Sealed:
    def __init__(self, key, number):
        if key is not _KEY:
            raise PermissionError
        self.number = number

    def doubled(self):
        return self.number * 2


class Maker:
    made = ()

    def make(self, number):
        self.made = (*self.made, Sealed(_KEY, number))
        return self.made[-1] if len(self.made) > 2 else self
"""
TEST = """\
from sealed import Maker

def test_doubled():
    maker = Maker()
    assert maker.make(1).make(2).make(3).doubled() == 6
"""


@pytest.mark.slow
async def test_objects_that_only_tests_make_show_what_changed(new_editor):
    editor = await new_editor(files={"sealed.py": SEALED, "tests/test_sealed.py": TEST, "pyproject.toml": ""})
    commit_all(editor.root)
    uri = editor.open("sealed.py", SEALED.replace("number * 2", "number + 2"))

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert "argument_in_test('tests/test_sealed.py::test_doubled', 'self').doubled()" in diagnostic.message
    titles = [one.title for one in await editor.actions(uri, diagnostic)]
    assert not [one for one in titles if "test" in one.lower() and "add" in one.lower()]


@pytest.mark.slow
async def test_the_previous_version_is_restored(new_editor):
    before = (
        "class A:\n    @staticmethod\n    def f(n: int):\n        '''\n\n    deep'''\n        return n + 1\n\nx = 1\n"
    )
    editor = await new_editor(files={"a.py": before})
    commit_all(editor.root)
    uri = editor.open("a.py", before.replace("n + 1", "n + 2"))
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    action = await editor.chosen(uri, diagnostic, "Restore A.f")
    editor.apply(action.edit)

    assert editor.texts[uri] == before
    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_what_head_does_not_have_is_not_restored(new_editor):
    editor = await new_editor(files={"shout.py": RIGHT, "other.py": ""})
    commit_all(editor.root)
    for name, text in {"shout.py": RIGHT + SHOUT.replace("shout", "cry"), "new.py": SHOUT}.items():
        uri = editor.open(name, text)
        (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
        assert not [one.title for one in await editor.actions(uri, diagnostic) if "Restore" in one.title]
    uri = editor.open("other.py", SHOUT)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert not [one.title for one in await editor.actions(uri, diagnostic) if "Restore" in one.title]


@pytest.mark.slow
async def test_a_refactoring_that_changes_behaviour_is_an_error(new_editor):
    editor = await new_editor(files={"a.py": "def f(n: int):\n    return n + 1\n"})
    commit_all(editor.root)
    uri = editor.open("a.py", "# lsp-evalplus: refactoring\ndef f(n: int):\n    return n + 2\n")

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert diagnostic.severity == types.DiagnosticSeverity.Error


@pytest.mark.slow
async def test_files_changed_on_disk_are_checked_and_cleared(editor):
    uri = editor.write("shout.py", SHOUT).as_uri()
    changed = types.FileEvent(uri, types.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics
    assert diagnostic.code == "example-fails"

    editor.write("shout.py", RIGHT)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_a_changed_reference_is_noticed_on_save(new_editor):
    editor = await new_editor(files={"reference.py": REFERENCE})
    uri = editor.open("numbers_.py", CANDIDATE)
    await editor.diagnostics(uri)
    reference = editor.open("reference.py")

    editor.change(reference, "def absolute(number: int) -> int:\n    return number\n")
    editor.save(reference)

    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_an_input_that_is_declared_not_valid_is_no_finding_any_more(new_editor):
    editor = await new_editor(files={"reference.py": REFERENCE})
    uri = editor.open("numbers_.py", CANDIDATE)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    action = await editor.chosen(uri, diagnostic, "assert number >= 0")
    editor.apply(action.edit)

    assert "    assert number >= 0\n    return" in (editor.root / "reference.py").read_text()
    changed = types.FileEvent(editor.uri("reference.py"), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_inputs_of_examples_cannot_be_declared_not_valid(editor):
    uri = editor.open("shout.py", SHOUT)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert not [one for one in await editor.actions(uri, diagnostic) if "not valid" in one.title]
