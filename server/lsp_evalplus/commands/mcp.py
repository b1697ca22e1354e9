"""``lsp-evalplus mcp``: checks as tools for AI agents, over the Model Context Protocol.

The official SDK is an optional extra: ``pip install 'lsp-evalplus[mcp]'``. Standard output is reserved for the
protocol; code under test runs in guests, as everywhere.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lsp_evalplus.fuzz.errors import MissingExtraError, UserError, WorkerError

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from lsp_evalplus.commands.check.items import Item, Request

_INSTRUCTIONS = (
    "Checks whether Python functions are right by running them on many inputs in a confined process and comparing with "
    "a reference, the version in git, docstring examples or contracts. Call check_changes after you changed code, "
    "and mend what differs: each finding has the smallest input on which the function is wrong, what it gave and "
    "what was expected. 'agrees' means no difference in N inputs, not a proof. The oracle 'previous' only says that "
    "behaviour has changed since a git revision: leave it where you meant to change it."
)


@click.command(name="mcp", short_help="Serve checks as tools to AI agents.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    metavar="FOLDER",
    help="The project that relative paths start from.  [default: the current folder]",
)
def mcp(folder: Path) -> None:
    """Serve the tools check_function and check_changes over standard input and output."""
    os.chdir(folder)
    asyncio.run(make_server().run_stdio_async())


def make_server() -> MCPServer[Any]:
    """The server with its tools.

    Raises:
        UserError: the SDK is not installed.
    """
    try:
        from mcp.server import MCPServer
    except ImportError as error:
        raise MissingExtraError("mcp", "mcp") from error
    server: MCPServer[Any] = MCPServer(
        "lsp-evalplus", version=version("lsp-evalplus"), instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    server.add_tool(check_function)
    server.add_tool(check_changes)
    return server


async def check_function(
    path: str, name: str, reference: str | None = None, budget_seconds: float = 1.0
) -> list[dict[str, Any]]:
    """Check one Python function: look for an input on which it is wrong.

    Args:
        path: the file with the function.
        name: the function: "median", or "Class.method".
        reference: the function taken to be right, as "path.py::name". Without it the docstring's examples, contracts
            and comments in the file decide.
        budget_seconds: processor seconds to spend.
    """
    from lsp_evalplus.commands.check.items import Request

    flags: dict[str, object] = {"budget": budget_seconds}
    return await _results(Request(targets=(f"{path}::{name}",), reference=reference, flags=flags))


async def check_changes(revision: str = "HEAD", budget_seconds: float = 1.0) -> list[dict[str, Any]]:
    """Check every Python function that was changed since a git revision, against all that is known of it.

    The most serious finding is told: what contradicts a reference, an example or a contract before a mere change.

    Args:
        revision: the git revision to compare with.
        budget_seconds: processor seconds to spend on each function.
    """
    from lsp_evalplus.commands.check.items import Request
    from lsp_evalplus.fuzz.config.settings import load_settings

    flags: dict[str, object] = {"budget": budget_seconds}
    with suppress(UserError):  # Reported when the settings are read for the check.
        # git is one oracle among those in the project's settings, not the only one as with the option --oracle git.
        flags["oracles"] = list(load_settings(Path.cwd()).oracles)
    return await _results(Request(revision=revision, uses_git=True, flags=flags))


async def _results(request: Request) -> list[dict[str, Any]]:
    """Target objects as ``check --format json`` prints them.

    Raises:
        ToolError: the request or the environment is invalid, with the reason.
    """
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        return await _checked(request)
    except (UserError, WorkerError) as error:
        raise ToolError(str(error)) from error


async def _checked(request: Request) -> list[dict[str, Any]]:
    from lsp_evalplus.commands.check.baseline import is_left_out, read_known
    from lsp_evalplus.commands.check.items import collect_items
    from lsp_evalplus.commands.check.references import describe_refusals
    from lsp_evalplus.commands.check.report import to_json
    from lsp_evalplus.commands.check.run import count_jobs, run_checks
    from lsp_evalplus.fuzz.config.settings import Layer, load_settings
    from lsp_evalplus.fuzz.model import Verdict

    _refuse_outside(request)
    settings = load_settings(Path.cwd(), Layer("the tool's arguments", request.flags))
    known, problems = read_known(settings), list[str]()
    found = await asyncio.to_thread(lambda: list(collect_items(request, problems)))
    if problems and not found:
        raise UserError(" ".join(problems))
    for sentence in describe_refusals([settings, *(item.settings for item in found)], found):
        click.echo(f"lsp-evalplus: {sentence}", err=True)
    items = found + [_without_check(problem) for problem in problems]
    async with aclosing(run_checks(items, count_jobs(settings))) as results:
        kept = {
            id(checked.item): to_json(checked)
            async for checked in results
            if checked.report.verdict is not Verdict.DIFFERS or not is_left_out(checked, known)
        }
    return [kept[id(item)] for item in items if id(item) in kept]


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


def _without_check(problem: str) -> Item:
    """An item that reports an invalid file among the results."""
    from lsp_evalplus.commands.check.items import Item

    return Item(path=None, name="", reason=problem)
