"""Detect functions with external side effects, by a cheap and unsound check of the syntax tree.

Missed effects are blocked by the guest's sandbox; effects detected here get a readable reason.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping

from lsp_evalplus.fuzz.guest.static.parameter_members import listed_parameters
from lsp_evalplus.fuzz.guest.static.walking import has_star, string_in, walk_tree

from .scopes import FunctionNode, dotted_name, is_plain

_READS = "reads files"
_LOOKS = "looks at files"
_READING = (_READS, _LOOKS, "reads folders")
"""Effects that change nothing: two versions find the same files."""
_WAITS = "waits for input"
"""Of plain functions, two versions are given the same input (`process_inputs`)."""
_WRITES = "reads or writes files"
_CHANGING = (_WRITES, "reads or changes files", "changes files")
"""Effects on files, of which two versions leave the same ones (`process_inputs`)."""
STARTS, SENDS = "starts other programs", "sends requests"
"""Effects that stubs stand in for where two versions are compared (`stubs`)."""
_BUILTINS = {"open": _WRITES, "input": _WAITS, "breakpoint": "starts a debugger"}
_MODULES = {
    "subprocess": STARTS,
    "socket": "uses the network",
    "ssl.get_server_certificate": "uses the network",
    "ssl.wrap_socket": "uses the network",
    "requests": SENDS,
    "httpx": SENDS,
    "aiohttp": "uses the network",
    "aiohttp.web.run_app": "uses the network",
    "urllib.request": SENDS,
    "http.client": "uses the network",
    "ftplib": "uses the network",
    "smtplib": "uses the network",
    "paramiko": "uses the network",
    "boto3": "uses the network",
    "openai": "uses the network",
    "shutil": "changes files",
    "tempfile": _WRITES,
    "glob": "reads folders",
    "sqlite3": "needs a database",
    "psycopg2": "needs a database",
    "pymysql": "needs a database",
    "sqlalchemy.create_engine": "needs a database",
    "multiprocessing": "starts processes",
    "tkinter": "opens windows",
    "getpass": "waits for a password",
    "sys.stdin": _WAITS,
    "webbrowser": "opens a browser",
}
_OS_FILES = frozenset(
    "access chdir chmod chown link listdir makedirs mkdir open readlink remove removedirs rename renames replace rmdir "
    "scandir stat symlink truncate unlink walk write read".split()
)
_HARMLESS_ENDINGS = ("Error", "Exception", "Warning", "Expired")
"""Name endings of exceptions, which are harmless even in a module with side effects."""
_HARMLESS = frozenset(
    "socket.timeout socket.error socket.gaierror socket.herror socket.htonl socket.htons socket.inet_aton "
    "socket.inet_ntoa socket.inet_ntop socket.inet_pton socket.ntohl socket.ntohs glob.escape glob.has_magic "
    "subprocess.list2cmdline multiprocessing.cpu_count shutil.get_terminal_size urllib.request.pathname2url "
    "urllib.request.url2pathname urllib.request.parse_http_list urllib.request.parse_keqv_list "
    "urllib.request.Request requests.Session requests.session requests.Request requests.PreparedRequest "
    "requests.Response http.client.HTTPMessage http.client.HTTPResponse http.client.parse_headers httpx.URL "
    "httpx.Headers httpx.QueryParams httpx.Cookies httpx.Request httpx.Response httpx.Timeout httpx.Limits "
    "httpx.BasicAuth aiohttp.ClientTimeout aiohttp.FormData aiohttp.BasicAuth "
    "smtplib.quoteaddr smtplib.quotedata".split()
)
"""What these make sends nothing by itself."""
_HARMLESS_MODULES = tuple(
    f"{name}."
    for name in (
        *("requests.utils", "requests.structures", "requests.cookies", "requests.compat", "requests.auth"),
        *("requests.models", "requests.adapters", "requests.hooks", "http.client.responses", "aiohttp.hdrs"),
        "aiohttp.web",
    )
)
"""Parts of such modules without an effect, and a table."""
_OS_PROGRAMS = ("system", "popen")
_OS_PROCESSES = ("fork", "kill", "exec", "spawn", "_exit", "abort")
_OS_READING = frozenset("access listdir readlink scandir stat walk".split())
_CONNECT = "sqlite3.connect"
OPENERS = frozenset(("open", "io.open", "codecs.open", "gzip.open"))
"""Functions that open a file."""
_ARCHIVES = ("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "zipfile.is_zipfile", "tarfile.is_tarfile")
_OS_PATH_FILES = frozenset("exists isfile isdir islink getsize getmtime getatime getctime realpath samefile".split())
CONTENT_METHODS = frozenset("read_text read_bytes write_text write_bytes".split())
"""Methods of paths that read or write a whole file."""
_PATH_METHODS = CONTENT_METHODS | {"iterdir", "rglob"}
_PATH_CHANGES = frozenset("write_text write_bytes mkdir rmdir touch unlink symlink_to hardlink_to".split())
_OPENING_MODULES = frozenset("io codecs gzip bz2 lzma tarfile tokenize os".split())
"""Modules with a function `open`, which takes the path first."""
_SHARED_METHODS = {
    **dict.fromkeys(("extract", "extractall"), ("zipfile", "tarfile")),
    "replace": ("pathlib",),
}
"""Methods that change files, by the modules whose objects have them; others have such methods, too."""
_PATH_READING = _PATH_METHODS - {"write_text", "write_bytes"}


class EffectFinder:
    """Finds the side effects of the functions of one module, analysing each once.

    Args:
        aliases: local name -> dotted name of the imported object.
        definitions: the module's own functions by name, and methods by qualified name, which then are followed too.
    """

    def __init__(self, aliases: Mapping[str, str], definitions: Mapping[str, FunctionNode]) -> None:
        self._aliases = aliases
        self._definitions = definitions
        self._owners = {id(node): name.rpartition(".")[0] for name, node in definitions.items()}
        self._seen = dict[int, tuple[list[str], list[str]]]()

    def find_obstacle(self, function: FunctionNode) -> tuple[str | None, str | None]:
        """Return why `function` cannot be run on generated inputs, and how it reads files, following calls within its
        module; None where it does not."""
        reads: str | None = None
        reading = (*_READING, _WAITS, *_CHANGING, STARTS, SENDS) if is_plain(function) else _READING
        for _, effects, through in self._followed(function):
            for effect in effects:
                if not effect.startswith(reading):
                    return through + effect, None
                reads = reads or through + effect
        return None, reads

    def effects_of(self, function: FunctionNode) -> list[str]:
        """Return the effects of a function's own code."""
        return self._look(function)[0]

    def changes_files(self, function: FunctionNode) -> bool:
        """Whether a function may write files, itself or in what it calls in its module."""
        return any(
            any(effect.startswith(_CHANGING) for effect in effects)
            or any(_changes_path(part) or self._changes_otherwise(part) for part in walk_tree(node))
            for node, effects, _ in self._followed(function)
        )

    def _changes_otherwise(self, node: ast.AST) -> bool:
        """Whether a node calls a method that other things than paths and archives have, too, where the module imports
        what makes these."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        makers = _SHARED_METHODS.get(node.func.attr, ())
        is_so = node.func.attr != "replace" or (len(node.args) == 1 and not node.keywords)
        return is_so and any(one.split(".")[0] in makers for one in self._aliases.values())

    def _followed(self, function: FunctionNode) -> Iterator[tuple[FunctionNode, list[str], str]]:
        """Yield a function and those of the module that it calls, directly or not, each with its effects and the call
        that leads to it."""
        visited = {id(function)}
        pending: list[tuple[FunctionNode, str]] = [(function, "")]
        while pending:
            node, through = pending.pop(0)
            effects, called = self._look(node)
            yield node, effects, through
            for name in called:
                callee = self._definitions[name]
                if id(callee) not in visited:
                    visited.add(id(callee))
                    pending.append((callee, f"calls {name}(), which "))

    def _look(self, node: FunctionNode) -> tuple[list[str], list[str]]:
        """Return the effects of a function's own code, and the functions of the module that it calls."""
        if id(node) not in self._seen:
            calls = [part for part in walk_tree(node) if isinstance(part, ast.Call)]
            names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
            names |= {name for call in calls for name in self._methods_called(call.func, node)}
            effects = list(_effects(node, calls, self._aliases, self._definitions))
            self._seen[id(node)] = effects, sorted(names & self._definitions.keys())
        return self._seen[id(node)]

    def _methods_called(self, called: ast.expr, node: FunctionNode) -> list[str]:
        """Return the qualified name of a method that a function calls of its instance, or of an object that is passed
        and annotated with a class."""
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            return []
        owner = self._owners.get(id(node), "")
        listed = listed_parameters(node.args)
        stated = [(one.arg, one.annotation) for one in listed if one.annotation is not None]
        classes = {name: string_in(one) or dotted_name(one) for name, one in stated}
        if owner and listed:
            classes[listed[0].arg] = owner
        return [f"{classes[called.value.id]}.{called.attr}"] if called.value.id in classes else []


