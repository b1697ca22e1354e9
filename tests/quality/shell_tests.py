"""What tools of the shell make of ten small functions: tests that pass on right code, fail on wrong code, kill mutants.

``python tests/quality/shell_tests.py FOLDER [TOOL...]`` installs the peers into FOLDER, lets each tool write tests of
each function of ``cases/shell.txt``, and prints a table. Mutants are cosmic-ray's: no tool here chooses tests by them.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cost import run

CASES: Final = Path(__file__).with_name("cases") / "shell.txt"
MUTANTS: Final = 10
"""Maximum number of mutants of a function, drawn from all of cosmic-ray's."""
SEARCH_SECONDS: Final = "10"
"""What CrossHair and Pynguin may take for a function; ours has its default of one, the ghostwriter searches nothing."""
RUN_SECONDS: Final = 10
"""Processor time after which a run of tests counts as failed: a mutant may not end."""
_ENVIRONMENTS: Final = {
    "peers": ("crosshair-tool", "hypothesis[cli,ghostwriter]", "pytest", "cosmic-ray"),
    "pynguin": ("pynguin", "pytest"),
}
_LIST_MUTANTS: Final = """
import json, sys
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
source, found = sys.stdin.read(), {}
for name in sorted(one for one in operator_names() if not one.startswith("core/Variable")):  # These need settings.
    occurrence = 0
    while (text := mutate_code(source, get_operator(name)(), occurrence)) is not None:
        try:
            compile(text, name, "exec")
            found[text] = None
        except SyntaxError:
            pass
        occurrence += 1
print(json.dumps([text for text in found if text != source]))
"""

_RUN_TESTS: Final = """
import json, os, resource, sys
import pytest
try:
    import hypothesis.strategies
except ImportError:
    pass
found, seconds = [], int(sys.argv[1])
for source in json.load(sys.stdin):
    with open("candidate.py", "w") as file:
        file.write(source)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(int(pytest.main(["-q", "-x", "-p", "no:cacheprovider"])))
    found.append(os.waitpid(child, 0)[1] == 0)
print(json.dumps(found))
"""
"""Each run is a process of its own, forked from one that has imported everything."""


@dataclass(frozen=True)
class Case:
    """A function: its right version and one with a slip."""

    name: str
    right: str
    wrong: str


@dataclass
class Row:
    """What came of one tool."""

    written: int = 0
    passing: int = 0
    failing: int = 0
    killed: int = 0
    seconds: float = 0.0
    missed: str = ""
    """Functions whose slip its tests miss."""


def read_cases() -> list[Case]:
    """Read the functions of the file of cases."""
    found: list[Case] = []
    for block in CASES.read_text(encoding="utf-8").split("\n=== ")[1:]:
        name, _, rest = block.partition("\n--- reference\n")
        right, _, wrong = rest.partition("\n--- candidate\n")
        found.append(Case(name, right + "\n", wrong.rstrip() + "\n"))
    return found


def install(folder: Path) -> None:
    """Make the environments of the peers."""
    for name, packages in _ENVIRONMENTS.items():
        python = folder / name / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)


