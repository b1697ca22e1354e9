"""Released packages as projects: a git repository with the files of the sdist, tests and documents among them.

What the installed package has and the sdist has not, as generated files of versions, is added; without an sdist the
installed files are all.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slips import Function

sys.path.append(str(Path(__file__).parents[1] / "history"))
from repository import make_repository, run_git, tag_of
from sdists import UnavailableError, fetch_sdist

_LEFT_OUT: Final = frozenset({"tests", "test", "testing", "docs", "examples", "_vendor", "vendor", "conftest.py"})
_BACKENDS: Final = (
    *("setuptools", "setuptools-scm", "wheel", "hatchling", "hatch-vcs", "hatch-fancy-pypi-readme", "flit-core"),
    *("flit-scm", "poetry-core", "pdm-backend"),
)
_LIST_FILES: Final = """
import importlib.metadata, json, sys
distribution = importlib.metadata.distribution(sys.argv[1])
names = [str(file) for file in distribution.files if ".." not in file.parts and file.suffix != ".pyc"]
print(json.dumps([str(distribution.locate_file("")), names]))
"""


@dataclass(frozen=True)
class Drawn:
    """A function that was drawn: its file, its name, its kind and its syntax tree."""

    path: Path
    name: str
    kind: str
    node: Function


@dataclass(frozen=True)
class Installed:
    """A package of an environment."""

    name: str
    root: Path
    """The folder of installed packages."""
    files: Sequence[str]
    """What the package put there, without its metadata."""

    @property
    def modules(self) -> list[str]:
        """Its files in Python, without its tests and what it took from others."""
        return [name for name in self.files if name.endswith(".py") and not _LEFT_OUT & set(Path(name).parts)]


@dataclass(frozen=True)
class Project:
    """A package as its authors have it on their machines: its commit is what is taken to be right."""

    folder: Path
    modules: Sequence[Path]
    """Its modules without its tests."""
    has_sdist: bool


@dataclass(frozen=True)
class Fix:
    """A function of which two consecutive releases have different bodies, as the newer one has it."""

    drawn: Drawn
    change: str
    """``fix``, or ``fix, other signature``."""


def install(packages: Sequence[str], folder: Path) -> Path:
    """Install packages, with what they need, into an environment of their own; return its interpreter."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    done = folder / "installed.txt"
    wanted = "\n".join(packages)
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
        done.write_text(wanted, encoding="utf-8")
    return python


def install_builders(folder: Path) -> Path:
    """Install the build backends that pip asks about sdists, once for all of them; return their interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *_BACKENDS], check=True, stdout=sys.stderr)
    return python


def installed(python: Path, name: str) -> Installed:
    """What an environment has of a package."""
    done = subprocess.run([python, "-c", _LIST_FILES, name], capture_output=True, text=True, check=True)
    root, names = json.loads(done.stdout)
    return Installed(name, Path(root), sorted(one for one in names if ".dist-info" not in Path(one).parts[0]))


def release(package: Installed, version: str, folder: Path, cache: Path) -> Project:
    """Make `folder` a repository with one version of a package."""
    try:
        archive = _fetch(package, version, cache)
    except UnavailableError as error:
        print(f"{package.name} as it is installed: {error}", file=sys.stderr)
        return _from_installed(package, folder)
    tree = make_repository(folder, {version: archive})[version]
    return _completed(package, tree, has_sdist=True)


def _fetch(package: Installed, version: str, cache: Path) -> Path:
    return fetch_sdist(package.name, version, cache / "sdists", cache / "builders" / "bin" / "python")


def releases(package: Installed, older: str, newer: str, folder: Path, cache: Path) -> tuple[Project, list[Fix]]:
    """Make `folder` a work tree of the newer release over a commit of the older one, and compare their functions.

    Raises:
        UnavailableError: pip could not get one of them.
    """
    archives = {version: _fetch(package, version, cache) for version in (older, newer)}
    trees = make_repository(folder, archives)
    fixes: list[Fix] = []
    for name in package.modules:
        old, new = (_prefix(package, trees[version]) / name for version in (older, newer))
        if old.is_file() and new.is_file() and old.read_bytes() != new.read_bytes():
            fixes += fixed_functions(old, new)
    _add_missing(package, trees[newer])
    run_git(trees[newer], "reset", "--quiet", "--soft", tag_of(older))
    return Project(trees[newer], [], has_sdist=True), fixes


def _from_installed(package: Installed, folder: Path) -> Project:
    folder.mkdir(parents=True)
    run_git(folder, "init", "--quiet")
    return _completed(package, folder, has_sdist=False)


def _completed(package: Installed, tree: Path, *, has_sdist: bool) -> Project:
    _add_missing(package, tree)
    if not (tree / "pyproject.toml").exists():
        (tree / "pyproject.toml").write_text("", encoding="utf-8")
    run_git(tree, "add", "--all", "--force")
    run_git(tree, "commit", "--quiet", "--allow-empty", "--message", "as installed")
    root = _prefix(package, tree)
    return Project(tree, [root / name for name in package.modules], has_sdist)


def _prefix(package: Installed, tree: Path) -> Path:
    """The import root of a work tree: the folder with the most of the package's files."""
    roots = (tree, tree / "src", tree / "lib", tree / "python")
    return max(roots, key=lambda root: sum((root / name).is_file() for name in package.modules))


