"""What a function does with the paths that it is given: which are folders, and which files have others beside them.

Paths are followed through variables, loops, joins and conversions: ``for name in os.listdir(folder)`` and
``target = Path(root) / "a.txt"``.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple

from ...program.source_facts import nodes_of
from ...static.parameter_members import read_members
from ...static.walking import Function, name_of, string_in
from ...surroundings.listing_order import LISTING
from ..members import own_classes_having

ITSELF, BELOW, BESIDE = "itself", "below", "beside"
_LISTING = LISTING | {"fwalk"}
_TREES = frozenset(("rmtree", "copytree", "chdir", "rmdir", "removedirs"))
"""Other functions whose first argument is a folder."""
_METHODS = _LISTING | frozenset(
    "exists is_file is_dir stat lstat open read_text read_bytes write_text write_bytes unlink rename replace mkdir "
    "rmdir touch chmod symlink_to samefile".split()
)
"""Methods of paths that look at files or change them."""
_FUNCTIONS = (
    _LISTING
    | _TREES
    | frozenset(
        "open remove unlink rename replace mkdir makedirs stat lstat utime chmod truncate exists isfile isdir islink "
        "getsize getmtime getctime getatime copy copy2 copyfile move unpack_archive ZipFile is_zipfile "
        "is_tarfile".split()
    )
)
_LATER = frozenset("walk copy copy_into move move_into info full_match".split())
"""What paths have since Python 3.12 or later; walks of trees are older."""
_HOMES = frozenset("os posix posixpath genericpath shutil glob io _io codecs zipfile tarfile gzip tokenize".split())
"""The modules that these functions are of."""
_OWNERS = _HOMES | {"path"}
_FOLDER_TESTS, _FILE_TESTS = frozenset(("is_dir", "isdir")), frozenset(("is_file", "isfile"))
_JOINING = frozenset(("joinpath",))
_BESIDE = frozenset(("with_suffix", "with_name", "with_stem"))
_CONVERTING = frozenset(
    "Path PosixPath PurePath str fspath abspath realpath normpath expanduser expandvars resolve absolute relative_to "
    "as_posix sorted list tuple set reversed iter enumerate max min next filter dirname with_segments fsdecode".split()
)
"""Functions and methods whose result has the paths that they are given."""
_OF_PATHS = frozenset(("parent", "parents", "path"))
"""Attributes of paths and of entries of folders that are paths."""
_ROUNDS = 3


class Origin(NamedTuple):
    """Where a path leads."""

    name: str
    """The parameter or attribute from which it is made."""
    place: str
    """Whether it is that itself, below it or beside it."""
    is_item: bool = False
    """Whether that is a list of paths, of which it is one."""


class PathUse:
    """What is done with one path."""

    __slots__ = ("is_asked", "is_climbed", "is_item", "is_listed", "places")

    def __init__(self) -> None:
        self.is_item = False
        """Whether it is an item of a list."""
        self.is_listed = False
        """Whether its files are listed."""
        self.is_climbed = False
        """Whether the folders above it are looked at, too."""
        self.is_asked = set[str]()
        """As what it is asked for itself: tests of files and of folders."""
        self.places = set[str]()
        """Where files are looked at, read or changed."""

    @property
    def is_folder(self) -> bool:
        """Whether it leads to a folder."""
        return self.is_listed or BELOW in self.places

    @property
    def may_be_file(self) -> bool:
        """Whether a file makes sense in its place."""
        return bool(self.is_asked & _FILE_TESTS)

    @property
    def has_siblings(self) -> bool:
        """Whether it leads to a file beside which others are looked at."""
        return BESIDE in self.places and not self.is_folder


def path_uses(function: Function, names: Set[str], scope: Mapping[str, Any]) -> dict[str, PathUse]:
    """Return what a function itself does with paths, by parameters or other names of its own."""
    nodes = nodes_of(function)
    if not any([_may_touch(node) for node in nodes]):
        return {}
    tracer = Tracer(function, names)
    found: dict[str, PathUse] = {}
    climbed = {origin.name for origin in map(tracer.climbed, nodes) if origin is not None}
    for node in nodes:
        for origin, called in touched(node, tracer, scope):
            use = found.setdefault(origin.name, PathUse())
            use.places.add(origin.place)
            use.is_item |= origin.is_item
            use.is_climbed |= origin.name in climbed
            if origin.place == ITSELF:
                use.is_listed |= called in _LISTING or called in _TREES
                use.is_asked |= {called} & (_FILE_TESTS | _FOLDER_TESTS)
    return {name: use for name, use in found.items() if not _is_other_object(read_members(function).get(name), scope)}


def _is_other_object(members: Set[str] | None, scope: Mapping[str, Any]) -> bool:
    """Whether a class of the project has all that is read of an object, and paths of older versions of Python lack
    some of it."""
    is_path = members is None or all([one not in _LATER and hasattr(pathlib.Path, one) for one in members])
    return members is not None and not is_path and bool(own_classes_having(scope, members))


def _may_touch(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (name_of(node.func) in _METHODS or name_of(node.func) in _FUNCTIONS)


def touched(node: ast.AST, tracer: Tracer, scope: Mapping[str, Any]) -> Iterator[tuple[Origin, str]]:
    """Yield where the paths lead with which a call looks at files or changes them, and the name of what is called."""
    if not isinstance(node, ast.Call):
        return
    called = name_of(node.func)
    is_first = True
    if called in _METHODS and isinstance(node.func, ast.Attribute):
        origin = tracer.origin(node.func.value)
        if origin is not None:
            yield origin, called
    given = [*node.args, *[one.value for one in node.keywords]] if _is_of_files(node.func, called, scope) else []
    given += node.args if called in ("rename", "replace") and len(node.args) == 1 and not given else []
    given += _read_by_parser(node) if called == "read" else []
    for one in given:
        origin = tracer.origin(one)
        if origin is not None:
            yield origin, called if is_first else ""
        is_first = False


def _read_by_parser(node: ast.Call) -> list[ast.expr]:
    """Return the paths that a parser of settings reads: ``parser.read(path)``, ``parser.read([path])``."""
    first = next(iter(node.args), None)
    return first.elts if isinstance(first, (ast.List, ast.Tuple)) else node.args[:1]


def _is_of_files(callee: ast.expr, called: str, scope: Mapping[str, Any]) -> bool:
    if isinstance(callee, ast.Attribute):
        return called in _FUNCTIONS and name_of(callee.value) in _OWNERS
    home = getattr(scope.get(called), "__module__", "") if called in scope else "io" * (called == "open")
    return called in _FUNCTIONS and home in _HOMES


class Tracer:
    """Follows the paths of one function.

    Args:
        function: the definition.
        names: the parameters, or other names, whose values may be paths.
    """

    def __init__(self, function: Function, names: Set[str]) -> None:
        self._known = {name: Origin(name, ITSELF) for name in names}
        for _ in range(_ROUNDS):
            before = len(self._known)
            for node in nodes_of(function):
                self._note(node)
            if len(self._known) == before:
                break

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)) and node.value is not None:
            self._bind(node.target, node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._bind(node.target, node.iter, is_loop=not isinstance(node.iter, (ast.List, ast.Tuple, ast.Set)))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            is_listing = isinstance(node.context_expr, ast.Call) and name_of(node.context_expr.func) in _LISTING
            if is_listing:
                self._bind(node.optional_vars, node.context_expr)

    def _bind(self, target: ast.expr, value: ast.expr, *, is_loop: bool = False) -> None:
        origin = self.origin(value)
        if origin is None:
            return
        if is_loop and origin.place == ITSELF:
            origin = Origin(origin.name, ITSELF, is_item=True)
        for one in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(one, ast.Name):
                self._known.setdefault(one.id, origin)

    def origin(self, node: ast.AST | None) -> Origin | None:
        """Return where an expression leads; None where it is no path that is made of one of the names."""
        if isinstance(node, ast.Name):
            return self._known.get(node.id)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
            return self._joined(self.origin(node.left), is_below=_goes_below(node))
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.FormattedValue):
            start = self.origin(node.values[0].value)
            further = string_in(node.values[1]) if len(node.values) > 1 else ""
            return start if len(node.values) == 1 else self._joined(start, is_below=further.startswith("/"))
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node)
        return next((one for one in map(self.origin, _parts_of(node)) if one is not None), None)

    def climbed(self, node: ast.AST) -> Origin | None:
        """Return whose folder is asked for by a node: ``folder.parent``, ``os.path.dirname(folder)``."""
        above: ast.expr | None = None
        if isinstance(node, ast.Attribute) and node.attr in ("parent", "parents"):
            above = node.value
        elif isinstance(node, ast.Call) and name_of(node.func) == "dirname":
            above = next(iter(node.args), None)
        origin = self.origin(above)
        return origin if origin is not None and origin.place == ITSELF else None

    def _of_attribute(self, node: ast.Attribute) -> Origin | None:
        origin = self.origin(node.value) if node.attr in _OF_PATHS else None
        if origin is not None and node.attr == "parent" and origin.place == ITSELF:
            return Origin(origin.name, BESIDE, origin.is_item)
        return origin

    def _of_call(self, node: ast.Call) -> Origin | None:
        called = name_of(node.func)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        held = self.origin(owner)
        if held is not None:
            if called in _JOINING or called in _LISTING:
                return self._joined(held, is_below=True)
            if called in _BESIDE:
                return self._joined(held, is_below=False)
            return held if called in _CONVERTING else None
        first = next(iter(node.args[::-1] if called == "filter" else node.args), None)
        given = self.origin(first)
        if called in _LISTING or (called == "join" and name_of(owner or node.func) in ("path", "os", "join")):
            return self._joined(given, is_below=True)
        if called == "dirname" and given is not None and given.place == ITSELF:
            return Origin(given.name, BESIDE, given.is_item)
        if called in _CONVERTING:
            return self._joined(given, is_below=True) if len(node.args) > 1 and "Path" in called else given
        return None

    @staticmethod
    def _joined(start: Origin | None, *, is_below: bool) -> Origin | None:
        if start is None or start.place != ITSELF:
            return start
        return Origin(start.name, BELOW if is_below else BESIDE, start.is_item)


def _goes_below(node: ast.BinOp) -> bool:
    if isinstance(node.op, ast.Div):
        return True
    right: ast.expr = node.right
    while isinstance(right, ast.BinOp):
        right = right.left
    first = right.values[0] if isinstance(right, ast.JoinedStr) and right.values else right
    return string_in(first).startswith("/") or ast.unparse(first) in ("os.sep", "os.path.sep", "sep")


def _parts_of(node: ast.AST | None) -> list[ast.expr]:
    """Return the expressions whose value another one may be, or have as an item."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return node.elts
    if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        return [node.elt]
    return [node.value] if isinstance(node, (ast.Subscript, ast.NamedExpr, ast.Starred, ast.Await)) else []
