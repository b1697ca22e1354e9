"""The command that lists what no check can judge."""

from __future__ import annotations

import pytest
from pygls.exceptions import JsonRpcException

from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE

FILE = '''\
import pathlib


def shout(text: str) -> str:
    """
    >>> shout("a")
    'A!'
    """
    return text.upper() + "!"


def nobody_knows(a, b):
    return a + b


def write(a: int) -> None:
    """
    >>> write(1)
    """
    pathlib.Path("was-run").write_text("x")


# lsp-evalplus: off
def quiet(a: int) -> int:
    """
    >>> quiet(1)
    1
    """
    return a


# lsp-evalplus: reference=nowhere.py::f
def lost(a: int) -> int:
    return a


pathlib.Path("was-run").write_text("x")
'''


@pytest.mark.parametrize("is_open", [True, False])
async def test_reasons_are_listed_and_nothing_is_run(new_editor, is_open):
    editor = await new_editor(options={"trigger": "manual"})
    uri = editor.open("a.py", FILE) if is_open else editor.write("a.py", FILE).as_uri()

    listing = await editor.run("lspEvalplus.listUnchecked", {"uri": uri})

    assert listing["functions"] == 5
    assert listing["problems"] == []
    assert [(one["uri"], one["name"], one["line"]) for one in listing["unchecked"]] == [
        (uri, "nobody_knows", 12),
        (uri, "write", 16),
        (uri, "quiet", 24),
        (uri, "lost", 33),
    ]
    reasons = [one["reason"] for one in listing["unchecked"]]
    assert reasons[0] == NO_ORACLE
    assert reasons[1].startswith("reads or writes files")
    assert reasons[2] == "switched off by a comment"
    assert "nowhere.py" in reasons[3]
    assert not list(editor.root.rglob("was-run"))


async def test_what_cannot_be_read_is_a_problem(new_editor):
    editor = await new_editor()
    broken = editor.write("broken.py", "def f(:\n    pass\n\n\ndef g(a):\n    return a\n").as_uri()

    assert (await editor.run("lspEvalplus.listUnchecked", {"uri": broken}))["problems"][0].startswith("line 1")
    absent = await editor.run("lspEvalplus.listUnchecked", {"uri": editor.uri("absent.py")})
    assert absent == {"functions": 0, "unchecked": [], "problems": ["it cannot be read"]}


async def test_an_untrusted_workspace_is_not_looked_at(new_editor):
    editor = await new_editor(options={"trusted": False})

    with pytest.raises(JsonRpcException, match="not trusted"):
        await editor.run("lspEvalplus.listUnchecked", {"uri": editor.write("a.py", FILE).as_uri()})
