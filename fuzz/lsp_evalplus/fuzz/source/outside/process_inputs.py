"""What functions read of their process: environment variables, arguments, the standard input, files with own names.

The names of variables and likely words are read from the function and from what it calls in its module. Two versions
that are compared get the same inputs, so what either of them reads counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from lsp_evalplus.fuzz.guest.static.command_lines import PARSING, command_lines_in
from lsp_evalplus.fuzz.guest.static.parameter_members import positional_parameters
from lsp_evalplus.fuzz.guest.static.walking import FUNCTIONS, items_in, name_of, targets_of, walk_tree
from lsp_evalplus.fuzz.model import Plain, Program
from lsp_evalplus.fuzz.source.scopes import dotted_name, is_plain
from lsp_evalplus.fuzz.source.side_effects import EffectFinder
from lsp_evalplus.fuzz.source.slicing import imported_names

from .constant_files import ConstantFiles, FileReader, joined
from .functions import LocatedFunction, locate
from .imported_functions import imported_functions
from .module_state import changed_variables

MOST_WORDS, MOST_VARIABLES = 24, 12
MOST_SEEDS, MOST_OF_FILES = 60, 24
_MENTIONS = re.compile(
    r"\benviron|\bgetenv\b|\bargv\b|\bparse_(?:known_|intermixed_)?args\b|\binput\s*\(|\bstdin\b|\bopen\(|\.write_|\.read\("
    r"|\bread_csv\(|\b(?:os|shutil|Path|zipfile|ZipFile|tarfile)\b"
    r"|\.(?:unlink|rmdir|mkdir|touch|rename|symlink_to|hardlink_to|extract|extractall)\("
)
_USUAL_WORDS = ("1", "0", "", "a", "true", "12")
_ANSWERS = ("y", "n")
"""What questions of libraries take as well."""
_LOOK_UPS = frozenset(("get", "pop", "setdefault"))
_CHANGES = frozenset(("clear", "pop", "popitem", "setdefault", "update"))
"""Methods that change the environment."""
_OF_ANY_NAME = ("a", "b")
"""Variables for a function that changes those whose names it is given."""


@dataclass(frozen=True, slots=True)
class ProcessInputs:
    """What a function reads of its process."""

    variables: tuple[str, ...] = ()
    """Names of environment variables."""
    arguments: bool = False
    stdin: bool = False
    words: tuple[str, ...] = ()
    """Likely values of a variable, an argument or a line."""
    files: bool = False
    """Whether it may leave files."""
    sets: bool = False
    """Whether it may set environment variables, or remove them."""
    lines: tuple[tuple[str, ...], ...] = ()
    """Command lines that its parsers take."""
    files_read: ConstantFiles = field(default_factory=ConstantFiles)
    left: tuple[str, ...] = ()
    """Variables of its module that it may change."""

    @property
    def is_further(self) -> bool:
        """Whether it reads anything beside its parameters, or changes anything that its callers do not pass."""
        is_read = bool(self.variables or self.arguments or self.stdin or self.files_read.names)
        return is_read or bool(self.files or self.sets or self.left)

    def to_plain(self) -> Plain:
        """Return the field ``process_inputs`` of a program."""
        names = ("variables", "arguments", "stdin", "files", "sets", "words", "left")
        fields = {name: getattr(self, name) for name in names}
        return {**fields, "files_read": self.files_read.to_plain()}

    def seeds(self, owner: str = "") -> list[str]:
        """Return arguments texts (see `fuzz.model.ArgumentsText`) for a function, or a method, that needs nothing else.

        Args:
            owner: name of the class of a method, of which instances are made without arguments.
        """
        first = f"({owner}(),)" if owner.isidentifier() else "()"
        named = [f"{{'args': {first}, 'kwargs': {one!r}}}" for one in self._named()]
        return list(dict.fromkeys(named))[:MOST_SEEDS]

    def _named(self) -> Iterator[dict[str, Any]]:
        for contents in islice(self.files_read.seeds(), MOST_OF_FILES if self.files_read.names else 0):
            yield {"os_files": contents}
        if self.arguments:
            # Arguments may name the files.
            files = [{"os_files": one} for one in islice(self.files_read.seeds(), 1)] if self.files_read.names else []
            words = [(one, *more) for one in self.words for more in (self.words[:0], self.words[:1], self.words[1:3])]
            for line in self.lines or (*words, ()):
                yield from ({"sys_argv": list(line), **one} for one in (*files, {}))
        if self.stdin:
            for first in self.words:
                yield {"sys_stdin": [first]}
                yield {"sys_stdin": [first, *self.words[:2]]}
            yield {"sys_stdin": []}
            yield {"sys_stdin": list(self.words)}
        for word in self.words if self.variables else ():
            yield {"os_environ": dict.fromkeys(self.variables, word)}
            for name in self.variables:
                yield {"os_environ": {name: word}}


def find_process_inputs(programs: Sequence[Program], *, asks: bool = False) -> ProcessInputs:
    """Return what the functions of some programs read; nothing where one of them is no plain function.

    What coroutines, generators and decorated functions read may be read after the call.

    Args:
        programs: one, or a newer and an older version, of which both may change variables of their module.
        asks: whether what they call is known to read the standard input, as a library that asks a person.
    """
    left = changed_variables(*programs) if len(programs) == 2 else ()
    is_read = left or asks or any(_MENTIONS.search(program.source) for program in programs)
    found: list[ProcessInputs] = []
    for program in programs:
        function = locate(program)
        if function is None or not is_plain(function.node):
            return ProcessInputs()
        found += [_Reader(function).read()] if is_read else []
        found += _read_elsewhere(program, function) if _takes_nothing(function) else []
    if not found:
        return ProcessInputs()
    inputs = replace(_joined(found), left=left)
    return replace(inputs, stdin=True, words=(*inputs.words, *_ANSWERS)) if asks else inputs


def _takes_nothing(function: LocatedFunction) -> bool:
    """Whether a function needs no argument, as the main function of a program."""
    given = function.node.args
    is_needed = len(given.posonlyargs) + len(given.args) > len(given.defaults) or None in given.kw_defaults
    return not function.owner and not is_needed


def _read_elsewhere(program: Program, function: LocatedFunction) -> list[ProcessInputs]:
    """Return what functions of other modules of its project read for a function: command lines, variables, lines."""
    found = [_Reader(one, is_called=True).read() for one in imported_functions(program, function)]
    return [replace(one, files=False, sets=False, files_read=ConstantFiles()) for one in found]


def _joined(found: list[ProcessInputs]) -> ProcessInputs:
    words = dict.fromkeys(word for one in found for word in one.words)
    return ProcessInputs(
        tuple(dict.fromkeys(name for one in found for name in one.variables))[:MOST_VARIABLES],
        any(one.arguments for one in found),
        any(one.stdin for one in found),
        tuple(words)[:MOST_WORDS],
        any(one.files for one in found),
        any(one.sets for one in found),
        tuple(dict.fromkeys(line for one in found for line in one.lines)),
        joined([one.files_read for one in found]),
    )


class _Reader:
    """Reads one function and what it calls in its module, by name; another function may call it."""

    def __init__(self, located: LocatedFunction, *, is_called: bool = False) -> None:
        self._called = [one for one in located.reached() if is_called or one is not located.node]
        self._reached = located.reached()
        self._tree = located.tree
        self._owner = located.owner
        self._function = located.node
        own = frozenset([part.arg for part in walk_tree(located.node.args) if isinstance(part, ast.arg)])
        self._own = own
        self._imported = imported_names(located.tree)
        self._aliases = {name: full for name, full in self._imported.items() if name not in own}

    def read(self) -> ProcessInputs:
        """Return what is read."""
        nodes = [part for function in self._reached for part in walk_tree(function)]
        variables = tuple(dict.fromkeys([*self._variables(nodes), *self._handed_names(nodes)]))
        sets = self._function.name != "__init__" and any(map(self._sets_variables, nodes))
        if sets and not variables:
            variables = _OF_ANY_NAME
        words = [one for one in compared_words(nodes) if one not in variables]
        parsing = _parsing(nodes)
        is_parsing = any(not one.args and not one.keywords for one in parsing) or self._may_parse_own(parsing)
        return ProcessInputs(
            variables,
            is_parsing or any(self._full(one) == "sys.argv" for one in nodes),
            any(self._full(one) == "sys.stdin" or _is_input(one) for one in nodes),
            tuple(dict.fromkeys([*words, *_USUAL_WORDS]))[:MOST_WORDS],
            self._changes_files(),
            sets,
            tuple(map(tuple, command_lines_in(self._tree))) if parsing else (),
            FileReader(self._tree, self._owner, words).read(self._reached),
        )

    def _may_parse_own(self, parsing: Iterable[ast.Call]) -> bool:
        """Whether functions that are called parse the words of the process where they get none: ``argv=None``."""
        optional = {
            parameter.arg
            for function in self._called
            for parameter, value in zip(function.args.args[::-1], function.args.defaults[::-1], strict=False)
            if isinstance(value, ast.Constant) and value.value is None
        }
        return any(name_of(one) in optional for call in parsing for one in call.args[:1])

    def _changes_files(self) -> bool:
        """Whether the function may leave files; what a constructor returns cannot be shown with them."""
        classes = [one for one in self._tree.body if isinstance(one, ast.ClassDef)]
        own = {one.name: one for one in self._tree.body if isinstance(one, FUNCTIONS)}
        for kind in classes:
            own.update({f"{kind.name}.{one.name}": one for one in kind.body if isinstance(one, FUNCTIONS)})
        finder = EffectFinder(self._imported, own)
        return self._function.name != "__init__" and finder.changes_files(self._function)

    def _full(self, node: ast.AST) -> str:
        """Return the dotted name that a node stands for by the imports of the module; empty for anything else."""
        name = dotted_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        root, _, rest = (name or "").partition(".")
        return ".".join(filter(None, [self._aliases[root], rest])) if root in self._aliases else ""

    def _variables(self, nodes: Iterable[ast.AST]) -> Iterator[str]:
        for key in self._keys(nodes):
            yield from self._name(key)

    def _keys(self, nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
        """Yield what is looked up in the environment."""
        for node in nodes:
            if isinstance(node, ast.Call) and node.args:
                method = node.func
                is_look_up = isinstance(method, ast.Attribute) and method.attr in _LOOK_UPS
                is_look_up = is_look_up and self._is_environ(method.value)  # type: ignore[union-attr]
                if is_look_up or self._full(method) == "os.getenv":
                    yield node.args[0]
            elif isinstance(node, ast.Subscript) and self._is_environ(node.value):
                yield node.slice
            elif isinstance(node, ast.Compare) and len(node.ops) == 1 and self._is_environ(node.comparators[0]):
                yield node.left

    def _handed_names(self, nodes: Sequence[ast.AST]) -> Iterator[str]:
        """Yield the names of variables that functions hand to others which look them up: ``flag("NO_COLOR")``."""
        calls = [one for one in nodes if isinstance(one, ast.Call)]
        for function in self._called:
            given = positional_parameters(function.args)
            asked = {key.id for key in self._keys(walk_tree(function)) if isinstance(key, ast.Name)}
            places = {one.arg: place for place, one in enumerate(given) if one.arg in asked}
            for call in calls if places else ():
                if name_of(call.func) != function.name:
                    continue
                shift = int(isinstance(call.func, ast.Attribute) and given[0].arg in ("self", "cls"))
                passed = dict(enumerate(call.args, shift)) | {one.arg: one.value for one in call.keywords}
                for name, place in places.items():
                    value = passed.get(place, passed.get(name))
                    yield from self._name(value) if value is not None else ()

    def _sets_variables(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Subscript):
            return not isinstance(node.ctx, ast.Load) and self._is_environ(node.value)
        if isinstance(node, ast.AugAssign):
            return self._is_environ(node.target)
        method = node.func if isinstance(node, ast.Call) else None
        return isinstance(method, ast.Attribute) and method.attr in _CHANGES and self._is_environ(method.value)

    def _is_environ(self, node: ast.AST) -> bool:
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        is_own = isinstance(getattr(node, "value", node), ast.Name)
        return self._full(node) == "os.environ" or (is_own and name_of(node) in self._environs)

    @cached_property
    def _environs(self) -> frozenset[str]:
        """The names of variables and attributes that are the environment itself: ``settings = os.environ``."""
        nodes = [one for one in walk_tree(self._tree) if isinstance(one, (ast.Assign, ast.AnnAssign))]
        held = [one for one in nodes if one.value is not None and self._full(one.value) == "os.environ"]
        return frozenset([name_of(part) for one in held for part in targets_of(one)]) - self._own

    def _name(self, node: ast.expr) -> Iterator[str]:
        """Yield the string that an expression is, also by the name of a constant of the module."""
        value = self._constants.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
        if isinstance(value, str) and value and not {"=", "\0"} & set(value):
            yield value

    @cached_property
    def _constants(self) -> dict[str, object]:
        found = dict[str, object]()
        for statement in self._tree.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
                found.update({one.id: statement.value.value for one in statement.targets if isinstance(one, ast.Name)})
        return found


def _is_input(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "input"


def _parsing(nodes: Iterable[ast.AST]) -> list[ast.Call]:
    """Return the calls that parse a command line."""
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    return [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in PARSING]


def compared_words(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the strings that values are compared with, and the numbers around those that they are."""
    for node in nodes:
        if isinstance(node, ast.Compare):
            for one in (node.left, *node.comparators):
                for part in items_in(one):
                    yield from _words_of(part)
        elif isinstance(node, ast.MatchValue):
            yield from _words_of(node.value)


def _words_of(node: ast.expr) -> Iterator[str]:
    value = getattr(node, "value", None)
    if isinstance(value, str) and "\n" not in value:
        yield from (value, value.upper()) if value != value.upper() else (value,)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from map(str, (value, value + 1, value - 1))
