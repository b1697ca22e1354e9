"""How much is found in the code of real packages, and what is said of changes that make no difference.

::

    python tests/quality/realcode.py                                   the packages for development
    python tests/quality/realcode.py --packages realcode_unseen.txt    those that nobody looks at

The packages of a pinned list are installed with pip into an environment of their own, and copied to a git repository.
Of the functions of each, some are drawn at random. A harmless change of each (`slips.rename_or_add`) measures *reach*,
for how many ``check --oracle git`` speaks, and false alarms; a slip of each measures *power*. The cost is the time of
all checks, and includes the start of `check`.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import slips
from slips import Function

HERE: Final = Path(__file__).parent
CACHE: Final = Path.home() / ".cache" / "lsp-evalplus-realcode"
_GIT: Final = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
_LEFT_OUT: Final = frozenset({"tests", "test", "testing", "docs", "examples", "_vendor", "vendor"})


@dataclass(frozen=True)
class Drawn:
    """A function that was drawn: its file, its name, its kind and its syntax tree."""

    path: Path
    name: str
    kind: str
    node: Function


@dataclass(frozen=True)
class Result:
    """What `check` says of one changed function."""

    drawn: Drawn
    change: str
    verdict: str
    reason: str
    seconds: float


def install(packages: Sequence[str], folder: Path) -> Path:
    """Install packages, with what they need, into an environment of their own; return its interpreter."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
    return python


def files_of(python: Path, package: str) -> list[Path]:
    """The modules of an installed package, relative to the folder of installed packages."""
    code = (
        "import importlib.metadata as m, sys; d = m.distribution(sys.argv[1]); "
        "print(d.locate_file('')); [print(f) for f in d.files if f.suffix == '.py']"
    )
    name = package.partition("==")[0]
    done = subprocess.run([python, "-c", code, name], capture_output=True, text=True, check=True)
    root, *names = done.stdout.splitlines()
    return [Path(root), *(Path(name) for name in sorted(names) if not _LEFT_OUT & set(Path(name).parts))]


def copy_package(python: Path, package: str, folder: Path) -> list[Path]:
    """Copy the modules of a package to a new git repository; return their paths."""
    root, *names = files_of(python, package)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, folder / name)
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "as released")):
        subprocess.run([*_GIT, *command], cwd=folder, check=True)
    return [folder / name for name in names]


def functions_in(path: Path) -> Iterator[Drawn]:
    """The functions and methods of a file that have a body of their own."""
    with tokenize.open(path) as file:
        tree = ast.parse(file.read())
    for node in tree.body:
        owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and _has_body(one):
                yield Drawn(path, owner + one.name, _kind(one, is_method=bool(owner)), one)


def _has_body(node: Function) -> bool:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    names = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    is_stub = all(isinstance(one, (ast.Pass, ast.Raise)) or ast.unparse(one) == "..." for one in body)
    return not is_stub and not names & {"overload", "abstractmethod", "setter", "deleter"}


def _kind(node: Function, *, is_method: bool) -> str:
    names = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    known = next((name for name in ("contextmanager", "classmethod", "staticmethod") if name in names), None)
    if isinstance(node, ast.AsyncFunctionDef):
        return "async"
    if known or names & {"property", "cached_property"}:
        return known or "property"
    if node.name in {"__init__", "__new__"}:
        return "constructor"
    if is_method and node.name.startswith("__"):
        return "special method"
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(node)):
        return "generator"
    return "method" if is_method else "function"


def rewritten(drawn: Drawn, changed: Function) -> str:
    """The source of a function's file with the changed function in its place."""
    with tokenize.open(drawn.path) as file:
        lines = file.read().split("\n")
    first = min([drawn.node.lineno, *(one.lineno for one in drawn.node.decorator_list)]) - 1
    indent = " " * drawn.node.col_offset
    text = [indent + line if line else line for line in ast.unparse(ast.fix_missing_locations(changed)).split("\n")]
    lines[first : drawn.node.end_lineno] = text
    return "\n".join(lines)


