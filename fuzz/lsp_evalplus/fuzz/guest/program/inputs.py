"""Reads the inputs of a job: literals as strings, or marshalled values."""

from __future__ import annotations

import ast
from typing import Any

from ..values.marshal_codec import read_marshalled
from .loader import LoadError, split_arguments


def prepare_inputs(data: dict[str, Any]) -> list[Any]:
    """Decode inputs once for many runs, as a pool provides them to its zygote or to a fork server."""
    if "arguments" in data:
        return [_parse_literal(text) for text in data["arguments"]]
    return read_marshalled(data["marshalled"])


def _parse_literal(text: str) -> Any:
    """Return the arguments of a literal; a string with constructors stays as it is, for the program to evaluate."""
    return literal_arguments(text) or text


def literal_arguments(text: str) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return positional and keyword arguments that are a literal, which no code of a program has a part in."""
    try:
        return split_arguments(ast.literal_eval(text))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, LoadError):
        return None
