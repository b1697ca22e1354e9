"""What a project knows of making objects: constructions of each class, and calls of each function, by full name."""

from __future__ import annotations

import ast
import builtins
import collections.abc
import copy
import sys
import typing
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

from lsp_evalplus.fuzz.guest.static.parameter_members import used_members
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.recipes.model import HOLE
from lsp_evalplus.fuzz.model import Example, FunctionTarget, Instances, Strategies
from lsp_evalplus.fuzz.seeds.calls import CallReader, reader_for
from lsp_evalplus.fuzz.source.discover import Module
from lsp_evalplus.fuzz.source.scopes import FunctionNode, annotation_names, dotted_name, parameter_nodes

from .facts import ANY_CLASS, Call, ClassFacts, Factory, ModuleFacts, read_facts, roots_of
from .implementations import Inheritance, methods_of

MOST_WHOLE = 12
"""Maximum number of constructions of a class that are tried."""
MOST_PARTIAL = 4
"""The same of those with unknown arguments."""
MOST_CLASSES = 40
"""Maximum number of classes that a function's parameters lead to."""
MOST_INPUTS = 24
"""Maximum number of calls of a function in other modules that are its inputs."""
MOST_WITH_MEMBERS = 3
"""Maximum number of classes that a parameter without annotation leads to by the members that are used of it."""
_MOST_HOPS = 6


@dataclass(frozen=True, slots=True)
class Registering:
    """A module that registers Hypothesis strategies."""

    name: str
    path: str
    """Empty where only its name is known: it is no file of the project."""
    classes: frozenset[str]
    """Full names of the classes, as the module's text has them."""


