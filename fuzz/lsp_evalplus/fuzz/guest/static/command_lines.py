"""Reads the parsers of command lines that a module makes with `argparse`, and writes lines that they take."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from .parameter_members import parameter_names
from .walking import Function, items_in, name_of, string_in, targets_of, walk_tree

MOST_LINES = 48
"""Maximum number of lines for one module."""
_MOST_CHOICES = 4
_DEEPEST = 4
"""Maximum number of subcommands inside of each other."""
PARSING = frozenset("parse_args parse_known_args parse_intermixed_args".split())
_WITHOUT_VALUE = frozenset("store_true store_false store_const append_const count".split())
_ENDING = frozenset(("help", "version"))
"""Actions that end the program."""
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PARSER = "ArgumentParser"
_GROUPS = frozenset("add_argument_group add_mutually_exclusive_group add_subparsers".split())
"""Methods that return what adds to the same parser."""
_WORDS = {"int": ("1", "-1"), "float": ("1.5",)}
_ANY_WORDS = ("a", "b")


class _Argument(NamedTuple):
    option: str
    """The longest of its names; empty for a positional argument."""
    values: tuple[tuple[str, ...], ...]
    """What may follow the name, or stand in the argument's place."""
    is_needed: bool


def command_lines_for(function: Function, tree: ast.AST) -> dict[str, list[list[str]]]:
    """Return lines that a module's parsers take, by the parameter that a function hands to one of them.

    Nothing says which parser takes which argument: lines that it refuses end as for any user.
    """
    names = parameter_names(function)
    taken = [name for name in _handed_to_parsers(function) if name in names]
    return dict.fromkeys(taken, command_lines_in(tree)) if taken else {}


def command_lines_in(tree: ast.AST) -> list[list[str]]:
    """Return lines that the parsers of a module take."""
    reader = _Reader(_named_words(tree))
    reader.read(tree, {})
    by_parser = [_lines(one, 0) for one in reader.parsers()]
    lines = dict.fromkeys(tuple(line) for turn in zip_longest(*by_parser) for line in turn if line is not None)
    return list(map(list, islice(lines, MOST_LINES)))


@dataclass
class _Parser:
    arguments: list[_Argument] = field(default_factory=list[_Argument])
    commands: dict[str, _Parser] = field(default_factory=dict[str, "_Parser"])
    is_complete: bool = True
    """Whether it parses lines, and is not merely a part of others."""

    def include(self, other: _Parser) -> None:
        """Add the arguments and subcommands of another parser."""
        self.arguments += other.arguments
        self.commands.update(other.commands)


class _Reader:
    """Finds parsers and their arguments, by the names under which code has them."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.shared = _Parser()
        """What code adds to a parser that it did not make itself."""
        self.words = words
        self._made = dict[ast.Call, _Parser]()

    def parsers(self) -> list[_Parser]:
        """Return the parsers that are nobody's subcommands, each with what may be added to any of them."""
        made = [one for one in self._made.values() if one.is_complete]
        for parser in made:
            parser.include(self.shared)
        return made or [self.shared]

    def read(self, node: ast.AST, parsers: dict[str, _Parser]) -> None:
        """Read a node in the order of its code, and note what assigned names stand for.

        Args:
            parsers: what names stand for; changed. A function in a function knows the names outside of it.
        """
        known = dict(parsers) if isinstance(node, _SCOPES) else parsers
        for child in ast.iter_child_nodes(node):
            self.read(child, known)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            added = _argument(node, self.words)
            if added is not None:
                self._parser_of(node.func.value, known).arguments.append(added)
            elif node.func.attr == "add_parser":
                self._parser_of(node, known)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
            parser = self._parser_of(node.value, known)
            for target in targets_of(node):
                known[ast.unparse(target)] = parser

    def _parser_of(self, node: ast.expr, parsers: Mapping[str, _Parser]) -> _Parser:
        """Return the parser to which an expression adds; the shared one where nothing tells."""
        if not isinstance(node, ast.Call):
            return parsers.get(ast.unparse(node), self.shared)
        if name_of(node.func) == _PARSER:
            return self._made_by(node, parsers)
        if not isinstance(node.func, ast.Attribute):
            return self.shared
        if node.func.attr in _GROUPS:
            return self._parser_of(node.func.value, parsers)
        command = string_in(node.args[0]) if node.func.attr == "add_parser" and node.args else ""
        if not command:
            return self.shared
        commands = self._parser_of(node.func.value, parsers).commands
        if command not in commands:
            commands[command] = self._with_parents(node, parsers)
        return commands[command]

    def _made_by(self, call: ast.Call, parsers: Mapping[str, _Parser]) -> _Parser:
        if call not in self._made:
            self._made[call] = self._with_parents(call, parsers)
        return self._made[call]

    def _with_parents(self, call: ast.Call, parsers: Mapping[str, _Parser]) -> _Parser:
        """Return a new parser with the arguments of those that a call names as its ``parents``."""
        parser = _Parser()
        for given in [items_in(word.value) for word in call.keywords if word.arg == "parents"]:
            for parent in [self._parser_of(one, parsers) for one in given]:
                parent.is_complete = False
                parser.include(parent)
        return parser


