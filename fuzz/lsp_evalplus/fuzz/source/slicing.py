"""Program slicing: extract the part of a module that one function needs, without side effects of the rest.

A module made only of definitions, constants and imports of the standard library is taken whole. Otherwise a program
holds the target and its transitive dependencies: imports, constants, functions, classes, and the statements that fill
a constant. Omitted statements become blank lines, so line numbers in the program are line numbers in the file.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from lsp_evalplus.fuzz.guest.static.walking import walk_statements, walk_tree

from .definitions import dump_code
from .parsing import ParsedText
from .scopes import (
    FunctionNode,
    bound_names,
    changed_names,
    dotted_name,
    identifiers_in,
    parameter_nodes,
    root_name,
    used_names,
)


class Role(StrEnum):
    """Role of a top-level statement in a program."""

    FUTURE = "future"
    IMPORT = "import"
    SETTING = "setting"
    """Changes what the interpreter keeps and functions of the module rely on, as a limit, a codec's handler or the
    decimal context: part of every program."""
    DEFINITION = "definition"
    CONSTANT = "constant"
    MAIN = "main"
    """``if __name__ == "__main__"``: never part of a program."""
    EFFECT = "effect"
    """Runs unknown code; part of a program only if the target needs what it binds or changes."""


@dataclass(frozen=True)
class Unit:
    """One top-level statement, or several that share a line; lines count from 1 and include decorators."""

    nodes: tuple[ast.stmt, ...]
    first_line: int
    last_line: int
    role: Role
    binds: frozenset[str]
    changes: frozenset[str]

    @cached_property
    def uses(self) -> frozenset[str]:
        """Names it uses from the rest of the module; computed on demand, as most units are never needed."""
        found = used_names(*self.nodes)
        return found | {"globals"} if any(map(_finds_its_module, self.nodes)) else found

    @cached_property
    def code(self) -> str:
        """Its code as normalised text; see `dump_code`."""
        return "\n".join(map(dump_code, self.nodes))

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Names and attributes in it."""
        return identifiers_in(self.nodes)


@dataclass(frozen=True, slots=True)
class Slice:
    """The lines of a program and the omitted statements."""

    source: str
    skipped: tuple[str, ...]
    """Those that run unknown code."""
    is_part: bool
    """Whether any other than the main guard is omitted."""


class Slicer:
    """Slices programs out of one module, with shared results computed once."""

    def __init__(self, parsed: ParsedText) -> None:
        self._parsed = parsed
        self._units = read_units(parsed)
        self._is_plain = is_plain_module(self._units)
        self._providers = _index(self._units)
        self._always = frozenset(
            index
            for index, unit in enumerate(self._units)
            if unit.role in {Role.FUTURE, Role.SETTING} or any(map(_is_star_import, unit.nodes))
        )

    def cut(self, needed: Iterable[str]) -> Slice:
        """Return the program that the `needed` names depend on."""
        return self._whole if self._is_plain else self._make(self.needed_units(needed))

    def needed_units(self, needed: Iterable[str]) -> tuple[Unit, ...]:
        """Return the statements that the `needed` names depend on, transitively, in source order."""
        kept, seen, pending = set(self._always), set[str](), set(needed)
        for index in self._always:
            pending |= self._units[index].uses
        while pending:
            name = pending.pop()
            seen.add(name)
            for index in self._wanted(name):
                if index not in kept:
                    kept.add(index)
                    pending |= self._units[index].uses - seen
        return tuple(self._units[index] for index in sorted(kept) if self._units[index].role is not Role.MAIN)

    @cached_property
    def _whole(self) -> Slice:
        return self._make(tuple(unit for unit in self._units if unit.role is not Role.MAIN))

    def _wanted(self, name: str) -> Iterable[int]:
        if name not in _DYNAMIC:
            return self._providers.get(name, ())
        return (index for index, unit in enumerate(self._units) if unit.role is not Role.EFFECT)

    def _make(self, kept: tuple[Unit, ...]) -> Slice:
        lines = [""] * len(self._parsed.lines)
        for unit in kept:
            lines[unit.first_line - 1 : unit.last_line] = self._parsed.lines[unit.first_line - 1 : unit.last_line]
        chosen = set(map(id, kept))
        left_out = [unit for unit in self._units if id(unit) not in chosen and unit.role is Role.EFFECT]
        is_part = any(id(unit) not in chosen and unit.role is not Role.MAIN for unit in self._units)
        return Slice("\n".join(lines), tuple(map(_describe, left_out)), is_part)