class Knowledge:
    """The facts of all modules of a project, by their dotted names.

    Args:
        registering: the modules that register Hypothesis strategies; several files may have one dotted name.
        edition: a digest of all modules.
    """

    def __init__(
        self, modules: Mapping[str, ModuleFacts], registering: Sequence[Registering] = (), *, edition: str = ""
    ) -> None:
        self._modules: Final = modules
        self._registering = tuple(registering)
        self._edition = edition
        self._canonical = dict[str, str]()
        self._members = dict[str, set[str]]()
        self._stated = dict[str, tuple[str, ...]]()

    def with_stated(self, constructions: Mapping[str, tuple[str, ...]], strategies: Sequence[str] = ()) -> Knowledge:
        """Return the same with what settings state of making objects.

        Args:
            constructions: expressions by the full names of their classes.
            strategies: dotted names of further modules that register Hypothesis strategies.
        """
        if not constructions and not strategies:
            return self
        other = copy.copy(self)
        other._stated = {self.canonical(name): texts for name, texts in constructions.items()}
        found = [one for one in self._registering if one.name not in strategies]
        known = {one.name: one.path for one in self._registering}
        named = [Registering(name, known.get(name, ""), frozenset((ANY_CLASS,))) for name in strategies]
        other._registering = (*named, *found)
        return other

    @cached_property
    def _roots(self) -> frozenset[str]:
        return frozenset(name.partition(".")[0] for name in self._modules)

    @cached_property
    def _calls(self) -> dict[str, list[Call]]:
        """Calls by the name of what is called, and of methods by ``.name``."""
        found = defaultdict[str, list[Call]](list)
        for facts in self._modules.values():
            for call in facts.calls:
                found[self.canonical(call.name)].append(call)
        return found

    @cached_property
    def _classes(self) -> dict[str, ClassFacts]:
        return {one.name: one for facts in self._modules.values() for one in facts.classes}

    @cached_property
    def _inheritance(self) -> Inheritance:
        return Inheritance(self._classes, self.canonical)

    @cached_property
    def _factories(self) -> dict[str, list[Factory]]:
        found = defaultdict[str, list[Factory]](list)
        for facts in self._modules.values():
            for one in facts.factories:
                found[self.canonical(one.makes)].append(one)
        return found

    def canonical(self, full: str) -> str:
        """Return the name by which its own module defines a thing that another one may import and give on."""
        if full not in self._canonical:
            self._canonical[full] = self._followed(full)
        return self._canonical[full]

    def _followed(self, full: str) -> str:
        for _ in range(_MOST_HOPS):
            module, rest = self._split(full)
            if module is not None and not rest:
                # A package may bind a class by the name of the module that it is imported from.
                module, _, rest = full.rpartition(".")
            if module is None or module not in self._modules:
                return full
            first, dot, more = rest.partition(".")
            source = self._given(module, first)
            if source is None or source + dot + more == full:
                return full
            full = source + dot + more
        return full

    def _split(self, full: str) -> tuple[str | None, str]:
        """Return the longest prefix that is a module, and the rest."""
        name = full
        while name:
            if name in self._modules:
                return name, full[len(name) + 1 :]
            name = name.rpartition(".")[0]
        return None, full

    def _given(self, module: str, name: str) -> str | None:
        """Return the full name of what a module calls `name`, also by a star import."""
        names = self._modules[module].names
        if name in names:
            return names[name]
        for star, source in names.items():
            if star.startswith("*") and source in self._modules and name in self._modules[source].names:
                return self._modules[source].names[name]
        return None

    def instances_for(self, target: FunctionTarget, module: Module) -> tuple[Instances, ...]:
        """Return the constructions of the classes that the parameters of a function lead to."""
        own = own_name(module)
        node = module.definitions[target.name].node if target.name in module.definitions else None
        if own is None or node is None:
            return ()
        names = (self._modules.get(own) or read_facts(module.parsed.text, own)).names
        # Of the standard library's modules, a program knows what it imports itself.
        bound = {full: local for local, full in names.items() if _is_standard(full)}
        wanted = dict[str, None]()
        for name in _class_names(node):
            first, dot, rest = name.partition(".")
            wanted[self.canonical(names.get(first, first) + dot + rest)] = None
        owner = target.program.qualname.rpartition(".")[0]
        alike = {name for members in used_members(node).values() for name in self._with_members(members, own)}
        implementing = self._implementing(wanted, node if owner else None, f"{own}.{owner}", module)
        if owner:
            wanted[f"{own}.{owner}"] = None
        wanted |= dict.fromkeys([*implementing, *sorted(alike)])
        found = list[Instances]()
        for name in self._closure(wanted):
            is_stated = name in self._stated
            texts = self._stated[name] if is_stated else self._constructions(name)
            strategies = (
                None if is_stated else self._strategies(name, own, bound, is_needed=not texts and name not in alike)
            )
            is_whole = name in implementing and implementing[name]
            if texts or name in alike or name in implementing or strategies is not None:
                modules = self._modules_of([name, *(texts if is_stated else ())], own, is_stated=is_stated)
                if is_stated:
                    name, *texts = (within(text, own, bound) for text in (name, *texts))
                given_on = self._given_on(texts, own)
                name, *texts = (within(text, own, given_on) for text in (name, *texts))
                found.append(Instances(name, modules, tuple(texts), is_stated, strategies, is_implementation=is_whole))
        return tuple(found)

    def _implementing(
        self, wanted: Iterable[str], method: FunctionNode | None, owner: str, module: Module
    ) -> dict[str, bool]:
        """Return the classes of other modules that implement abstract ones, and whether those are the module's own.

        Args:
            wanted: the classes of parameters.
            method: what is to be called, if it is a method.
            owner: the class of it.
            module: its module.
        """
        found, home = dict[str, bool](), owner.rpartition(".")[0]
        if method is not None:
            methods = methods_of(module.parsed.tree, owner.rpartition(".")[2])
            found |= dict.fromkeys(self._inheritance.implementations(owner, method, methods), True)
        for name in wanted:
            for one in self._inheritance.implementations(name, None, ()):
                found.setdefault(one, name.rpartition(".")[0] == home)
        return found

    def _strategies(self, name: str, own: str, bound: Mapping[str, str], *, is_needed: bool) -> Strategies | None:
        """Return where strategies for a class are, or may be, registered; None if nowhere."""
        if not any(self._may_register(one, name) for one in self._registering):
            return None
        # All of them: a strategy may draw from those of other modules.
        modules = tuple((one.name, one.path) for one in self._registering)
        return Strategies(name, modules, own, tuple(bound.items()), self._edition, is_needed)

    def _may_register(self, one: Registering, name: str) -> bool:
        is_open = ANY_CLASS in one.classes and "." in name and name.partition(".")[0] not in _OF_ANNOTATIONS
        return is_open or name in map(self.canonical, one.classes)

    def _given_on(self, texts: Sequence[str], own: str) -> dict[str, str]:
        """Return the names in some expressions by which other modules give on what the module `own` defines."""
        names = {name for text in texts for name in _dotted_names(ast.parse(text, mode="eval"))}
        known = {name: self.canonical(name) for name in names if not name.startswith(f"{own}.")}
        return {name: full.removeprefix(f"{own}.") for name, full in known.items() if full.startswith(f"{own}.")}

    def _modules_of(self, texts: Sequence[str], own: str, *, is_stated: bool) -> tuple[str, ...]:
        """Return the modules to import for the names in some expressions.

        Of other packages these are only known if settings state them, and may be any prefixes of the names.
        """
        found = dict[str, None]()
        for name in sorted({name for text in texts for name in _dotted_names(ast.parse(text, mode="eval"))}):
            home, _ = self._split(name)
            if home is None and is_stated:
                parts = name.split(".")
                found |= dict.fromkeys(".".join(parts[:count]) for count in range(1, len(parts)))
            elif home not in (None, own) and (is_stated or name.partition(".")[0] == own.partition(".")[0]):
                found[home] = None
        return tuple(found)

    def _with_members(self, members: set[str], own: str) -> list[str]:
        """Return the classes that have all of some members, those nearest to the module `own` first."""
        rare = min((self._owners.get(one, frozenset[str]()) for one in members), key=len)
        found = [one for one in rare if members <= self._members_of(one)]
        # A base before its subclasses, which have more members.
        order = sorted(found, key=lambda name: (-_common(name, own), len(self._members_of(name)), name))
        return order[:MOST_WITH_MEMBERS]

    @cached_property
    def _owners(self) -> dict[str, set[str]]:
        """The classes that have a member, by its name; a base's members are those of its subclasses too."""
        found = defaultdict[str, set[str]](set)
        for name in self._classes:
            for member in self._members_of(name):
                found[member].add(name)
        return found

    def _members_of(self, name: str) -> set[str]:
        """Return the members of a class and of its bases in the project."""
        if name not in self._members:
            self._members[name] = found = set[str]()  # Already there for a class that names itself as a base.
            if name in self._classes:
                found.update(self._classes[name].members)
                for base in self._classes[name].bases:
                    found |= self._members_of(self.canonical(base))
        return self._members[name]

    def _closure(self, wanted: Iterable[str]) -> Iterator[str]:
        """Yield classes of the project, their subclasses, and what their constructors need."""
        waiting, met = list(wanted), set[str]()
        for name in waiting:
            is_known = name in self._classes or name in self._stated
            if name in met or len(met) >= MOST_CLASSES:
                continue
            if not is_known and not any(self._may_register(one, name) for one in self._registering):
                continue
            met.add(name)
            yield name
            needs = self._classes[name].needs if name in self._classes and name not in self._stated else ()
            owners = [one.owner for one in self._factories.get(name, ()) if one.owner is not None and one.is_free]
            waiting += [*self._inheritance.subclasses(name), *map(self.canonical, (*needs, *owners))]

    def _constructions(self, name: str) -> tuple[str, ...]:
        calls = list(self._calls.get(name, ()))
        free = list[str]()
        of_methods = list[str]()
        for factory in self._factories.get(name, ()):
            calls += self._calls.get(factory.name, ()) if factory.owner is None else ()
            free += [f"{factory.name}()"] * (factory.is_free and factory.owner is None)
            of_methods += [f"{factory.name}({HOLE})"] * (factory.is_free and factory.owner is not None)
        known = [one for one in calls if roots_of(one.text) <= self._roots]
        whole = _spread(sorted({one.text for one in known if one.is_whole}, key=_size), MOST_WHOLE)
        partial = sorted({one.text for one in known if not one.is_whole}, key=_least_open)[:MOST_PARTIAL]
        return tuple(dict.fromkeys([*whole, *free, *partial, *sorted(of_methods)[:MOST_PARTIAL]]))

    def inputs_for(self, target: FunctionTarget, module: Module) -> tuple[Example, ...]:
        """Return the calls of a function in the project's modules, as inputs without a result."""
        own, reader = own_name(module), reader_for(target)
        if own is None:
            return ()
        full = f"{own}.{target.program.qualname}"
        calls = [one for one in self._calls.get(full, ()) if one.is_whole]
        if reader.is_method:
            owner = full.rpartition(".")[0]
            makers = {
                owner,
                *self._inheritance.subclasses(owner),
                *(one.name for one in self._factories.get(owner, ())),
            }
            methods = self._calls.get(f".{reader.name}", ())
            calls += [one for one in methods if one.is_whole and self._is_made_by(one.text, makers)]
        found = dict[str, Example]()
        for call in calls:
            if roots_of(call.text) <= self._roots:
                for example in _inputs_of(within(call.text, own), reader):
                    found.setdefault(example.arguments, example)
        return tuple(found[text] for text in _spread(sorted(found, key=_size), MOST_INPUTS))

    def _is_made_by(self, text: str, makers: set[str]) -> bool:
        match ast.parse(text, mode="eval").body:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=function))):
                return self.canonical(ast.unparse(function)) in makers
            case _:
                return False


