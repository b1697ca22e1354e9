"""Instances of classes whose constructors lack annotations: what a class does with parameters shows their types."""

from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.constructors.constructor_usage import constructor_usage, factors_in
from lsp_evalplus.fuzz.guest.inference.functions.called_parameters import given_to_call
from lsp_evalplus.fuzz.model import Budget, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

SOURCE = """
import time

class OneOf:
    def __init__(self, included=None, excluded=None):
        if included is None:
            assert type(excluded) in (set, frozenset)
        elif excluded is None:
            assert type(included) in (set, frozenset)
        else:
            raise ValueError("one of both")
        self._included, self._excluded = included, excluded

    def told(self):
        return sorted(map(str, self._included or self._excluded))

class Timed:
    def __init__(self, limit, timer=time.monotonic, measure=None):
        self.limit = limit
        self._timer = timer
        self._measure = measure or len

    def left(self, used):
        self._timer()
        return range(self.limit - 1)[used:] if self._measure("ab") else []

class Later:
    def __init__(self, action, given, named):
        self.action, self.given, self.named = action, given, named

    def done(self, *more, **others):
        if not more and not others:
            return self.action(*self.given, **self.named)
        return self.action(*self.given + more, **dict(self.named, **others))

class Called:
    def __init__(self, reader, names):
        self.reader = reader
        self.names = names

    def joined(self):
        return [f"{name}-{self.reader()}" for name in self.names]

class Derived(Called):
    def __init__(self, first, others, mark):
        super().__init__(first, names=others)
        self.mark = mark

    def marked(self):
        return self.joined() + [self.mark.upper()]
"""


class Kept:
    def __init__(self, names, count, text: str, reader, rest, timer=time.monotonic):  # type: ignore[no-untyped-def]
        self.names = names
        self.count, self.reader = count, reader
        self.rest = rest or ()
        self.text = text

    def used(self, rest):  # type: ignore[no-untyped-def]
        rest.append(1)
        return [self.reader(one, 2) for one in self.names if self.count == 3]


def test_what_a_class_shows_of_its_parameters() -> None:
    found = constructor_usage(Kept)

    assert found["names"] is list
    assert str(found["reader"]).startswith("typing.Callable[[typing.Any, typing.Any]")
    assert "text" not in found, "it is annotated"
    assert "rest" not in found, "a local name is another thing"
    assert found["count"] is int


@pytest.mark.parametrize(
    ("name", "old", "new", "begins"),
    [
        ("OneOf.told", "sorted(map(str,", "list(map(repr,", "OneOf("),
        ("Timed.left", "[used:]", "[:used]", "Timed("),
        ("Called.joined", "-{self", "+{self", "Called("),
        ("Derived.marked", ".upper()", ".lower()", "Derived("),
        ("Later.done", "not more and not others", "not more or not others", "Later("),
    ],
)
def test_instances_are_made_of_what_is_used(
    name: str, old: str, new: str, begins: str, tmp_path: Path, judge: Any
) -> None:
    path = tmp_path / "shop.py"
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    path.write_text(changed)
    module = read_module(changed, path)
    oracle = oracles_for(module.target(name), module, previous=PreviousVersion(SOURCE, "HEAD"))[0]

    report = judge.check(module.target(name), oracle, Budget(6.0, 400, 0))

    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call.startswith(begins)


