"""The pytest plugin: ``@pytest.mark.same_as`` compares functions, ``--lsp-evalplus`` checks what has changed.

It is loaded by every run of pytest in an environment that has this distribution, so it imports nothing of it until a
test has the mark or the option is given.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lsp_evalplus.api import CheckReport

_MARK = (
    "same_as(reference, candidate=None, budget=None): before the test runs, look for an input on which the candidate "
    "(a function or path.py::name; by default what test_NAME's module calls NAME) is not what the reference is"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("lsp-evalplus").addoption(
        "--lsp-evalplus",
        nargs="?",
        const="HEAD",
        metavar="REV",
        help="also check every function that differs from a git revision (HEAD); write --lsp-evalplus=REV for another",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Describe the mark."""
    config.addinivalue_line("markers", _MARK)


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one test that checks what has changed."""
    revision: str | None = config.getoption("--lsp-evalplus")
    if revision is not None:
        test = ChangedFunctions.from_parent(session, name=f"lsp-evalplus::{revision}")  # pyright: ignore[reportUnknownMemberType]
        test.revision = revision
        items.append(test)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Compare the functions of a marked test before it runs."""
    mark = item.get_closest_marker("same_as")
    if mark is not None and isinstance(item, pytest.Function):
        problem = _compare(item, *mark.args, **mark.kwargs)
        if problem:
            pytest.fail(problem, pytrace=False)


def _compare(
    item: pytest.Function,
    reference: str | Callable[..., Any],
    candidate: str | Callable[..., Any] | None = None,
    budget: float | None = None,
) -> str:
    """Why a marked test fails, or an empty text."""
    from lsp_evalplus.api import UserError, WorkerError, check

    name = item.originalname.removeprefix("test_")
    candidate = getattr(item.module, name, None) if candidate is None else candidate
    if candidate is None:
        return f"same_as: {item.path.name} has no {name!r} to compare; name it with candidate=."
    root = item.config.rootpath
    try:
        report = check(_placed(candidate, root), _placed(reference, root), budget=budget)
    except (UserError, WorkerError) as error:
        return f"same_as: {error}"
    return "" if report.verdict == "agrees" else _told(report)


def _placed(function: str | Callable[..., Any], root: Path) -> str | Callable[..., Any]:
    """Paths are relative to the root folder of pytest, and shown from the current folder where it holds them."""
    if not isinstance(function, str):
        return function
    path, mark, name = function.partition("::")
    file, here = root / path, Path.cwd()
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    return f"{shown}{mark}{name}"


def _told(report: CheckReport) -> str:
    page: str | None = report.details["page"]
    return f"{report.message}\n{page}" if page else report.message


class ChangedFunctions(pytest.Item):
    """A test that fails with every finding in the functions that differ from a revision."""

    revision = "HEAD"

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)  # pyright: ignore[reportUnknownMemberType]
        # Other plugins, such as pytest-lsp, expect the attribute of every test.
        self.funcargs = dict[str, object]()

    def runtest(self) -> None:
        """Check them; skipped where there is none that could be checked."""
        from lsp_evalplus.api import UserError, WorkerError, check_changes

        try:
            reports = check_changes(self.revision, [self.config.rootpath])
        except (UserError, WorkerError) as error:
            pytest.fail(str(error), pytrace=False)
        found = [f"{one.path}: {_told(one)}" for one in reports if one.differs]
        if found:
            pytest.fail("\n".join(found), pytrace=False)
        if all(one.verdict == "not_checked" for one in reports):
            pytest.skip("no function has changed" if not reports else "\n".join(one.message for one in reports))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands in the report."""
        return self.config.rootpath, None, self.name
