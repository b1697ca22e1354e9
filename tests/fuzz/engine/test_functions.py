"""What returned functions do is compared: one check per case in tests/cases/pairs/functions.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, OracleKind, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

CASE_FILE = "../../cases/pairs/functions.txt"
CALLS = 200


def test_verdict(case: Any, judge: Any) -> None:
    report = judge(case.reference, case.candidate, calls=CALLS)

    assert str(report.verdict) == case.expected["verdict"], report
    found = report.counterexample
    if found is not None:
        assert found.expected.text.startswith("a function ")
        assert found.candidate.text.startswith("a function ")
        assert found.candidate.text != found.expected.text


UPDATES = """
class Router:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.routes = [object()]

    def route(self, path: str):
        def decorator(function):
            self.routes.append((self.prefix + path, function))
            return function

        return decorator


def decrement(field: str):
    def transform(document):
        document[field] -= 1

    return transform
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("decrement", "document[field] -= 1", "document[field] = document[field] - 1", "document[field] += 1"),
        pytest.param(
            "Router.route", "self.routes.append((", "list.append(self.routes, (", "print((", marks=pytest.mark.slow
        ),
    ],
)
def test_what_calls_of_returned_functions_change(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    agreed = judge(UPDATES, UPDATES.replace(old, harmless), name, kind=OracleKind.PREVIOUS, calls=100)
    assert agreed.verdict is Verdict.AGREES, agreed.reason
    differing = judge(UPDATES, UPDATES.replace(old, wrong), name, kind=OracleKind.PREVIOUS, calls=100)
    assert differing.verdict is Verdict.DIFFERS, differing.reason


HELD = """
from typing import Callable


class Part:
    def __init__(self, text: str, size: int = 1) -> None:
        self.text = text
        self.size = size


def split(get: Callable[[], list[tuple[str, str]]]):
    def first():
        return [name for name, _ in get()]

    def second():
        found = []
        for _, value in get():
            found.insert(0, value)
        return found

    return first, second


def total(make: Callable[[str], Part]) -> int:
    part = make("a")
    return part.size + len(part.text)
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong", "told"),
    [
        (
            "split",
            "found.insert(0, value)",
            "found = [value] + found",
            "found.insert(value)",
            "a tuple whose [1] is a function that raises TypeError",
        ),
        ("split", "[name for name, _ in get()]", "[one[0] for one in get()]", "[name for _, name in get()]", "[0]"),
        ("total", "part.size + len(part.text)", "len(part.text) + part.size", "part.size - len(part.text)", "Part("),
    ],
)
def test_functions_that_are_held_and_functions_that_return_what_is_annotated(
    judge: Any, name: str, old: str, harmless: str, wrong: str, told: str
) -> None:
    agreed = judge(HELD, HELD.replace(old, harmless), name, kind=OracleKind.PREVIOUS, calls=100)
    assert agreed.verdict is Verdict.AGREES, agreed.reason
    differing = judge(HELD, HELD.replace(old, wrong), name, kind=OracleKind.PREVIOUS, calls=100)
    assert differing.verdict is Verdict.DIFFERS, differing.reason
    assert told in differing.reason


DEFERRED = """
from functools import partial

class Job:
    def __init__(self, action=None, args=(), kwargs=None):
        self.name = "job"
        if action is not None:
            kwargs = kwargs or {}
            self.run = action if not (args or kwargs) else partial(action, *args, **kwargs)
        else:
            self.run = None
"""


def test_what_the_library_calls_later_is_a_function(judge: Any) -> None:
    """Arguments of its own show only where it is one."""
    report = judge(DEFERRED, DEFERRED.replace("args or kwargs)", "args and kwargs)"), "Job.__init__", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


OF_METHODS = """
import functools


def in_state(function):
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        with self._enter_state():
            return function(self, *args, **kwargs)
    return wrapper
"""


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        ("function(self, *args)", Verdict.DIFFERS),
        ("function(self, **kwargs)", Verdict.DIFFERS),
        ("function(*(self, *args), **kwargs)", Verdict.AGREES),
    ],
)
def test_decorators_of_methods_get_objects_that_they_enter(judge: Any, new: str, verdict: Verdict) -> None:
    text = OF_METHODS.replace("function(self, *args, **kwargs)", new)
    report = judge(OF_METHODS, text, "in_state", kind="previous", calls=300)
    assert report.verdict is verdict, report.reason


def test_the_same_where_lines_came_before(tmp_path: Path, judge: Any) -> None:
    """The file has the lines of the newer version alone."""
    (tmp_path / "pyproject.toml").touch()
    path = tmp_path / "states.py"
    source = '"""States."""\n\n' + OF_METHODS.replace("function(self, *args, **kwargs)", "function(self, *args)")
    path.write_text(source)
    module = read_module(source, path)
    target, previous = module.target("in_state"), PreviousVersion(OF_METHODS, "git HEAD")
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    report = judge.check(target, oracle, Budget(seconds=20.0, calls=300))
    assert report.verdict is Verdict.DIFFERS, report.reason


FAILING = """
from typing import Callable

def stated(jobs: list[Callable[[], int]]) -> int:
    count = 0
    for job in jobs:
        try:
            job()
        except ValueError:
            count += 1
    return count

def failed(jobs):
    found = []
    for index, job in enumerate(jobs):
        try:
            job()
        except ValueError:
            found.append(index)
    return found

def paired(names, jobs):
    found = {}
    for name, job in zip(names, jobs):
        try:
            found[name] = job()
        except (KeyError, OSError):
            found[name.upper()] = None
    return found
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("stated", "count += 1", "count += 2"),
        ("failed", "append(index)", "append(index + 1)"),
        ("paired", "name.upper()", "name"),
    ],
)
def test_functions_in_a_list_that_fail(judge: Any, name: str, old: str, new: str) -> None:
    """Their variables stand beside others: ``enumerate`` counts, ``zip`` pairs."""
    report = judge.edit(FAILING, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report


CHECKING = """
def at_most(limit: int):
    def check(value):
        if value > limit:
            raise ValueError(f"{value} is more than {limit}")
        return value

    return check


def of_kind(kind: str):
    def check(value):
        if not isinstance(value, str):
            raise TypeError(f"{kind} is a string")
        return kind + value

    return check
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("at_most", "if value > limit:", "if value > limit and limit:", Verdict.DIFFERS),
        ("of_kind", "kind + value", "f'{kind}{value}'", Verdict.AGREES),
        (
            "of_kind",
            "        if not isinstance(value, str):\n",
            "        if isinstance(value, dict):\n",
            Verdict.AGREES,
        ),
        ("at_most", 'f"{value} is more than {limit}"', "value, limit", Verdict.AGREES),
    ],
)
def test_what_returned_functions_refuse_on_purpose(judge: Any, name: str, old: str, new: str, verdict: Verdict) -> None:
    assert CHECKING.count(old) == 1
    report = judge.edit(CHECKING, name, old, new, calls=200)
    assert report.verdict is verdict, report.reason


MARKING = """
from typing import Callable


def hook(function):
    if not callable(function):
        raise TypeError("no function")
    function.is_hook = True
    return function


def marked(function: Callable) -> Callable:
    function.mark = "x"
    return function


class Registry:
    def __init__(self):
        self.known = {}

    def add(self, what):
        what.owner = "us"
        self.known[what.__name__] = what


def prepared(app):
    setattr(app, "size", 1)
    return app


def sized(app):
    app.size = 1
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("hook", "function.is_hook = True", "setattr(function, 'is_hook', True)", "function.is_hook = False"),
        ("marked", '"x"', "str('x')", '"y"'),
        ("Registry.add", '"us"', "'u' + 's'", '"them"'),
        ("prepared", 'setattr(app, "size", 1)', "app.size = 1", "pass"),
        ("sized", "app.size = 1", "setattr(app, 'size', 1)", "app.size = 2"),
    ],
)
def test_attributes_that_are_set_of_arguments(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    head, _, tail = MARKING.rpartition(old) if name == "sized" else MARKING.partition(old)
    report = judge(MARKING, f"{head}{wrong}{tail}", name, calls=100, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason

    report = judge(MARKING, f"{head}{harmless}{tail}", name, calls=100, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