def _add_missing(package: Installed, tree: Path) -> None:
    root = _prefix(package, tree)
    for name in package.files:
        if not (root / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(package.root / name, root / name)


def functions_in(path: Path) -> Iterator[Drawn]:
    """The functions and methods of a file that have a body of their own; none of a file in another Python."""
    try:
        with tokenize.open(path) as file:
            tree = ast.parse(file.read())
    except SyntaxError:
        return
    for node in tree.body:
        owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and _has_body(one):
                yield Drawn(path, owner + one.name, _kind(one, is_method=bool(owner)), one)


def fixed_functions(older: Path, newer: Path) -> Iterator[Fix]:
    """The functions that both versions of a file have, and whose bodies differ by more than docstrings."""
    before = _by_name(older)
    for name, drawn in _by_name(newer).items():
        if name in before and _body(before[name].node) != _body(drawn.node):
            is_same = ast.dump(before[name].node.args) == ast.dump(drawn.node.args)
            yield Fix(drawn, "fix" if is_same else "fix, other signature")


def _by_name(path: Path) -> Mapping[str, Drawn]:
    found = list(functions_in(path))
    names = [one.name for one in found]
    # Of two functions with one name nobody knows which belongs to which.
    return {one.name: one for one in found if names.count(one.name) == 1}


def _body(node: Function) -> list[str]:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return [ast.dump(statement) for statement in body]


def _has_body(node: Function) -> bool:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    names = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    is_stub = all(isinstance(one, (ast.Pass, ast.Raise)) or ast.unparse(one) == "..." for one in body)
    return not is_stub and not names & {"overload", "abstractmethod", "setter", "deleter"}


def _kind(node: Function, *, is_method: bool) -> str:
    names = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    managers = ("contextmanager", "asynccontextmanager")
    if names & set(managers):
        return "context manager"
    if isinstance(node, ast.AsyncFunctionDef):
        return "async"
    if names & {"classmethod", "staticmethod"}:
        return "class method" if "classmethod" in names else "static method"
    if names & {"property", "cached_property"}:
        return "property"
    if is_method and node.name in {"__init__", "__new__"}:
        return "constructor"
    if is_method and node.name.startswith("__") and node.name.endswith("__"):
        return "special method"
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(node)):
        return "generator"
    return "method" if is_method else "function"


def rewritten(drawn: Drawn, changed: Function) -> str:
    """The source of a function's file with the changed function in its place."""
    with tokenize.open(drawn.path) as file:
        lines = file.read().split("\n")
    first = min([drawn.node.lineno, *(one.lineno for one in drawn.node.decorator_list)]) - 1
    lines[first : drawn.node.end_lineno] = _written(changed, lines[drawn.node.lineno - 1], drawn.node.col_offset)
    return "\n".join(lines)


def _written(function: Function, line: str, column: int) -> list[str]:
    if column == 4 and line.startswith("    "):
        # Inside of a class, so that texts over several lines keep their lines.
        wrapped = ast.ClassDef("Owner", bases=[], keywords=[], body=[function], decorator_list=[])
        return ast.unparse(ast.fix_missing_locations(wrapped)).partition("\n")[2].lstrip("\n").split("\n")
    text = ast.unparse(ast.fix_missing_locations(function)).split("\n")
    return [line[:column] + one if one else one for one in text]
