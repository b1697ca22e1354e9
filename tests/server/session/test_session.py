"""The main job over a real stdio session: open, diagnostic, quick fix, the test it adds, the fix, all clear."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

REFERENCE = """\
def median(numbers):
    assert numbers
    assert all(isinstance(number, int) for number in numbers)
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
"""
CANDIDATE = """\
# lsp-evalplus: reference=reference.py::median
def median(numbers):
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2]
"""
FIXED = CANDIDATE.replace(
    "    return ordered[len(ordered) // 2]\n",
    """\
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
""",
)


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # It needs none, and starts faster without.
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280, env=environment)


async def test_from_open_to_fixed(editor):
    editor.write("reference.py", REFERENCE)
    uri = editor.open("stats.py", CANDIDATE)

    published = await editor.diagnostics(uri)

    assert published.version == 1
    (diagnostic,) = published.diagnostics
    assert (diagnostic.range.start.line, diagnostic.range.start.character) == (1, 4)
    assert (diagnostic.range.end.line, diagnostic.range.end.character) == (1, 10)
    assert diagnostic.code == "differs-from-reference"
    assert diagnostic.code_description.href.endswith("/docs/diagnostics/differs-from-reference.md")
    assert diagnostic.source == "lsp-evalplus"
    assert diagnostic.message.startswith("median([")
    assert ", but reference.py::median returned " in diagnostic.message
    related, *places = diagnostic.related_information
    assert related.location.uri == editor.uri("reference.py")
    assert (related.location.range.start.line, related.location.range.start.character) == (0, 4)
    assert diagnostic.data["name"] == "median"
    (result,) = places
    assert result.message == "the result comes from here"
    assert result.location == types.Location(uri, types.Range(types.Position(3, 4), types.Position(3, 4)))

    action = await editor.chosen(uri, diagnostic, "pytest test")
    editor.apply(action.edit)
    failing = run_tests(editor.root)
    assert failing.returncode == 1, failing.stdout
    assert "1 failed" in failing.stdout

    editor.change(uri, FIXED)
    cleared = await editor.diagnostics(uri, lambda found: not found)
    assert cleared.version == 2
    editor.save(uri)
    passing = run_tests(editor.root)
    assert passing.returncode == 0, passing.stdout


@pytest.mark.slow
async def test_an_edit_that_does_not_fix_keeps_the_diagnostic_in_place(editor):
    editor.write("reference.py", REFERENCE)
    uri = editor.open("stats.py", CANDIDATE)
    await editor.diagnostics(uri)

    version = editor.change(uri, "import math\n\n" + CANDIDATE)

    published = await editor.diagnostics(uri, bool)
    assert published.version == version
    assert published.diagnostics[0].range.start.line == 3


@pytest.mark.slow
async def test_a_function_that_is_deleted_takes_its_diagnostic_along(editor):
    editor.write("reference.py", REFERENCE)
    uri = editor.open("stats.py", CANDIDATE)
    await editor.diagnostics(uri)

    editor.change(uri, "x = 1\n")

    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_closing_clears(editor):
    editor.write("reference.py", REFERENCE)
    uri = editor.open("stats.py", CANDIDATE)
    await editor.diagnostics(uri)

    editor.close_document(uri)

    await editor.diagnostics(uri, lambda found: not found)


@pytest.mark.slow
async def test_examples_judge_where_nothing_else_does(editor):
    uri = editor.open(
        "shout.py", 'def shout(text):\n    """Loud.\n\n    >>> shout("a")\n    \'A!\'\n    """\n    return text + "!"\n'
    )

    published = await editor.diagnostics(uri)

    (diagnostic,) = published.diagnostics
    assert diagnostic.code == "example-fails"
    assert diagnostic.message == """shout('a') returned 'a!', but the docstring examples say 'A!'."""


@pytest.mark.slow
async def test_a_broken_contract_is_told_with_what_was_compared(editor):
    text = "def take(xs: list[int]):\n    assert xs\n    r = xs[1:]\n    assert r == xs\n    return r\n"
    uri = editor.open("take.py", text)
    await editor.run("lspEvalplus.checkFile", {"uri": uri})

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert diagnostic.code == "contract-violated"
    assert diagnostic.message == "take([0]) broke its contract (assert): assert r == xs (where r=[], xs=[0])."


ENCODED = """\
class Ü𠮷:
    "😀"
    @staticmethod
    def 𠮷f(n):
        \"\"\"😀

        >>> Ü𠮷.𠮷f(1)
        2
        \"\"\"
        "😀𝄞é"; return n + 0
"""