def _handed_to_parsers(function: Function) -> Iterator[str]:
    for node in walk_tree(function):
        if isinstance(node, ast.Call) and _attribute(node) in PARSING:
            given = [*node.args[:1], *[one.value for one in node.keywords if one.arg == "args"]]
            yield from (one.id for one in given if isinstance(one, ast.Name))


def _attribute(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _argument(call: ast.Call, named: Mapping[str, Sequence[str]]) -> _Argument | None:
    """Return what a call of ``add_argument`` adds; None for other calls, and for what ends the program."""
    names = [name for name in map(string_in, call.args) if name]
    keywords = {one.arg: one.value for one in call.keywords}
    action = string_in(keywords.get("action"))
    if _attribute(call) != "add_argument" or not names or action in _ENDING:
        return None
    option = max(names, key=len) if names[0].startswith("-") else ""
    if action in _WITHOUT_VALUE:
        return _Argument(option, ((),), is_needed=False)
    nargs = _constant(keywords.get("nargs"))
    words = _words(keywords, named)
    found = [(word,) * (nargs if isinstance(nargs, int) else 1) for word in words]
    if nargs in ("*", "+"):
        found.append((words[0], words[-1]))
    if nargs == "?" or (nargs == "*" and not option):
        found.append(())
    is_required = bool(_constant(keywords.get("required")))
    return _Argument(option, tuple(found), is_required if option else nargs not in ("*", "?"))


def words_by_attribute(tree: ast.AST) -> dict[str, str]:
    """Return what lines first have for each argument that may be any string, by its attribute of what is parsed."""
    found = dict[str, str]()
    for node in walk_tree(tree):
        added = _argument(node, {}) if isinstance(node, ast.Call) else None
        if added is None or not isinstance(node, ast.Call) or added.values[0][:1] != _ANY_WORDS[:1]:
            continue
        stated = next((string_in(one.value) for one in node.keywords if one.arg == "dest"), "")
        name = stated or (added.option or string_in(node.args[0])).lstrip("-").replace("-", "_")
        found[name] = _ANY_WORDS[0]
    return found


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _words(keywords: Mapping[str | None, ast.expr], named: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return values of an argument: its choices, or by its type."""
    choices = keywords.get("choices")
    while isinstance(choices, ast.Call) and choices.args:  # sorted(LEVELS), list(LEVELS)
        choices = choices.args[0]
    found = () if choices is None else named.get(ast.unparse(choices)) or _constants_in(choices)
    if found:
        return found[:_MOST_CHOICES]
    kind = keywords.get("type")
    return _WORDS.get(kind.id if isinstance(kind, ast.Name) else "", _ANY_WORDS)


def _named_words(tree: ast.AST) -> dict[str, Sequence[str]]:
    """Return the constants in lists, or keys of dicts, that a module gives a name."""
    body: Sequence[ast.AST] = tree.body if isinstance(tree, ast.Module) else ()
    found = dict[str, Sequence[str]]()
    for node in body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in targets_of(node):
                found[name_of(target)] = _constants_in(node.value)
    return found


def _constants_in(node: ast.expr) -> Sequence[str]:
    parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    return [str(one.value) for one in parts if isinstance(one, ast.Constant)]


def _lines(parser: _Parser, depth: int) -> Iterator[list[str]]:
    """Yield the shortest line that has all that a parser needs, then one with each of the others, then with two of
    them; after that the lines of each subcommand in turn, and each of its own options before a subcommand."""
    needed = [[*_named(one), *one.values[0]] for one in parser.arguments if one.is_needed]
    others = [[*_named(one), *value] for one in parser.arguments if not one.is_needed for value in one.values]
    plain = [[*part, *_joined(needed)] for part in chain([[]], others, map(_joined, zip(others, others[1:])))]
    for place, one in enumerate(filter(_is_needed, parser.arguments)):
        plain += [_joined([*needed[:place], [*_named(one), *value], *needed[place + 1 :]]) for value in one.values[1:]]
    yield from plain
    commands = {name: list(_lines(one, depth + 1)) for name, one in parser.commands.items()} if depth < _DEEPEST else {}
    inner = [[[*_joined(needed), name, *line] for line in lines] for name, lines in commands.items()]
    yield from (line for turn in zip_longest(*inner) for line in turn if line is not None)
    yield from ([*part, *lines[0]] for part in others for lines in inner)


def _joined(parts: Iterable[Sequence[str]]) -> list[str]:
    return list(chain.from_iterable(parts))


def _is_needed(argument: _Argument) -> bool:
    return argument.is_needed


def _named(argument: _Argument) -> list[str]:
    return [argument.option] if argument.option else []
