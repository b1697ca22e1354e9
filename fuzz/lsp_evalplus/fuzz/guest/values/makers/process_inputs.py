"""What a function reads of its process, as inputs: environment variables, command line arguments, the standard input.

A function that reads them gets further keyword parameters, so that a search gives it values like any others. The host
states which it reads (`fuzz.source.process_inputs`).
"""

from __future__ import annotations

import functools
import inspect
import io
import os
import sys
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable

IN_ENVIRONMENT = "in_environment"
"""The name that calls have for `in_environment`."""
ENVIRON, ARGUMENTS, STDIN = "os_environ", "sys_argv", "sys_stdin"
SHOWN = {ENVIRON: "environ", ARGUMENTS: "argv", STDIN: "stdin"}
"""The parameters that are added to a function, and the names that `in_environment` has for them."""
ALWAYS_SHOWN = (ARGUMENTS, STDIN)
"""Whoever runs a call by hand has some of these, if only by running it."""
PROGRAM = "program"


def in_environment(
    function: Callable[..., Any],
    environ: Mapping[str, str] = {},
    argv: Sequence[str] | None = None,
    stdin: Iterable[str] | None = None,
) -> Callable[..., Any]:
    """Return the function, called with these environment variables, command line arguments and lines of the input."""

    def call(*args: Any, **kwargs: Any) -> Any:
        saved = dict(os.environ), sys.argv, sys.stdin
        os.environ.update(environ)
        if argv is not None:
            sys.argv = [PROGRAM, *argv]
        if stdin is not None:
            text = "".join([f"{line}\n" for line in stdin])
            sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogatepass")), "utf-8", "surrogatepass")
        try:
            return function(*args, **kwargs)
        finally:
            variables, sys.argv, sys.stdin = saved
            if os.environ != variables:
                os.environ.clear()
                os.environ.update(variables)

    return call


def with_process_inputs(function: Callable[..., Any], fields: Mapping[str, Any] | None) -> Callable[..., Any]:
    """Return the function with keyword parameters for what it reads of its process.

    Args:
        function: a plain one, neither a coroutine nor a generator.
        fields: the names of ``variables``, whether it reads ``arguments`` and ``stdin``, and likely ``words``; None
            where it reads nothing.
    """
    if fields is None:
        return function
    signature = inspect.signature(function)
    words = tuple(fields["words"])
    word: Any = typing.Union[typing.Literal[words], str] if words else str
    added: dict[str, tuple[Any, Any]] = {}
    if fields["variables"]:
        # A class whose names need not be identifiers.
        named: Any = typing.TypedDict("Environ", dict.fromkeys(fields["variables"], word), total=False)  # type: ignore[misc]
        added[ENVIRON] = (named, {})
    for name, is_read in ((ARGUMENTS, fields["arguments"]), (STDIN, fields["stdin"])):
        if is_read:
            added[name] = (typing.List[word], [])  # type: ignore[valid-type]  # noqa: UP006 - Python 3.9 makes no `list[Union]` hint.

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = {SHOWN[name]: kwargs.pop(name, default) for name, (_, default) in added.items()}
        return in_environment(function, **given)(*args, **kwargs)

    own = list(signature.parameters.values())
    last = len(own) - 1 if own and own[-1].kind is inspect.Parameter.VAR_KEYWORD else len(own)
    further = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in added.items()
    ]
    changed: Any = call
    changed.__signature__ = signature.replace(parameters=[*own[:last], *further, *own[last:]])
    kinds = {name: kind for name, (kind, _) in added.items()}
    changed.__annotations__ = {**getattr(function, "__annotations__", {}), **kinds}
    return call


def in_environment_text(name: str, given: Mapping[str, str]) -> str:
    """Return what to call instead of a function to give it the inputs: ``in_environment(main, argv=['-v'])``.

    Args:
        name: of the function.
        given: the texts of the values of parameters in `SHOWN`.
    """
    return f"{IN_ENVIRONMENT}({', '.join([name, *[f'{SHOWN[key]}={text}' for key, text in given.items()]])})"
