"""Seeds of a model: what is sent, what may be sent, what it may cost, and what it is good for."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import LlmSettings
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.llm import setup
from lsp_evalplus.fuzz.llm.budget import Allowance, AnswerCache, Ledger
from lsp_evalplus.fuzz.llm.client import Endpoint, LlmClient, Question
from lsp_evalplus.fuzz.llm.consent import Consents, why_not
from lsp_evalplus.fuzz.llm.prompts import INSTRUCTIONS, REDACTED, build_seed_prompts, redact
from lsp_evalplus.fuzz.llm.replies import Usage
from lsp_evalplus.fuzz.llm.seeds import LlmSeeds, SeedOptions, check_with_llm
from lsp_evalplus.fuzz.model import Budget, Example, FunctionTarget, Oracle, OracleKind, Verdict
from lsp_evalplus.fuzz.source.discover import find_target

CANDIDATE = 'def f(xs, k):\n    """Counts k in xs."""\n    return xs.count(k)\n'
REFERENCE = "def f(xs, k):\n    return sum(x == k for x in xs)\n"
ANSWER = "Here:\n```python\nf([1, 2], 1)\nf([], 0)\nf([3, 3, 3], 3)\n```\n"
MAGIC = "qzvxkw-7719"


def target_of(source: str) -> FunctionTarget:
    return find_target(source, "f")


def oracle_of(source: str) -> Oracle:
    example = Example("([1], 1)", "1")
    return Oracle(OracleKind.REFERENCE, "r", reference=target_of(source).program, examples=(example,))


@pytest.fixture
async def seeds_of() -> AsyncIterator[Callable[..., LlmSeeds]]:
    """Makes sources of seeds, and closes them when the test ends."""

    async def no_sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    async with AsyncExitStack() as stack:
        made: list[LlmSeeds] = []

        def make(
            server: Any,
            *,
            cache: AnswerCache | None = None,
            ledger: Ledger | None = None,
            seconds: float = 5,
            **options: Any,
        ) -> LlmSeeds:
            endpoint = Endpoint("m", server.base_url, "k", request_seconds=seconds, attempts=2)
            client = LlmClient(endpoint, sleep=no_sleep)
            made.append(LlmSeeds(client, SeedOptions(**options), cache=cache, ledger=ledger))
            stack.push_async_callback(made[-1].close)
            return made[-1]

        yield make


async def collect(source: LlmSeeds) -> list[str]:
    return [text async for text in source.propose(target_of(CANDIDATE), oracle_of(REFERENCE))]


# What is sent.


def test_the_prompt_shows_the_reference_the_inputs_and_an_instruction() -> None:
    prompts = build_seed_prompts(target_of(CANDIDATE), oracle_of(REFERENCE), ["([2], 2)"], count=7)
    text = prompts[1].as_text()

    assert len(prompts) == len(INSTRUCTIONS)
    assert "sum(x == k for x in xs)" in text
    assert "xs.count(k)" not in text
    assert "Counts k in xs." in text
    assert "f([2], 2)" in text
    assert "f([1], 1)" in text
    assert INSTRUCTIONS[1] in text
    assert "Write 7 inputs." in text


def test_without_a_reference_the_candidate_is_shown() -> None:
    assert "xs.count(k)" in build_seed_prompts(target_of(CANDIDATE), None)[0].as_text()


def test_a_fence_in_the_code_does_not_end_the_fence() -> None:
    source = 'def f(xs, k):\n    """Like:\n\n    ```\n    f([], 1)\n    ```\n    """\n    return 0\n'

    assert "````python\n" in build_seed_prompts(target_of(source), None)[0].as_text()


def test_long_code_is_cut_around_the_function() -> None:
    source = "".join(f"def g{i}(x):\n    return x + {i}\n\n\n" for i in range(2000))
    calls = ", ".join(f"g{i}(1)" for i in range(2000))
    text = build_seed_prompts(target_of(f"{source}def f(xs, k):\n    return [{calls}]\n"), None)[0].as_text()

    assert len(text) < 14_000
    assert "def f(xs, k):" in text


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop1234567890",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
        "xoxb-123456789012-abcdefghijkl",
        "wJalrXUtnFEMI7K7MDENGbPxRfiCYEXAMPLEKEY1234",
    ],
)
def test_secrets_are_taken_out(secret: str) -> None:
    assert secret not in redact(f"X = '{secret}'\n")
    assert REDACTED in redact(f"X = '{secret}'\n")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("PASSWORD = 'hunter22'", "hunter22"),
        ('db(password="hunter22", user="me")', "hunter22"),
        ("config = {'api_key': 'hunter22'}", "hunter22"),
        ("token: str = 'hunter22'", "hunter22"),
        ("url = 'postgres://me:hunter22@host/db'", "hunter22"),
    ],
)
def test_named_secrets_are_taken_out(text: str, secret: str) -> None:
    assert secret not in redact(text)


@pytest.mark.parametrize("text", ["x = 'hello world'", "def token_count(xs): return len(xs)", "s = 'aaaaaaaaaaaaaa'"])
def test_ordinary_code_is_left_alone(text: str) -> None:
    assert redact(text) == text


# What may be sent.


def test_consent_is_for_one_workspace_and_one_endpoint(tmp_path: Path) -> None:
    consents = Consents(tmp_path / "c" / "consent.json")
    settings = LlmSettings(enabled=True, base_url="http://a", model="m", exclude=("private/**",))
    work = tmp_path / "work"
    work.mkdir()

    def reason(path: str, chosen: LlmSettings = settings, workspace: Path = work) -> str | None:
        return why_not(chosen, consents, workspace, work / path)

    assert "no consent" in (reason("a.py") or "")
    consents.allow(work, "http://a")
    assert reason("a.py") is None
    assert "no consent" in (reason("a.py", LlmSettings(enabled=True, base_url="http://b", model="m")) or "")
    assert "no consent" in (reason("a.py", workspace=tmp_path) or "")
    assert "private/**" in (reason("private/x.py") or "")
    assert "*secret*" in (reason("my_secrets.py") or "")
    assert "llm.enabled" in (reason("a.py", LlmSettings(model="m", base_url="http://a")) or "")
    assert "llm.model" in (reason("a.py", LlmSettings(enabled=True, base_url="http://a")) or "")
    assert consents.forget(work)
    assert not consents.forget(work)
    assert "no consent" in (reason("a.py") or "")


def test_a_damaged_consent_file_allows_nothing(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("[1, 2")

    assert not Consents(tmp_path / "c.json").allows(tmp_path, "")


async def test_a_client_is_had_under_the_same_conditions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve: Any
) -> None:
    monkeypatch.setattr(setup, "open_consents", lambda: Consents(tmp_path / "consent.json"))
    monkeypatch.setattr(setup, "cache_folder", lambda: tmp_path)
    server = serve()
    settings = LlmSettings(enabled=True, base_url=server.base_url, model="m")
    refused = setup.open_client(settings, tmp_path, tmp_path / "a.py")
    Consents(tmp_path / "consent.json").allow(tmp_path, server.base_url)
    client = setup.open_client(settings, tmp_path, tmp_path / "a.py", api_key="secret")
    assert isinstance(client, LlmClient)
    async with client:
        await client.ask(Question((("user", "hello"),)))
    setup.open_ledger().add(Usage(requests=500))
    spent = setup.open_client(settings, tmp_path, tmp_path / "a.py")

    assert isinstance(refused, str)
    assert "no consent" in refused
    assert server.requests[0].headers["authorization"] == "Bearer secret"
    assert spent == "today's limit of 500 requests is reached"


# Asking.


@pytest.mark.parametrize("options", [{"stream": True}, {"stream": False}, {"structured": True}], ids=str)
async def test_inputs_arrive_once(serve: Any, seeds_of: Any, options: dict[str, bool]) -> None:
    structured = '{"inputs": ["f([1, 2], 1)", "f([], 0)", "f([3, 3, 3], 3)"]}'
    server = serve(lambda body: [structured if "response_format" in body else ANSWER])

    assert sorted(await collect(seeds_of(server, **options))) == ["([1, 2], 1)", "([3, 3, 3], 3)", "([], 0)"]
    assert len(server.requests) == 3
    assert all(bool(request.body.get("stream")) is options.get("stream", False) for request in server.requests)


async def test_an_endpoint_without_schemas_is_asked_for_text(serve: Any, seeds_of: Any) -> None:
    server = serve(lambda body: [ANSWER], refuses=["response_format"])

    assert len(await collect(seeds_of(server, structured=True))) == 3


@pytest.mark.parametrize("kind", ["garbage", "html", "truncated_json", "hang_up", "status", "garbage_stream", "slow"])
@pytest.mark.parametrize("stream", [True, False])
async def test_a_failure_is_one_quiet_line(
    serve: Any, seeds_of: Any, loopback: Any, kind: str, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    server = serve(lambda body: [ANSWER])
    server.faults = [loopback.Fault(kind) for _ in range(20)]
    source = seeds_of(server, stream=stream, requests=1, seconds=0.2 if kind == "slow" else 5)
    with caplog.at_level(logging.INFO, logger="lsp_evalplus"):
        found = await asyncio.wait_for(collect(source), 200)

    assert found == [] or kind == "garbage_stream"
    records = [record for record in caplog.records if record.name.startswith("lsp_evalplus")]
    assert [record.levelname for record in records] == ([] if kind == "garbage_stream" and stream else ["INFO"])


async def test_the_same_question_is_not_paid_for_twice(serve: Any, seeds_of: Any, tmp_path: Path) -> None:
    server, cache = serve(lambda body: [ANSWER]), AnswerCache(tmp_path)
    first = await collect(seeds_of(server, cache=cache))
    second = await collect(seeds_of(server, cache=cache))

    assert sorted(first) == sorted(second)
    assert len(server.requests) == 3


async def test_old_answers_are_asked_for_again(serve: Any, seeds_of: Any, tmp_path: Path) -> None:
    server = serve(lambda body: [ANSWER])
    await collect(seeds_of(server, cache=AnswerCache(tmp_path), requests=1))
    await collect(seeds_of(server, cache=AnswerCache(tmp_path, clock=lambda: 1e11), requests=1))

    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("allowance", "asked"),
    [
        (Allowance(requests=2), 2),
        (Allowance(tokens=16), 2),
        (Allowance(money=0.00001, price_in=1.0), 1),
        (Allowance(), 4),
    ],
)
async def test_the_day_has_a_limit(serve: Any, seeds_of: Any, tmp_path: Path, allowance: Allowance, asked: int) -> None:
    server = serve(lambda body: [ANSWER])
    for _ in range(4):
        await collect(seeds_of(server, ledger=Ledger(tmp_path / "l.json", allowance), requests=1))

    assert len(server.requests) == asked


def test_a_new_day_starts_at_nothing(tmp_path: Path) -> None:
    days = ["Monday"]
    ledger = Ledger(tmp_path / "l.json", Allowance(), today=lambda: days[-1])
    ledger.add(Usage(1, 2, 3))
    ledger.add(Usage(1, 2, 3))

    assert ledger.used() == Usage(2, 4, 6)
    days.append("Tuesday")
    assert ledger.used() == Usage()


# What it is good for: a difference on one string that no mutation reaches.

SUM = sum(ord(c) * 31**i for i, c in enumerate(MAGIC))
HIDDEN = f"def f(text: str) -> int:\n    if hash_of(text) == {SUM}:\n        return 1\n    return 0\n"
HASH = "def hash_of(text):\n    return sum(ord(c) * 31**i for i, c in enumerate(text))\n\n\n"


@pytest.fixture
async def pool() -> Any:
    interpreter = find_interpreter(sys.executable, Path.cwd())
    async with GuestPool(interpreter, Confinement(), size=1) as opened:
        yield opened


@pytest.mark.parametrize("delay", [0.0, 1.0], ids=["in time", "after the search"])
async def test_a_seed_finds_what_mutation_cannot(serve: Any, seeds_of: Any, pool: GuestPool, delay: float) -> None:
    server = serve(lambda body: [f"```python\nf('abc')\nf({MAGIC!r})\n```"])
    server.delay = delay
    target = target_of(HASH + HIDDEN)
    reference = target_of("def f(text: str) -> int:\n    assert isinstance(text, str)\n    return 0\n")
    oracle = Oracle(OracleKind.REFERENCE, "r", reference.program)
    budget = Budget(10, calls=300)

    report = await check_with_llm(target, oracle, budget, pool, seeds_of(server))

    assert report.verdict is Verdict.DIFFERS
    assert report.counterexample is not None
    assert report.counterexample.arguments == f"({MAGIC!r},)"


async def test_without_an_endpoint_the_search_is_as_ever(
    serve: Any, seeds_of: Any, loopback: Any, pool: GuestPool
) -> None:
    server = serve(lambda body: [ANSWER])
    server.faults = [loopback.Fault("status")] * 20

    agrees = await check_with_llm(
        target_of(CANDIDATE), oracle_of(REFERENCE), Budget(10, calls=300), pool, seeds_of(server)
    )
    wrong = target_of("def f(xs, k):\n    return len(xs)\n")
    differs = await check_with_llm(wrong, oracle_of(REFERENCE), Budget(10, calls=300), pool, seeds_of(server))

    assert agrees.verdict is Verdict.AGREES
    assert differs.verdict is Verdict.DIFFERS


async def test_cancelling_ends_search_and_question(serve: Any, seeds_of: Any, loopback: Any, pool: GuestPool) -> None:
    server = serve(lambda body: [ANSWER])
    server.faults = [loopback.Fault("slow")] * 3
    source = seeds_of(server)
    task = asyncio.create_task(check_with_llm(target_of(CANDIDATE), oracle_of(REFERENCE), Budget(30), pool, source))
    while len(server.requests) < 3:
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 200)
