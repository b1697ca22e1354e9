"""Types for which code asks are inputs, also where annotations and examples do not show them, and where a function
asks that only gets the argument handed on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

ASKING = '''
import ast
import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field


def made(f):
    if isinstance(f, (slice, bytearray)):
        return str
    return repr if f is None else f


def applied(f, item):
    return made(f)(item)


def twice(f, item):
    return applied(f, item), applied(item=item, f=f)


class Applying:
    def _made(self, f):
        return made(f)

    def run(self, f, item):
        """Run it.

        >>> Applying().run(len, "abc")
        3
        """
        return self._made(f)(item)


def size(text: str) -> int:
    if isinstance(text, bytes):
        return -1
    return len(text)


def merged(options: dict[str, int]) -> dict[str, int]:
    if options and not isinstance(options, Mapping):
        raise TypeError("options are a mapping")
    return {**dict(options or {}), "a": 1}


def converted(value):
    if isinstance(value, list):
        value = dict(value)
    return value


@dataclass
class Token:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.attributes = converted(self.attributes)

    def names(self) -> list[str]:
        return sorted(self.attributes)


class Weight:
    def __init__(self, grams: int) -> None:
        self.grams = grams


def total(*terms):
    found = 0
    for term in terms:
        found += term.grams if isinstance(term, Weight) else 1
    return found


def joined(parts, separator=", "):
    found = []
    for part in parts:
        if isinstance(part, Weight):
            found.append(str(part.grams))
        else:
            found.append(part)
    return separator.join(found)


def put(row, value):
    if callable(value):
        row[0] = value(row[0])
    else:
        row[0] = value
    return row


def told(f):
    if not inspect.isfunction(f):
        return []
    return list(inspect.signature(f).parameters)


def is_number(kind):
    return issubclass(kind, (int, float))


def default_of(kind, value):
    if is_number(kind) or dataclasses.is_dataclass(kind):
        return value if value else kind()
    return value


def price(order):
    prices = {"book": lambda one: len(one["title"]), "film": lambda one: 2}
    found = prices[order["sort"]](order)
    return max(found, 1)


def packed(frames):
    for time, frame in frames:
        head = bytes([int(time) % 256, len(frame)])
        yield head + frame + b"|"


def flags(value):
    if isinstance(value, bytes):
        value = value.decode("ascii")
    return int(value, 2)


def evaluated(value: str):
    if isinstance(value, bytes):
        value = value.decode("utf-8")
    return ast.literal_eval(value)


def put_at(row: dict, at, value):
    row[at] = value.__call__(at) if hasattr(value, "__call__") else value
    return row
'''


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("applied", "made(f)(item)", "made(f if callable(f) else None)(item)"),
        ("twice", "applied(f, item), applied(", "applied(f if callable(f) else None, item), applied("),
        ("Applying.run", "self._made(f)(item)", "self._made(f if callable(f) else None)(item)"),
        ("size", "return -1", "return 1"),
        ("merged", "if options and not", "if options is None and not"),
        ("Token.__post_init__", "converted(self.attributes)", "self.attributes"),
        ("total", "+= term.grams if", "+= term.grams + 1 if"),
        ("joined", "str(part.grams)", "str(part)"),
        ("put", "row[0] = value(row[0])", "value(row[0])"),
        ("told", "list(inspect.signature(f).parameters)", "[]"),
        ("default_of", "value if value else kind()", "value"),
        ("price", "max(found, 1)", "min(found, 1)"),
        ("packed", "% 256, len(frame)", "% 256, len(head)"),
        ("flags", 'value.decode("ascii")', 'value.decode("ascii") + "0"'),
        ("evaluated", 'value.decode("utf-8")', 'f"[{value.decode()}]"'),
        pytest.param("put_at", "value.__call__(at)", "value.__call__([at])", marks=pytest.mark.slow),
    ],
)
def test_what_is_asked_for_is_tried(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(ASKING, ASKING.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("joined", "for part in parts:\n        if isinstance", "for part in list(parts):\n        if isinstance"),
        ("total", "else 1", "else int(True)"),
        ("told", "list(inspect.signature(f).parameters)", "[name for name in inspect.signature(f).parameters]"),
        ("price", "max(found, 1)", "found if found > 1 else 1"),
        ("packed", "int(time) % 256", "int(time) - 256 * (int(time) // 256)"),
        ("flags", 'value.decode("ascii")', 'value.decode("ascii").strip()'),
        ("put", "row[0] = value(row[0])", "before = row[0]\n        row[0] = value(before)"),
    ],
)
def test_the_same_in_other_words(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(ASKING, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


def test_annotations_bound_the_inputs_of_a_reference(judge: Any) -> None:
    """Only what an older version does with other types is what callers rely on."""
    assert judge(ASKING, ASKING.replace("return -1", "return 1"), "size").verdict is Verdict.AGREES


def compared(folder: Path, judge: Any, old: str, new: str) -> Report:
    package = folder / "applying"
    package.mkdir()
    (folder / "pyproject.toml").touch()
    (package / "__init__.py").touch()
    (package / "making.py").write_text(ASKING)
    source = "from applying import making\n\n\ndef applied(f, item):\n    return making.made(f=f)(item)\n"
    path, changed = package / "calls.py", source.replace(old, new)
    path.write_text(changed)
    module = read_module(changed, path)
    settings, previous = Settings(oracles=("previous",)), PreviousVersion(source, "git HEAD")
    oracle = oracles_for(module.target("applied"), module, settings=settings, previous=previous)[0]
    report: Report = judge.check(module.target("applied"), oracle, Budget(seconds=20.0, calls=1500))
    return report


def test_another_module_asks(tmp_path: Path, judge: Any) -> None:
    report = compared(tmp_path, judge, "made(f=f)", "made(f if callable(f) else None)")
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_what_is_asked_for_in_the_same_way(tmp_path: Path, judge: Any) -> None:
    report = compared(tmp_path, judge, "return making.made(f=f)(item)", "made = making.made(f)\n    return made(item)")
    assert report.verdict is Verdict.AGREES, report.reason


SIGNATURES = """
import inspect

