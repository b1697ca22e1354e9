"""Dialogues with generators: what their users send to them and raise in them, and when they stop asking.

A generator that uses the value of a `yield` expression is driven by `send`, one that catches exceptions around a
`yield` by `throw`, and what it returns is the value of the `yield from` that delegates to it (PEP 342, PEP 380). A loop
over its items shows none of that.
"""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from ..program.loader import Loaded
from ..program.materialize import finished
from ..static.walking import own_nodes
from ..values.dynamic import type_of
from ..values.rendering import Yielded, value_text, yielded
from .bodies import Body, bodies_for

FURTHER_ITEMS = 8
"""Items that are asked for after the last value was sent."""
MOST_ITEMS = 1000
"""Items of a generator that waits for answers and gets none."""
MOST_CONSTANTS = 4
"""Constants of the function that are sent."""
_GIVES, _RETURNS, _RAISES = "gives", "returns", "raises"
_YIELDS = (ast.Yield, ast.YieldFrom)
_WITH = (ast.With, ast.AsyncWith)
_UNSUPPORTED = (TypeError, AttributeError)
_COMMON: tuple[tuple[Any, ...], ...] = (
    (2, 1, 0),
    ("b", "a", "b", ""),
    (2, None, 1, None),
    ("b", None, "a", None),
    (("a", 2), ("b", 1)),
    (0.5, 2, 1),
)
"""Values that are sent one after the other; None is what `next` sends."""


class Dialogue(NamedTuple):
    """What is sent to a generator after its first item; exceptions of bodies are raised in it."""

    steps: tuple[Any, ...] = ()
    is_closed: bool = False
    """Whether it is closed then; else it is asked for what is left."""

    def told(self) -> str:
        """Return the clause of a sentence that says when: empty where the generator is only used up."""
        parts = [f"{one.told()} by throw()" if isinstance(one, Body) else value_text(one) for one in self.steps]
        sent = ", then ".join(parts)
        words = [f"when sent {sent}" if sent else "", "closed after that" if sent else "when closed after an item"]
        return " and ".join([one for one in words[: 2 if self.is_closed else 1] if one])


class Talk:
    """The dialogue that the calls of both programs have at present, and all that they may have."""

    __slots__ = ("dialogues", "is_answered", "now")

    def __init__(self, dialogues: Sequence[Dialogue], *, is_answered: bool) -> None:
        self.dialogues = dialogues
        self.is_answered = is_answered
        """Whether the generator uses what is sent to it: `next` sends None, which it may not be meant for."""
        self.now: Dialogue | None = None

    @contextlib.contextmanager
    def about(self, dialogue: Dialogue) -> Generator[None]:
        """Have this dialogue in all calls inside of the ``with`` statement."""
        self.now = dialogue
        try:
            yield
        finally:
            self.now = None


def talk_with(function: ast.AST | None, other: ast.AST | None, scope: Mapping[str, Any]) -> Talk | None:
    """Return the dialogues for the generators of two versions of a function; None where items are all they give.

    Args:
        function: the older version.
        other: the newer one.
        scope: the globals of the older one.
    """
    both = [one for one in (function, other) if isinstance(one, ast.FunctionDef)]
    nodes = [node for one in both for node in own_nodes(one.body)]
    if not any([isinstance(node, _YIELDS) for node in nodes]):
        return None
    ignored = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    is_answered = any([isinstance(node, ast.Yield) and id(node) not in ignored for node in nodes])
    dialogues: list[Dialogue] = []
    if any([isinstance(node, ast.Return) and not _is_none(node.value) for node in nodes]):
        dialogues.append(Dialogue())
    if is_answered:
        dialogues += [Dialogue(one) for one in [*_COMMON, *_of_constants(nodes)]]
    if any([_is_around_yield(node) for node in nodes]):
        dialogues += [Dialogue((), is_closed=True), Dialogue((None,), is_closed=True)]
        for body in [one for version in both for one in bodies_for(version, scope)]:
            if body.fails:
                dialogues += [Dialogue((body, None)), Dialogue((2, body, None, 1)), Dialogue(("b", body, "a"))]
    return Talk(list(dict.fromkeys(dialogues)), is_answered=is_answered) if dialogues else None


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _is_around_yield(node: ast.AST) -> bool:
    if not isinstance(node, (ast.Try, *_WITH)):
        return False
    return any([isinstance(one, _YIELDS) for one in own_nodes(node.body)])


def _of_constants(nodes: list[ast.AST]) -> list[tuple[Any, ...]]:
    """Return dialogues that send the constants with which the function compares something."""
    compared = [part for node in nodes if isinstance(node, ast.Compare) for part in (node.left, *node.comparators)]
    known = dict.fromkeys([one.value for one in compared if isinstance(one, ast.Constant)])
    constants = [one for one in known if type(one) in (str, int, float, bytes)][:MOST_CONSTANTS]
    return [(one, None, *rest) for one in constants for rest in ((2, one), ("b", one))]


def conversing(loaded: Loaded, talk: Talk, scope: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the call of a generator function that has the dialogue of the moment with the generator.

    Args:
        loaded: the program.
        talk: the dialogue; where there is none, the generator is used up as any iterator.
        scope: the globals of the program.
    """
    function = loaded.function

    def call(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        if type_of(generator) is not types.GeneratorType:
            return finished(generator)
        if talk.now is not None:
            return _course(generator, talk.now, scope)
        return _items(generator) if talk.is_answered else finished(generator)

    return call


def _items(generator: Any) -> Yielded:
    """Return the first items of a generator that waits for answers, up to where it does not get on without them."""
    items: list[Any] = []
    try:
        for item in generator:
            items.append(finished(item))
            if len(items) >= MOST_ITEMS:
                break
    except _UNSUPPORTED:
        if not items:
            raise
    return yielded(items, "generator")


def _course(generator: Any, dialogue: Dialogue, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the items that a generator gives in a dialogue, and how it ends."""
    items: list[Any] = []
    course: dict[str, Any] = {_GIVES: items}
    error: BaseException | None = None
    try:
        items.append(finished(next(generator)))
        for step in dialogue.steps:
            error = step.error(scope) if isinstance(step, Body) else None
            items.append(finished(generator.send(step) if error is None else generator.throw(error)))
        error = None
        if dialogue.is_closed:
            generator.close()
            return course
        while len(items) <= len(dialogue.steps) + FURTHER_ITEMS:
            items.append(finished(next(generator)))
    except StopIteration as end:
        course[_RETURNS] = finished(end.value)
    except BaseException as raised:
        if raised is not error:
            raise
        course[_RAISES] = True
    return course


def in_common(one: dict[str, Any], two: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what two generators did, without what the newer one returns where the older one returned nothing: nobody
    relies on that."""
    if _RETURNS in one and _RETURNS in two and one[_RETURNS] is None:
        return one, {**two, _RETURNS: None}
    return one, two


def course_text(course: Any, dialogue: Dialogue) -> str:
    """Return the words for what a generator did in a dialogue."""
    words = f"a generator that gives {value_text(course[_GIVES])}"
    if course.get(_RETURNS) is not None or (_RETURNS in course and not dialogue.steps):
        words += f" and returns {value_text(course[_RETURNS])}"
    elif _RETURNS in course:
        words += " and ends"
    elif _RAISES in course:
        words += " and lets the exception through"
    when = dialogue.told()
    return f"{words} {when}" if when else words
