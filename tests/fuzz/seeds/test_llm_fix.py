"""What a fix that a model proposes may change, and what it must survive before anybody is offered it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.llm.client import Endpoint, LlmClient
from lsp_evalplus.fuzz.llm.code import function_node, replace_function, with_body_of
from lsp_evalplus.fuzz.llm.fix import propose_fix
from lsp_evalplus.fuzz.model import Budget, Counterexample, Example, FunctionTarget, Oracle, OracleKind
from lsp_evalplus.fuzz.oracle.contract import read_contract
from lsp_evalplus.fuzz.source.discover import find_target, read_module

HEAD = "def middle(xs: list[int]) -> float:\n"
WRONG = HEAD + "    return sorted(xs)[len(xs) // 2]\n"
RIGHT = HEAD + (
    "    ys = sorted(xs)\n    n = len(ys)\n    if n % 2:\n        return ys[n // 2]\n"
    "    return (ys[n // 2 - 1] + ys[n // 2]) / 2\n"
)
GUARDED = WRONG.replace("    return", "    assert isinstance(xs, list)\n    return")
"""With a precondition of its own, which the search honours."""
HEADED = '''\
class Box:
    @staticmethod
    def area(
        x: int,
        y: int = 2,
    ) -> int:  # lsp-evalplus: budget=2
        """The area."""
        # multiplied
        return x + y
'''


@pytest.fixture
async def pool() -> AsyncIterator[GuestPool]:
    async with GuestPool(find_interpreter(sys.executable, Path.cwd()), Confinement(), size=2) as opened:
        yield opened


@pytest.fixture
async def client_for(serve: Callable[..., Any]) -> AsyncIterator[Callable[[list[str]], LlmClient]]:
    """Clients of servers that answer with the functions of a list, one for each question."""
    clients: list[LlmClient] = []

    def make(functions: list[str]) -> LlmClient:
        answers = iter(functions)
        server = serve(lambda body: [f"Like this:\n```python\n{next(answers, 'pass')}```"])
        clients.append(LlmClient(Endpoint("m", server.base_url, "k", request_seconds=60, attempts=1)))
        return clients[-1]

    yield make
    for client in clients:
        await client.close()


async def find_counterexample(target: FunctionTarget, oracle: Oracle, pool: GuestPool) -> Counterexample:
    report = await check(target, oracle, Budget(10, calls=300), pool)
    assert report.counterexample is not None
    return report.counterexample


@pytest.mark.parametrize(
    ("answer", "offered"),
    [
        (GUARDED.replace("sorted(xs)[len(xs) // 2]", "__import__('statistics').median(xs)"), True),
        (GUARDED.replace("isinstance(xs, list)", "isinstance(xs, list) and len(xs) % 2"), False),
        (GUARDED.replace("    return", "    assert len(xs) % 2\n    return"), False),
        (RIGHT, False),
    ],
    ids=["keeps it", "narrows it", "adds one", "drops it"],
)
async def test_no_fix_declares_the_counterexample_invalid(
    client_for: Any, pool: GuestPool, answer: str, offered: bool
) -> None:
    module = read_module(GUARDED)
    target = module.target("middle")
    oracle = Oracle(OracleKind.REFERENCE, "r", find_target(RIGHT, "middle").program)
    oracle = dataclasses.replace(oracle, contract=read_contract(target, module))
    found = await find_counterexample(target, oracle, pool)

    fix = await propose_fix(client_for([answer]), target, oracle, found, Budget(10, calls=300), pool)

    assert (fix is not None) is offered


async def test_a_fix_must_please_every_oracle(client_for: Any, pool: GuestPool) -> None:
    target = find_target(WRONG, "middle")
    example = Oracle(OracleKind.EXAMPLES, "docstring examples", examples=(Example("([7],)", "7"),))
    reference = Oracle(OracleKind.REFERENCE, "r", find_target(RIGHT, "middle").program)
    found = await find_counterexample(target, reference, pool)
    client = client_for([HEAD + "    return 0 if len(xs) > 1 else xs[0]\n", RIGHT])

    fix = await propose_fix(client, target, example, found, Budget(10, calls=300), pool, others=[reference])

    assert fix is not None
    assert fix.text == RIGHT


@pytest.mark.parametrize(
    ("source", "answer", "expected"),
    [
        (
            HEADED,
            'def area(x, y):\n  """Mine."""\n  # times\n  if x:\n    return x * y\n  return 0',
            HEADED.replace(
                "    # multiplied\n        return x + y",
                "    # times\n        if x:\n          return x * y\n        return 0",
            ),
        ),
        (
            HEADED.replace('        """The area."""\n', ""),
            "@staticmethod\ndef area(x, y): return x * y",
            HEADED.replace('        """The area."""\n', "").replace(
                "        # multiplied\n        return x + y", "        return x * y"
            ),
        ),
        (
            "class Box:\n\tdef area(x, y): return x + y\n",
            "def area(x, y):\n    return x * y\n",
            "class Box:\n\tdef area(x, y):\n\t    return x * y\n",
        ),
        (HEADED, "def area(x, y):\n    'no body'\n", None),
    ],
    ids=["docstring", "no docstring", "one line and tabs", "no body"],
)
def test_only_the_body_is_taken(source: str, answer: str, expected: str | None) -> None:
    node, other = function_node(source, "Box.area"), function_node(answer, "area")
    assert node is not None
    assert other is not None

    text = with_body_of(source, node, answer, other)

    assert (replace_function(source, "Box.area", text) if text is not None else None) == expected
