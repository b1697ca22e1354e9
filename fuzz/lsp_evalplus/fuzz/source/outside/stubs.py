"""Programs that functions start and requests that they send: what stubs for these answer.

Two versions that are compared get the same answers, so what either of them does counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.guest.static.parameter_members import positional_parameters
from lsp_evalplus.fuzz.guest.static.walking import name_of, walk_statements, walk_tree
from lsp_evalplus.fuzz.guest.values.makers.stub_parameters import PARAMETERS
from lsp_evalplus.fuzz.model import Plain, Program
from lsp_evalplus.fuzz.source.scopes import FunctionNode, dotted_name, is_plain
from lsp_evalplus.fuzz.source.side_effects import SENDS, STARTS, EffectFinder
from lsp_evalplus.fuzz.source.slicing import imported_names, is_standard

from .constant_files import MOST_KEYS, likely_contents, looked_up_keys
from .functions import LocatedFunction, locate
from .json_contents import LEAVES, READING, Content, distinct, json_read
from .process_inputs import compared_words

MOST_CONTENTS, MOST_ANSWERS = 40, 30
_MENTIONS = re.compile(r"\bsubprocess\b|\bos\.(?:system|popen)\b|\brequests\b|\burllib\b|\burlopen\b|\bhttpx\b")
_CODES, _STATUSES = (1, 2, 127), (404, 500, 400, 204, 201)
_LARGEST_CODE, _LEAST_STATUS, _LARGEST_STATUS = 255, 200, 599


@dataclass(frozen=True, slots=True)
class Stubs:
    """What a function does outside of its process, and what it makes of answers."""

    programs: bool = False
    """Whether it starts programs."""
    responses: bool = False
    """Whether it sends requests."""
    contents: tuple[str, ...] = ()
    """Likely answers."""
    json: tuple[Content, ...] = ()
    """What JSON that either version reads is like."""
    codes: tuple[int, ...] = _CODES
    """Exit codes of programs that fail."""
    statuses: tuple[int, ...] = _STATUSES
    """Statuses of responses."""
    plain: tuple[dict[str, object], ...] = ({},)
    """Plain values of the parameters without a default, but for an instance."""
    by_name: tuple[str, ...] = ()
    """Those that are passed by name."""

    def to_plain(self) -> Plain:
        """Return the field ``stubs`` of a program."""
        names = ("programs", "responses", "contents", "codes", "statuses")
        return {**{name: getattr(self, name) for name in names}, "json": [one.to_plain() for one in self.json]}

    def seeds(self, owner: str = "") -> list[str]:
        """Return arguments (see `fuzz.model.ArgumentsText`) with these answers and plain values of all others.

        Args:
            owner: name of the class of a method; its instances are made without arguments.
        """
        names = [name for name in PARAMETERS if getattr(self, name)]
        failed = {"programs": self.codes, "responses": self.statuses}
        answers: list[object] = [*self._records(), *self.contents, None]
        named = [{PARAMETERS[name]: [one] for name in names} for one in answers]
        named += [{PARAMETERS[name]: [(code, "a")]} for name in names for code in failed[name]]
        made = f"{owner}(), " if owner.isidentifier() else ""
        found = list[str]()
        for answered in named[:MOST_ANSWERS]:
            for plain in self.plain:
                given = made + "".join(f"{value!r}, " for name, value in plain.items() if name not in self.by_name)
                keywords = {name: value for name, value in plain.items() if name in self.by_name}
                found.append(f"{{'args': ({given}), 'kwargs': {keywords | answered!r}}}")
        return list(dict.fromkeys(found))  # Without a parameter all plain values are the same.

    def _records(self) -> Iterator[object]:
        for leaf in LEAVES:
            for content in self.json:
                yield from (content.sample(leaf), content.sample(leaf, 2))


def find_stubs(programs: Sequence[Program], asked: Collection[str] = ()) -> Stubs | None:
    """Return what stands in for what a function's versions do outside of their process; None where they do nothing.

    Args:
        programs: the versions, a newer and an older one.
        asked: what their calls do in other modules too, as the names of the fields of `Stubs`.
    """
    if not asked and not any(_MENTIONS.search(program.source) for program in programs):
        return None
    found: list[Stubs] = []
    for program in programs:
        function = locate(program)
        if function is None or function.node.name == "__init__":
            return None
        if not is_plain(function.node, may_be_decorated=bool(asked)):
            return None
        found.append(_read(function, asks_others="responses" in asked))
    does = (
        "programs" in asked or any(one.programs for one in found),
        "responses" in asked or any(one.responses for one in found),
    )
    if not any(does):
        return None
    return Stubs(
        *does,
        tuple(dict.fromkeys(content for one in found for content in one.contents))[:MOST_CONTENTS],
        distinct([content for one in found for content in one.json]),
        tuple(dict.fromkeys(code for one in found for code in one.codes)),
        tuple(dict.fromkeys(status for one in found for status in one.statuses)),
        found[0].plain,
        found[0].by_name,
    )


def _read(function: LocatedFunction, *, asks_others: bool) -> Stubs:
    reached = function.reached()
    finder = EffectFinder(imported_names(function.tree), {})
    effects = [one for each in reached for one in finder.effects_of(each)]
    nodes = [node for one in reached for node in walk_tree(one)]
    words = [one for one in (*_parts_of_strings(nodes), *compared_words(nodes)) if one]
    keys = tuple(dict.fromkeys(looked_up_keys(nodes)))[:MOST_KEYS]
    numbers = [one.value for one in nodes if isinstance(one, ast.Constant) and type(one.value) is int]
    arguments = function.node.args
    listed = positional_parameters(arguments)
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    needed = listed[: len(listed) - len(arguments.defaults)][bool(function.owner) :]
    needed += [one for one, default in by_name if default is None]
    reading = READING | {*_asked_of_others(function.tree, reached)} if asks_others else READING
    reads_json = asks_others or any(name_of(one.func) in READING for one in nodes if isinstance(one, ast.Call))
    return Stubs(
        any(one.startswith(STARTS) for one in effects),
        any(one.startswith(SENDS) for one in effects),
        tuple(dict.fromkeys(likely_contents(keys, words[:6] or ["a"], has_sections=False, is_table=False))),
        (json_read(reached, reading),) if reads_json else (),
        (*(one for one in numbers if 0 < one <= _LARGEST_CODE), *_CODES),
        (*(one for one in numbers if _LEAST_STATUS <= one <= _LARGEST_STATUS), *_STATUSES),
        tuple({one.arg: _plain_value(one, any_) for one in needed} for any_ in _ANY),
        tuple(one.arg for one in arguments.kwonlyargs),
    )


_OF_CONTAINERS = frozenset(name for kind in (str, bytes, list, dict, set) for name in dir(kind))


def _asked_of_others(tree: ast.Module, functions: Iterable[FunctionNode]) -> Iterator[str]:
    """Yield what functions call in other modules, and of objects that they are given, or that these hold: one of them
    sends the request, and hands on what the answer says."""
    imported = set(_imported_from_others(tree))
    for function in functions:
        arguments = function.args
        given = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} | imported
        for node in walk_tree(function):
            called = dotted_name(node.func) if isinstance(node, ast.Call) else None
            if called is not None and called.partition(".")[0] in given:
                yield from {called.rpartition(".")[2]} - _OF_CONTAINERS


def _imported_from_others(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module imports from modules that are none of the standard library's."""
    for node in walk_statements(tree):
        if isinstance(node, ast.ImportFrom) and (node.level or not is_standard(node.module or "")):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            roots = [(alias.asname or alias.name.partition(".")[0], alias.name) for alias in node.names]
            yield from (name for name, module in roots if not is_standard(module))


_ANY = ("a", 1)
_PLAIN: dict[str, object] = {"int": 1, "float": 1.0, "bool": False, "list": ["a"], "Sequence": ["a"], "dict": {}}


def _plain_value(parameter: ast.arg, any_: object) -> object:
    kind = parameter.annotation
    name = name_of(kind.value if isinstance(kind, ast.Subscript) else kind) if kind is not None else ""
    return _PLAIN.get(name, "a" if name == "str" else any_)


_ASKING = frozenset("startswith endswith removeprefix removesuffix partition rpartition split index find count".split())


def _parts_of_strings(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield what methods of strings look for, with something before and after it."""
    for node in nodes:
        if isinstance(node, ast.Call) and name_of(node.func) in _ASKING:
            for part in node.args[:1]:
                for one in part.elts if isinstance(part, ast.Tuple) else [part]:
                    if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.strip():
                        yield f"a{one.value}b"
                        yield f"{one.value}b"
