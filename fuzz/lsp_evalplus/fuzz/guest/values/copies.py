"""Copies of inputs, so that a program that changes its arguments changes nothing for others."""

from __future__ import annotations

import copy
import types
from typing import Any, Callable

from .plain import type_of


class FreshInputs:
    """Inputs whose mutable parts are copied for each program.

    Args:
        inputs: pairs of positional arguments, plain data, and of keyword arguments, which are empty.
    """

    def __init__(self, inputs: list[Any]) -> None:
        self._inputs = inputs
        self._copiers: dict[int, list[Any]] = {}

    def can_copy(self, indices: Any) -> bool:
        """Return whether copies of these inputs are indistinguishable from the inputs."""
        return all([self._find_copiers(index) is not None for index in indices])

    @property
    def unchanged(self) -> Any:
        """Copies, or the inputs themselves where nothing in the requested ones can be changed."""
        return self if any(self._copiers.values()) else self._inputs

    def __getitem__(self, index: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        item = self._inputs[index]
        copiers = self._copiers[index]
        if not copiers:
            return item
        if len(copiers) == 1:
            return (copiers[0](item[0][0]),), item[1]
        return tuple([value if copy is None else copy(value) for value, copy in zip(item[0], copiers)]), item[1]

    def _find_copiers(self, index: int) -> list[Any] | None:
        """Functions that copy the arguments of an input; empty if none can be changed, None if one cannot be copied."""
        try:
            found = [_copier(value) for value in self._inputs[index][0]]
        except _CopyError:
            return None
        self._copiers[index] = found = found if any(found) else []
        return found


class _CopyError(Exception):
    """A copy could be distinguished from the value."""


_ATOMS = frozenset((type(None), bool, int, float, complex, str, bytes))
_SHALLOW: dict[Any, Any] = {kind: kind.__dict__["copy"] for kind in (list, dict)}


def _copier(value: Any) -> Callable[[Any], Any] | None:
    """A function that copies a value, so that changes of the copy do not affect it; None if it is immutable.

    Raises:
        _CopyError: it is or has a set, whose order a copy need not have, or something that is not plain.
    """
    kind = type_of(value)
    if kind in _ATOMS:
        return None
    if kind not in _KINDS:
        raise _CopyError
    items: list[Any] = [*value.keys(), *value.values()] if kind is dict else list(value)
    # All are examined: each of them may be a set.
    has_changeable = not _ATOMS.issuperset(map(type_of, items)) and any([_copier(item) is not None for item in items])
    return _copy if has_changeable else _SHALLOW.get(kind)


_KINDS = frozenset((list, tuple, dict, frozenset))
_SHARED = frozenset((*_ATOMS, types.FunctionType))
"""Types of which `copy.deepcopy` returns the value itself."""


def deep_copies(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what `copy.deepcopy` does, sooner where few values need it: it takes long to find that scalars do not."""
    changeable = [value for value in values if type_of(value) not in _SHARED]
    if not changeable:
        return values
    if len(changeable) == 1:
        value = changeable[0]
        copier = _SHALLOW.get(type_of(value))
        if copier is not None and _has_only_shared(value):
            copied = copier(value)
            return tuple([copied if one is value else one for one in values])
    return copy.deepcopy(values)


def _has_only_shared(value: Any) -> bool:
    return _SHARED.issuperset(map(type_of, value)) and (
        type_of(value) is list or _SHARED.issuperset(map(type_of, value.values()))
    )


def _copy(value: Any) -> Any:
    kind = type_of(value)
    if kind is list:
        return [item if type_of(item) in _ATOMS else _copy(item) for item in value]
    if kind is tuple:
        return tuple([_copy(item) for item in value])
    if kind is dict:
        return {key: _copy(item) for key, item in value.items()}
    return value
