"""Samples that try to decide their own verdict fail, whether the tests run apart from them or together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest
from click.testing import Result

from .conftest import CASES, CHECK, DOUBLE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the full sandbox is Linux's"),
]

CHEATS = {
    "equal to everything": """
        class Yes:
            def __eq__(self, other):
                return True
            def __getitem__(self, place):
                return self
        def double(x):
            return Yes()
    """,
    "a list equal to everything": """
        class Yes(list):
            def __eq__(self, other):
                return True
        def double(x):
            return Yes([9])
    """,
    "a number equal to everything": """
        class Yes(int):
            def __eq__(self, other):
                return True
            __hash__ = int.__hash__
        def double(x):
            return Yes(9)
    """,
    "sys.exit": "import sys\ndef double(x):\n    sys.exit(0)\n",
    "SystemExit on import": "raise SystemExit(0)\n",
    "os._exit": "import os\ndef double(x):\n    os._exit(0)\n",
    "os._exit on import": "import os\nos._exit(0)\n",
    "the reply of a runner that is done": """
        import os
        def double(x):
            print('{"report": {"name": "check", "status": "passed"}}')
            print("OK", flush=True)
            os._exit(0)
    """,
    "no asserts of unittest on import": """
        import unittest
        for name in dir(unittest.TestCase):
            if name.startswith("assert"):
                setattr(unittest.TestCase, name, lambda *args, **kwargs: None)
        def double(x):
            return 9
    """,
    "no asserts of unittest in a call": """
        import unittest
        def double(x):
            for name in dir(unittest.TestCase):
                if name.startswith("assert"):
                    setattr(unittest.TestCase, name, lambda *args, **kwargs: None)
            return 9
    """,
    "cases that do nothing": """
        import unittest
        unittest.TestCase.run = unittest.TestCase.__call__ = lambda self, result=None: None
        unittest.TestSuite.run = lambda self, result, debug=False: result
        unittest.TestLoader.getTestCaseNames = lambda self, kind: []
        def double(x):
            return 9
    """,
    "results without faults": """
        import unittest
        unittest.TestResult.addFailure = unittest.TestResult.addError = lambda self, *rest: None
        def double(x):
            unittest.TestResult.addFailure = unittest.TestResult.addError = lambda self, *rest: None
            return 9
    """,
    "tests that are skipped": """
        import unittest
        def double(x):
            raise unittest.SkipTest("not today")
    """,
    "tests of its own": """
        import sys
        def double(x):
            frame = sys._getframe()
            while frame is not None:
                for name in ("check", "TestDouble"):
                    if name in frame.f_globals:
                        frame.f_globals[name] = lambda candidate=None: None
                frame = frame.f_back
            return 9
        def check(candidate):
            pass
        class TestDouble:
            pass
    """,
    "an assert that never raises": """
        import builtins
        builtins.AssertionError = type("AssertionError", (Exception,), {"__new__": lambda *args: None})
        def double(x):
            return 9
    """,
    "another isinstance": """
        import builtins
        builtins.isinstance = lambda value, kind: True
        builtins.len = lambda value: 1
        def double(x):
            return 9
    """,
    "the runner's own modules": """
        import sys
        for name, module in list(sys.modules.items()):
            if name.endswith(("testing.collection", "jobs.tests")):
                for one in list(vars(module)):
                    if one in ("_run_case", "_describe"):
                        setattr(module, one, lambda *args: None)
                vars(module).get("Test", object).run = property(lambda self: lambda: None)
        def double(x):
            return 9
    """,
    "the module unittest": """
        import sys, types
        sys.modules["unittest"] = types.SimpleNamespace(TestCase=object)
        def double(x):
            return 9
    """,
    "a loop": "def double(x):\n    while True:\n        pass\n",
    "a loop that catches": """
        def double(x):
            while True:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
    """,
    "recursion": "def double(x):\n    return double(x)\n",
    "wrong": "def double(x):\n    return 9\n",
}
RIGHT = {
    "as the reference": DOUBLE["prompt"] + DOUBLE["canonical_solution"],
    "other classes of the library": """
        import collections
        class Whole(list):
            pass
        def double(x):
            print("hello")
            return list(collections.deque(2 * item for item in x)) if type(x) is list else x + x
    """,
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("test", [CHECK, CASES], ids=["apart", "together"])
def test_no_cheat_passes(judged: Callable[..., tuple[dict[str, Any], Result]], test: str) -> None:
    programs = {name: dedent(source) for name, source in {**CHEATS, **RIGHT}.items()}
    samples = [("Own/0", source) for source in programs.values()]
    results, printed = judged([{**DOUBLE, "test": test}], samples, "--min-time-limit", 0.5)
    statuses = {name: entry["base_status"] for name, entry in zip(programs, results["eval"]["Own/0"], strict=True)}
    assert {name for name, status in statuses.items() if status == "pass"} == set(RIGHT), statuses
    assert statuses["a loop"] == "timeout"
    assert ("run in one process with the sample" in printed.stderr) is (test is CASES)
