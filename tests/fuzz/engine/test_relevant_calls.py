"""Calls that set what changed lines of a method depend on, in classes with many others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.subject import Subject
from lsp_evalplus.fuzz.guest.generation.relevant_calls import relevant_names
from lsp_evalplus.fuzz.model import Verdict

NOISE = 24
PARSER = """
class Parser:
    def __init__(self):
        self._depth = 0
        self._quoted = False
        self.lines = []
        self.fields = {{}}

{noise}

    def open(self):
        self._enter(1)

    def _enter(self, count):
        self._depth += count

    def quote(self):
        self._quoted = not self._quoted

    def text(self, data: str):
        level = self._depth
        if self._quoted:
            data = data.upper()
            if level > 2:
                data = data.strip()
        return data
""".format(
    noise="\n\n".join(
        f"    def field_{number}(self, value: int):\n        self.fields[{number}] = value" for number in range(NOISE)
    )
)
OPTIONS = """
class Writer:
    def __init__(self):
{options}
        self.mark = "**"
        self.tight = False

    def strong(self, text: str) -> str:
        if self.tight and text[:1] == "!":
            return self.mark + text
        return self.mark + text + self.mark
""".format(options="\n".join(f"        self.option_{number} = {number}" for number in range(3 * NOISE)))
SEALED = """
class Store:
    def __init__(self):
        object.__setattr__(self, "_sealed", False)
        self.fields = {{}}

{noise}

    def seal(self):
        object.__setattr__(self, "_sealed", True)

    def is_sealed(self):
        return getattr(self, "_sealed", False)

    def _check(self):
        if self.is_sealed():
            raise TypeError("it is sealed")

    def remove(self, key: str):
        self._check()
        self.fields.pop(key, None)
""".format(
    noise="\n\n".join(
        f"    def field_{number}(self, value: int):\n        self.fields[{number}] = value" for number in range(96)
    )
)
TEXTS = {
    "Parser.text": (PARSER, "data = data.strip()", "data = data + data"),
    "Writer.strong": (OPTIONS, "return self.mark + text\n", "return self.mark + text[1:]\n"),
    "Store.remove": (SEALED, "        self._check()\n        self.fields.pop", "        self.fields.pop"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_states_that_reach_changed_lines(judge: Any, name: str) -> None:
    source, old, new = TEXTS[name]
    report = judge.edit(source, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("name", TEXTS)
def test_calls_that_set_what_changed_lines_depend_on(name: str, tmp_path: Path) -> None:
    source, old, new = TEXTS[name]
    # The tree of a file is kept by its path, and other tests have files without one.
    path = str(tmp_path / "relevant.py")
    subjects = [
        Subject({"source": one, "qualname": name, "path": path, "module": "", "language": ""})
        for one in (source, source.replace(old, new))
    ]
    owner = subjects[0].loaded.owner
    assert owner is not None
    older, newer = (one.anatomy.function for one in subjects)
    found = relevant_names(older, newer, owner, "self")
    expected = {
        "Parser.text": {"_depth", "_quoted", "open", "_enter", "quote"},
        "Writer.strong": {"mark", "tight"},
        "Store.remove": {"_check", "is_sealed", "_sealed", "seal"},
    }
    assert found - {"__init__"} == expected[name]
