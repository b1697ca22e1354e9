"""The tools that agents call: checks, and what follows from a finding. Results are JSON, as ``check`` prints it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import anyio
import click
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from lsp_evalplus.commands.check.artifacts import test_of, write_test
from lsp_evalplus.commands.check.baseline import is_left_out, read_known
from lsp_evalplus.commands.check.items import Item, Request, collect_items
from lsp_evalplus.commands.check.next_steps import describe_next_steps
from lsp_evalplus.commands.check.references import describe_refusals, find_refused
from lsp_evalplus.commands.check.report import to_json
from lsp_evalplus.commands.check.run import Checked, count_jobs, run_checks
from lsp_evalplus.fuzz.config.settings import Layer, load_settings
from lsp_evalplus.fuzz.errors import UserError, WorkerError
from lsp_evalplus.fuzz.model import Verdict
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE

from .findings import Findings, explain
from .replacement import with_replacement

Progress = Callable[[int, int, str], Awaitable[None]]
"""Told how many functions of how many are done, and which one was last."""
Targets = list[dict[str, Any]]
_Result = TypeVar("_Result")


class Tools:
    """The tools of one session; each public method is one, and its docstring is what the agent reads."""

    def __init__(self) -> None:
        self.findings = Findings()

    async def check_function(
        self, ctx: Context, path: str, name: str, reference: str | None = None, budget_seconds: float = 1.0
    ) -> Targets:
        """Check one Python function: look for an input on which it is wrong.

        Args:
            path: the file with the function.
            name: the function: "median", or "Class.method".
            reference: the function taken to be right, as "path.py::name". Without it the docstring's examples,
                contracts and comments in the file decide.
            budget_seconds: processor seconds to spend.
        """
        flags: dict[str, object] = {"budget": budget_seconds}
        request = Request(targets=(f"{path}::{name}",), reference=reference, flags=flags)
        return await _end_whole(self._check(request, _progress_of(ctx)))

    async def check_changes(self, ctx: Context, revision: str = "HEAD", budget_seconds: float = 1.0) -> Targets:
        """Check every Python function that was changed since a git revision, against all that is known of it.

        The most serious finding is told: what contradicts a reference, an example or a contract before a mere change.

        Args:
            revision: the git revision to compare with.
            budget_seconds: processor seconds to spend on each function.
        """
        flags: dict[str, object] = {"budget": budget_seconds}
        with suppress(UserError):  # Reported when the settings are read for the check.
            # git is one oracle among those in the project's settings, not the only one as with `--oracle git`.
            flags["oracles"] = list(load_settings(Path.cwd()).oracles)
        request = Request(revision=revision, uses_git=True, flags=flags)
        return await _end_whole(self._check(request, _progress_of(ctx)))

    async def explain_finding(self, fingerprint: str) -> str:
        """Explain a finding: the call, both results, who says what is right, and a script that shows it.

        Args:
            fingerprint: the finding's, from a check of this session.
        """
        with _as_tool_error():
            return explain(self.findings.get(fingerprint))

    async def write_test(self, fingerprint: str, write: bool = False) -> dict[str, Any]:
        """Give a pytest test that fails until the finding is repaired.

        Args:
            fingerprint: the finding's, from a check of this session.
            write: add it to the project's tests, in `path`; otherwise no file is changed.
        """
        with _as_tool_error():
            checked = self.findings.get(fingerprint).checked
            path, test, why_not = test_of(checked)
            if write and test and path:
                _refuse_outside(Request(targets=(path,)))
                why_not = write_test(checked)
            return {"path": path, "test": test, "written": write and bool(test), "remark": why_not}

    async def verify_fix(
        self, ctx: Context, fingerprint: str, replacement: str, budget_seconds: float = 1.0
    ) -> Targets:
        """Judge a corrected definition before it is written, by what found the original wrong and on the same input.

        No file is changed. 'agrees' means that no difference was found any more; write the replacement yourself then.

        Args:
            fingerprint: the finding's, from a check of this session.
            replacement: the whole definition, decorators and docstring included, with the same parameters and
                leading asserts.
            budget_seconds: processor seconds to spend.
        """
        return await _end_whole(self._verify(fingerprint, replacement, budget_seconds, _progress_of(ctx)))

    async def list_unchecked(self, path: str = ".") -> dict[str, Any]:
        """List the functions that no check can judge, each with the reason, and what would change that. Runs nothing.

        Args:
            path: a Python file or a folder.
        """
        with _as_tool_error():
            request, problems = Request(targets=(path,)), list[str]()
            _refuse_outside(request)
            items = await asyncio.to_thread(lambda: list(collect_items(request, problems)))
            unchecked = [item for item in items if item.reason or item.lacks_oracle]
            rows = [
                {"path": one.path, "name": one.name, "line": one.line, "reason": one.reason or NO_ORACLE}
                for one in unchecked
            ]
            silent = [item for item in unchecked if item.lacks_oracle]
            advice = await asyncio.to_thread(lambda: list(describe_next_steps(silent, [path])))
            return {"functions": len(items), "unchecked": rows, "advice": advice, "problems": problems}

    async def _verify(self, fingerprint: str, text: str, seconds: float, progress: Progress) -> Targets:
        finding = self.findings.get(fingerprint)
        problems = list[str]()
        request = replace(finding.narrowed, flags={**finding.request.flags, "budget": seconds})
        found = await asyncio.to_thread(lambda: list(collect_items(request, problems)))
        if not found:
            raise UserError(" ".join(problems) or "the function has changed since the finding; check it again.")
        (item,) = found
        _, counterexample, oracle = finding.parts
        made = await asyncio.to_thread(with_replacement, item, text, oracle)
        item = replace(made, seeds=counterexample.own_inputs)
        return [to_json(checked) for checked in await _run([item], 1, progress)]

    async def _check(self, request: Request, progress: Progress) -> Targets:
        _refuse_outside(request)
        settings = load_settings(Path.cwd(), Layer("the tool's arguments", request.flags))
        known, problems = read_known(settings), list[str]()
        found = await asyncio.to_thread(lambda: list(collect_items(request, problems)))
        if problems and not found:
            raise UserError(" ".join(problems))
        problems += find_refused(found)
        for sentence in describe_refusals([settings, *(item.settings for item in found)]):
            click.echo(f"lsp-evalplus: {sentence}", err=True)
        items = found + [Item(path=None, name="", reason=problem) for problem in problems]
        results = await _run(items, count_jobs(settings), progress)
        kept = [
            checked
            for checked in results
            if checked.report.verdict is not Verdict.DIFFERS or not is_left_out(checked, known)
        ]
        for checked in kept:
            self.findings.keep(checked, request)
        return [to_json(checked) for checked in kept]


async def _run(items: list[Item], jobs: int, progress: Progress) -> list[Checked]:
    """Check items and return the results in their order."""
    done = dict[int, Checked]()
    await progress(0, len(items), "")
    async with aclosing(run_checks(items, jobs)) as results:
        async for checked in results:
            done[id(checked.item)] = checked
            await progress(len(done), len(items), checked.item.name)
    return [done[id(item)] for item in items]


def _progress_of(ctx: Context) -> Progress:
    async def report(done: int, of: int, name: str) -> None:
        await ctx.report_progress(done, of, f"checked {name}" if name else f"{of} to check")

    return report


async def _end_whole(work: Awaitable[_Result]) -> _Result:
    """Await `work` in a task of its own: when the agent cancels, its guests are ended before this returns.

    The SDK cancels a request at every point where it waits, also where it cleans up; a task is cancelled once.

    Raises:
        ToolError: the request or the environment is invalid, with the reason.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise
    except (UserError, WorkerError) as error:
        raise ToolError(str(error)) from error


@contextmanager
def _as_tool_error() -> Generator[None]:
    """Report bad input to the agent in the words of the error."""
    try:
        yield
    except (UserError, WorkerError) as error:
        raise ToolError(str(error)) from error


def _refuse_outside(request: Request) -> None:
    """Refuse paths outside of the folder that the agent was given.

    Raises:
        UserError: there is one; links are resolved.
    """
    folder = Path.cwd().resolve()
    for text in (*request.targets, *([request.reference] if request.reference else [])):
        path = Path(text.partition("::")[0])
        if not (folder / path.expanduser()).resolve().is_relative_to(folder):
            raise UserError(f"{path} lies outside of {folder}, the folder that this server was started for.")
