"""What procedures print by what they call, beside an older version."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TELLING = '''
from cmd import Cmd


def tell(text: str, width: int = 4) -> None:
    """Show a text."""
    Cmd().columnize([text.rjust(width) + "|"])


def counted(text: str) -> int:
    """Show a text, and count it."""
    Cmd().columnize([repr(text)])
    return len(text)


def shown(text: str) -> None:
    """Show an object."""
    Cmd().columnize([text, repr(object())])
'''
WRITING = '''
import sys


def written(text: str) -> None:
    """Write bytes."""
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
'''


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tell", "width: int = 4", "width: int = 3"),
        ("tell", '"|"', '"!"'),
        ("shown", "[text, ", "[text + '.', "),
        ("written", "encode(", "upper().encode("),
    ],
)
def test_another_output_of_a_procedure(judge: Any, name: str, old: str, new: str) -> None:
    text = WRITING if name == "written" else TELLING
    report = judge.edit(text, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.candidate.output != report.counterexample.expected.output


@pytest.mark.parametrize("name", ["tell", "shown", "counted"])
def test_the_same_output(judge: Any, name: str) -> None:
    """Addresses of objects count as little as what a function prints beside its result."""
    changed = TELLING.replace("rjust(width)", "rjust(width, ' ')").replace("len(text)", "len(text[:])")
    changed = changed.replace("[repr(text)]", "[text]").replace("[text, repr", "[text[:], repr")
    report = judge(TELLING, changed, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


def test_streams_that_a_program_puts_there_or_closes(judge: Any) -> None:
    text = "import io, sys\n\ndef f(n: int) -> None:\n    sys.stdout.write(str(n))\n    sys.stdout = io.StringIO()\n"
    assert judge(text, text.replace("str(n)", "str(+n)"), "f", kind="previous").verdict is Verdict.AGREES
    assert judge(text, text.replace("str(n)", "str(-n)"), "f", kind="previous").verdict is Verdict.DIFFERS
    closing = text.replace("sys.stdout = io.StringIO()", "sys.stdout.close()")
    assert judge(closing, closing.replace("str(n)", "str(-n)"), "f", kind="previous").verdict is Verdict.DIFFERS