def _effects(
    node: FunctionNode, calls: Iterable[ast.Call], aliases: Mapping[str, str], own: Container[str]
) -> Iterator[str]:
    parameters = {part.arg for part in walk_tree(node.args) if isinstance(part, ast.arg)}
    for part in calls:
        name = dotted_name(part.func)
        if name is None:
            if isinstance(part.func, ast.Attribute) and part.func.attr in _PATH_METHODS:
                what = _READS if part.func.attr in _PATH_READING else _BUILTINS["open"]
                yield f"{what}: .{part.func.attr}(...)"
            continue
        root, _, rest = name.partition(".")
        if root in parameters:
            continue
        if not rest and root in _BUILTINS and root not in own and root not in aliases:
            yield f"{_READS if root == 'open' and _only_reads(part) else _BUILTINS[root]}: {root}(...)"
        elif root in aliases:
            full = ".".join(filter(None, [aliases[root], rest]))
            effect = _READS if full in (*OPENERS, *_ARCHIVES) and _only_reads(part) else _effect_of(full)
            if effect is not None and not (full == _CONNECT and _is_given_database(part, parameters)):
                yield f"{effect}: {name}(...)"


def _is_given_database(call: ast.Call, parameters: Container[str]) -> bool:
    """Whether a call opens a database of SQLite in memory, or one whose path is a parameter or an attribute: these are
    made."""
    path = call.args[0] if call.args else None
    while isinstance(path, ast.Call) and len(path.args) == 1:
        path = path.args[0]
    is_given = isinstance(path, ast.Attribute) or (isinstance(path, ast.Name) and path.id in parameters)
    return is_given or string_in(path) == ":memory:"


