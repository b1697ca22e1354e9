"""What a model proposes beyond inputs: implementations that must agree, and fixes that must survive."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.llm.client import Endpoint, LlmClient
from lsp_evalplus.fuzz.llm.code import add_asserts, find_function, replace_function, stub_of
from lsp_evalplus.fuzz.llm.fix import propose_fix, try_fix
from lsp_evalplus.fuzz.llm.oracle import check_by_agreement, proposal_text, propose_oracle, read_contract
from lsp_evalplus.fuzz.model import Budget, Oracle, OracleKind, Verdict
from lsp_evalplus.fuzz.oracle.contract import contract_of
from lsp_evalplus.fuzz.source.discover import find_target

pytestmark = pytest.mark.slow

HEAD = 'def middle(xs: list[int]) -> float:\n    """The median of a list of numbers that is not empty."""\n'
WRONG = HEAD + "    return sorted(xs)[len(xs) // 2]\n"
RIGHT = HEAD + (
    "    ys = sorted(xs)\n    n = len(ys)\n    if n % 2:\n        return ys[n // 2]\n"
    "    return (ys[n // 2 - 1] + ys[n // 2]) / 2\n"
)
SECOND = HEAD + (
    "    values = list(xs)\n    values.sort()\n    half, odd = divmod(len(values), 2)\n"
    "    return values[half] if odd else (values[half - 1] + values[half]) / 2\n"
)
THIRD = "import statistics\n\n" + HEAD + "    return statistics.median(xs)\n"
ODD_ONE = HEAD + "    return 0\n"
CONTRACT = "```python\nassert isinstance(xs, list)\nassert len(xs) > 0\nassert all(isinstance(x, int) for x in xs)\n```"


def fence(source: str) -> str:
    return f"Sure:\n```python\n{source}```\nDone."


class Model:
    """Answers questions for contracts, implementations and fixes from lists."""

    def __init__(self, implementations: list[str], fixes: list[str] | None = None) -> None:
        self.implementations: Iterator[str] = iter(implementations * 10)
        self.fixes: Iterator[str] = iter(fixes or [])

    def __call__(self, body: dict[str, Any]) -> list[str]:
        asked = body["messages"][-1]["content"]
        if "allow?" in asked:
            return [CONTRACT]
        if "is wrong for" in asked:
            return [next(self.fixes, "I cannot.")]
        return [fence(next(self.implementations)) for _ in range(body.get("n", 1))]


@pytest.fixture
async def pool() -> AsyncIterator[GuestPool]:
    async with GuestPool(find_interpreter(sys.executable, Path.cwd()), Confinement(), size=2) as opened:
        yield opened


@pytest.fixture
async def client_for(serve: Any) -> AsyncIterator[Any]:
    clients: list[LlmClient] = []

    def make(model: Model) -> Any:
        server = serve(model)
        clients.append(LlmClient(Endpoint("m", server.base_url, "k", request_seconds=60, attempts=1)))
        return clients[-1], server

    yield make
    for client in clients:
        await client.close()


async def test_three_implementations_that_agree_are_an_oracle(client_for: Any, pool: GuestPool) -> None:
    client, server = client_for(Model([RIGHT, SECOND, THIRD]))
    target = find_target(WRONG, "middle")
    proposal = await propose_oracle(client, target)
    assert proposal is not None
    report = await check_by_agreement(target, proposal, Budget(10, calls=300), pool)

    assert len(proposal.implementations) == 3
    assert report.verdict is Verdict.DIFFERS
    assert report.counterexample is not None
    assert report.oracle is not None
    assert report.oracle.kind is OracleKind.MODEL
    assert report.counterexample.note == "3 of 3 independent implementations disagree with this"
    assert len(report.counterexample.arguments) < 20
    assert "[]" not in report.counterexample.arguments, "the contract forbids the empty list"
    assert all("sorted(xs)[len(xs) // 2]" not in str(request.body) for request in server.requests), "body stays here"


async def test_the_functions_own_preconditions_bound_the_inputs(client_for: Any, pool: GuestPool) -> None:
    """On what it refuses itself it is not compared, whatever the implementations make of it."""
    client, _ = client_for(Model([RIGHT, SECOND, THIRD]))
    target = find_target(WRONG.replace("    return", "    assert len(xs) % 2\n    return"), "middle")
    proposal = await propose_oracle(client, target)
    assert proposal is not None

    found = await check_by_agreement(target, proposal, Budget(10, calls=300), pool, contract=contract_of(target))
    careless = await check_by_agreement(target, proposal, Budget(10, calls=300), pool)

    assert (found.verdict, careless.verdict) == (Verdict.AGREES, Verdict.DIFFERS)


async def test_a_right_function_agrees(client_for: Any, pool: GuestPool) -> None:
    client, _ = client_for(Model([SECOND, THIRD, RIGHT]))
    target = find_target(RIGHT, "middle")
    proposal = await propose_oracle(client, target)
    assert proposal is not None
    report = await check_by_agreement(target, proposal, Budget(10, calls=300), pool)

    assert report.verdict is Verdict.AGREES
    assert report.reason == "agrees with 3 of 3 implementations by the model"


async def test_one_wrong_implementation_accuses_nobody(client_for: Any, pool: GuestPool) -> None:
    client, _ = client_for(Model([ODD_ONE, SECOND, THIRD]))
    target = find_target(RIGHT, "middle")
    proposal = await propose_oracle(client, target)
    assert proposal is not None
    report = await check_by_agreement(target, proposal, Budget(10, calls=300), pool)

    assert report.verdict is Verdict.AGREES
    assert report.reason == "agrees with 2 of 3 implementations by the model"


@pytest.mark.parametrize(
    "answers", [["I cannot."], [RIGHT], ["def other():\n    pass\n"], ["def middle(a, b):\n    return a\n"]]
)
async def test_too_few_different_implementations_are_no_oracle(client_for: Any, answers: list[str]) -> None:
    client, _ = client_for(Model(answers))

    assert await propose_oracle(client, find_target(WRONG, "middle")) is None


async def test_a_failing_endpoint_is_one_quiet_line(
    client_for: Any, loopback: Any, caplog: pytest.LogCaptureFixture
) -> None:
    client, server = client_for(Model([RIGHT]))
    server.faults = [loopback.Fault("status")] * 9
    with caplog.at_level(logging.INFO, logger="lsp_evalplus"):
        assert await propose_oracle(client, find_target(WRONG, "middle")) is None

    assert len([record for record in caplog.records if record.name.startswith("lsp_evalplus")]) == 1


def test_only_signature_and_docstring_are_sent() -> None:
    text = proposal_text(find_target("import re\n\n" + WRONG, "middle")) or ""

    assert "import re" in text
    assert "The median" in text
    assert "sorted" not in text
    assert proposal_text(find_target("def f(x):\n    return x\n", "f")) is None, "no docstring, nothing to go by"


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("assert isinstance(x, int)", True),
        ("assert all(c in 'ab' for c in x)", True),
        ("assert x.isdigit()", True),
        ("assert x > 0, 'positive'", True),
        ("assert len(x) == len(y)", True),
        ("assert True", False),
        ("assert z > 0", False),
        ("assert __import__('os').system('id')", False),
        ("assert open('f') and x", False),
        ("assert x.__class__.__mro__", False),
        ("assert eval(x)", False),
        ("x = 1", False),
        ("Assert that x is positive", False),
    ],
)
def test_a_contract_is_asserts_about_the_parameters(line: str, kept: bool) -> None:
    assert bool(read_contract(f"```python\n{line}\n```", ["x", "y"])) is kept


async def test_a_fix_is_offered_when_it_survives(client_for: Any, pool: GuestPool) -> None:
    client, server = client_for(Model([], [fence(WRONG), fence(ODD_ONE), fence(RIGHT)]))
    target, oracle = (
        find_target("import os\n\n\n" + WRONG, "middle"),
        Oracle(OracleKind.REFERENCE, "r", find_target(SECOND, "middle").program),
    )
    report = await check(target, oracle, Budget(10, calls=300), pool)
    assert report.counterexample is not None
    fix = await propose_fix(client, target, oracle, report.counterexample, Budget(10, calls=300), pool)

    assert fix is not None
    assert fix.text == RIGHT
    assert fix.report.verdict is Verdict.AGREES
    assert len(server.requests) == 3
    assert report.counterexample.call in server.requests[0].body["messages"][0]["content"]


@pytest.mark.parametrize(
    "answer", [WRONG, ODD_ONE, "def middle(a):\n    return 0\n", "def middle(xs:\n", "import os\n"]
)
async def test_a_fix_that_does_not_survive_is_not_offered(client_for: Any, pool: GuestPool, answer: str) -> None:
    client, _ = client_for(Model([], [fence(answer)] * 3))
    target, oracle = (
        find_target(WRONG, "middle"),
        Oracle(OracleKind.REFERENCE, "r", find_target(RIGHT, "middle").program),
    )
    report = await check(target, oracle, Budget(10, calls=300), pool)
    assert report.counterexample is not None

    assert await propose_fix(client, target, oracle, report.counterexample, Budget(10, calls=300), pool) is None


async def test_a_function_with_a_secret_is_not_sent(client_for: Any, pool: GuestPool) -> None:
    client, server = client_for(Model([], [fence(RIGHT)]))
    source = WRONG.replace("    return", "    password = 'hunter22'\n    return")
    target, oracle = (
        find_target(source, "middle"),
        Oracle(OracleKind.REFERENCE, "r", find_target(RIGHT, "middle").program),
    )
    report = await check(target, oracle, Budget(10, calls=300), pool)
    assert report.counterexample is not None

    assert await propose_fix(client, target, oracle, report.counterexample, Budget(10, calls=300), pool) is None
    assert server.requests == []


async def test_a_method_is_fixed_in_its_class(pool: GuestPool) -> None:
    source = (
        "class Box:\n    size = 2\n\n    @staticmethod\n    def area(x: int) -> int:\n        return x + x\n\n"
        "    def other(self):\n        return 1\n"
    )
    right = "class Box:\n    @staticmethod\n    def area(x: int) -> int:\n        return x * x\n"
    target = find_target(source, "Box.area")
    oracle = Oracle(OracleKind.REFERENCE, "r", find_target(right, "Box.area").program)
    text = "@staticmethod\ndef area(x: int) -> int:\n    return x ** 2\n"
    fix = await try_fix(text, target, oracle, Budget(10, calls=300), pool)

    assert fix is not None
    assert replace_function(source, "Box.area", text) == source.replace("return x + x", "return x ** 2")


def test_code_is_found_and_placed() -> None:
    assert find_function("no code", "f") is None
    found = find_function(
        "```python\ndef f():\n    return 1\n```\nBetter:\n```python\ndef f():\n    return 2\n```", "f"
    )
    assert found is not None
    assert "return 2" in found.program.source
    assert stub_of('@d\ndef f(a, *, b=1):\n    "D"\n    return a\n', "f") == 'def f(a, *, b=1):\n    """D"""\n    ...\n'
    assert add_asserts('def f(a):\n    "D"\n    return a\n', "f", ["assert a"]) == (
        'def f(a):\n    "D"\n    assert a, "outside of the contract"\n    return a\n'
    )
