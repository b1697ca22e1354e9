"""What the sides of a failed assert were, and what is never looked at."""

from __future__ import annotations

import linecache

import pytest

from lsp_evalplus.fuzz.guest.contracts.assertion_operands import describe_assert

HEAD = """\
class Loud:
    def __len__(self): raise SystemExit("run")
    def __eq__(self, other): raise SystemExit("run")
    __repr__ = __iter__ = __getitem__ = __len__


def f(items, n, loud=Loud()):
    large = list(range(5000))
    moving = iter(items)
    """


def told(statement: str, number: int) -> tuple[str, str] | None:
    """What is said of an assert that fails for the items 3, 1, 2 and n = 2."""
    name, source = f"<asserted {number}>", HEAD + statement.replace("\n", "\n    ") + "\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, object] = {}
    exec(compile(source, name, "exec"), namespace)
    try:
        namespace["f"]([3, 1, 2], 2)  # type: ignore[operator]
    except Exception as error:
        return describe_assert(error)
    raise AssertionError("it holds")


CASES = {
    "assert len(items) == n": "len(items)=3, n=2",
    "assert items == sorted(items), 'order'": "items=[3, 1, 2], sorted(items)=[1, 2, 3]",
    "assert 5 <= n + 1 <= 7": "n + 1=3",
    "assert items[0] < items[n - 2 :][1]": "items[0]=3, items[n - 2:][1]=1",
    "assert not items and n": "items=[3, 1, 2], n=2",
    "assert not (n > 1 or items)": "n=2, items=[3, 1, 2]",
    "assert isinstance(n, str)": "n=2",
    "assert n == len(large)": "n=2, len(large)=5000",
    "assert large == n": "n=2",
    "assert len(loud.__dict__) == n": "n=2",
    "assert n == f.__name__": "n=2",
    "assert next(moving) == n": "n=2",
    "assert [x for x in items] == n": "n=2",
    "assert 10 ** n == n": "n=2",
    "assert items * n == n": "n=2",
    "assert None is loud": "",
    "assert False": "",
}


@pytest.mark.parametrize("statement", CASES)
def test_the_values_of_a_failed_assert(statement: str) -> None:
    described = told(statement, 0)

    assert described is not None
    assert described[1] == CASES[statement]


def test_a_condition_over_several_lines() -> None:
    assert told("assert (\n    len(items)\n    == n\n), 'size'", 1) == ("assert len(items) == n", "len(items)=3, n=2")


@pytest.mark.parametrize("statement", ["assert n; assert items == n", "raise AssertionError(n)", "n / 0"])
def test_nothing_is_said_of_what_is_not_certain(statement: str) -> None:
    assert told(statement, 2) is None
