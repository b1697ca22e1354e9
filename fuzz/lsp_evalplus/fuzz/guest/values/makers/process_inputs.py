"""What a function reads of its process, as inputs: environment variables, command line arguments, the standard input.

A function that reads them gets further keyword parameters, so that a search gives it values like any others. The host
states which it reads (`fuzz.source.process_inputs`).
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import os
import sys
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable

from .input_files import PrivateFolder

IN_ENVIRONMENT = "in_environment"
"""The name that calls have for `in_environment`."""
ENVIRON, ARGUMENTS, STDIN = "os_environ", "sys_argv", "sys_stdin"
SHOWN = {ENVIRON: "environ", ARGUMENTS: "argv", STDIN: "stdin"}
"""The parameters that are added to a function, and the names that `in_environment` has for them."""
ALWAYS_SHOWN = (ARGUMENTS, STDIN)
"""A process has these in any case."""
PROGRAM = "program"
WRITTEN = "returned_and_written"
"""The name that calls have for `returned_and_written`."""
MOST_FILES, MOST_BYTES = 100, 100_000
NO_FILE = object()
_LEAVES_FILES = "_lsp_leaves_files_"


def in_environment(
    function: Callable[..., Any],
    environ: Mapping[str, str] = {},
    argv: Sequence[str] | None = None,
    stdin: Iterable[str] | None = None,
) -> Callable[..., Any]:
    """Return the function, called with these environment variables, command line arguments and lines of the input."""

    def call(*args: Any, **kwargs: Any) -> Any:
        saved = dict(os.environ), sys.argv, sys.stdin
        try:
            os.environ.update(environ)  # A value that no variable can have is refused.
            if argv is not None:
                sys.argv = [PROGRAM, *argv]
            if stdin is not None:
                data = "".join([f"{line}\n" for line in stdin]).encode("utf-8", "surrogatepass")
                sys.stdin = io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogatepass")
            return function(*args, **kwargs)
        finally:
            variables, sys.argv, sys.stdin = saved
            if os.environ != variables:
                os.environ.clear()
                os.environ.update(variables)

    return call


def returned_and_written(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, whose result is a pair where it leaves files: what it returns, and their content by name.

    The current folder is empty afterwards.

    Raises:
        PermissionError: the current folder is not the private one, or other folders can be written.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not PrivateFolder.is_closed or os.getcwd() != PrivateFolder.path:
            raise PermissionError("files are written where nothing else can be, in the private folder")
        before = _files()
        try:
            result = function(*args, **kwargs)
            after = _files()
        finally:
            os.chdir(PrivateFolder.path)
            _clear()
        changed = {name: content for name, content in after.items() if before.get(name, NO_FILE) != content}
        changed.update({name: None for name in before if name not in after})
        return (result, changed) if changed else result

    return call


def _files() -> dict[str, Any]:
    """Return the text, or the bytes, of each file below the current folder; None for a folder."""
    found: dict[str, Any] = {}
    for place, folders, names in os.walk("."):
        found.update({os.path.relpath(os.path.join(place, name)) + os.sep: None for name in folders})
        for name in names[: MOST_FILES - len(found)]:
            path = os.path.relpath(os.path.join(place, name))
            try:
                with open(path, "rb") as file:
                    content = file.read(MOST_BYTES)
            except OSError:
                continue
            found[path] = _text_of(content)
    return dict(sorted(found.items()))


def _text_of(content: bytes) -> str | bytes:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content


def _clear() -> None:
    for place, folders, names in os.walk(".", topdown=False):
        for remove, every in ((os.unlink, names), (os.rmdir, folders)):
            for name in every:
                with contextlib.suppress(OSError):
                    remove(os.path.join(place, name))


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
    if fields["files"]:
        function = returned_and_written(function)
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
    setattr(changed, _LEAVES_FILES, bool(fields["files"]))
    kinds = {name: kind for name, (kind, _) in added.items()}
    changed.__annotations__ = {**getattr(function, "__annotations__", {}), **kinds}
    return call


def process_text(name: str, given: Mapping[str, str], function: object, *, is_property: bool) -> str:
    """Return what to call instead of a function: ``returned_and_written(in_environment(main, argv=['-v']))``.

    Args:
        name: of the function, or an expression that reads the property.
        given: the values of parameters in `SHOWN`, as source code.
        function: the one that `with_process_inputs` returned, or any other.
        is_property: whether the name has the value already.
    """
    leaves_files = getattr(function, _LEAVES_FILES, False) is True
    if not given and not leaves_files:
        return name
    text = f"lambda: {name}" if is_property else name
    if given:
        text = f"{IN_ENVIRONMENT}({', '.join([text, *[f'{SHOWN[key]}={value}' for key, value in given.items()]])})"
    return f"{WRITTEN}({text})" if leaves_files else text
