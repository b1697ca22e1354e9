"""Check the examples, show what was found, and fail unless it is exactly what was planted.

Run by ``make demo``. The first run is for the reader; the second one, as JSON, is compared with `PLANTED`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
BUDGET_SECONDS = "1"

AGENT_EXAMPLE = "pages.py"

PLANTED = {
    "bill.py": "differs",
    "configuration.py": "differs",
    "median.py": "differs",
    "meetings.py": "differs",
    "pages.py": "differs",
    "roman.py": "differs",
    "runs.py": "agrees",
    "slug.py": "differs",
    "workdays.py": "differs",
}


def program() -> str:
    """Return the path of the command that belongs to this interpreter, or leave with a sentence."""
    folder = Path(sys.executable).parent
    found = shutil.which("lsp-evalplus", path=str(folder)) or shutil.which("lsp-evalplus")
    if found is None:
        sys.exit("lsp-evalplus is not installed beside this Python; run `make setup` first.")
    return found


def command(*options: str) -> list[str]:
    """Return the command line that checks every planted example."""
    files = [f"{EXAMPLES.name}/{name}" for name in PLANTED]
    return [program(), "check", *files, "--budget", BUDGET_SECONDS, *options]


def show() -> None:
    """Print the findings as a user sees them; exit code 1 says that there are findings."""
    print(f"$ lsp-evalplus check {EXAMPLES.name}/*.py", flush=True)
    code = subprocess.run(command(), cwd=EXAMPLES.parent, check=False).returncode
    if code != 1:
        sys.exit(f"The check ended with exit code {code}; 1 (findings) was expected.")


def verdicts() -> dict[str, str]:
    """Return file name -> verdict, from the JSON of a second, identical run."""
    run = subprocess.run(
        command("--format", "json"), cwd=EXAMPLES.parent, check=False, stdout=subprocess.PIPE, text=True
    )
    if run.returncode != 1:
        sys.exit(f"The second check ended with exit code {run.returncode}; 1 (findings) was expected.")
    try:
        targets = json.loads(run.stdout)["targets"]
    except ValueError as broken:
        sys.exit(f"The second check did not print JSON ({broken}).")
    return {Path(target["path"]).name: target["verdict"] for target in targets}


def surprises(found: dict[str, str]) -> list[str]:
    """Return one sentence for each example that is not judged as planted."""
    return [
        f"{name}: {found.get(name, 'missing')}, but {PLANTED.get(name, 'nothing')} was planted"
        for name in sorted(PLANTED.keys() | found.keys())
        if found.get(name) != PLANTED.get(name)
    ]


def tell_agent() -> None:
    """Print what a coding agent is told after it wrote one of the examples; code 2 makes it read that."""
    print(f"\n$ lsp-evalplus hook {EXAMPLES.name}/{AGENT_EXAMPLE} --all   # what a coding agent is told")
    hook = [program(), "hook", f"{EXAMPLES.name}/{AGENT_EXAMPLE}", "--all", "--budget", BUDGET_SECONDS]
    run = subprocess.run(hook, cwd=EXAMPLES.parent, check=False, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    if run.returncode != 2:
        sys.exit(f"The hook ended with exit code {run.returncode}; 2 (findings) was expected.")
    print(run.stderr, end="", flush=True)


def main() -> None:
    """Show, compare, and say the result."""
    show()
    tell_agent()
    unexpected = surprises(verdicts())
    if unexpected:
        sys.exit("The demo failed:\n  " + "\n  ".join(unexpected))
    wrong = sum(verdict == "differs" for verdict in PLANTED.values())
    print(f"\n{wrong} wrong completions caught, {len(PLANTED) - wrong} right one left alone: as planted.")


if __name__ == "__main__":
    main()
