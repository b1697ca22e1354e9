"""Convert calls of a function in examples to arguments in the engine's format."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.guest.values.public_state import is_special
from lsp_evalplus.fuzz.model import Binding, Example, FunctionKind, FunctionTarget
from lsp_evalplus.fuzz.source.scopes import dotted_name

from .instances import is_built, receivers_of, to_built_text
from .values import is_argument, to_argument_text


@dataclass(frozen=True, slots=True)
class CallReader:
    """Parses calls of one function, given its name and signature."""

    name: str
    """The unqualified name, as in a call."""
    owner: str | None
    """The class a method belongs to."""
    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    takes_any: bool
    """Whether it accepts ``*args``."""
    required: int
    """Number of positional parameters without a default."""
    yields: bool = False
    """Whether it is a generator: ``list(f(x))`` then shows the result of ``f(x)``."""
    returns_text: bool = False
    """Whether its return annotation is str: ``print(f(x))`` then shows the result of ``f(x)``."""

    is_method: bool = False
    """Whether a call has an instance: an example may show how one is made."""

    @property
    def is_special(self) -> bool:
        """Whether it is a special method, which syntax calls without its name."""
        return self.is_method and is_special(self.name)

    @property
    def is_constructor(self) -> bool:
        """Whether it initialises instances: it is called by the name of its class."""
        return self.is_method and self.name == "__init__"

    def may_be_called_in(self, text: str) -> bool:
        """Whether a string may hold a call: it names the function, or the class for a constructor; operators call other
        special methods without any name."""
        if self.name in text or not self.is_special:
            return self.name in text
        return not self.is_constructor or self.owner is None or self.owner in text

    def reads(self, node: ast.AST) -> bool:
        """Whether `node` is a call of the function, other than on an instance."""
        if not isinstance(node, ast.Call):
            return False
        if self.is_constructor:
            name = dotted_name(node.func) or ""
            return name.rpartition(".")[2] == self.owner
        if isinstance(node.func, ast.Attribute):
            receiver = node.func.value
            is_ours = _is_module(receiver) if self.owner is None else self._is_receiver(receiver)
            return node.func.attr == self.name and is_ours
        return isinstance(node.func, ast.Name) and node.func.id == self.name

    def examples(
        self, node: ast.expr, expected: str | None, line: int | None, *, raises: str | None = None
    ) -> list[Example]:
        """Return the example of a call; empty if an argument is not a value or the call does not fit the signature."""
        arguments = self.arguments(node) if isinstance(node, ast.Call) else None
        if arguments is not None and self.is_constructor:
            # What is stated is the instance, not what the constructor returns.
            return [Example(arguments, None, None, line)]
        if arguments is not None:
            return [Example(arguments, expected, raises, line)]
        return self.inputs(node, line)

    def inputs(self, node: ast.expr, line: int | None) -> list[Example]:
        """Return the arguments of a call as examples without result: its instance and its arguments may be made by
        functions of the program, on which the meaning of a stated result would depend."""
        calls = receivers_of(node, self.name) if self.is_method else ()
        texts = [self._built(*call) for call in calls]
        if self.reads(node) and isinstance(node, ast.Call):
            texts.append(self._built(None, node.args, node.keywords))
        return [Example(text, None, None, line) for text in dict.fromkeys(texts) if text is not None]

    def _built(self, instance: ast.expr | None, args: list[ast.expr], keywords: list[ast.keyword]) -> str | None:
        if not all(map(is_built, args)) or not all(kw.arg and is_built(kw.value) for kw in keywords):
            return None
        named = {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
        return self.bind(args, named, instance)

    def arguments(self, call: ast.Call) -> str | None:
        """Return the arguments of a call as source, or None."""
        if not all(map(is_argument, call.args)) or not all(kw.arg and is_argument(kw.value) for kw in call.keywords):
            return None
        named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        return self.bind(list(call.args), named)

    def bind(self, values: list[ast.expr], named: dict[str, ast.expr], instance: ast.expr | None = None) -> str | None:
        """Convert positional and named values to arguments source, after the instance of a method; None if they do
        not fit the signature."""
        named = dict(named)
        for name in self.positional[len(values) :]:
            if name not in named:
                break
            values = [*values, named.pop(name)]
        if len(values) > len(self.positional) and not self.takes_any:
            return None
        missing = [name for name in self.positional[len(values) : self.required] if name not in named]
        if missing or not set(named) <= {*self.positional, *self.keyword_only}:
            return None
        return _to_text(values if instance is None else [instance, *values], named)

    def _is_receiver(self, node: ast.expr) -> bool:
        """Whether it is ``Owner``, for static and class methods, or ``Owner()``, for classes without arguments."""
        if isinstance(node, ast.Call):
            return not node.args and not node.keywords and self._is_receiver(node.func)
        return isinstance(node, ast.Name) and node.id == self.owner


def _is_module(node: ast.expr) -> bool:
    """Whether it may be a module: a plain dotted name, but not a value or a variable of unknown value."""
    name = dotted_name(node)
    return name is not None and all(part.isidentifier() for part in name.split("."))


def reader_for(target: FunctionTarget) -> CallReader:
    """Return a reader for calls of `target`."""
    owner, _, name = target.program.qualname.rpartition(".")
    positional = [p for p in target.parameters if p.kind in {"positional_only", "positional_or_keyword"}]
    return CallReader(
        name=name,
        owner=owner.rpartition(".")[2] or None if target.binding is not Binding.FREE else None,
        positional=tuple(parameter.name for parameter in positional),
        keyword_only=tuple(p.name for p in target.parameters if p.kind == "keyword_only"),
        takes_any=any(p.kind == "var_positional" for p in target.parameters),
        required=sum(parameter.default is None for parameter in positional),
        yields=target.kind is FunctionKind.GENERATOR,
        returns_text=target.returns in {"str", "'str'"},
        is_method=target.binding is Binding.METHOD,
    )


def _to_text(values: Sequence[ast.expr], named: dict[str, ast.expr]) -> str | None:
    texts = [_argument_text(value) for value in values]
    named_texts = {name: _argument_text(value) for name, value in named.items()}
    if None in texts or None in named_texts.values():
        return None
    inside = ", ".join(text for text in texts if text)
    positional = f"({inside},)" if len(texts) == 1 else f"({inside})"
    if not named_texts:
        return positional
    keywords = ", ".join(f"{name!r}: {text}" for name, text in named_texts.items())
    return f"{{'args': {positional}, 'kwargs': {{{keywords}}}}}"


def _argument_text(value: ast.expr) -> str | None:
    return to_argument_text(ast.unparse(value)) or to_built_text(value)
