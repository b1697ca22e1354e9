"""A failing example is told only if the standard library's doctest sees it fail on the whole file, by what the function
did: files whose doctests pass have no finding, nor have those whose examples cannot be made."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.source.discover import read_module

UNPICKLING = """
import pickle

NOTED = []


def note(number):
    NOTED.append(number)


def load():
    return pickle.loads(b"\\x80\\x03cmodule_under_test\\nPattern\\nq\\x00.")
"""


def check(judge: Any, folder: Path, text: str, name: str) -> Report:
    path = folder / "module_under_test.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    (folder / "unpickling.py").write_text(UNPICKLING, encoding="utf-8")
    module = read_module(path.read_text(encoding="utf-8"), path)
    target = module.target(name)
    oracle = next(one for one in oracles_for(target, module, path) if one.kind is OracleKind.EXAMPLES)
    report: Report = judge.check(target, oracle, Budget(10, calls=300))
    return report


def told(text: str, folder: Path, tests: str) -> frozenset[str]:
    (folder / "pyproject.toml").touch()
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests" / "test_docs.py").write_text(textwrap.dedent(tests), encoding="utf-8")
    path = folder / "module_under_test.py"
    path.write_text(text, encoding="utf-8")
    module = read_module(text, path)
    return ProjectTests().given_to_doctests(module)


COUNTED = '''
COUNT = 0

def ticket(prefix=""):
    """
    >>> ticket()
    '1'
    >>> ticket("t")
    't2'
    >>> ticket()
    '3'
    """
    global COUNT
    COUNT += 1
    return f"{prefix}{COUNT}"
'''
BLAMELESS = {
    "calls that build on each other": (COUNTED, "ticket"),
    "an argument that raises": (
        '''
        import datetime

        def later(day):
            """
            >>> later(datetime(2020, 1, 1))
            2020-01-02
            """
            return day + datetime.timedelta(1)
        ''',
        "later",
    ),
    "what earlier lines set": (
        '''
        import os

        def home():
            """
            >>> os.environ["TEST_HOME"] = "/a"
            >>> home()
            '/a'
            """
            return os.environ.get("TEST_HOME", "/")
        ''',
        "home",
    ),
    "a line that prepares the next one fails": (
        '''
        def last(items):
            """
            >>> items = []
            >>> items.push(3)
            >>> last(items)
            3
            """
            return items[-1] if items else None
        ''',
        "last",
    ),
    "a class that is found by its name only": (
        '''
        import pickle

        class Pattern:
            pass

        TEXT = b"\\x80\\x03cmodule_under_test\\nPattern\\nq\\x00."

        def load():
            """
            >>> load().__name__
            'Pattern'
            """
            return pickle.loads(TEXT)

        print("loaded")
        ''',
        "load",
    ),
    "an argument that raises where an exception is expected": (
        '''
        def half(number, kind=int):
            """
            >>> half(4)
            2
            >>> half(3, kind=EVEN)
            Traceback (most recent call last):
                ...
            ValueError: odd
            """
            return number // 2
        ''',
        "half",
    ),
    "the strings of Python 2": (
        '''
        class Box:
            def __init__(self, name):
                self.name = name

            def __repr__(self):
                return f"<box {self.name!r}>"

        def name(names):
            """
            >>> names = {2: "two"}
            >>> name(names)
            <box u'two'>
            """
            return Box(names[2])
        ''',
        "name",
    ),
    "an exception that its docstring names without the module": (
        '''
        import unpickling

        class Failure(Exception):
            pass

        class Pattern:
            pass

        def load(text):
            """
            >>> load("a")
            Traceback (most recent call last):
                ...
            Failure: a
            """
            unpickling.load()
            raise Failure(text)
        ''',
        "load",
    ),
    "another failure than in the search": (
        '''
        import unpickling

        unpickling.note(1)

        def load():
            """
            >>> load()
            2
            """
            return unpickling.NOTED[0]
        ''',
        "load",
    ),
    "what the clock shows": (
        '''
        from datetime import datetime

        def day():
            """
            >>> day()
            (2013, 5)
            """
            return (datetime.utcnow().year, datetime.utcnow().month)
        ''',
        "day",
    ),
    "what is written below an assertion": (
        '''
        def half(number):
            """
            >>> four = len("four")
            >>> assert half(four + 0) == 2
            True
            """
            return number // 2
        ''',
        "half",
    ),
    "a representation by which older versions of Python showed the same value": (
        '''
        from datetime import timedelta as duration

        def left():
            """
            >>> [left()]
            [datetime.timedelta(-1, 57600)]
            """
            return duration(days=-1, seconds=57600)
        ''',
        "left",
    ),
    "output to the file that was standard output when it was defined": (
        '''
        import sys

        def show(file=sys.stdout):
            """
            >>> show()
            a
            """
            print("a", file=file)
        ''',
        "show",
    ),
    "nothing in the standard output of the example": (
        '''
        import sys

        def show(file=sys.stdout):
            """
            >>> print(show())
            None
            """
            print("a", file=file)
        ''',
        "show",
    ),
}


ZONE = Path("/usr/share/zoneinfo/UTC")


@pytest.mark.skipif(not ZONE.exists(), reason="this system has no time zones")
def test_what_files_of_the_machine_decide_is_not_told(judge: Any, tmp_path: Path) -> None:
    (tmp_path / "zones.py").write_text("def read(path):\n    return open(path, 'rb').read(4)\n")
    text = f'''
        import zones

        def zone():
            """
            >>> zone()
            b"another"
            """
            return zones.read("{ZONE}")
    '''
    report = check(judge, tmp_path, text, "zone")

    assert report.verdict is Verdict.NOT_CHECKED, report


def test_what_installed_distributions_decide_is_not_told(judge: Any, tmp_path: Path) -> None:
    """Plugins of a project that is not installed, or as an older version, cannot be found."""
    text = """
        from importlib import metadata

        def backend(name):
            \"\"\"
            >>> backend("plain")
            'PLAIN'
            >>> backend("<plain>")
            'PLAIN'
            \"\"\"
            if name.startswith("<"):
                return name.strip("<>").upper()
            {0}
            raise LookupError(name)
    """
    asking = "for found in metadata.entry_points(group='module_under_test.backends'): return found.load()"
    report = check(judge, tmp_path, text.format(asking), "backend")
    assert report.verdict is not Verdict.DIFFERS, report.reason
    report = check(judge, tmp_path, text.format("for found in (): return found.load()"), "backend")
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the time zone of a process cannot be set here")
def test_what_the_time_zone_decides_is_not_told(judge: Any, tmp_path: Path) -> None:
    shown = time.mktime((2013, 6, 17, 2, 47, 42, -1, -1, -1)) - 7200
    text = f'''
        import time

        def fields(year):
            """
            >>> import time
            >>> time.mktime(fields(2013))
            {shown}
            """
            return (year, 6, 17, 2, 47, 42, -1, -1, -1)

        def years(year):
            """
            >>> import time
            >>> time.mktime(years(2013)) > 0
            False
            """
            return (year, 6, 17, 2, 47, 42, -1, -1, -1)
        '''
    assert check(judge, tmp_path, text, "fields").verdict is Verdict.NOT_CHECKED
    assert check(judge, tmp_path, text, "years").verdict is Verdict.DIFFERS


def test_none_that_is_written_is_the_result(judge: Any, tmp_path: Path) -> None:
    text = '''
        def found(table, key):
            """
            >>> table = {"a": 1}
            >>> found(table, "a")
            1
            >>> found(table, "b")
            None
            """
            return table.get(key)
        '''
    assert check(judge, tmp_path, text, "found").verdict is Verdict.AGREES
    assert check(judge, tmp_path, text.replace("get(key)", "get(key, 0)"), "found").verdict is Verdict.DIFFERS


@pytest.mark.parametrize(
    ("comment", "verdict"),
    [
        ("# Output: True", Verdict.AGREES),
        ("# => False", Verdict.DIFFERS),
        ("# as it should be", Verdict.AGREES),
    ],
)
def test_a_comment_below_a_line(judge: Any, tmp_path: Path, comment: str, verdict: Verdict) -> None:
    text = f'''
        def is_even(number):
            """
            >>> is_even(3)
            False
            >>> is_even(2)
            {comment}
            """
            return number % 2 == 0
        '''
    assert check(judge, tmp_path, text, "is_even").verdict is verdict


@pytest.mark.parametrize("case", BLAMELESS)
def test_what_doctest_does_not_blame_is_not_told(judge: Any, tmp_path: Path, case: str) -> None:
    text, name = BLAMELESS[case]

    report = check(judge, tmp_path, text, name)

    assert report.verdict is not Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("case", "compared"),
    [
        ("calls that build on each other", 3),
        ("what earlier lines set", 1),
        ("a class that is found by its name only", 1),
        ("nothing in the standard output of the example", 1),
        ("an argument that raises", 0),
        ("a line that prepares the next one fails", 0),
    ],
)
def test_what_holds_in_doctest_as_a_whole_agrees(judge: Any, tmp_path: Path, case: str, compared: int) -> None:
    report = check(judge, tmp_path, *BLAMELESS[case])

    assert report.verdict is (Verdict.AGREES if compared else Verdict.NOT_CHECKED), report
    assert not compared or report.inputs == compared


FROM_NOTHING = '''
COUNT = 0

def f():
    """
    >>> f()
    0
    """
    global COUNT
    COUNT += 1
    return COUNT
'''
BLAMED = {
    "a first call": (FROM_NOTHING, "f", "f()"),
    "another number of arguments": (
        'def f(x):\n    """\n    >>> f(1, 2)\n    3\n    """\n    return x\n',
        "f",
        "f(1, 2)",
    ),
    "another exception than the one it names": (
        (
            'def f(x):\n    """\n    >>> f(0)\n    Traceback (most recent call last):\n        ...\n'
            '    ValueError: none\n    """\n    return 1 / x\n'
        ),
        "f",
        "f(0)",
    ),
    "a wrong text with a time in it": (
        '''
        import time

        def told(moment):
            """
            >>> told(0)
            '1970'
            """
            time.time()
            return time.strftime("%y", time.gmtime(moment))
        ''',
        "told",
        "told(0)",
    ),
    "what a call leaves behind": (
        'def f(x):\n    """\n    >>> a = [2, 1]\n    >>> f(a)\n    >>> a\n    [1, 2]\n    """\n    sorted(x)\n',
        "f",
        "(a := [2, 1], f(a), a)[-1]",
    ),
}


