"""What the annotations in a class state of the members of its objects."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, Callable

from ...values.dynamic import is_python_function
from ...values.shapes import Shape
from ..hints import hints_of
from .value_usage import Stated


def stated_by(kind: type, members: Iterable[str], shape_of: Callable[[Any], Shape]) -> Stated:
    """Return the shapes of the attributes of a class, and of what some of its methods return.

    Args:
        shape_of: returns the shape of an annotation.
    """
    shapes = {name: shape_of(hint) for name, hint in hints_of(kind).items()}
    results: dict[str, Shape] = {}
    for name in members:
        found = inspect.getattr_static(kind, name, None)
        function = found.fget if isinstance(found, property) else found
        if is_python_function(function) and "return" in (hints := hints_of(function)):
            (shapes if isinstance(found, property) else results)[name] = shape_of(hints["return"])
    return Stated(shapes, results)
