"""Contracts of real packages: a precondition refuses, a postcondition is a finding."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.contracts.runtime import Broken, ContractChecker, Refused
from lsp_evalplus.fuzz.guest.program.loader import load
from lsp_evalplus.fuzz.model import Contract
from lsp_evalplus.fuzz.oracle.contract import read_contract
from lsp_evalplus.fuzz.source.discover import read_module

CASES = {
    "icontract": """
import icontract

@icontract.require(lambda x: x > 0)
@icontract.ensure(lambda result, x: result > x)
def f(x):
    return x + 1 if x != 3 else 0
""",
    "icontract with its own errors": """
from icontract import require, ensure

@require(lambda x: x > 0, error=ValueError)
@ensure(lambda result, x: result > x, error=lambda result: KeyError(result))
def f(x):
    return x + 1 if x != 3 else 0
""",
    "deal": """
import deal

@deal.pre(lambda x: x > 0)
@deal.ensure(lambda x, result: result > x)
def f(x):
    return x + 1 if x != 3 else 0
""",
    "deal with its own error": """
import deal

@deal.pre(lambda x: x > 0, exception=ValueError)
@deal.post(lambda result: result > 0)
def f(x):
    return x + 1 if x != 3 else 0
""",
    "deal.raises": """
import deal

@deal.pre(lambda x: x > 0)
@deal.raises(ValueError)
def f(x):
    return x + 1 if x != 3 else [][0]
""",
    "pep316": '''
def f(x):
    """Add one.

    pre: x > 0
    post: __return__ > x
    """
    return x + 1 if x != 3 else 0
''',
    "pep316 in blocks": '''
def f(x):
    """Add one.

    pre:
        isinstance(x, int)
        x > 0  # positive
    post[]:
        # the result
        __return__ > __old__.x
    """
    return x + 1 if x != 3 else 0
''',
    "asserts": """
def f(x):
    assert isinstance(x, int)
    assert x > 0, "positive"
    result = x + 1 if x != 3 else 0
    assert result > x
    return result
""",
}


def load_case(source: str, name: str = "f") -> tuple[Any, Contract]:
    module = read_module(source, Path("case.py"))
    target = module.target(name)
    contract = read_contract(target, module)
    assert contract is not None
    program = {"source": target.program.source, "qualname": target.program.qualname, "path": "case.py"}
    return load(program).function, contract


@pytest.mark.parametrize("case", CASES)
def test_a_precondition_refuses_and_a_postcondition_breaks(case: str) -> None:
    function, contract = load_case(CASES[case])
    assert contract.promises
    guarded = ContractChecker(function, dataclasses.asdict(contract)).guard(function)

    assert guarded(1) == 2
    with pytest.raises(Refused):
        guarded(-1)
    with pytest.raises(Broken):
        guarded(3)


def test_a_precondition_that_fails_in_a_call_of_the_body_is_the_bodys_fault() -> None:
    source = """
import icontract

@icontract.require(lambda n: n >= 0)
def half(n):
    return n // 2

@icontract.require(lambda n: n >= 0)
@icontract.ensure(lambda result: result >= 0)
def f(n):
    return half(n if n != 3 else -1)
"""
    function, contract = load_case(source)
    guarded = ContractChecker(function, dataclasses.asdict(contract)).guard(function)

    assert guarded(4) == 2
    with pytest.raises(Refused):
        guarded(-1)
    with pytest.raises(Broken):
        guarded(3)


def test_other_exceptions_pass() -> None:
    source = '''
def f(x):
    """Divide.

    pre: x is not None
    post: True

    Raises:
        ZeroDivisionError: if x is zero
    """
    return 1 / x
'''
    function, contract = load_case(source)
    checker = ContractChecker(function, dataclasses.asdict(contract))
    with pytest.raises(ZeroDivisionError) as caught:
        checker.guard(function)(0)
    assert checker.documents(caught.value)
    assert not checker.documents(KeyError())


def test_a_precondition_that_cannot_be_evaluated_refuses() -> None:
    function, contract = load_case('def f(x):\n    """pre: len(x) > 0\n    post: True\n    """\n    return x\n')
    guarded = ContractChecker(function, dataclasses.asdict(contract)).guard(function)
    with pytest.raises(Refused):
        guarded(3)
    assert guarded([1]) == [1]


def test_an_invariant_is_checked_on_both_sides() -> None:
    source = '''
class Account:
    """An account.

    inv: self.balance >= 0
    """

    def __init__(self, balance):
        self.balance = balance

    def draw(self, amount):
        self.balance -= amount
        return self.balance
'''
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    module = read_module(source)
    contract = read_contract(module.target("Account.draw"), module)
    assert contract is not None
    account = namespace["Account"]
    guarded = ContractChecker(account.draw, dataclasses.asdict(contract), account).guard(account.draw)

    assert guarded(account(5), 2) == 3
    with pytest.raises(Refused):
        guarded(account(-1), 0)
    with pytest.raises(Broken):
        guarded(account(1), 2)


def test_preconditions_alone_promise_nothing() -> None:
    _, contract = load_case("def f(x):\n    assert x\n    return x\n")
    assert not contract.promises
    assert contract.leading_asserts == (2, 2)
