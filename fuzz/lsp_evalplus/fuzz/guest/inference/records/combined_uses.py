"""What several functions show of one value: two versions that use the same of it, and callers that use what the methods
of an instance return of it, ``self.feed().title`` for ``return self._feed``.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...static.walking import Function, name_of, walk_tree
from .reader import Reader
from .value_usage import Use

_DEEPEST = 3
"""Maximum nesting of parts that are merged."""
_FLAGS = (
    "looks_up is_open is_indexed is_gone_through is_subscripted is_searched is_mapping is_keyed is_kept is_key "
    "is_awaited is_ordered is_text is_either has_default is_left_out is_asked"
).split()
"""What is so of a value where one of its uses says so."""


class ReaderOfResults(Reader):
    """Tracks an instance through one of its methods, with the parts of it that the method returns."""

    def __init__(self, function: Function, uses: dict[str, Use]) -> None:
        self.returned: list[Use] = []
        super().__init__(function, uses, demands=True)

    def visit_Return(self, node: Any) -> None:  # noqa: N802 - the name that the visitor calls.
        """Record a returned value."""
        use = self._use(node.value)
        self.returned += [use] if use is not None else []
        super().visit_Return(node)


def use_returned(method: Function, parts: Sequence[Use], instance: Use) -> None:
    """Let the parts of an instance that one of its methods returns be used as the callers of that method use them."""
    used = instance.attributes.get(method.name)
    if used is None:
        return
    is_property = "property" in "".join([name_of(one) for one in method.decorator_list])
    result = used if is_property else used.result
    for part in parts:
        if result is not None:
            add_use(part, result)
        if not is_property and used.has_effect_alone():
            for maker in [one for one in _reached(instance) if one.result is part]:
                maker.is_ordered = True


def _reached(whole: Use) -> list[Use]:
    """Return what is used of a value, and of that in turn."""
    found = [whole]
    for one in found:
        inner = [*one.attributes.values(), *one.fields.values(), one.element, one.result]
        found += [part for part in inner if part is not None and part not in found]
    return found


def are_alike(ours: Use, theirs: Use) -> bool:
    """Return whether two functions use the same of a value, or the second nothing less than methods that are called for
    their effect alone: all calls that the first makes are made there, too."""
    if _paths(ours) == _paths(theirs):
        return True
    return _paths(ours, with_effects=False) == _paths(theirs, with_effects=False) and _calls_no_more(ours, theirs)


def uses_no_more(ours: Use, theirs: Use) -> bool:
    """Return whether the second of two functions uses no attributes of a value that the first does not use."""
    return _paths(theirs) <= _paths(ours)


def only_forgets(function: Function, newer: Function) -> bool:
    """Return whether a newer version reads attributes nowhere but where the older one does, in the same expressions.

    All methods that the older one calls are called, and all that an ``elif`` asks for is asked for. Where the newer one
    reads attributes elsewhere, or needs no ``elif``, it may know what one says of another: ``not node.children`` in
    place of ``node.kind == "leaf"``.
    """
    before, after = Counter(_places(function)), Counter(_places(newer))
    return not after - before and not any([is_needed for _, is_needed in before - after])


def _places(function: Function) -> Iterator[tuple[str, bool]]:
    """Yield the attributes that a function reads with what is done with each, and whether it is called or decides for
    an ``elif``."""
    nodes = list(walk_tree(function))
    others = [one.orelse[0] for one in nodes if isinstance(one, ast.If) and len(one.orelse) == 1]
    deciding = {part for one in others if isinstance(one, ast.If) for part in walk_tree(one.test)}
    for node in nodes:
        is_test = isinstance(node, (ast.BoolOp, ast.If, ast.While, ast.IfExp, ast.comprehension))
        is_test = is_test or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        read = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.Attribute)]
        is_whole = bool(read) and isinstance(node, ast.expr) and not is_test
        use = ast.unparse(node) if is_whole else "" if is_test else type(node).__name__
        for one in read:
            is_called = isinstance(node, ast.Call) and one is node.func
            yield f"{ast.unparse(one)} {use}", is_called or one in deciding


def _calls_no_more(ours: Use, theirs: Use) -> bool:
    first, second = (Counter(map(ast.unparse, _all_calls(use))) for use in (ours, theirs))
    return not second - first


def _paths(use: Use, deep: int = 0, *, with_effects: bool = True) -> set[tuple[str, ...]]:
    """Return the attributes that are used of a value, of its items, and of these in turn.

    Args:
        use: of the value.
        deep: in how many others it lies.
        with_effects: whether methods count that are called for their effect alone.
    """
    found: set[tuple[str, ...]] = set()
    for name, part in use.inner() if deep < _DEEPEST else ():
        if with_effects or not part.has_effect_alone():
            found.add((name,))
            inner = _paths(part, deep + 1, with_effects=with_effects) if part.instances is None else ()
            found.update((name, *path) for path in inner)
    return found


def _all_calls(use: Use, deep: int = 0) -> list[ast.Call]:
    """Return the calls of a value and of what is used of it, and those that these are passed to."""
    inner = use.inner() if deep < _DEEPEST else []
    return [*use.calls, *[call for _, part in inner for call in _all_calls(part, deep + 1)]]


def add_choices(ours: Use, theirs: Use, deep: int = 0) -> None:
    """Add the words, constants and members of classes that another function compares a value and its parts with."""
    for name in ("words", "names", "numbers"):
        _add_new(getattr(ours, name), getattr(theirs, name))
    ours.is_instance = ours.instances is not None and _paths(ours) != _paths(theirs)
    others = dict(theirs.inner())
    for name, part in ours.inner() if deep < _DEEPEST else ():
        if name in others:
            add_choices(part, others[name], deep + 1)


def _add_new(found: list[Any], others: list[Any]) -> None:
    found += [one for one in others if one not in found]


def add_use(ours: Use, theirs: Use, deep: int = 0) -> None:
    """Add how another expression for the same value uses it."""
    if ours is theirs or deep > _DEEPEST:
        return
    for mine, others in ((ours.fields, theirs.fields), (ours.attributes, theirs.attributes)):
        for name, part in list(others.items()):
            add_use(mine.setdefault(name, part), part, deep + 1)
    for name in ("element", "result", "content", "entered"):
        part = getattr(theirs, name)
        if part is not None and getattr(ours, name) is None:
            setattr(ours, name, part)
        elif part is not None:
            add_use(getattr(ours, name), part, deep + 1)
    for name in ("shapes", "words", "numbers", "names", "kinds", "groups", "calls"):
        _add_new(getattr(ours, name), getattr(theirs, name))
    for name in _FLAGS:
        setattr(ours, name, getattr(ours, name) or getattr(theirs, name))
    ours.required |= theirs.required
    ours.optional |= theirs.optional
    ours.places = ours.places or theirs.places
    ours.lengths.update(theirs.lengths)
    if theirs.arguments is not None:
        ours.arguments = max(ours.arguments or 0, theirs.arguments)
