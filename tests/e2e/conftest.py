"""One window of VS Code for all tests, the real server behind a tap, and what to say when editors are missing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SERVER = ROOT / ".venv" / "bin" / "lsp-evalplus"

sys.path.insert(0, str(HERE))

# The default suite collects this folder too, on machines without Playwright; `make e2e` installs it.
if importlib.util.find_spec("playwright") is None and "LSP_EVALPLUS_E2E" not in os.environ:
    collect_ignore_glob = ["test_vscode_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests here are marked; a machine without the editors skips them, unless `make e2e` promised them."""
    here = f"{HERE}{os.sep}"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(300))


def require(program: str) -> str:
    """The path of an editor; skips, or fails where `make e2e` has installed it."""
    found = shutil.which(program)
    if found is None:
        message = f"{program} is not installed; run tests/e2e/install.sh"
        pytest.fail(message) if os.environ.get("LSP_EVALPLUS_E2E") else pytest.skip(message)
    return found


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an imagined user; in CI its logs are kept."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def playwright() -> Iterator[object]:
    """Playwright, once: its synchronous interface cannot be started twice."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def extensions(home: Path) -> list[Path]:
    """Our extension and the stand-in, packed."""
    from workbench import VSIX, build_stand_in

    if not VSIX.exists():
        pytest.fail(f"{VSIX} is not there; run make vsix")
    return [VSIX, build_stand_in(home)]


@pytest.fixture(scope="session")
def vscode(home: Path, playwright: Any, extensions: list[Path]) -> Iterator[object]:
    """A window with our extension, talking to the server of this tree through the tap."""
    require("chromium")
    if not (HERE / "vscode" / "node_modules" / ".ready").exists():
        require("code-server installed by tests/e2e/install.sh")
    from waiting import wait_for
    from workbench import opened_workbench

    folder, workspace = home / "project", home / "two.code-workspace"
    (home / "broken" / ".vscode").mkdir(parents=True)
    (home / "broken" / ".vscode" / "settings.json").write_text('{"lspEvalplus.interpreter": ["/nonexistent/python"]}')
    folder.mkdir()
    workspace.write_text('{"folders": [{"path": "project"}, {"path": "broken"}]}')
    tap = [sys.executable, str(HERE / "tap.py"), str(home / "tap.jsonl"), "--", str(SERVER), "serve"]
    if "LSP_EVALPLUS_E2E_SERVER" in os.environ:
        tap[4:] = os.environ["LSP_EVALPLUS_E2E_SERVER"].split()
    settings = {"lspEvalplus.path": tap, "lspEvalplus.interpreter": [sys.executable]}
    with opened_workbench(playwright, home, workspace, extensions, machine_settings=settings) as workbench:
        workbench.open(workbench.write("first.py", "x = 1\n"))
        wait_for(lambda: workbench.sent("textDocument/didOpen"), "the server to be told of the first document", 60)
        yield workbench
        assert workbench.errors == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Keep a picture of the window when a test failed."""
    report = yield
    fixtures = getattr(item, "funcargs", {})
    workbench = fixtures.get("untrusted") or fixtures.get("vscode")
    if workbench is not None and report.failed:
        workbench.screenshot(f"failed-{item.name.replace('/', '-')}")
    return report
