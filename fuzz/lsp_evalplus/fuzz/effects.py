"""Functions that cannot be checked because they touch the world: a cheap look at the syntax tree, never a proof.

What slips through is stopped by the guest's confinement; what is caught here gets a reason people understand.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping

from .scopes import FunctionNode, dotted_name

_BUILTINS = {"open": "reads or writes files", "input": "waits for input", "breakpoint": "starts a debugger"}
_MODULES = {
    "subprocess": "starts other programs",
    "socket": "uses the network",
    "ssl": "uses the network",
    "requests": "uses the network",
    "httpx": "uses the network",
    "aiohttp": "uses the network",
    "urllib.request": "uses the network",
    "http.client": "uses the network",
    "ftplib": "uses the network",
    "smtplib": "uses the network",
    "paramiko": "uses the network",
    "boto3": "uses the network",
    "openai": "uses the network",
    "shutil": "changes files",
    "tempfile": "writes files",
    "glob": "reads folders",
    "sqlite3": "needs a database",
    "psycopg2": "needs a database",
    "pymysql": "needs a database",
    "sqlalchemy.create_engine": "needs a database",
    "multiprocessing": "starts processes",
    "tkinter": "opens windows",
    "getpass": "waits for input",
    "sys.stdin": "waits for input",
    "webbrowser": "opens a browser",
}
_OS_FILES = frozenset(
    "access chdir chmod chown link listdir makedirs mkdir open readlink remove removedirs rename renames replace rmdir "
    "scandir stat symlink truncate unlink walk write read".split()
)
_OS_PROCESSES = ("system", "popen", "fork", "kill", "exec", "spawn", "_exit", "abort")
_OS_PATH_FILES = frozenset("exists isfile isdir islink getsize getmtime getatime getctime realpath samefile".split())
_PATH_METHODS = frozenset("read_text read_bytes write_text write_bytes iterdir rglob".split())


def find_obstacle(
    function: FunctionNode, aliases: Mapping[str, str], definitions: Mapping[str, FunctionNode]
) -> str | None:
    """Why `function` cannot be run on made-up inputs, following calls to other functions of its module; else None."""
    seen = {id(function)}
    pending: list[tuple[FunctionNode, str]] = [(function, "")]
    while pending:
        node, through = pending.pop(0)
        effect = _first_effect(node, aliases, definitions)
        if effect is not None:
            return through + effect
        for name in sorted(_called_names(node)):
            callee = definitions.get(name)
            if callee is not None and id(callee) not in seen:
                seen.add(id(callee))
                pending.append((callee, f"calls {name}(), which "))
    return None


def _called_names(node: FunctionNode) -> set[str]:
    return {part.func.id for part in ast.walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}


def _first_effect(node: FunctionNode, aliases: Mapping[str, str], known: Container[str]) -> str | None:
    return next(_effects(node, aliases, known), None)


def _effects(node: FunctionNode, aliases: Mapping[str, str], own: Container[str]) -> Iterator[str]:
    parameters = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
    for part in ast.walk(node):
        if not isinstance(part, ast.Call):
            continue
        name = dotted_name(part.func)
        if name is None:
            if isinstance(part.func, ast.Attribute) and part.func.attr in _PATH_METHODS:
                yield f"reads or writes files: .{part.func.attr}(...)"
            continue
        root, _, rest = name.partition(".")
        if root in parameters:
            continue
        if not rest and root in _BUILTINS and root not in own and root not in aliases:
            yield f"{_BUILTINS[root]}: {root}(...)"
        elif root in aliases:
            full = ".".join(filter(None, [aliases[root], rest]))
            effect = _effect_of(full)
            if effect is not None:
                yield f"{effect}: {name}(...)"


def _effect_of(full: str) -> str | None:
    """What calling the function of this full dotted name does to the world, if it is known to do anything."""
    module, _, attribute = full.rpartition(".")
    if module == "os" and attribute in _OS_FILES:
        return "reads or changes files"
    if module == "os" and attribute.startswith(_OS_PROCESSES):
        return "starts or ends processes"
    if module == "os.path" and attribute in _OS_PATH_FILES:
        return "looks at files"
    if full in {"io.open", "codecs.open", "gzip.open", "zipfile.ZipFile", "tarfile.open"}:
        return "reads or writes files"
    return next((what for name, what in _MODULES.items() if full == name or full.startswith(name + ".")), None)