def read_units(parsed: ParsedText) -> tuple[Unit, ...]:
    """Read the top-level statements of a module in order."""
    aliases = imported_names(parsed.tree)
    changed_by = _changed_by_calls(parsed.tree)
    groups = list[list[ast.stmt]]()
    for node in parsed.tree.body:
        if groups and _first_line(node) <= (groups[-1][-1].end_lineno or 0):
            groups[-1].append(node)
        else:
            groups.append([node])
    return tuple(_unit(group, aliases, changed_by) for group in groups)


def is_plain_module(units: Iterable[Unit]) -> bool:
    """Whether importing the module only defines names and imports the standard library."""
    return all(
        unit.role in {Role.FUTURE, Role.SETTING, Role.DEFINITION, Role.CONSTANT, Role.MAIN}
        or (unit.role is Role.IMPORT and all(map(_imports_standard_library, unit.nodes)))
        for unit in units
    )


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Map local name -> dotted name of the imported object, for imports anywhere in the module."""
    aliases = dict[str, str]()
    for node in walk_statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name if alias.asname else alias.name.partition(".")[0]
                aliases[alias.asname or root] = root
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return aliases


def _index(units: tuple[Unit, ...]) -> dict[str, list[int]]:
    """Map name -> statements that bind or change it; a decorator does not change the module it is imported from."""
    providers = dict[str, list[int]]()
    imported = frozenset[str]().union(*(unit.binds for unit in units if unit.role is Role.IMPORT))
    for index, unit in enumerate(units):
        if unit.role is not Role.MAIN:
            changes = unit.changes - imported if unit.role is Role.DEFINITION else unit.changes
            for name in unit.binds | changes:
                providers.setdefault(name, []).append(index)
    return providers


_DYNAMIC = frozenset({"globals", "eval", "exec", "vars", "__import__"})
"""Functions that access names dynamically, which static analysis cannot see."""


def _finds_its_module(node: ast.stmt) -> bool:
    """Whether it looks its own module up: ``sys.modules[__name__]``, ``sys.modules[cls.__module__]``."""
    parts = walk_tree(node)
    if not any(isinstance(part, ast.Attribute) and dotted_name(part) == "sys.modules" for part in parts):
        return False
    return any(
        (isinstance(part, ast.Name) and part.id == "__name__")
        or (isinstance(part, ast.Attribute) and part.attr == "__module__")
        for part in parts
    )


def _changed_by_calls(tree: ast.Module) -> dict[str, frozenset[str]]:
    """Map function of the module -> names of the module that calling it mutates, itself or through others.

    What a function does that it returns counts as well: decorators with arguments register in an inner function. So do
    class methods, here under names such as ``Registry.add``.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    own = bound_names(*tree.body)
    changed = dict[str, frozenset[str]]()
    called = dict[str, Set[str]]()
    for name, node in functions.items():
        changed[name] = (_changed_in(node) & own) - {parameter.arg for parameter in parameter_nodes(node.args)}
        called[name] = frozenset(_called_names(walk_tree(node))) - {name}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            changed[_making(node.name)] = _changed_by_making(node) & own
            called[_making(node.name)] = frozenset(_called_at_once(node)) | frozenset(_called_by_hooks(node))
            for method in _class_methods(node):
                first = method.args.args[0].arg
                found = _changed_in(method)
                changed[f"{node.name}.{method.name}"] = (found & own) | ({node.name} if first in found else set())
                names = frozenset(_called_names(walk_tree(method)))
                called[f"{node.name}.{method.name}"] = {re.sub(rf"^{first}\.", f"{node.name}.", name) for name in names}
    called = {name: names & changed.keys() for name, names in called.items()}
    while True:
        further = {name: changed[name].union(*(changed[one] for one in called[name])) for name in changed}
        if further == changed:
            return changed
        changed = further


def _making(base: str) -> str:
    """Return the name, which no function can have, for making a class with this base or metaclass."""
    return f"class {base}"


def _class_methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    for one in node.body:
        names = [dotted_name(part) for part in one.decorator_list] if isinstance(one, ast.FunctionDef) else []
        if isinstance(one, ast.FunctionDef) and "classmethod" in names and one.args.args:
            yield one