def names(function):
    found = inspect.signature(function).parameters.values()
    return [one.name for one in found if one.kind is not one.VAR_POSITIONAL]
"""


@pytest.mark.parametrize("kind", ["KEYWORD_ONLY", "POSITIONAL_ONLY", "VAR_KEYWORD"])
def test_functions_that_are_inspected_have_parameters_of_each_kind(judge: Any, kind: str) -> None:
    wrong = SIGNATURES.replace("is not one.VAR_POSITIONAL", f"not in (one.VAR_POSITIONAL, one.{kind})")
    report = judge(SIGNATURES, wrong, "names", kind="previous", calls=100)
    assert report.verdict is Verdict.DIFFERS, report.reason


NEWLY_ASKING = """
def is_kind(value):
    if isinstance(value, type):
        return True
    return False


def total(value):
    return 0 if isinstance(value, str) else 1
"""


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("is_kind", "    return isinstance(value, tuple) and all(map(is_kind, value))"),
        ("total", "    return 0 if isinstance(value, (str, set)) else 1"),
    ],
)
def test_a_type_that_the_newer_version_alone_asks_for(judge: Any, name: str, new: str) -> None:
    old = "    return False" if name == "is_kind" else "    return 0 if isinstance(value, str) else 1"
    report = judge.edit(NEWLY_ASKING, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_a_type_that_the_newer_version_asks_for_and_takes_as_the_others(judge: Any) -> None:
    newer = NEWLY_ASKING.replace("return False", "return isinstance(value, tuple) and len(value) < 0")
    report = judge(NEWLY_ASKING, newer, "is_kind", kind="previous", calls=500)
    assert report.verdict is Verdict.AGREES, report.reason


CALLED_BACK = """
import inspect


def owner_of(callback):
    if inspect.ismethod(callback):
        return callback.__self__.__name__
    return ""


def arity(callback):
    code = getattr(callback, "__code__", None)
    return code.co_argcount if code else -1
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("owner_of", "__self__.__name__", "__func__.__name__"),
        ("arity", "code.co_argcount if", "len(code.co_varnames) if"),
    ],
)
def test_functions_whose_kind_or_parts_are_asked_for_are_of_each_kind(
    judge: Any, name: str, old: str, new: str
) -> None:
    report = judge.edit(CALLED_BACK, name, old, new, calls=400)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_functions_whose_parts_are_asked_for_otherwise_agree(judge: Any) -> None:
    changed = CALLED_BACK.replace("if code else -1", "if code is not None else -1")
    report = judge(CALLED_BACK, changed, "arity", kind="previous", calls=200)
    assert report.verdict is Verdict.AGREES, report.reason


