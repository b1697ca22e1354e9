"""Pictures of everything the extension shows, in the dark and the light theme, for people to look at.

They go to artifacts/. With LSP_EVALPLUS_UPDATE_IMAGES=1 the pictures of front page and walkthrough are replaced.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_vscode_findings import HEAD, NAME, WRONG, finding
from waiting import wait_for
from workbench import ROOT, Workbench

THEMES = {"dark": "Default Dark Modern", "light": "Default Light Modern"}
CLIP = {"x": 352, "y": 69, "width": 870, "height": 400}
FRONT = {"x": 360, "y": 272, "width": 860, "height": 502}
MEAN = '''"""Statistics of sensor readings."""


def mean(readings: list[float]) -> float:
    """Return the mean of the readings.

    >>> mean([1, 2, 6])
    3.0
    """
    assert readings
    return sum(readings) / len(readings)


def spread(readings: list[float]) -> float:
    """Return the difference of the largest and the smallest reading.

    >>> spread([3, 1, 2])
    2
    """
    assert readings
    return max(readings) - min(readings)


'''
WALKTHROUGH = ROOT / "editor-client" / "media" / "walkthrough"


@pytest.fixture(scope="module", params=THEMES)
def theme(request: pytest.FixtureRequest, vscode: Workbench) -> Iterator[str]:
    """A theme, switched on and painted."""
    vscode.ask("closeAll")
    vscode.ask("setting", name="workbench.colorTheme", value=THEMES[request.param])
    kind = "vs-dark" if request.param == "dark" else "vs"
    vscode.page.locator(f".monaco-workbench.{kind}").wait_for()
    yield request.param
    vscode.ask("setting", name="workbench.colorTheme", value=THEMES["dark"])


def keep(vscode: Workbench, name: str, theme: str, clip: dict[str, float] | None = CLIP) -> Path:
    """Take a picture of the window, and one of the part that the walkthrough shows."""
    whole = vscode.screenshot(f"{name}-{theme}")
    if clip is not None:
        part = vscode.screenshot(f"part-{name}-{theme}", clip)
        if os.environ.get("LSP_EVALPLUS_UPDATE_IMAGES"):
            WALKTHROUGH.mkdir(parents=True, exist_ok=True)
            shutil.copy(part, WALKTHROUGH / f"{name}-{theme}.png")
    return whole


def test_pictures_of_a_finding(vscode: Workbench, theme: str) -> None:
    path = vscode.folder / f"median_{theme}.py"
    vscode.ask("offer", items=[{"file": path.name, "after": "    ", "text": WRONG}])
    path.write_text(HEAD[:-1])
    vscode.open(path, HEAD.count("\n"), 3)
    vscode.type(" ")
    vscode.ghost().wait_for()
    keep(vscode, "ghost", theme)

    vscode.press("Tab")
    finding(vscode, path)
    vscode.squiggle().wait_for()
    vscode.page.locator(".codelens-decoration", has_text="✗").first.wait_for()
    vscode.ask("save", path=str(path))
    wait_for(lambda: "checking" not in vscode.page.locator(".statusbar").inner_text(), "the checks to end")
    keep(vscode, "squiggle", theme)

    show_hover(vscode)
    keep(vscode, "hover", theme)
    vscode.page.mouse.move(900, 600)

    vscode.fixes(path, *NAME)
    keep(vscode, "actions", theme)
    vscode.press("Escape")

    vscode.page.locator('[id="status.languageStatus"]').hover()
    vscode.page.locator(".hover-language-status").first.wait_for()
    keep(vscode, "status", theme, {"x": 780, "y": 500, "width": 500, "height": 300})
    vscode.page.mouse.move(900, 300)


@pytest.fixture
def tall(vscode: Workbench) -> Iterator[None]:
    """A window so tall that a hover, which may take a quarter of it, needs no scroll bar."""
    before = vscode.page.viewport_size
    assert before is not None
    vscode.page.set_viewport_size({**before, "height": 1500})
    yield
    vscode.page.set_viewport_size(before)


@pytest.mark.usefixtures("tall")
def test_picture_of_the_front_page(vscode: Workbench, theme: str) -> None:
    """A finding in a file as users have them: the hover is above the function, whose wrong line stays visible."""
    # A folder for each try: VS Code may still hold the text of a file that was deleted and written again.
    path = Path(tempfile.mkdtemp(dir=vscode.folder)) / "stats.py"
    vscode.ask("offer", items=[{"file": path.name, "after": "    ", "text": WRONG}])
    path.write_text(MEAN + HEAD[:-1])
    vscode.open(path, (MEAN + HEAD).count("\n"), 3)
    vscode.type(" ")
    vscode.ghost().wait_for()
    vscode.press("Tab")
    finding(vscode, path)
    vscode.squiggle().wait_for()
    vscode.page.locator(".codelens-decoration", has_text="✗").first.wait_for()
    vscode.ask("save", path=str(path))
    wait_for(lambda: "checking" not in vscode.page.locator(".statusbar").inner_text(), "the checks to end")
    show_hover(vscode)
    part = vscode.screenshot(f"finding-{theme}", FRONT)
    if os.environ.get("LSP_EVALPLUS_UPDATE_IMAGES"):
        shutil.copy(part, ROOT / "docs" / "images" / f"finding-{theme}.png")
    vscode.page.mouse.move(900, 600)
    vscode.ask("closeAll")


def show_hover(vscode: Workbench) -> None:
    """Move the mouse onto the squiggle until the hover shows."""
    hover = vscode.page.locator(".monaco-hover:not(.hidden)", has_text="inputs").first

    def hovered() -> bool:
        box = vscode.squiggle().bounding_box()
        if box is not None:
            vscode.page.mouse.move(box["x"] + 200, box["y"] + 300)
            vscode.page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2, steps=3)
        return hover.is_visible()

    wait_for(hovered, "the hover", every=0.5)


def test_pictures_of_the_panel(vscode: Workbench, theme: str) -> None:
    vscode.open(vscode.folder / f"median_{theme}.py", *NAME)
    vscode.run_command("lsp-evalplus: Explain the Finding at the Cursor")
    panel = vscode.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")
    panel.get_by_role("heading", level=1).wait_for()
    background = panel.locator("body").evaluate("body => getComputedStyle(body).color")
    keep(vscode, "panel", theme, {"x": 352, "y": 69, "width": 928, "height": 640})
    bright = sum(int(part) for part in background.removeprefix("rgb(").rstrip(")").split(",")[:3]) > 384

    assert bright == (theme == "dark"), f"text is {background}"
    vscode.press("Tab", "Tab")
    assert panel.locator(":focus").count() == 1, "the keyboard reaches the panel"
    vscode.ask("closeAll")


def test_pictures_of_what_was_tried(vscode: Workbench, theme: str) -> None:
    vscode.write("reference.py", "def largest(numbers: list[int]) -> int:\n    return max(numbers)\n")
    designation = "# lsp-evalplus: reference=reference.py::largest\n"
    wrong = "def largest(numbers: list[int]) -> int:\n    return max(numbers) + (len(numbers) > 5)\n"
    path = vscode.write(f"largest_{theme}.py", designation + wrong)
    vscode.open(path, 1, 5)
    finding(vscode, path)
    vscode.run_command("lsp-evalplus: Explain the Finding at the Cursor")
    panel = vscode.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")
    summary, table = panel.locator("summary"), panel.get_by_role("table", name="By stage of the search")
    summary.wait_for()
    assert not table.is_visible(), "what was tried is closed at first"
    summary.press("Enter")
    table.wait_for()
    summary.evaluate("one => one.scrollIntoView()")
    keep(vscode, "tried", theme, {"x": 352, "y": 69, "width": 928, "height": 640})

    assert panel.locator(".steps li").last.inner_text() == panel.locator("pre.call").inner_text()
    vscode.ask("closeAll")


@pytest.fixture
def wide(vscode: Workbench) -> Iterator[None]:
    """An editor without the side bar beside it, which comes back whatever happens: the other pictures have it."""
    vscode.ask("command", id="workbench.action.closeSidebar")
    yield
    vscode.ask("closeAll")
    vscode.ask("command", id="workbench.view.explorer")
    vscode.page.locator(".part.sidebar").wait_for()


@pytest.mark.usefixtures("wide")  # A narrow walkthrough shows no pictures.
def test_pictures_of_the_walkthrough(vscode: Workbench, theme: str) -> None:
    vscode.run_command("lsp-evalplus: Open the Walkthrough")
    step = vscode.page.locator(".getting-started-step", has_text="Read the finding")
    step.wait_for()
    step.click()
    picture = vscode.page.locator(".getting-started-media img").first
    wait_for(
        lambda: picture.is_visible() and picture.evaluate("i => i.complete && i.naturalWidth > 100"), "the picture"
    )
    keep(vscode, "walkthrough", theme, None)

    assert vscode.page.locator(".getting-started-step").count() == 5