def _hooks(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """Return the methods that are called when a class is made of this one, as its base or its metaclass."""
    is_metaclass = any(isinstance(base, ast.Name) and base.id == "type" for base in node.bases)
    hooks = ("__init_subclass__", "__new__", "__init__") if is_metaclass else ("__init_subclass__",)
    return [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in hooks]


def _changed_in(node: FunctionNode) -> frozenset[str]:
    """Return the names that a function mutates, or assigns as global ones."""
    declared = {one for part in walk_tree(node) if isinstance(part, ast.Global) for one in part.names}
    return frozenset[str]().union(*map(changed_names, node.body)) | declared


def _changed_by_making(node: ast.ClassDef) -> frozenset[str]:
    """Return the names that change when a class is made of this one: a registry, also one that this class holds."""
    found = set[str]()
    for hook in _hooks(node):
        changed = _changed_in(hook)
        names = [parameter.arg for parameter in parameter_nodes(hook.args)]
        found |= changed - set(names)
        if names and names[0] in changed:
            found.add(node.name)
    return frozenset(found)


def _called_by_hooks(node: ast.ClassDef) -> Iterator[str]:
    for hook in _hooks(node):
        yield from _called_names(walk_tree(hook))


def _called_names(parts: Iterable[ast.AST]) -> Iterator[str]:
    for part in parts:
        name = dotted_name(part.func) if isinstance(part, ast.Call) else None
        if name is not None:
            yield name


def _called_at_once(node: ast.stmt) -> Iterator[str]:
    """Yield the names of functions that the statement itself calls: decorators and what makes classes (`_making`), but
    not the bodies of definitions."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield from (part.id for part in node.decorator_list if isinstance(part, ast.Name))
        pending: list[ast.AST] = list(node.decorator_list)
        if isinstance(node, ast.ClassDef):
            bases = [*node.bases, *(keyword.value for keyword in node.keywords if keyword.arg == "metaclass")]
            yield from (_making(base.id) for base in bases if isinstance(base, ast.Name))
    else:
        pending = [node]
    while pending:
        part = pending.pop()
        yield from _called_names([part])
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            pending.extend(part.decorator_list)
        elif not isinstance(part, ast.Lambda):
            pending.extend(ast.iter_child_nodes(part))


def _unit(nodes: list[ast.stmt], aliases: dict[str, str], changed_by: Mapping[str, frozenset[str]]) -> Unit:
    roles = {_role(node, aliases) for node in nodes}
    role = next(iter(roles)) if len(roles) == 1 else _mixed(roles)
    return Unit(
        nodes=tuple(nodes),
        first_line=_first_line(nodes[0]),
        last_line=max(node.end_lineno or node.lineno for node in nodes),
        role=role,
        binds=bound_names(*nodes),
        changes=frozenset[str]().union(
            *map(_changes, nodes),
            *(changed_by.get(name, frozenset[str]()) for node in nodes for name in _called_at_once(node)),
        ),
    )


def _mixed(roles: set[Role]) -> Role:
    strongest = (role for role in (Role.EFFECT, Role.SETTING, Role.IMPORT) if role in roles)
    return next(strongest, Role.CONSTANT)


def _changes(node: ast.stmt) -> frozenset[str]:
    """Return the names a statement mutates; a definition mutates only via ``@handlers.register``, here `handlers`."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        calls = [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]
        roots = {root_name(call) for call in calls if isinstance(call, ast.Attribute)}
        return frozenset(root for root in roots if root is not None)
    return changed_names(node)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _role(node: ast.stmt, aliases: dict[str, str]) -> Role:
    match node:
        case ast.ImportFrom(module="__future__"):
            return Role.FUTURE
        case ast.Import() | ast.ImportFrom():
            return Role.IMPORT
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return Role.DEFINITION
        case ast.If() if is_main_guard(node.test):
            return Role.MAIN
        case ast.Expr(value=ast.Call() as call) if _SETTINGS.fullmatch(_full_name(call, aliases)):
            return Role.SETTING
        case ast.Assign(targets=[ast.Attribute(value=ast.Call() as call)]) if _full_name(call, aliases) == _CONTEXT:
            return Role.SETTING
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return Role.CONSTANT
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            return Role.CONSTANT if node.value is None or _is_quiet(node.value, aliases) else Role.EFFECT
        case ast.If() | ast.Try():
            return _compound_role(node, aliases)
        case _:
            return Role.CONSTANT if type(node).__name__ == "TypeAlias" else Role.EFFECT


def is_main_guard(test: ast.expr) -> bool:
    """Whether `test` is ``__name__ == "__main__"`` in either order, alone or in a boolean expression."""
    names = {part.id for part in walk_tree(test) if isinstance(part, ast.Name)}
    constants = {part.value for part in walk_tree(test) if isinstance(part, ast.Constant)}
    return "__name__" in names and "__main__" in constants


def _compound_role(node: ast.If | ast.Try, aliases: dict[str, str]) -> Role:
    if isinstance(node, ast.If) and not _is_quiet(node.test, aliases):
        return Role.EFFECT
    inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    inner += [child for handler in getattr(node, "handlers", []) for child in handler.body]
    roles = {_role(child, aliases) for child in inner if not isinstance(child, ast.Raise)}
    return _mixed(roles) if len(roles) > 1 else next(iter(roles), Role.CONSTANT)


def _is_quiet(expression: ast.expr, aliases: dict[str, str]) -> bool:
    """Whether evaluating it has no relevant side effect: it calls only functions known to be harmless."""
    for part in walk_tree(expression):
        if isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(part, ast.Call) and not _is_quiet_call(part, aliases):
            return False
    return True


def _is_quiet_call(call: ast.Call, aliases: dict[str, str]) -> bool:
    name = dotted_name(call.func)
    if name is None:
        return isinstance(call.func, ast.Attribute) and call.func.attr in _QUIET_METHODS
    root, _, rest = name.partition(".")
    if root not in aliases:
        return (root in _QUIET_BUILTINS and not rest) or rest.rpartition(".")[2] in _QUIET_METHODS
    full = ".".join(filter(None, [aliases[root], rest]))
    return full.partition(".")[0] in _QUIET_MODULES or full in _QUIET_FUNCTIONS


def _full_name(call: ast.Call, aliases: dict[str, str]) -> str:
    root, _, rest = (dotted_name(call.func) or "").partition(".")
    return ".".join(filter(None, [aliases.get(root, root), rest]))


_SETTINGS = re.compile(
    r"sys\.(setrecursionlimit|set_int_max_str_digits)|threading\.stack_size|codecs\.register(_error)?|copyreg\.\w+"
    r"|csv\.register_dialect|decimal\.setcontext|logging\.addLevelName|mimetypes\.add_type"
    r"|urllib\.parse\.uses_\w+\.(append|extend|insert)"
    r"|xml\.etree\.ElementTree\.register_namespace"
)
_CONTEXT = "decimal.getcontext"
"""Its attributes are assigned: ``getcontext().prec = 50``."""
_QUIET_BUILTINS = frozenset(
    "abs all any bin bool bytearray bytes chr complex dict divmod enumerate filter float format frozenset hash "
    "hex id int isinstance issubclass iter len list map max memoryview min object oct ord pow property range repr "
    "reversed round set slice sorted str sum tuple type zip".split()
)
_QUIET_MODULES = frozenset(
    "array bisect cmath collections copy dataclasses datetime decimal enum fractions functools heapq itertools "
    "math numbers operator re statistics string struct textwrap types typing typing_extensions unicodedata uuid".split()
)
_QUIET_FUNCTIONS = frozenset(
    {
        "logging.getLogger",
        "os.path.join",
        "os.path.dirname",
        "os.path.abspath",
        "os.path.basename",
        "os.environ.get",
        "os.getenv",
        "pathlib.Path",
        "pathlib.PurePath",
        "threading.Lock",
        "threading.RLock",
        "threading.local",
        "contextvars.ContextVar",
        "random.Random",
    }
)
_QUIET_METHODS = frozenset(
    "split rsplit splitlines strip lstrip rstrip join lower upper title capitalize replace format encode decode "
    "keys values items get copy union intersection difference count index startswith endswith maketrans fromkeys "
    "resolve".split()
)


def _imports_standard_library(node: ast.stmt) -> bool:
    """Whether a statement imports only from the standard library, possibly inside ``try`` and ``if``."""
    for part in walk_tree(node):
        if isinstance(part, ast.ImportFrom) and (part.level or not is_standard(part.module or "")):
            return False
        if isinstance(part, ast.Import) and not all(is_standard(alias.name) for alias in part.names):
            return False
    return True


def is_standard(module: str) -> bool:
    """Whether a module is one of the standard library, or inside of one."""
    return module.partition(".")[0] in sys.stdlib_module_names


def _is_star_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)


def _describe(unit: Unit) -> str:
    text = ast.unparse(unit.nodes[0]).partition("\n")[0]
    return f"line {unit.first_line}: {text if len(text) <= 60 else text[:57] + '...'}"