def _changes_path(node: ast.AST) -> bool:
    """Whether a node calls a method that changes files where it is one of a path, as most with such a name are."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "rename":
        return len(node.args) == 1 and not node.keywords
    if node.func.attr == "open":
        is_function = isinstance(node.func.value, ast.Name) and node.func.value.id in _OPENING_MODULES
        return not _only_reads(node, place=int(is_function))
    return node.func.attr in _PATH_CHANGES


def _only_reads(call: ast.Call, place: int = 1) -> bool:
    """Whether a file is opened without a mode, or with one that is known to change nothing."""
    modes = [*call.args[place : place + 1], *[one.value for one in call.keywords if one.arg == "mode"]]
    is_known = not has_star(call.args) and all(one.arg for one in call.keywords)
    return is_known and all(
        isinstance(one, ast.Constant) and isinstance(one.value, str) and not set(one.value.split(":")[0]) & set("wax+")
        for one in modes
    )


def _effect_of(full: str) -> str | None:
    """Return the known side effect of calling a function by its full dotted name, or None."""
    module, _, attribute = full.rpartition(".")
    if full in _MODULES:
        return _MODULES[full]
    if attribute.endswith(_HARMLESS_ENDINGS) or full in _HARMLESS or full.startswith(_HARMLESS_MODULES):
        return None
    if module == "os" and attribute in _OS_READING:
        return _READS
    if module == "os" and attribute in _OS_FILES:
        return "reads or changes files"
    if module == "os" and attribute in _OS_PROGRAMS:
        return STARTS
    if module == "os" and attribute.startswith(_OS_PROCESSES):
        return "starts or ends processes"
    if module == "os.path" and attribute in _OS_PATH_FILES:
        return _LOOKS
    if full in {"io.open", "codecs.open"}:
        return _WRITES
    if full in {"gzip.open", *_ARCHIVES}:
        return _WRITES
    return next((what for name, what in _MODULES.items() if full == name or full.startswith(name + ".")), None)