@pytest.mark.parametrize("case", BLAMED)
def test_what_doctest_blames_is_told(judge: Any, tmp_path: Path, case: str) -> None:
    text, name, call = BLAMED[case]

    report = check(judge, tmp_path, text, name)

    assert report.counterexample is not None, report
    assert report.counterexample.call == call


PRINTING = 'def f(x):\n    """\n    >>> print(f(1))\n    one\n    """\n    return b"one"\n'
RUNNING = """
    import doctest
    import module_under_test

    def shown(data):
        ...

    def test_docs(names):
        doctest.testmod(module_under_test, {})
"""


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("globs=names", {"print", "len"}),
        ("globs={'print': shown}", {"print"}),
        ("extraglobs={'shown': shown}", {"shown"}),
        ("extraglobs={**names, 'shown': shown}", {"print", "shown"}),
        ("extraglobs=dict(shown=shown)", {"shown"}),
        ("globs=vars(module_under_test)", set[str]()),
        ("globs=module_under_test.__dict__", set[str]()),
        ("globs=None", set[str]()),
        ("verbose=True", set[str]()),
    ],
)
def test_names_that_the_projects_tests_give_to_doctests(tmp_path: Path, option: str, given: set[str]) -> None:
    found = told(PRINTING, tmp_path, RUNNING.format(option))

    assert given <= found
    assert bool(given) == bool(found)


def test_a_fixture_of_pytest_gives_names_to_doctests(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("def add(doctest_namespace):\n    doctest_namespace['np'] = numpy\n")

    assert told(PRINTING, tmp_path, "") == {"np"}


@pytest.mark.parametrize(("option", "is_told"), [("globs=names", False), ("verbose=True", True)])
def test_examples_that_use_what_tests_give_are_not_told(judge: Any, tmp_path: Path, option: str, is_told: bool) -> None:
    told(PRINTING, tmp_path, RUNNING.format(option))
    path = tmp_path / "module_under_test.py"
    module = read_module(PRINTING, path)
    target = module.target("f")
    (oracle,) = (
        one for one in oracles_for(target, module, path, tests=ProjectTests()) if one.kind is OracleKind.EXAMPLES
    )

    report = judge.check(target, oracle, Budget(10, calls=300))

    assert (report.verdict is Verdict.DIFFERS) is is_told, report
