"""Modules that import libraries which are not installed: what does not use them is checked all the same."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

CACHE = """
from typing import Optional

import absent_library
from absent_library import LIMIT, Client, Refused
from absent_library.deep import part as inner

try:
    import absent_too
except ImportError:
    absent_too = None


def total(a: int, b: int, kind: "absent_library.Kind" = LIMIT):
    return a * b + (1 if absent_too is None else 0)


def typed(name: str, client: Optional[Client] = None):
    return name.upper() + "!"


class Cache:
    def __init__(self, size: int = 3):
        self.size = size
        self.client = Client("localhost", port=size)

    def key(self, name: str):
        return f"{name}:{self.size}"

    def read(self, name: str):
        return self.client.get(name) + self.size


def shielded(n: int):
    try:
        return absent_library.best(n)
    except Exception:
        return n


def quotient(n: int):
    try:
        return 10 // n
    except Refused:
        return 0


def wrapped(n: int):
    if isinstance(n, Client):
        return 1
    return n


def limit(n: int):
    return LIMIT


def inside(n: int):
    return [inner, n]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "a * b + (1", "a + b + (1"),
        ("typed", '+ "!"', '+ "?"'),
        ("Cache.key", "{name}:{self.size}", "{name}:{self.size + 1}"),
        pytest.param("quotient", "10 // n", "11 // n", marks=pytest.mark.slow),
    ],
)
def test_what_does_not_use_it_is_checked(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(CACHE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert "placeholder" not in str(dataclasses.asdict(report.counterexample))
    assert "absent" not in report.counterexample.call
    report = judge(CACHE, CACHE.replace("def ", "def  "), name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Cache.read", "+ self.size", "- self.size"),
        ("Cache.__init__", "self.size = size", "self.size = size + 1"),
        # What catches the exception of a placeholder shows nothing either.
        ("shielded", "        return n\n\n\ndef quotient", "        return n + 1\n\n\ndef quotient"),
        ("wrapped", "    return n\n\n\ndef limit", "    return n + 1\n\n\ndef limit"),
        ("limit", "return LIMIT", "return (LIMIT)"),
    ],
)
def test_what_uses_it_is_not(judge: Any, name: str, old: str, new: str) -> None:
    assert old in CACHE
    report = judge.edit(CACHE, name, old, new)
    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason.endswith("it uses 'absent_library', which is not installed"), report.reason


def test_results_that_contain_it(judge: Any) -> None:
    """Nobody knows what comparing them would give."""
    report = judge(CACHE, CACHE.replace("[inner, n]", "[n, inner]"), "inside", kind="previous")
    assert report.verdict is not Verdict.AGREES


def test_an_exception_for_which_no_clause_is_known(judge: Any) -> None:
    """``except Refused`` may catch the division by zero: that input shows nothing."""
    changed = CACHE.replace("10 // n", "10 // n if n else 7")
    assert judge(CACHE, changed, "quotient", kind="previous").verdict is Verdict.AGREES


@pytest.mark.parametrize(
    "used",
    [
        "class Used(absent_library.Base):\n    pass\n",
        "@absent_library.marked\ndef Used():\n    pass\n",
        "Used = absent_library.size() + 1\n",
        "try:\n    Used = absent_library.size()\nexcept Exception:\n    Used = 3\n",
        "from absent_library import *\nUsed = 1\n",
    ],
)
def test_what_uses_it_when_it_is_imported(judge: Any, used: str) -> None:
    source = f"import absent_library\n{used}\n\ndef f(n: int):\n    return n, Used\n"
    report = judge(source, source.replace("n, U", "n + 1, U"), "f", kind="previous")
    assert report.reason == (
        "the reference: the module cannot be loaded because an import fails: "
        "ModuleNotFoundError: No module named 'absent_library'"
    )


GUARDED = """
import contextlib

import absent_library

fast = slow = None
with contextlib.suppress(ImportError):
    import absent_library as fast
try:
    from absent_library import slow
except (ImportError, AttributeError):
    pass


def f(n: int, kind: "absent_library.Kind" = None):
    return n + 10 * (fast is None) + 100 * (slow is None)
"""


def test_an_import_whose_failure_is_caught_fails(judge: Any) -> None:
    """Also where another import of the same library gets a placeholder."""
    plain = "def f(n: int, kind=None):\n    return n + 110\n"
    assert judge(plain, GUARDED, "f", kind="reference").verdict is Verdict.NOT_CHECKED
    assert judge(GUARDED, plain, "f", kind="reference").verdict is Verdict.AGREES


def test_a_mistake_in_an_import_is_no_missing_library(judge: Any) -> None:
    """The older version can be loaded: what is new does not get a placeholder."""
    source = "import json\n\ndef f(n: int, show=json.dumps):\n    return n\n"
    report = judge(source, source.replace("json", "jsonn"), "f", kind="previous")
    assert "No module named 'jsonn'" in report.reason


STATED = '''
import absent_library

def twice(n: int) -> int:
    """
    >>> twice(2)
    4
    """
    return 2 * n

def best(n: int) -> int:
    """
    >>> best(2)
    5
    """
    assert n > 0
    result = absent_library.best(n)
    assert result > n
    return result
'''


@pytest.mark.parametrize("name", ["twice", "best"])
def test_examples_and_contracts(judge: Any, name: str) -> None:
    module = read_module(STATED)
    for oracle in oracles_for(module.target(name), module):
        report = judge.check(module.target(name), oracle, Budget(10.0, 100))
        assert report.verdict is (Verdict.AGREES if name == "twice" else Verdict.NOT_CHECKED), report.reason


@pytest.mark.skipif(sys.platform == "win32", reason="it has these modules")
@pytest.mark.parametrize("statement", ["import winreg", "from msvcrt import getwch", "import winreg as registry, os"])
def test_modules_of_the_standard_library_for_other_systems(judge: Any, statement: str) -> None:
    source = f"{statement}\n\ndef zone(name: str):\n    return name.split('/')[-1]\n"
    report = judge(source, source.replace("[-1]", "[0]"), "zone", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_modules_that_a_package_lacks_are_no_libraries(judge: Any) -> None:
    source = "import os.absent\n\ndef zone(name: str):\n    return name.split('/')[-1]\n"
    report = judge(source, source.replace("[-1]", "[0]"), "zone", kind="previous")
    assert report.verdict is Verdict.NOT_CHECKED, report.reason


@pytest.mark.parametrize(
    "package", ["LIMIT = 3\nfrom .spread import spread\n", "from .spread import spread\nLIMIT = 3\n"]
)
def test_packages_that_cannot_be_imported_without_it(tmp_path: Path, judge: Any, package: str) -> None:
    """A module of the package imports what the package defines, before or after the import that fails."""
    folder = tmp_path / "boards"
    folder.mkdir()
    older = "from boards import LIMIT\n\ndef shown(text: str):\n    return text.strip()[:LIMIT]\n"
    newer = older.replace("strip", "rstrip")
    files = {"__init__.py": package, "spread.py": "from absent_library.moves import spread\n", "base.py": newer}
    for name, content in files.items():
        (folder / name).write_text(content)
    module, previous = read_module(newer, folder / "base.py"), PreviousVersion(older, "git HEAD")
    target = module.target("shown")
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    report = judge.check(target, oracle, Budget(seconds=20.0, calls=600))
    assert report.verdict is Verdict.DIFFERS, report.reason