def needs_knowledge(target: FunctionTarget, module: Module) -> bool:
    """Whether a project may say more of a function's parameters than its signature: of which class they are, or what.

    A plain function whose parameters are annotated with built-in types alone is sufficiently described.
    """
    definition = module.definitions.get(target.name)
    if definition is None or "." in target.name:
        return definition is not None
    parameters = parameter_nodes(definition.node.args)
    return any(one.annotation is None or annotation_names(one.annotation) - _DESCRIBED for one in parameters)


_OF_ANNOTATIONS = frozenset({"typing", "collections"})
_DESCRIBED = frozenset({*dir(builtins), *dir(typing), *dir(collections.abc), "typing", "collections"})
"""Names in annotations of which the project says nothing further."""


def own_name(module: Module) -> str | None:
    """Return the dotted name of a module; None where it is in no file."""
    if module.path is None or module.place is None:
        return None
    package = module.place.package
    if module.path.name == "__init__.py":
        return package or module.path.parent.name
    return f"{package}.{module.path.stem}" if package else module.path.stem


def _class_names(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the names in a function's annotations and `isinstance` tests."""
    found = dict[str, None]()
    for argument in parameter_nodes(node.args):
        found |= dict.fromkeys(sorted(annotation_names(argument.annotation)))
        found |= dict.fromkeys(sorted(_dotted_names(argument.annotation)))
    for part in walk_tree(node):
        match part:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                found |= dict.fromkeys(sorted(annotation_names(kinds)))
            case _:
                pass
    return list(found)


def _dotted_names(node: ast.AST | None) -> set[str]:
    """Return the names with dots in an expression, without what is part of a longer one."""
    if node is None:
        return set()
    if isinstance(node, ast.Attribute) and (name := dotted_name(node)) is not None:
        return {name}
    return set[str]().union(*map(_dotted_names, ast.iter_child_nodes(node)))


def _is_standard(full: str) -> bool:
    module, _, rest = full.partition(".")
    return bool(rest) and module in sys.stdlib_module_names


def _inputs_of(text: str, reader: CallReader) -> list[Example]:
    node = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.Call):
        return []
    if reader.is_method:
        return reader.inputs(node, None)
    # What it calls is the function: its full name was compared.
    return reader.inputs(ast.Call(ast.Name(reader.name), node.args, node.keywords), None)


