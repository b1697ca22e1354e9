"""Adds keyword parameters to a function, for what a call is given beside its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any


def keyword(name: str, default: Any, annotation: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """Return a parameter that is passed by name."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def declare(
    call: Callable[..., Any], own: Sequence[inspect.Parameter], added: Sequence[inspect.Parameter], **marks: Any
) -> Callable[..., Any]:
    """Let a wrapper have the signature of what it wraps and some further parameters; return it.

    Args:
        call: the wrapper.
        own: the parameters of what it wraps.
        added: the further ones; they stand before ``**kwargs``.
        marks: attributes that the wrapper gets.
    """
    last = len(own) - 1 if own and own[-1].kind is inspect.Parameter.VAR_KEYWORD else len(own)
    changed: Any = call
    changed.__signature__ = inspect.signature(call).replace(parameters=[*own[:last], *added, *own[last:]])
    stated = {one.name: one.annotation for one in [*own, *added] if one.annotation is not inspect.Parameter.empty}
    changed.__annotations__ = {**getattr(call, "__annotations__", {}), **stated}
    for name, value in marks.items():
        setattr(changed, name, value)
    return changed  # type: ignore[no-any-return]