def check(drawn: Drawn, change: str, source: str, python: Path, budget: float) -> Result:
    """Check one changed function against the committed file, and restore the file."""
    original = drawn.path.read_bytes()
    command = [sys.executable, "-m", "lsp_evalplus", "check", f"{drawn.path}::{drawn.name}", "--oracle", "git"]
    command += ["--format", "json", "--budget", str(budget), "--python", str(python)]
    started = time.monotonic()
    try:
        drawn.path.write_text(source, encoding="utf-8")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        drawn.path.write_bytes(original)
    seconds = time.monotonic() - started
    if done.returncode not in (0, 1):
        return Result(drawn, change, "not_checked", done.stderr.strip()[-200:], seconds)
    targets: list[dict[str, Any]] = json.loads(done.stdout)["targets"]
    found = next((one for one in targets if one["name"] == drawn.name), None)
    verdict, reason = (found["verdict"], found["reason"]) if found else ("not_checked", "its older version is the same")
    return Result(drawn, change, verdict, reason, seconds)


def measure(package: str, python: Path, options: argparse.Namespace) -> Iterator[Result]:
    """Draw functions of a package, change them harmlessly and by a slip, and check both."""
    rng = random.Random(f"{package} {options.seed}")
    with tempfile.TemporaryDirectory() as place:
        paths = copy_package(python, package, Path(place).resolve())
        functions = [one for path in paths for one in functions_in(path)]
        for drawn in rng.sample(functions, min(options.functions, len(functions))):
            harmless, slipped = copy.deepcopy(drawn.node), copy.deepcopy(drawn.node)
            slips.rename_or_add(harmless, rng)
            yield check(drawn, "harmless", rewritten(drawn, harmless), python, options.budget)
            name = slips.slip(slipped, rng)
            if name is not None and ast.dump(slipped) != ast.dump(drawn.node):
                yield check(drawn, name, rewritten(drawn, slipped), python, options.budget)


def tell(results: Sequence[Result]) -> int:
    """Print the tables; return the number of false alarms."""
    harmless = [one for one in results if one.change == "harmless"]
    slipped = [one for one in results if one.change != "harmless"]
    alarms = [one for one in harmless if one.verdict == "differs"]
    compared = [one for one in slipped if one.verdict != "not_checked"]
    found = [one for one in slipped if one.verdict == "differs"]
    spoken = [one for one in harmless if one.verdict == "agrees"]
    print(f"reach: {_share(len(spoken), len(harmless))}; false alarms: {len(alarms)}")
    print(
        f"power: {_share(len(found), len(slipped))} of all slips, {_share(len(found), len(compared))} of those compared"
    )
    seconds = sorted(one.seconds for one in results)
    print(
        f"cost: {seconds[len(seconds) // 2]:.1f} s a check (median, with the start of the program)\n" if seconds else ""
    )
    _table("kind", harmless, lambda one: one.drawn.kind)
    _table("slip", slipped, lambda one: one.change)
    for reason, count in Counter(_plain(one.reason) for one in harmless if one.verdict == "not_checked").most_common():
        print(f"{count:4}  {reason}")
    for one in alarms:
        print(f"FALSE ALARM {one.drawn.path.name}::{one.drawn.name}: {one.reason}")
    return len(alarms)


def _table(title: str, results: Sequence[Result], key: Any) -> None:
    print(f"| {title} | differs | agrees | not checked |\n|---|---|---|---|")
    for name, count in Counter(map(key, results)).most_common():
        verdicts = Counter(one.verdict for one in results if key(one) == name)
        assert verdicts.total() == count
        print(f"| {name} | {verdicts['differs']} | {verdicts['agrees']} | {verdicts['not_checked']} |")
    print()


def _plain(reason: str) -> str:
    return " ".join(reason.split())[:110]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(1, whole):.0f} %)"


def main() -> int:
    """Measure the packages of a list; 1 where a harmless change has a finding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--packages", type=Path, default=Path("realcode_packages.txt"), help="a list of pinned packages"
    )
    parser.add_argument("--functions", type=int, default=12, help="functions drawn from each package")
    parser.add_argument("--budget", type=float, default=1.0, help="processor seconds for each check")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the environments")
    parser.add_argument("--out", type=Path, help="also write each result to a file, as JSON lines")
    options = parser.parse_args()
    path = options.packages if options.packages.exists() else HERE / options.packages
    packages = [line for line in path.read_text(encoding="utf-8").split() if "==" in line]
    python = install(packages, options.cache / path.stem)
    results = list[Result]()
    for package in packages:
        for result in measure(package, python, options):
            results.append(result)
            line = [package, result.drawn.path.name, result.drawn.name, result.drawn.kind, result.change]
            line += [result.verdict, result.reason, f"{result.seconds:.1f}"]
            if options.out:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
    return int(tell(results) > 0)


if __name__ == "__main__":
    sys.exit(main())
