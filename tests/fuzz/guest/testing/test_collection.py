"""Tests of all forms are found, named and run in order."""

from __future__ import annotations

import os
import sys
import tempfile
import types
from collections.abc import Sequence
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.surroundings.random_numbers import seed
from lsp_evalplus.fuzz.guest.testing.collection import CaseFailedError, CaseSkippedError, Collection
from lsp_evalplus.fuzz.guest.testing.guarded import Guard, GuardedCall, contains_own

A = ("test_a", "passed", 1)
CASES = """
import unittest
class TestA(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.two = 2
    def test_right(self):
        self.assertEqual(f(1), self.two)
    def test_wrong(self):
        self.assertEqual(f(1), 3)
    @unittest.skip("not today")
    def test_skipped(self):
        pass
unittest.main()
"""


def run(sources: Sequence[str]) -> list[tuple[str, str, int]]:
    """Name, outcome and number of passed asserts of each test of ``f(x) = 2 * x``."""
    found: list[tuple[str, str, int]] = []
    collection = Collection(sources, {"f": lambda x: 2 * x, "__name__": "tests"}, "f")
    for test in collection.tests():
        collection.passed.clear()
        outcome = "passed"
        try:
            test.run()
        except (CaseFailedError, CaseSkippedError, AssertionError) as error:
            outcome = f"{type(error).__name__} {error}".strip()
        if test.is_test:
            found.append((test.name, outcome, len(collection.passed)))
    return found


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["assert f(1)", "assert not f"], [("assert f(1)", "passed", 1), ("assert not f", "AssertionError", 0)]),
        (["assert f(1)\nassert f(1)"], [("assert f(1)", "passed", 1), ("assert f(1) #2", "passed", 1)]),
        (["import math\nk = 2\nfor i in [1, 2]:\n    assert f(i) == k * i"], [("for i in [1, 2]:", "passed", 2)]),
        (["def check(candidate):\n    assert candidate(1) == 2\n    assert candidate is f"], [("check", "passed", 2)]),
        (["def check(g):\n    assert g(1) == 2\ncheck(f)"], [("check(f)", "passed", 1)]),
        (["def test_a():\n    assert f(1)\ndef test_b(x):\n    assert 0\ndef g():\n    assert 0"], [A]),
        (["async def test_a():\n    assert f(1) == 2"], [("test_a", "passed", 1)]),
    ],
)  # fmt: skip
def test_forms_of_tests(sources: Sequence[str], expected: list[tuple[str, str, int]]) -> None:
    assert run(sources) == expected


def test_cases_of_unittest() -> None:
    assert run([CASES]) == [
        ("TestA.test_right", "passed", 0),
        ("TestA.test_skipped", "CaseSkippedError not today", 0),
        ("TestA.test_wrong", "CaseFailedError AssertionError: 2 != 3", 0),
    ]


def test_a_guard_undoes_what_a_program_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("guarded_example")
    exec("def helper():\n    return 1\nclass Case:\n    def ask(self):\n        return 2\n", vars(module))
    monkeypatch.setitem(sys.modules, "guarded_example", module)
    example: Any = module
    guard = Guard(["guarded_example"])

    def patch() -> int:
        example.helper = example.Case.ask = lambda *_: 9
        return example.helper()

    assert GuardedCall(patch, guard).as_function()() == 9
    assert (example.helper(), example.Case().ask()) == (1, 2)
    sys.modules["guarded_example"] = types.ModuleType("other")
    guard.restore()
    assert sys.modules["guarded_example"] is module


def test_a_guard_keeps_the_modules_that_tests_import(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = {name: types.ModuleType(name) for name in ("example", "example.inner", "example.other")}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    guard = Guard(imported=["example.inner", "not_loaded"])
    for name in modules:
        sys.modules[name] = types.ModuleType("replaced")
    guard.restore()
    assert [name for name, module in modules.items() if sys.modules[name] is module] == ["example", "example.inner"]


def test_a_guard_leaves_what_a_test_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = types.ModuleType("guarded_example")
    module.helper = 1
    monkeypatch.setitem(sys.modules, "guarded_example", module)
    call = GuardedCall(lambda: None, Guard(["guarded_example"])).as_function()
    module.helper = 2
    call()
    assert module.helper == 2


def test_objects_of_classes_of_a_program_are_noticed() -> None:
    names: dict[str, Any] = {"__name__": "solution"}
    exec("class Own:\n    pass\n", names)
    own = names["Own"]()
    assert all(map(contains_own, [own, [own], {"a": (own,)}]))
    assert not any(map(contains_own, [1, [1], {"a": (1,)}, Collection, sys.version_info, types.SimpleNamespace()]))


def test_temporary_files_are_named_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    # Another sequence than that of the other tests of this process, whose names must stay random.
    monkeypatch.setattr(tempfile, "_name_sequence", None)
    names: list[list[str]] = []
    for _ in range(2):
        seed()
        names.append([os.path.basename(tempfile.mktemp()) for _ in range(3)])
    assert names[0] == names[1]
    assert len(set(names[0])) == 3
