"""Record docs/images/demo.svg from what `lsp-evalplus check` really prints for the examples.

Run by ``make image`` after the output of the command changed. The picture needs no font and no network.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

IMAGES = Path(__file__).resolve().parent
REPOSITORY = IMAGES.parents[1]
COLUMNS = 100

sys.path.insert(0, str(REPOSITORY / "examples"))
import demo  # noqa: E402  (the folder above must be on the path first)


def recorded() -> str:
    """Return the output of the check, with its colours as escape sequences."""
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    run = subprocess.run(
        demo.command(), cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if run.returncode != 1:
        sys.exit(f"The check ended with exit code {run.returncode}; 1 (findings) was expected.")
    return run.stdout.rstrip("\n")


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
