"""How callers use what the methods of an instance return of it: ``self.feed().title`` for ``return self._feed``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...static.walking import Function, name_of
from .reader import Reader
from .value_usage import Use

_DEEPEST = 3
"""Maximum nesting of parts that are merged."""
_FLAGS = (
    *("looks_up", "is_open", "is_indexed", "is_gone_through", "is_subscripted", "is_searched", "is_mapping"),
    *(
        "is_keyed",
        "is_kept",
        "is_key",
        "is_awaited",
        "is_ordered",
        "is_text",
        "is_either",
        "has_default",
        "is_left_out",
        "is_asked",
    ),
)
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
            _take(part, result)
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


def _take(ours: Use, theirs: Use, deep: int = 0) -> None:
    """Add how another expression for the same value uses it."""
    if ours is theirs or deep > _DEEPEST:
        return
    for mine, others in ((ours.fields, theirs.fields), (ours.attributes, theirs.attributes)):
        for name, part in list(others.items()):
            _take(mine.setdefault(name, part), part, deep + 1)
    for name in ("element", "result", "content", "entered"):
        part = getattr(theirs, name)
        if part is not None and getattr(ours, name) is None:
            setattr(ours, name, part)
        elif part is not None:
            _take(getattr(ours, name), part, deep + 1)
    for name in ("shapes", "words", "numbers", "names", "kinds", "groups", "calls"):
        found = getattr(ours, name)
        found += [one for one in getattr(theirs, name) if one not in found]
    for name in _FLAGS:
        setattr(ours, name, getattr(ours, name) or getattr(theirs, name))
    ours.required |= theirs.required
    ours.optional |= theirs.optional
    ours.places = ours.places or theirs.places
    ours.lengths.update(theirs.lengths)
    if theirs.arguments is not None:
        ours.arguments = max(ours.arguments or 0, theirs.arguments)
