"""Record docs/images/demo.svg from what `lsp-evalplus check` really prints for the examples.

Run by ``make image`` after the output of the command changed. The picture needs no font and no network.
"""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

IMAGES = Path(__file__).resolve().parent
REPOSITORY = IMAGES.parents[1]
COLUMNS = 110

sys.path.insert(0, str(REPOSITORY / "examples"))
import demo  # noqa: E402  (the folder above must be on the path first)


def recorded() -> str:
    """Return what the check writes to a terminal, escape sequences included."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    check = subprocess.Popen(
        demo.command(), cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE
    )
    os.close(theirs)
    written = b"".join(iter(lambda: read(ours), b""))
    os.close(ours)
    if check.wait() != 1:
        sys.exit(f"The check ended with exit code {check.returncode}; 1 (findings) was expected.")
    return written.decode().replace("\r\n", "\n").rstrip("\n")


def read(terminal: int) -> bytes:
    """Return the next bytes of a terminal, none at its end, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def picture(output: str) -> str:
    """Return the SVG of a terminal that shows the command and its output."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_markup("[bold green]$[/] lsp-evalplus check examples/*.py"))
    console.print(Text.from_ansi(output))
    exported = console.export_svg(title="lsp-evalplus", theme=MONOKAI, unique_id="demo")
    return re.sub(r"\s*@font-face \{.*?\}", "", exported, flags=re.DOTALL)


def main() -> None:
    """Write the picture beside this script."""
    target = IMAGES / "demo.svg"
    target.write_text(picture(recorded()), encoding="utf-8")
    print(f"Wrote {target.relative_to(REPOSITORY)}")


if __name__ == "__main__":
    main()
