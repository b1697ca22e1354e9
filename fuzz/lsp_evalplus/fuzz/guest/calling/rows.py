"""Conversion between the literal arguments of the host and the rows of a search."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from ..program.classes import concrete_text
from ..program.loader import Loaded
from ..values.carved import read_carved
from ..values.dynamic import is_subclass, type_of
from ..values.makers.process_inputs import ALWAYS_SHOWN, SHOWN, process_text
from ..values.plain import is_json
from ..values.recipes.model import Name, New, Prepared, RecipeError, is_in_test, is_plain
from ..values.recipes.parsing import from_text
from ..values.recipes.source import prepared_name, prepared_text, to_call_text, to_text
from ..values.shapes import AnyShape, KeywordsShape
from ..values.source_text import SETTER, attribute_path, is_setter
from .invocation import NOTHING, CallForm
from .subject import Parameter


class Layout:
    """Positions of the arguments in a row, and how a call is written.

    Args:
        parameters: in the order of a row.
        loaded: the function.
        qualname: its name in the candidate.
        makers: names of functions of others that make instances of its class.
    """

    def __init__(
        self, parameters: list[Parameter], loaded: Loaded, qualname: str, makers: Set[str] = frozenset()
    ) -> None:
        self.parameters = parameters
        keywords = tuple([p.name for p in parameters if p.kind == "keyword"])
        spread = any([p.kind == "spread" for p in parameters])
        further = [p.shape for p in parameters if p.kind == "keywords"]
        taken = [shape.taken if isinstance(shape, KeywordsShape) else () for shape in further]
        self.form = CallForm(keywords, _defaults(parameters), spread, taken[0] if taken else None)
        """How the arguments of a row are passed."""
        self._positional = [p for p in parameters if p.kind not in ("keyword", "keywords")]
        self._qualname = qualname
        self._loaded = loaded
        self._makers = makers

    @property
    def is_constructor(self) -> bool:
        """Whether a call makes an instance."""
        return self._loaded.is_constructor

    @property
    def function(self) -> str:
        """The bare name of the function."""
        return self._qualname.rpartition(".")[2]

    def row(self, text: str) -> Any:
        """Parse an arguments text into a row. Raises `RecipeError` when it does not fit the parameters."""
        value = from_text(text)
        named: dict[str, Any] = {}
        if type_of(value) is dict and set(value) <= {"args", "kwargs"}:
            named = dict(value.get("kwargs") or {})
            value = value.get("args", ())
        if type_of(value) not in (tuple, list):
            raise RecipeError("arguments must be a tuple")
        given = self._with_instance(list(value), len(named))
        row: list[Any] = []
        for parameter in self.parameters:
            if parameter.kind == "spread":
                row.append(tuple(given))
                given = []
            elif parameter.kind == "keywords":
                row.append(named)
                named = {}
            elif parameter.kind != "keyword" and given:
                row.append(given.pop(0))
            elif parameter.name in named:
                row.append(named.pop(parameter.name))
            elif parameter.is_default_written:
                row.append(parameter.default)
            else:
                raise RecipeError(f"no value for the parameter {parameter.name!r}")
        if given or named:
            raise RecipeError("more arguments than parameters")
        return tuple(row)

    def _with_instance(self, given: list[Any], count: int) -> list[Any]:
        """Add a new instance where examples of methods omit it: the class can be made without arguments.

        `count` more arguments are given by name; an object of the class may also be the first of the others.
        """
        if not self.parameters or self.parameters[0].kind != "instance" or self._loaded.owner is None:
            return given
        required = [p for p in self._positional if p.kind == "positional" and not p.has_default]
        is_instance = given and (self._is_own(given[0]) or _is_given_by_test(given[0], self.parameters[0].name))
        if is_instance and len(given) + count > len(required):
            return given
        return [New(self._loaded.owner.__qualname__), *given] if self._loaded.is_made_alone else given

    def keeps_instance(self, row: Any, other: Any) -> bool:
        """Whether the first argument of another row is an instance too, where the function is a method.

        One that does not use its instance would run on any object.
        """
        if not self.parameters or self.parameters[0].kind != "instance" or type(other[0]) is not New:
            return True
        return other[0].name == getattr(row[0], "name", "") or self._makes_own(other[0].name)

    def _is_own(self, value: Any) -> bool:
        return type(value) in (New, Prepared) and self._makes_own(value.name)

    def _makes_own(self, name: str) -> bool:
        """Whether a name is that of the method's class, of one derived from it, of one of its class methods, or of
        another function that makes instances of it."""
        owner = self._loaded.owner
        assert owner is not None
        parts = name.split(".")
        if owner.__name__ in parts or name in self._makers:
            return True
        found: Any = self._loaded.namespace.get(parts[0])
        for part in parts[1:]:
            if isinstance(found, type) and is_subclass(found, owner):
                break
            found = getattr(found, part, None)
        return isinstance(found, type) and is_subclass(found, owner)

    def _arguments(self, row: Any) -> list[Any]:
        """Return positional arguments without trailing ones that equal their default."""
        count = len(self._positional)
        values = list(row[:count])
        if self.form.spread:
            return values[:-1] + list(values[-1])
        while (
            values
            and self._positional[len(values) - 1].has_default
            and _equal(values[-1], self._positional[len(values) - 1].default)
        ):
            values.pop()
        return values

    def _named(self, row: Any) -> dict[str, Any]:
        count = len(self._positional)
        named = dict(zip(self.form.keywords, row[count:]))
        defaults = {p.name: p for p in self.parameters}
        kept = {k: v for k, v in named.items() if not (defaults[k].has_default and _equal(v, defaults[k].default))}
        return kept if self.form.taken is None else {**kept, **row[-1]}

    def arguments_text(self, row: Any) -> str:
        """Return the row as an arguments text (see ``ArgumentsText`` of the host's model)."""
        named = self._named(row)
        given = self._arguments(row)
        if self._loaded.is_made_bare and self._is_bare(given[0]):
            given.pop(0)
        text = to_text(tuple(given))
        return text if not named else f"{{'args': {text}, 'kwargs': {to_text(named)}}}"

    def arguments_plain(self, row: Any) -> list[Any] | str:
        """Return the row as a list where all its arguments are positional and values of JSON; else as text."""
        if self.form.keywords or self._loaded.is_made_bare or not all([is_json(value) for value in row]):
            return self.arguments_text(row)
        return self._arguments(row)

    def _is_bare(self, instance: Any) -> bool:
        """Whether an instance is made of the method's own class, without arguments, as where a text omits it."""
        owner = self._loaded.owner
        is_own = owner is not None and type(instance) is New and instance.name == owner.__qualname__
        return is_own and not (instance.args or instance.kwargs)

    def call_text(self, row: Any) -> str:
        """Return the call as a user would write it: ``f([3, 1])`` or ``Stack(2).push(1)``."""
        given = self._arguments(row)
        prepared, held = None, ""
        parts = [to_call_text(v) for v in given]
        name = attribute_path(self._qualname) + self._loaded.kept_as
        if name.endswith(".__new__"):
            name = name.rpartition(".")[0]
        elif self._loaded.binding == "method" and "." in name:
            owner, _, method = name.rpartition(".")
            if self._loaded.is_constructor:
                name = concrete_text(self._loaded.owner, owner)
            elif self._loaded.makes_instance:
                name = f"{owner}().{method}"
            elif parts:
                instance = parts.pop(0)
                prepared = given[0] if type(given[0]) is Prepared else None
                if prepared is not None:
                    instance = held = prepared_name([*parts, *map(to_text, prepared.args)])
                name = f"{instance}.{method}"
        if is_setter(name):
            target, _, attribute = name.rstrip(SETTER).rpartition(".")
            name = f"setattr({target}, {attribute!r}, {', '.join(parts)})"
        else:
            named = self._named(row)
            parts += [f"{k}={to_call_text(v)}" for k, v in named.items() if k not in SHOWN]
            is_property = self._loaded.is_property
            called = process_text(name, self._given(row, named), self._loaded.function, is_property=is_property)
            if called != name or not is_property:
                name = f"{called}({', '.join(parts)})"
        return name if prepared is None else prepared_text(prepared, name, held)

    def _given(self, row: Any, named: dict[str, Any]) -> dict[str, str]:
        """Return what a row has of the process that the function reads, as source code."""
        values = dict(zip(self.form.keywords, row[len(self._positional) :]))
        return {k: to_call_text(v) for k, v in values.items() if k in ALWAYS_SHOWN or (k in SHOWN and k in named)}


def _defaults(parameters: list[Parameter]) -> tuple[Any, ...]:
    found = [p.default if p.is_default_written else NOTHING for p in parameters]
    return tuple(found) if any([value is not NOTHING for value in found]) else ()


def _is_given_by_test(value: Any, parameter: str) -> bool:
    """Whether a recipe is an argument in a test, for a parameter."""
    return is_in_test(value) and read_carved(value.name).parameter == parameter


def _equal(one: Any, two: Any) -> bool:
    return type(one) is type(two) and (is_plain(one) or type(one) in (Name, tuple)) and to_text(one) == to_text(two)


def trim_parameters(
    parameters: list[Parameter], inner: Set[str] = frozenset(), named: Set[str] = frozenset()
) -> list[Parameter]:
    """Leave out parameters that keep their default: those whose default has no literal, which the search cannot write,
    and those that no caller passes, which are private by their name or named in `inner`.

    What comes after those is passed by keyword, if it is among those `named`, which every program takes so.
    """
    kept: list[Parameter] = []
    keywords: list[Parameter] = []
    closed = False
    for parameter in parameters:
        is_open = isinstance(parameter.shape, AnyShape)
        writable = not parameter.has_default or parameter.is_default_written or not is_open
        is_private = parameter.name.startswith("_") or parameter.name in inner
        writable = writable and not (parameter.has_default and is_private)
        if parameter.kind == "positional":
            closed = closed or not writable
            if not closed:
                kept.append(parameter)
            elif writable and parameter.name in named:
                parameter.kind = "keyword"
                keywords.append(parameter)
        elif parameter.kind in ("keyword", "keywords"):
            if writable:
                keywords.append(parameter)
        elif not closed:
            kept.append(parameter)
    return kept + keywords


def parse_rows(layout: Layout, texts: list[str]) -> list[Any]:
    """Return the rows of those texts that fit; others are left out, as seeds may be anything."""
    found: list[Any] = []
    for text in texts:
        row: Any | None = None
        try:
            row = layout.row(text)
        except RecipeError:
            continue
        found.append(row)
    return found