WORK = """
import time
from functools import partial

class Task:
    def __init__(self, action, *args, retries=0):
        self.step = partial(action, *args)
        self.retries = retries

    def run(self):
        failed = 0
        while True:
            try:
                return self.step()
            except Exception:
                failed += 1
                if failed > self.retries:
                    raise

class Bucket:
    def __init__(self, rate, per=1.0, clock=time.monotonic):
        self.rate, self.per = rate, per
        self._clock = clock
        self._left = rate
        self._last = clock()

    def allow(self, cost=1):
        now = self._clock()
        self._left = min(self.rate, self._left + (now - self._last) * self.rate / self.per)
        self._last = now
        if self._left < cost:
            return False
        self._left -= cost
        return True

class Agenda:
    def __init__(self, clock=time.time):
        self._clock = clock
        self._entries = []

    def put(self, when, name):
        self._entries.append((when, name))

    def due(self):
        now = self._clock()
        return [name for when, name in self._entries if when <= now]

class Handlers:
    def __init__(self, handler, fallback="none"):
        self._handler = handler
        self._fallback = fallback

    def handle(self, event):
        try:
            return self._handler(event)
        except KeyError as error:
            return self._fallback + str(error)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        pytest.param("Task.run", "failed > self", "failed >= self", "Task(call_recorder(raises=", id="partial"),
        pytest.param("Bucket.allow", "< cost", "<= cost", "Bucket(", id="product of quotients"),
        pytest.param("Agenda.due", "when <= now", "when < now", "Agenda(clock=", id="clock"),
        pytest.param("Handlers.handle", "+ str(error)", "+ repr(error)", "raises=KeyError", id="caught"),
    ],
)
def test_functions_and_clocks_for_constructors(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge(WORK, WORK.replace(old, new), name, kind="previous", calls=3000, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report
    assert shown in report.counterexample.call


@pytest.mark.parametrize("name", ["Bucket.allow", "Agenda.due", "Task.run"])
def test_the_same_with_other_names_is_no_difference(judge: Any, name: str) -> None:
    renamed = WORK.replace("now", "moment").replace("failed", "failures")
    report = judge(WORK, renamed, name, kind="previous", calls=400, seconds=30)

    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(
    ("expression", "numbers"),
    [
        ("(a - b) * rate / per", {"rate", "per"}),
        ("total * share / count", {"total", "share", "count"}),
        ("root / name", set()),
        ("root / 'a' / name", set()),
        ("text * count", set()),
    ],
)
def test_factors_that_can_be_numbers_only(expression: str, numbers: set[str]) -> None:
    nodes = ast.walk(ast.parse(expression))
    assert {one.id for node in nodes for one in factors_in(node) if isinstance(one, ast.Name)} == numbers


@pytest.mark.parametrize(
    ("expression", "given"),
    [
        ("partial(f, *args)", ("f", None)),
        ("functools.reduce(f, items)", ("f", 2)),
        ("Thread(target=f, args=(1,))", ("f", None)),
        ("sorted(items, key=f)", ("f", 1)),
        ("aim(target=f)", None),
        ("loop.run_in_executor(None, f)", ("f", None)),
        ("partial(*args)", None),
    ],
)
def test_functions_that_others_call(expression: str, given: tuple[str, int | None] | None) -> None:
    call = ast.parse(expression, mode="eval").body
    assert isinstance(call, ast.Call)
    found = given_to_call(call)
    assert (None if found is None else (ast.unparse(found[0]), found[1])) == given


CONVERTED = (
    """
import inspect
from collections import OrderedDict
from typing import Callable

class Buffer:
    def __init__(self, text, start=0):
        text = str(text)
        self.text = text
        self.start = start
        self.length = len(text)

    def at_end(self):
        return self.text[self.start : self.start + 1] in ("", "\\n") and self.length > 0

class Label:
    def __init__(self, words):
        self.words = str(words)

    def second(self):
        return self.words[1] if len(self.words) > 1 else "-"

class Tree:
    def __init__(self, value):
        self._value = value

    def names(self):
        if not isinstance(self._value, OrderedDict):
            raise TypeError("not a mapping")
        return [name for name in self._value if name]

class Leaf:
    def __init__(self, text: str = ""):
        self.text = text

class Branch:
    def __init__(self, part):
        self.part = part

    def shown(self):
        if isinstance(self.part, Leaf):
            return "leaf:" + self.part.text
        return "other"

class Fallback:
    def __init__(self, stores):
        assert len(stores) > 0
        self.stores = stores

    def find_many(self, keys):
        for store in self.stores:
            found = store.find_many(keys)
            if found:
                return found
        return []
"""
    + "".join(
        f"""
    def {name}(self, key):
        self.stores[0].{name}(key)
"""
        for name in "set add replace append_to prepend cas find delete incr decr touch flush quit stats".split()
    )
    + """
