"""Unifies what a function passes to itself with its parameters."""

from __future__ import annotations

from collections.abc import Iterable

from .value_usage import Use


def unify(part: Use | None, whole: Use, parameters: Iterable[Use]) -> None:
    """Put a parameter's usage where a part of some parameters is, which a recursive call passes for it."""
    for use in _all_of(parameters):
        if use.element is not None and use.element is part:
            use.element = whole
        for name, attribute in use.attributes.items():
            if attribute is part:
                whole.is_asked |= attribute.is_asked
                use.attributes[name] = whole


def _all_of(parameters: Iterable[Use]) -> list[Use]:
    found: list[Use] = list(parameters)
    for use in found:
        for part in [*use.fields.values(), *use.attributes.values(), use.element, use.result]:
            if part is not None and part not in found:
                found.append(part)
    return found