def within(text: str, own: str, bound: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return an expression with the names that it has inside of the module `own`, which has names `bound` to others."""
    if own not in text and not bound:
        return text
    return ast.unparse(_Within(own, bound).visit(ast.parse(text, mode="eval")))


class _Within(ast.NodeTransformer):
    def __init__(self, own: str, bound: Mapping[str, str]) -> None:
        self._prefix = f"{own}."
        self._bound = bound

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = dotted_name(node) or ""
        if name in self._bound:
            return ast.Name(self._bound[name])
        if not name.startswith(self._prefix):
            return self.generic_visit(node)
        return ast.parse(name.removeprefix(self._prefix), mode="eval").body


def _common(name: str, other: str) -> int:
    """Return how many leading parts two dotted names share."""
    parts = list(zip(name.split("."), other.split("."), strict=False))
    return next((count for count, (one, two) in enumerate(parts) if one != two), len(parts))


def _size(text: str) -> tuple[int, str]:
    return len(text), text


def _least_open(text: str) -> tuple[int, int, str]:
    return text.count(HOLE), len(text), text


def _spread(texts: list[str], most: int) -> list[str]:
    """Return the shortest of sorted texts, and others of all lengths."""
    if len(texts) <= most:
        return texts
    half = most // 2
    rest, count = texts[half:], most - half
    return texts[:half] + [rest[(number * len(rest)) // count] for number in range(count)]
