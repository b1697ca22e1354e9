"""Runs single tests of a project, as far as its environment lets them: functions, classes, and unittest cases.

What a test says of its results is not judged: a test is a program that calls the function under test.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import itertools
import sys
import types
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from ..program.module_overlay import search_first
from ..surroundings.completion import awaited
from ..surroundings.random_numbers import seed, seeded_imports
from ..surroundings.waiting import is_in_loop
from ..values.dynamic import type_of
from ..values.program_errors import CallTimeoutError
from ..values.rendering import message_of
from .fixtures import Fixtures, Scope
from .lenient_import import LEFT_OUT, import_leniently, run_leniently
from .missing_modules import is_test_file, served
from .pytest_stand_in import Mark, Row, SkippedError, make_module, marks_of
from .test_marks import is_skipped, may_fail

MOST_ROWS = 8
"""Maximum number of rows of a parametrized test that are run, spread over all."""
MOST_NEW_ROWS = 24
"""The same of those of its rows that came with the change, or of a test that did."""
MOST_COUNTED = 512
STAND_IN = "pytest"


class Location(NamedTuple):
    """Where a test stands in the project."""

    module: str
    """The dotted name of its file."""
    names: Sequence[str]
    """Its class, if it has one, and its function."""
    conftests: Sequence[str]
    """Paths of the conftest.py files around it, the nearest first."""
    is_changed: bool = False
    """Whether it came with the change, or was changed by it."""
    new_rows: Sequence[int] = ()
    """Numbers of its rows that came with the change."""


class TestRuns:
    """The tests of a project, in one program's copies of its modules.

    Args:
        locations: by the names of the tests.
        search_path: import roots of the files of tests.
    """

    __test__ = False

    def __init__(self, locations: Mapping[str, Location], search_path: Sequence[str]) -> None:
        self._locations = locations
        self._search_path = search_path
        self._surrounding: dict[str, types.ModuleType] = {}
        """The conftest.py files that were imported, by their paths."""
        self._failed: set[str] = set()
        """Modules that could not be imported: each attempt takes as long as the first."""

    def cases(self, test: str) -> Iterator[str]:
        """Yield the name of a test; of a parametrized one those of its new rows and of some others.

        Raises what importing it raises.
        """
        location = self._locations[test]
        function, owner = self._function(location)
        count = sum(1 for _ in itertools.islice(_rows(function, owner), MOST_COUNTED))
        yield from [test] if count == 1 else [f"{test}[{number}]" for number in _chosen(count, location)]

    def why_incomplete(self, case: str) -> Any:
        """Return the first exception for which something of a test's file was left out, or of those of the conftest.py
        files around it and of the files of tests that it imports; None where all are whole."""
        location = self._locations[case.partition("[")[0]]
        around = [self._surrounding[path] for path in location.conftests if path in self._surrounding]
        waiting = [*(sys.modules[name] for name in [location.module] if name in sys.modules), *around]
        met = set[str]()
        while waiting:
            module = waiting.pop(0)
            if LEFT_OUT in vars(module):
                return vars(module)[LEFT_OUT]
            names = {name for name in _modules_of(module) if name in sys.modules} - met
            met |= names
            used = (sys.modules[name] for name in names)
            waiting += [one for one in used if is_test_file(str(getattr(one, "__file__", "")))]
        return None

    def run(self, case: str) -> None:
        """Run a test. Raises what it raises; `SkippedError` where it cannot be run, or fails as it is expected to."""
        test, _, row = case.partition("[") if case.endswith("]") else (case, "", "")
        location = self._locations.get(test)
        if location is None:
            raise SkippedError(f"there is no test {test!r}")
        function, owner = self._function(location)
        params = next(itertools.islice(_rows(function, owner), int(row.rstrip("]") or 0), None), None)
        if params is None or hasattr(function, "hypothesis"):
            raise SkippedError(f"{case} has no such row, or draws its inputs")
        module = sys.modules[location.module]
        places = function, owner, module
        if is_skipped(places, params.marks):
            raise SkippedError(f"{case} is skipped")
        seed(case)
        try:
            self._run(location, function, owner, params.values)
        except Exception as error:
            if may_fail(places, params.marks):
                raise SkippedError(f"{case} is expected to fail: {message_of(error)}") from error
            raise

    def _run(self, location: Location, function: Any, owner: Any, params: Mapping[str, Any]) -> None:
        module = sys.modules[location.module]
        with _loop_for(function, owner), contextlib.ExitStack() as stack:
            _call(module, "setup_module", "setUpModule")
            unittest = sys.modules.get("unittest")
            if owner is not None and unittest is not None and issubclass(owner, unittest.TestCase):
                _run_case(owner, location.names[-1], stack)
            else:
                namespaces = [vars(module), *map(vars, self._conftests(location))]
                _run_function(function, owner, Scope(owner and owner(), namespaces, params), stack)

    def _function(self, location: Location) -> tuple[Callable[..., Any], Any]:
        """Return a test's function and its class. Raises `SkippedError` where there is none."""
        owner: Any = None
        found: Any = self._imported(location.module)
        for name in location.names:
            owner = found if isinstance(found, type) else None
            found = inspect.getattr_static(found, name, None)
        if not callable(found) or is_skipped((found, owner)):
            raise SkippedError("there is no such test here")
        return found, owner

    def _imported(self, name: str) -> types.ModuleType:
        if name in self._failed:
            raise SkippedError(f"{name} cannot be imported")
        search_first(self._search_path)
        sys.modules.setdefault(STAND_IN, make_module())
        try:
            with served(), _drawing_apart(name):
                return _import(name)
        except CallTimeoutError:
            raise
        except BaseException as error:  # noqa: BLE001 - a program raises anything
            self._failed.add(name)
            raise SkippedError(f"{name} cannot be imported: {message_of(error)}") from None

    def _conftests(self, location: Location) -> Iterator[types.ModuleType]:
        for path in location.conftests:
            if path not in self._surrounding:
                spec = importlib.util.spec_from_file_location("conftest", path)
                assert spec is not None
                assert spec.loader is not None
                self._surrounding[path] = importlib.util.module_from_spec(spec)
                with contextlib.suppress(Exception), served(), seeded_imports(path):  # Its fixtures are then not known.
                    run_leniently(spec, self._surrounding[path])
            yield self._surrounding[path]