def mutants_of(source: str, python: Path) -> list[str]:
    """Return mutants of a program, the same ones each time."""
    ended = subprocess.run([python, "-c", _LIST_MUTANTS], input=source, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    return found if len(found) <= MUTANTS else random.Random(len(source)).sample(found, MUTANTS)


Writer = Callable[[Path, str, Path], float]
"""Writes tests of a function into the folder of its modules `candidate` and `reference`; returns processor seconds."""


def _ours_check(work: Path, name: str, _: Path) -> float:
    target, reference = f"candidate.py::{name}", f"reference.py::{name}"
    program = [sys.executable, "-m", "lsp_evalplus", "check", target, "--reference", reference, "--write-tests"]
    return run(program, cwd=work).seconds


def _ours_cover(work: Path, name: str, _: Path) -> float:
    return run([sys.executable, "-m", "lsp_evalplus", "cover", f"candidate.py::{name}"], cwd=work).seconds


def _both(work: Path, name: str, folder: Path) -> float:
    """Our tests of the finding, and of the function as it is when that is mended."""
    seconds = _ours_check(work, name, folder)
    shutil.copy(work / "reference.py", work / "candidate.py")
    return seconds + _ours_cover(work, name, folder)


def _ghostwriter(work: Path, name: str, folder: Path) -> float:
    names = [f"reference.{name}", f"candidate.{name}"]
    program = [folder / "peers/bin/hypothesis", "write", "--style", "pytest", "--equivalent", *names]
    ended = run(program, cwd=work, env=_environment(work))
    _write(work, ended.output)
    return ended.seconds


def _crosshair(work: Path, name: str, folder: Path) -> float:
    options = ["--example_output_format", "pytest", "--per_condition_timeout", SEARCH_SECONDS]
    program = [folder / "peers/bin/crosshair", "cover", f"candidate.{name}", *options]
    ended = run(program, cwd=work, env=_environment(work))
    _write(work, ended.output)
    return ended.seconds


def _pynguin(work: Path, _: str, folder: Path) -> float:
    options = ["--maximum-search-time", SEARCH_SECONDS, "--output-path", "tests", "--seed", "1"]
    program = [folder / "pynguin/bin/pynguin", "--project-path", ".", "--module-name", "candidate", *options]
    return run(program, cwd=work, env={**_environment(work), "PYNGUIN_DANGER_AWARE": "1"}).seconds


TOOLS: Final[Mapping[str, tuple[Writer, bool]]] = {
    "ours: `check --write-tests`": (_ours_check, True),
    "ours: `cover`": (_ours_cover, False),
    "ours: both": (_both, True),
    "Hypothesis: `hypothesis write --equivalent`": (_ghostwriter, True),
    "CrossHair: `crosshair cover`": (_crosshair, False),
    "Pynguin": (_pynguin, False),
}
"""Each tool, and whether it is shown the candidate with the slip; the others write tests of the right one."""


def _write(work: Path, text: str) -> None:
    if "def test_" in text:
        (work / "tests" / "test_written.py").write_text(text, encoding="utf-8")


def _environment(work: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(work), "PYTHONDONTWRITEBYTECODE": "1"}


def passing(work: Path, sources: list[str], python: Path) -> list[bool]:
    """Whether the tests that were written pass, with each of some programs as the module under test."""
    program = [python, "-c", _RUN_TESTS, str(RUN_SECONDS)]
    ended = subprocess.run(
        program,
        cwd=work,
        env=_environment(work),
        input=json.dumps(sources),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return json.loads(ended.stdout.splitlines()[-1])


def measure(case: Case, tool: str, mutants: list[str], folder: Path, row: Row) -> None:
    """Let a tool write tests of a function, and add what these do to its row."""
    write, is_shown_slip = TOOLS[tool]
    python = folder / "peers/bin/python"
    work = folder / "work" / f"{case.name}-{list(TOOLS).index(tool)}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "tests").mkdir(parents=True)
    (work / "pyproject.toml").write_text("[project]\nname = 'measured'\n", encoding="utf-8")
    (work / "reference.py").write_text(case.right, encoding="utf-8")
    (work / "candidate.py").write_text(case.wrong if is_shown_slip else case.right, encoding="utf-8")
    row.seconds += write(work, case.name, folder)
    row.written += any(work.rglob("test_*.py"))
    is_right, is_wrong_fine, *survived = passing(work, [case.right, case.wrong, *mutants], python)
    row.passing += is_right
    finds = is_right and not is_wrong_fine
    row.failing += finds
    row.missed += "" if finds else f" {case.name}"
    # A suite that fails on right code tells nothing of others.
    row.killed += survived.count(False) if is_right else 0


def main() -> None:
    """Measure all tools, and print the table."""
    folder = Path(sys.argv[1]).resolve()
    install(folder)
    cases = read_cases()
    mutants = {case.name: mutants_of(case.right, folder / "peers/bin/python") for case in cases}
    count, total = len(cases), sum(map(len, mutants.values()))
    print(f"| {count} functions | written | pass on the right one | fail on the wrong one | mutants killed | seconds |")
    print("|---|---|---|---|---|---|")
    for tool in (one for one in TOOLS if not sys.argv[2:] or any(part in one for part in sys.argv[2:])):
        row = Row()
        for case in cases:
            measure(case, tool, mutants[case.name], folder, row)
        done = f"{row.written} | {row.passing} | {row.failing} | {row.killed} of {total} | {row.seconds / count:.1f}"
        print(f"| {tool} | {done} |", flush=True)
        print(f"{tool}: misses{row.missed or ' none'}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