class Hooks:
    def __init__(self):
        self.hooks = []

    def register(self, hook: Callable[[], None]):
        if inspect.signature(hook).parameters:
            raise TypeError("too many parameters")
        self.hooks.append(hook)
        return len(self.hooks)
"""
)


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("Buffer.at_end", '"\\n")', '"\\t")', "Buffer('"),
        ("Label.second", "self.words[1]", "self.words[0]", "Label('"),
        ("Tree.names", "if name]", "if not name]", "Tree(collections.OrderedDict("),
        ("Branch.shown", "self.part.text", "self.part.text.strip()", "Branch(Leaf("),
        ("Branch.shown", 'return "other"', 'return "others"', "Branch("),
        ("Fallback.find_many", "if found", "if not found", "Fallback([types.SimpleNamespace("),
        ("Hooks.register", "return len(self.hooks)", "return len(self.hooks) + 1", "Hooks().register(lambda: 0)"),
    ],
)
def test_conversions_tests_and_wrapped_objects_tell_what_constructors_take(
    judge: Any, name: str, old: str, new: str, shown: str
) -> None:
    report = judge(CONVERTED, CONVERTED.replace(old, new), name, kind="previous", calls=600, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call.startswith(shown)


@pytest.mark.parametrize("name", ["Buffer.at_end", "Tree.names", "Branch.shown", "Fallback.find_many"])
def test_their_other_names_are_no_difference(judge: Any, name: str) -> None:
    renamed = (
        CONVERTED.replace("found", "first")
        .replace("[name for name in", "[one for one in")
        .replace("if name]", "if one]")
    )
    report = judge(CONVERTED, renamed, name, kind="previous", calls=400, seconds=30)

    assert report.verdict is Verdict.AGREES, report


OMITTED = """
class Report:
    def __init__(self, names=None, separator=None, titles=None):
        self.names = list(names or [])
        self.separator = ", " if separator is None else separator
        if titles is None:
            titles = {}
        self.titles = titles

    def first(self):
        return self.names[0] if self.names else None

    def joined(self):
        return self.separator.join(map(str, self.names))

    def count(self):
        return len(self.titles)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Report.first", "self.names[0]", "self.names[-1]"),
        ("Report.joined", "self.separator.join", '", ".join'),
        ("Report.count", "len(self.titles)", "0"),
    ],
)
def test_what_stands_for_an_omitted_argument_tells_its_type(judge: Any, name: str, old: str, new: str) -> None:
    assert judge(OMITTED, OMITTED.replace(old, new), name, kind="previous", calls=600).verdict is Verdict.DIFFERS


FROZEN = """
class Frozen:
    def __init__(self, rates):
        object.__setattr__(self, "rates", rates)

    def __setattr__(self, name, value):
        raise AttributeError(name)

    def cost(self, count: int):
        return self.rates["base"]["price"] * 2 + count


class Sealed:
    def __init__(self, names):
        super().__setattr__("names", names)

    def titles(self):
        return [name["title"].strip() for name in self.names]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"), [("Frozen.cost", "+ count", "- count"), ("Sealed.titles", ".strip()", "")]
)
def test_what_instances_store_that_refuse_assignments(judge: Any, name: str, old: str, new: str) -> None:
    assert judge(FROZEN, FROZEN.replace(old, new), name, kind="previous", calls=600).verdict is Verdict.DIFFERS


ASKED_AT_ONCE = """
class Names:
    def __init__(self, compiler):
        self.compiler = compiler
        self.clashes = len(self.compiler.reserved_names.intersection(["a", "b"])) + 1

    def told(self, name: str):
        return self.clashes * 2 + len(name)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("Names.__init__", '["a", "b"])) + 1', '["a", "b"])) - 1'), ("Names.told", "+ len(name)", "- len(name)")],
)
def test_what_a_constructor_asks_of_what_it_has_stored(judge: Any, name: str, old: str, new: str) -> None:
    """Of an attribute that has methods of sets, sets are made."""
    text = ASKED_AT_ONCE.replace(old, new)
    assert text != ASKED_AT_ONCE
    assert judge(ASKED_AT_ONCE, text, name, kind="previous", calls=600).verdict is Verdict.DIFFERS
