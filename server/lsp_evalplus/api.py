"""The public Python API: check two functions, or two source texts, against each other and get a report.

::

    from lsp_evalplus.api import check

    report = check("stats.py::median", "trusted.py::median")
    assert not report.differs, report.message

The functions are read from source files and run in confined processes, never in yours.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from lsp_evalplus.commands.check.items import Item, Request, collect_items
from lsp_evalplus.commands.check.pairs import judge_pair
from lsp_evalplus.commands.check.report import describe_agreement, describe_finding, to_json
from lsp_evalplus.commands.check.run import Checked, count_jobs, run_checks
from lsp_evalplus.fuzz.config.settings import Layer, load_settings
from lsp_evalplus.fuzz.errors import LspEvalplusError, UserError, WorkerError
from lsp_evalplus.fuzz.model import Verdict

__all__ = ["CheckReport", "LspEvalplusError", "UserError", "WorkerError", "check", "check_changes"]

Function: TypeAlias = "Callable[..., Any] | str"
"""A function with a source file, or ``path.py::name``, relative to the current folder."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of the check of one function."""

    name: str
    """The function: ``median``, or ``Class.method``."""
    path: str | None
    """The file of the function; None for a source text."""
    verdict: Literal["differs", "agrees", "not_checked"]
    """``"agrees"`` means that no difference was found, not that there is none."""
    message: str
    """One sentence: the finding, the number of inputs without one, or the reason why it was not checked."""
    call: str | None
    """The smallest failing call found, as source text."""
    inputs: int
    """Inputs on which both were compared."""
    details: dict[str, Any]
    """What ``check --format json`` prints of the function, as a dictionary."""

    @property
    def differs(self) -> bool:
        """Whether an input was found on which the function is wrong."""
        return self.verdict == "differs"


def check(
    candidate: Function,
    reference: Function | None = None,
    *,
    name: str | None = None,
    budget: float | None = None,
    seed: int | None = None,
    python: str | os.PathLike[str] | None = None,
) -> CheckReport:
    """Look for the smallest input on which `candidate` is wrong.

    Args:
        candidate: a function that has a source file, ``path.py::name``, or, with `name`, a source text.
        reference: the function that you take to be right, in the same form. Without it, docstring examples, contracts
            and comments decide; a source text needs one.
        name: the name of the function, if you pass two source texts.
        budget: processor seconds to spend; by default what the project's settings say.
        seed: the random seed; the same seed gives the same inputs.
        python: the interpreter that runs the code; by default the project's for files, the current one for texts.

    Raises:
        UserError: a function cannot be found or read, or a setting is wrong.
        WorkerError: the confined processes cannot be started.
    """
    given: dict[str, object | None] = {"budget": budget, "seed": seed, "python": os.fspath(python) if python else None}
    flags = {key: value for key, value in given.items() if value is not None}
    if name is not None:
        if not isinstance(candidate, str) or not isinstance(reference, str):
            raise UserError("with `name`, candidate and reference are both source texts.")
        settings = load_settings(Path.cwd(), Layer("arguments of check", {"python": sys.executable, **flags}))
        item = Item(path=None, name=name, identifier=name, root=Path.cwd(), settings=settings)
        return _reports([judge_pair(item, candidate, reference)])[0]
    request = Request(
        targets=(_address(candidate),),
        reference=_address(reference) if reference is not None else None,
        flags=flags,
    )
    (found,) = _collect(request)
    return _reports([found])[0]


def check_changes(
    revision: str = "HEAD", paths: Sequence[str | os.PathLike[str]] = (), *, budget: float | None = None
) -> list[CheckReport]:
    """Check the functions that differ from a git revision, as ``check --diff`` does.

    Args:
        revision: what to compare with.
        paths: files and folders; empty for the work tree of the current folder.
        budget: processor seconds for each function; by default what the project's settings say.

    Raises:
        UserError: there is no such revision, or a file cannot be read.
        WorkerError: the confined processes cannot be started.
    """
    flags: dict[str, object] = {"budget": budget} if budget is not None else {}
    return _reports(_collect(Request(targets=tuple(os.fspath(path) for path in paths), revision=revision, flags=flags)))


def _collect(request: Request) -> list[Item]:
    problems = list[str]()
    items = list(collect_items(request, problems))
    if problems:
        raise UserError(" ".join(problems))
    return items


def _reports(items: list[Item]) -> list[CheckReport]:
    """Check items and report on them in their order."""
    done = dict[int, Checked]()

    async def run() -> None:
        async with aclosing(run_checks(items, count_jobs(items[0].settings))) as results:
            async for checked in results:
                if checked.fault:
                    raise WorkerError(f"{checked.item.name}: {checked.fault}")
                done[id(checked.item)] = checked

    if items:
        # A thread of its own: a notebook's cells run in an event loop already.
        with ThreadPoolExecutor(max_workers=1) as thread:
            thread.submit(asyncio.run, run()).result()
    return [_report(done[id(item)]) for item in items]


def _report(checked: Checked) -> CheckReport:
    report, item = checked.report, checked.item
    found = report.counterexample
    if report.verdict is Verdict.DIFFERS and found is not None and report.oracle is not None:
        message = describe_finding(found, report.oracle)
    elif report.verdict is Verdict.AGREES:
        message = f"{item.name}: {describe_agreement(checked)}."
    else:
        message = f"{item.name} was not checked: {report.reason}."
    call = found.call if found is not None else None
    return CheckReport(item.name, item.path, report.verdict.value, message, call, report.inputs, to_json(checked))


def _address(function: Function) -> str:
    """``path.py::name`` of a function.

    Raises:
        UserError: it has no source file, such as one of an extension module.
    """
    if isinstance(function, str):
        if "::" not in function:
            raise UserError(f"{function!r} is no function; write path.py::name, or give `name` for source texts.")
        return function
    plain = inspect.unwrap(function)
    try:
        path = inspect.getsourcefile(plain)
    except TypeError:
        path = None
    name: str | None = getattr(plain, "__qualname__", None)
    if path is None or name is None or not Path(path).is_file() or "<lambda>" in name:
        raise UserError(f"{function!r} has no definition in a source file; name it as path.py::name.")
    return f"{path}::{name}"