@pytest.mark.parametrize(
    "encoding",
    [pytest.param("utf-8", marks=pytest.mark.slow), "utf-16", pytest.param("utf-32", marks=pytest.mark.slow)],
)
async def test_positions_with_characters_beyond_the_basic_plane(new_editor, encoding):
    """In the name itself, in the line of an edit before the place of the change, and in the edits of a quick fix."""
    editor = await new_editor(encodings=[encoding])
    uri = editor.open("deep.py", ENCODED)

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert editor.encoding == encoding
    name = ENCODED.index("𠮷f(n)")
    assert diagnostic.range.start == editor.position(ENCODED, name)
    assert diagnostic.range.end == editor.position(ENCODED, name + 2)
    action = await editor.chosen(uri, diagnostic, "as an example")
    editor.apply(action.edit)
    assert editor.texts[uri].index(">>> Ü𠮷.𠮷f(1)\n        2\n        >>> Ü𠮷.𠮷f(1)\n        2\n") > 0
    editor.change(uri, ENCODED)

    editor.replace(uri, "n + 0", "n + 1")

    await editor.diagnostics(uri, lambda found: not found)
    editor.replace(uri, "n + 1", "n + 3")
    (again,) = (await editor.diagnostics(uri)).diagnostics
    assert again.message == "Ü𠮷.𠮷f(1) returned 4, but the docstring examples say 2."


PARTED = """\
def label(count: int) -> str:
    if count < 0:
        raise ValueError("less than nothing")
    if count == 1:
        return "one"
    return f"{count}"
"""


@pytest.mark.slow
async def test_a_changed_function_parts_from_head_at_a_line_that_edits_move(editor):
    """The line stays where it is in the function, whatever is typed above it."""
    editor.write("label.py", PARTED)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=editor.root, check=True, capture_output=True, timeout=280)
    changed = PARTED.replace("count == 1", "count <= 2")
    uri = editor.open("label.py", changed)
    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert [(one.message, one.location.range.start.line) for one in diagnostic.related_information] == [
        ("the first line that runs otherwise than in git HEAD", 3),
        ("the result comes from here", 4),
    ]
    editor.change(uri, "import os\n\n" + changed)
    (moved,) = (await editor.diagnostics(uri, lambda found: bool(found) and found[0].range.start.line == 2)).diagnostics
    assert [one.location.range.start.line for one in moved.related_information] == [5, 6]


@pytest.mark.slow
async def test_the_same_fix_clears_at_once_however_often_it_is_undone(new_editor):
    """Undo and redo bring texts that were tried before; typing never rests long enough here for a whole check."""
    wrong = 'def f(a: int) -> int:\n    """\n    >>> f(1)\n    2\n    """\n    return a\n'
    right = wrong.replace("return a", "return a + 1")
    editor = await new_editor(options={"debounce": 60})
    uri = editor.open("m.py", wrong)
    await editor.diagnostics(uri)

    for _ in range(2):
        editor.change(uri, right)
        await editor.diagnostics(uri, lambda found: not found)
        editor.change(uri, wrong)
        editor.save(uri)
        await editor.diagnostics(uri)


@pytest.mark.slow
async def test_a_fix_that_is_undone_at_once_is_no_fix(new_editor):
    """The text that was checked last comes back while all that is known is that another text is better."""
    wrong = 'def f(a: int) -> int:\n    """\n    >>> f(1)\n    2\n    """\n    return a\n'
    editor = await new_editor(options={"debounce": 1})
    uri = editor.open("m.py", wrong)
    await editor.diagnostics(uri)

    editor.change(uri, wrong.replace("return a", "return a + 1"))
    await editor.diagnostics(uri, lambda found: not found)
    editor.change(uri, wrong)

    await editor.diagnostics(uri)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "other"),
    [
        ("reference=reference.py", "reference=absent.py"),
        ("reference=reference.py::median", "off"),
        ("def median", "# lsp-evalplus: ignore\ndef median"),
    ],
)
@pytest.mark.parametrize("trigger", ["accepted", "changed"])
async def test_what_is_undone_at_once_leaves_the_finding(new_editor, right, other, trigger):
    """The text in between cannot be checked, or has nothing to show; that says nothing of the text before it."""
    editor = await new_editor(options={"debounce": 1, "trigger": trigger})
    editor.write("reference.py", REFERENCE)
    uri = editor.open("stats.py", CANDIDATE)
    await editor.diagnostics(uri)

    editor.change(uri, CANDIDATE.replace(right, other))
    await editor.diagnostics(uri, lambda found: not found)
    editor.change(uri, CANDIDATE)

    await editor.diagnostics(uri)