def _drawing_apart(name: str) -> contextlib.AbstractContextManager[None]:
    """Return a block in which a module is imported that may draw random numbers, of which rows of tests are made."""
    return contextlib.nullcontext() if name in sys.modules else seeded_imports(name)


def _import(name: str) -> types.ModuleType:
    """Import a file of tests, as far as it can be."""
    try:
        return importlib.import_module(name)
    except CallTimeoutError:
        raise
    except BaseException:  # noqa: BLE001 - a program raises anything
        return import_leniently(name)


def _modules_of(module: types.ModuleType) -> Iterator[str]:
    """Yield the names of the packages around a module, and of the modules that what it names comes from."""
    name = module.__name__
    while "." in name:
        name = name.rpartition(".")[0]
        yield name
    for value in vars(module).values():
        kind = type_of(value)
        if kind is types.ModuleType:
            yield value.__name__
        elif kind is types.FunctionType or issubclass(kind, type):
            yield str(value.__module__)


def _chosen(count: int, location: Location) -> list[int]:
    """Return the numbers of the rows that are run, of `count`; those first that came with the change."""
    new = [number for number in location.new_rows if number < count]
    most = MOST_NEW_ROWS if location.is_changed and not new else MOST_ROWS
    return list(dict.fromkeys([*_spread(new, MOST_NEW_ROWS), *_spread(range(count), most)]))


def _spread(numbers: Sequence[int], most: int) -> list[int]:
    """Return some of the numbers, spread over all."""
    places = {place * len(numbers) // most for place in range(most)} if numbers else ()
    return [numbers[place] for place in sorted(places)]


class _Params(NamedTuple):
    """The values of the parameters of a test in one of its rows."""

    values: Mapping[str, Any]
    marks: Sequence[Mark]


def _rows(function: Any, owner: Any) -> Iterator[_Params]:
    """Yield the values of the parameters of a test, row by row; one empty row where it is not parametrized."""
    tables = [list(_table(mark)) for mark in (*marks_of(function), *marks_of(owner)) if mark.name == "parametrize"]
    for rows in itertools.product(*tables):
        values = {name: value for row in rows for name, value in row.values.items()}
        yield _Params(values, [mark for row in rows for mark in row.marks])


def _table(mark: Mark) -> Iterator[_Params]:
    names: Any = mark.args[0] if mark.args else mark.kwargs["argnames"]
    rows: Any = mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"]
    # A row of one name is its value, unless the names are a list or a tuple.
    is_value = isinstance(names, str) and len([one for one in names.split(",") if one.strip()]) == 1
    names = [one.strip() for one in names.split(",") if one.strip()] if isinstance(names, str) else list(names)
    for row in itertools.islice(rows, MOST_COUNTED):
        values = row.values if isinstance(row, Row) else (row,) if is_value else row
        if len(values) == len(names):
            yield _Params(dict(zip(names, values)), row.marks if isinstance(row, Row) else ())


@contextlib.contextmanager
def _loop_for(function: Any, owner: Any) -> Generator[None]:
    """Run what belongs to an asynchronous test within the block in one event loop, its fixtures too.

    Other tests may make loops of their own; the time of these passes by itself, too.
    """
    if is_in_loop() or "asyncio" not in sys.modules:
        yield
        return
    from ..surroundings.event_loop import entered, swift_loops

    if not (inspect.iscoroutinefunction(function) or hasattr(owner, "asyncSetUp")):
        with swift_loops():
            yield
        return
    with swift_loops(), entered() as loop:
        try:
            yield
        finally:
            loop.leave()
            with contextlib.suppress(Exception):
                loop.finish()


def _run_function(function: Callable[..., Any], owner: Any, scope: Scope, stack: contextlib.ExitStack) -> None:
    fixtures = Fixtures(scope, stack)
    fixtures.begin()
    for mark in (*marks_of(function), *marks_of(owner)):
        for name in mark.args if mark.name == "usefixtures" else ():
            fixtures.value(name)
    bound = function if scope.instance is None else getattr(scope.instance, function.__name__)
    if owner is not None:
        _call(owner, "setup_class")
        _call(scope.instance, "setup_method", "setup")
        stack.callback(_call, scope.instance, "teardown_method", "teardown")
    awaited(bound(**fixtures.arguments(bound)))


def _run_case(owner: Any, name: str, stack: contextlib.ExitStack) -> None:
    """Run a unittest case without its runner, which would catch what ends the test."""
    case = owner(name)
    owner.setUpClass()
    stack.callback(owner.doClassCleanups)
    stack.callback(owner.tearDownClass)
    stack.callback(case.doCleanups)
    stack.callback(case.tearDown)
    case.setUp()
    if hasattr(case, "asyncSetUp"):
        awaited(case.asyncSetUp())
    awaited(getattr(case, name)())


def _call(place: Any, *names: str) -> None:
    """Call the first of some functions that is there: xunit's set-up may take the thing that is set up."""
    for name in names:
        function = getattr(place, name, None)
        if callable(function):
            count = len(inspect.signature(function).parameters)
            function(*[None] * count)
            return
