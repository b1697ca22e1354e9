"""What is said of the standard library's code: written so that it does the same, and with a mistake in each function.

::

    python tests/quality/standard_library.py              no function of the rewritten modules may have a finding
    python tests/quality/standard_library.py --mutants    how many of the mistakes are found

The modules are copied to a new git repository under other names; their older versions there are the references. What
is rewritten has other names of local variables, and ``if`` and ``else`` change places. A mistake is one operator,
comparison or number; some make no difference that anybody can see, so not all can be found.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

LIBRARY: Final = Path(sysconfig.get_path("stdlib"))
MODULES: Final = (
    "base64 bisect calendar collections colorsys configparser copy csv difflib fnmatch fractions getopt gettext heapq "
    "ipaddress mimetypes optparse plistlib posixpath pprint quopri random shlex statistics string textwrap tokenize "
    "email.quoprimime email.utils html.parser http.cookies json.decoder urllib.parse"
).split()
_SEEING_NAMES: Final = frozenset(("locals", "vars", "eval", "exec", "dir"))
_SWAPPED: Final = ((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.And, ast.Or))
_OTHER: Final[dict[type, Any]] = {
    **{one: two for pair in _SWAPPED for one, two in (pair, pair[::-1])},
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
}
_INNER: Final = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Import),
    *(ast.ImportFrom, ast.Match),
)
_GIT: Final = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self._names:
            node.id += "_now"
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name in self._names:
            node.name = f"{node.name}_now"
        return self.generic_visit(node)


def functions_in(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module, and the methods of its classes, by name."""
    for node in tree.body:
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(one, ast.FunctionDef):
                yield prefix + one.name, one


def rewrite(function: ast.FunctionDef, rng: random.Random) -> bool:
    """Makes a function do the same in other words; False where that is not plain to see."""
    del rng
    inner = [node for node in ast.walk(function) if node is not function]
    if any(isinstance(node, _INNER) or (isinstance(node, ast.Name) and node.id in _SEEING_NAMES) for node in inner):
        return False
    parameters = {node.arg for node in inner if isinstance(node, ast.arg)}
    stored = {node.id for node in inner if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    # Annotations and defaults are evaluated outside of the function.
    for statement in function.body:
        _Renamed(stored - parameters).visit(statement)
    for node in inner:
        if isinstance(node, ast.If) and node.orelse and not isinstance(node.orelse[0], ast.If):
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body
    function.body.append(ast.Pass())
    return True


def mistake(function: ast.FunctionDef, rng: random.Random) -> bool:
    """Changes one thing in a function; False where there is none to be changed."""
    places = [node for node in ast.walk(ast.Module(function.body, [])) if _can_be_mistaken(node)]
    if not places:
        return False
    match rng.choice(places):
        case ast.Compare() as node:
            node.ops[0] = _OTHER[type(node.ops[0])]()
        case ast.BinOp() | ast.BoolOp() as node:
            node.op = _OTHER[type(node.op)]()
        case ast.Constant(value=int(number)) as node:
            node.value = number + rng.choice((-1, 1))
        case _:
            return False
    return True


def _can_be_mistaken(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in _OTHER
    if isinstance(node, ast.BinOp | ast.BoolOp):
        return type(node.op) in _OTHER
    return isinstance(node, ast.Constant) and type(node.value) is int


def prepare(
    folder: Path, names: list[str], change: Callable[[ast.FunctionDef, random.Random], bool]
) -> dict[Path, set[str]]:
    """The changed modules in a repository that has the older versions, with the names of changed functions."""
    subprocess.run([*_GIT, "init", "-q"], cwd=folder, check=True)
    trees: dict[Path, ast.Module] = {}
    for name in names:
        path = folder / f"copy_of_{name.replace('.', '_')}.py"
        trees[path] = ast.parse(source_of(name))
        path.write_text(ast.unparse(trees[path]) + "\n", encoding="utf-8")
    subprocess.run([*_GIT, "add", "."], cwd=folder, check=True)
    subprocess.run([*_GIT, "commit", "-qm", "older versions"], cwd=folder, check=True)
    changed: dict[Path, set[str]] = {}
    for path, tree in trees.items():
        changed[path] = change_functions(path.name, tree, change)
        path.write_text(ast.unparse(tree) + "\n", encoding="utf-8")
    return changed


def source_of(name: str) -> str:
    """The source of a module of the standard library."""
    path = LIBRARY / f"{name.replace('.', '/')}.py"
    path = path if path.exists() else path.with_suffix("") / "__init__.py"
    if not path.exists():
        raise SystemExit(f"{name} is no module of the standard library that is written in Python.")
    return path.read_text(encoding="utf-8")


def change_functions(file: str, tree: ast.Module, change: Callable[[ast.FunctionDef, random.Random], bool]) -> set[str]:
    """Changes the functions of a module, in place; returns the names of those that were changed."""
    # By name, so that the choice does not depend on the other functions.
    changed = {name for name, one in functions_in(tree) if change(one, random.Random(f"{file} {name}"))}
    ast.fix_missing_locations(tree)
    return changed


def check(path: Path, names: set[str], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Functions of a file, as `check --format json` has them."""
    command = [sys.executable, "-m", "lsp_evalplus", "check", path.name, "--oracle", "git", "--format", "json"]
    command += ["--budget", str(options.budget), *(["--jobs", str(options.jobs)] if options.jobs else [])]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"check ended with exit code {done.returncode}: {done.stderr[-2000:]}")
    return [target for target in json.loads(done.stdout)["targets"] if target["name"] in names]


def main() -> int:
    """Prints a line for each module and each finding; 1 where a rewritten function has one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--mutants", action="store_true")
    parser.add_argument("--budget", type=float, default=1.0, help="processor seconds for each function")
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    total = Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        changed = prepare(Path(place), options.modules, mistake if options.mutants else rewrite)
        for path, names in changed.items():
            targets = check(path, names, options)
            counts = Counter(target["verdict"] for target in targets)
            total += counts
            print(f"{path.stem.removeprefix('copy_of_')}: {describe(counts)}", flush=True)
            for target in targets if not options.mutants else ():
                if target["verdict"] == "differs":
                    print(f"  {target['name']}: {target['reason']}")
    print(f"all: {describe(total)}")
    return int(not options.mutants and total["differs"] > 0)


def describe(counts: Counter[str]) -> str:
    """The verdicts in words."""
    return f"{counts['differs']} findings, {counts['agrees']} without a difference, {counts['not_checked']} not checked"


if __name__ == "__main__":
    sys.exit(main())
