"""Beside an older version, exceptions that a package raises on purpose count by their class and by their text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import HANDLED_NOTE, Budget, OutcomeKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

PARSING = '''
class BadAge(ValueError):
    pass


class Child(BadAge):
    pass


def read(age: int) -> int:
    """Check an age."""
    if age < 0:
        raise BadAge(f"no age: {age}")
    return age


def first(items: list[int]) -> int:
    """The first item."""
    return items[0]


def span(low: int, high: int) -> range:
    """The numbers between two others, an odd number apart."""
    if (high - low) % 2 == 0:
        raise ValueError("an odd number apart")
    return range(low, high, high - low)


def named(age: int) -> int:
    """Check an age, with a message that nobody can repeat."""
    if age < 0:
        raise BadAge(f"{id(object())} {object()!r} {__import__('random').random()}")
    return age
'''
VERSIONS = """
class InvalidVersion(ValueError):
    pass


def version(text: str) -> int:
    if len(text) > 2:
        raise InvalidVersion("too long")
    return len(text)


def strict(text: str) -> int:
    assert len(text) < 3, "it is too long"
    return len(text)
"""
FILES = '''
from releases.versions import strict, version


class InvalidName(ValueError):
    pass


def split(name: str) -> int:
    """The version in a file name."""
    return version(name)


def checked(name: str) -> int:
    """The version in a file name."""
    return strict(name)
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("no age: {age}", "an age is positive: {age}"),
        ("no age: {age}", "no age: {age!r:>4}"),
        ("raise BadAge(", "raise ValueError("),
        ("if (high - low) % 2 == 0:", "if high != low and (high - low) % 2 == 0:"),
    ],
)
def test_another_exception(judge: Any, old: str, new: str) -> None:
    """Also where Python raises one of the same class in place of a program's own."""
    report = judge(PARSING, PARSING.replace(old, new), "span" if "high" in old else "read", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.candidate.kind is OutcomeKind.RAISED
    assert report.counterexample.candidate.text != report.counterexample.expected.text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("read", 'f"no age: {age}"', '"no age: " + str(age)'),
        ("read", "raise BadAge(", "raise Child("),
        ("first", "items[0]", "next(iter(items), None) or items[0]"),
        ("named", "if age < 0", "if not age >= 0"),
    ],
)
def test_an_exception_that_callers_take_for_the_same(judge: Any, name: str, old: str, new: str) -> None:
    """Python's own messages say nothing about a program, and what changes from call to call is no difference."""
    report = judge(PARSING, PARSING.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


_CHECKS = """
def share(part: int, whole: int) -> float:
    {0}
    {1}
    return part / whole
"""
_NEGATIVE = 'if part < 0:\n        raise ValueError("a part is not negative")'
_EMPTY = 'if whole <= 0:\n        raise ValueError("a whole has parts")'


@pytest.mark.parametrize("kind", ["ValueError", "LookupError", "PermissionError"])
def test_an_input_that_fails_two_checks(judge: Any, kind: str) -> None:
    """Which of them is first is no difference, whatever they raise; which of them an input fails is one."""
    empty = _EMPTY.replace("ValueError", kind)
    older = _CHECKS.format(_NEGATIVE, empty)
    report = judge(older, _CHECKS.format(empty, _NEGATIVE), "share", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
    swapped = older.replace("part < 0", "PART").replace("whole <= 0", "part < 0").replace("PART", "whole <= 0")
    report = judge(older, swapped, "share", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_a_reference_of_other_authors_has_its_own_messages(judge: Any) -> None:
    changed = PARSING.replace("no age: {age}", "negative")
    assert judge(PARSING, changed, "read").verdict is Verdict.AGREES


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("len(key)", "len(str(key))", "weight({0: 0})"),
        ("for key", "if node is None:\n        return 0\n    for key", "weight(None)"),
    ],
)
def test_a_value_of_which_only_new_code_takes_care(judge: Any, old: str, new: str, call: str) -> None:
    older = (
        "def weight(node):\n    total = 0\n    for key in node.keys():\n        total += len(key)\n    return total\n"
    )
    report = judge.edit(older, "weight", old, new)
    assert report.counterexample is not None, report.reason
    assert report.counterexample.call == call
    assert report.counterexample.note == HANDLED_NOTE
    assert "; the older version raises " in report.reason


_DECODING = """
import json


class Unreadable(ValueError):
    pass


class Missing(LookupError):
    pass


def loaded(data, encoding="utf-8"):
    if isinstance(data, bytes):
        data = data.decode(encoding)
    return json.loads(data)


def first(names: list[str]) -> str:
    return names[0]
"""
_READ = "data = data.decode(encoding)"
_TOLD = (
    "try:\n            data = data.decode(encoding)\n"
    "        except UnicodeDecodeError as error:\n            raise {0} from error"
)
_NAMED = "try:\n        return names[0]\n    except IndexError as error:\n        raise {0} from error"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("loaded", _READ, _TOLD.format("Unreadable(encoding)")),
        ("first", "return names[0]", _NAMED.format('Missing("no names")')),
    ],
)
def test_an_exception_of_the_same_family_that_others_catch(judge: Any, name: str, old: str, new: str) -> None:
    """Who catches what the older version let through does not catch it any more; bytes are tried as strings are."""
    report = judge.edit(_DECODING, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.note == HANDLED_NOTE


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("first", "return names[0]", _NAMED.format('IndexError("no names")')),
        ("first", "return names[0]", _NAMED.format('type("Empty", (IndexError,), {})("no names")')),
    ],
)
def test_an_exception_that_the_same_callers_catch(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(_DECODING, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


def test_a_wrong_value_is_told_before_another_message(judge: Any) -> None:
    changed = PARSING.replace("no age: {age}", "negative").replace(
        "return age\n\n\ndef first", "return +(age or 1)\n\n\ndef first"
    )
    report = judge(PARSING, changed, "read", kind="previous")
    assert report.counterexample is not None
    assert report.counterexample.call == "read(0)"


def compared(folder: Path, judge: Any, name: str, old: str, new: str) -> Report:
    """The report of a function of a package whose other module is as it was."""
    package = folder / "releases"
    package.mkdir()
    (folder / "pyproject.toml").touch()
    (package / "__init__.py").touch()
    (package / "versions.py").write_text(VERSIONS)
    path, source = package / "files.py", FILES.replace(old, new)
    path.write_text(source)
    module = read_module(source, path)
    settings, previous = Settings(oracles=("previous",)), PreviousVersion(FILES, "git HEAD")
    oracle = oracles_for(module.target(name), module, settings=settings, previous=previous)[0]
    report: Report = judge.check(module.target(name), oracle, Budget(seconds=20.0, calls=300))
    return report


_CATCHING = "try:\n        return {0}(name)\n    except {1} as error:\n        raise InvalidName(name) from error"


def test_what_another_module_of_the_package_raises(tmp_path: Path, judge: Any) -> None:
    new = _CATCHING.format("version", "ValueError")
    report = compared(tmp_path, judge, "split", "return version(name)", new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.candidate.text.startswith("InvalidName")
    assert report.counterexample.expected.text == "InvalidVersion: too long"


def test_what_fails_in_another_module(tmp_path: Path, judge: Any) -> None:
    """An assertion there says that the input is not valid."""
    new = _CATCHING.format("strict", "AssertionError")
    report = compared(tmp_path, judge, "checked", "return strict(name)", new)
    assert report.verdict is Verdict.AGREES, report.reason


def test_another_module_is_reached_in_the_same_way(tmp_path: Path, judge: Any) -> None:
    report = compared(tmp_path, judge, "split", "return version(name)", "found = version(name)\n    return found")
    assert report.verdict is Verdict.AGREES, report.reason


def test_an_exception_in_place_of_results_that_are_others_in_each_process(judge: Any) -> None:
    source = "import os\ndef owned(name: str):\n    return os.getpid(), name.upper()\n"
    report = judge(source, source.replace("name.upper()", "name.upper(1)"), "owned", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "raises TypeError" in report.reason