NAMED_TYPES = """
class compat:
    string_types = (str,)
    integer_types = (int,)
    text_type = str


def labelled(value, mark):
    if isinstance(value, compat.string_types):
        return value + mark
    if isinstance(value, compat.integer_types):
        return str(value) + mark
    return None


def marked(value, mark):
    if isinstance(value, compat.text_type):
        return value + mark
    if isinstance(value, compat.integer_types):
        return str(value) + mark
    return None
"""


@pytest.mark.parametrize("name", ["labelled", "marked"])
def test_types_that_have_another_name_or_one_for_several(judge: Any, name: str) -> None:
    changed = NAMED_TYPES.replace("str(value) + mark", "mark + str(value)")
    report = judge(NAMED_TYPES, changed, name, kind="previous", calls=400)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_types_that_have_one_name_for_several_asked_for_otherwise(judge: Any) -> None:
    changed = NAMED_TYPES.replace("compat.integer_types)", "(*compat.integer_types,))")
    report = judge(NAMED_TYPES, changed, "labelled", kind="previous", calls=400)
    assert report.verdict is Verdict.AGREES, report.reason


LEAVING = """
def parts_of(text):
    return [part for part in text.lower().split("-") if part.strip()]


class Index:
    def __init__(self):
        self.words = []

    def add(self, word):
        if not word or not isinstance(word, str):
            return
        self.words += parts_of(word)


def shout(text: str):
    if not isinstance(text, str):
        return None
    return text.upper()
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("Index.add", "not word or not isinstance(word, str)", "not word", Verdict.DIFFERS),
        ("Index.add", "not isinstance(word, str)", "not issubclass(type(word), str)", Verdict.AGREES),
        ("shout", "    if not isinstance(text, str):\n        return None\n", "", Verdict.AGREES),
    ],
)
def test_a_test_for_types_that_leaves(judge: Any, name: str, old: str, new: str, verdict: Verdict) -> None:
    """What is left alone is meant where nothing else tells the type: an annotation excludes it."""
    text = LEAVING.replace(old, new)
    assert text != LEAVING
    report = judge(LEAVING, text, name, kind="previous", calls=600)
    assert report.verdict is verdict, report.reason


DECLINING = """
class Point:
    def __init__(self, x: int):
        self.x = x

    def __eq__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return self.x == other.x

    def __lt__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return self.x < other.x
"""


@pytest.mark.parametrize(
    ("name", "new", "verdict"),
    [
        ("Point.__eq__", "", Verdict.DIFFERS),
        ("Point.__eq__", "return False", Verdict.AGREES),
        ("Point.__lt__", "return False", Verdict.DIFFERS),
        ("Point.__lt__", "raise TypeError(other)", Verdict.AGREES),
    ],
)
def test_operands_that_are_declined(judge: Any, name: str, new: str, verdict: Verdict) -> None:
    """Python takes operands for different that nobody compares, and raises a `TypeError` for other operators."""
    guard = "        if not isinstance(other, Point):\n            return NotImplemented\n"
    text = DECLINING.replace(guard, guard.replace("return NotImplemented", new) if new else "")
    report = judge(DECLINING, text, name, kind="previous", calls=600)
    assert report.verdict is verdict, report.reason


SENDING = """
from typing import Union

def sent(data: bytes) -> str:
    return data.hex().upper()
"""
WIDENED = SENDING.replace("data: bytes", "data: Union[bytes, str]")
ENCODING = WIDENED.replace("    return", "    data = data.encode() if isinstance(data, str) else data\n    return")


def test_a_type_that_only_the_newer_annotation_admits(judge: Any) -> None:
    report = judge(SENDING, ENCODING, "sent", kind="previous", calls=400)
    assert report.counterexample is not None, report.reason
    assert report.counterexample.arguments == "('',)"


def test_a_wider_annotation_alone_is_no_difference(judge: Any) -> None:
    report = judge(SENDING, WIDENED, "sent", kind="previous", calls=400)
    assert report.verdict is Verdict.AGREES, report.reason
