"""What a function reads of its process, as inputs: environment variables, arguments, the standard input, own files.

A function that reads them gets further keyword parameters, so that a search gives it values like any others. The host
states which it reads (`fuzz.source.outside.process_inputs`).
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import json
import os
import sys
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable

from .added_parameters import declare, keyword
from .archives import members_in
from .input_files import PrivateFolder, begin_call, check_private, end_call, place_below
from .json_types import json_type
from .module_state import LEFT, returned_and_left
from .stub_parameters import SHOWN_ANSWERS, has_stubs, stubs_text
from .temporary_names import seed_temporary_names
from .web_requests import SHOWN_PARTS, request_text

IN_ENVIRONMENT = "in_environment"
"""The name that calls have for `in_environment`."""
ENVIRON, ARGUMENTS, STDIN, FILES = "os_environ", "sys_argv", "sys_stdin", "os_files"
_OF_PROCESS = {ENVIRON: "environ", ARGUMENTS: "argv", STDIN: "stdin", FILES: "files"}
SHOWN = {**_OF_PROCESS, **SHOWN_PARTS, **SHOWN_ANSWERS}
"""The parameters that are added to a function, and the names that `in_environment` and the like have for them."""
ALWAYS_SHOWN = (ARGUMENTS, STDIN, FILES)
"""A process has these in any case."""
PROGRAM = "program"
WRITTEN, WITH_FILES, SET = "returned_and_written", "with_files", "returned_and_set"
"""The names that calls have for `returned_and_written`, `with_files` and `returned_and_set`."""
MOST_FILES, MOST_BYTES = 100, 100_000
NO_FILE = object()
_LEAVES_FILES = "_lsp_leaves_files_"
_SETS_VARIABLES = "_lsp_sets_variables_"
_CHANGES_MODULE = "_lsp_changes_module_"


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
            _restore(variables)

    return call


def _restore(variables: Mapping[str, str]) -> None:
    if os.environ != variables:
        os.environ.clear()
        os.environ.update(variables)


def returned_and_set(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, whose result is a pair where it changes the environment: what it returns, and variables.

    Those that are as they were are no part of the result, those that are removed are None. All are restored afterwards.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        before = dict(os.environ)
        try:
            result = function(*args, **kwargs)
            after = dict(os.environ)
        finally:
            _restore(before)
        changed = {name: after.get(name) for name in sorted({*before, *after}) if before.get(name) != after.get(name)}
        return (result, changed) if changed else result

    return call


def with_files(function: Callable[..., Any], files: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the function, called with these files in the current folder, which is the home folder meanwhile.

    They are removed afterwards.

    Args:
        function: any.
        files: by the name, strings, bytes, or values that are written as JSON.

    Raises:
        PermissionError: the current folder is not the private one, or a name leads out of it.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        check_private()
        paths = [place_below("", name) for name in files]
        try:
            _write(files)
            return _at_home(function)(*args, **kwargs)
        finally:
            os.chdir(PrivateFolder.path)
            _remove(paths)

    return call


def _at_home(function: Callable[..., Any]) -> Callable[..., Any]:
    return in_environment(function, {"HOME": PrivateFolder.path})


def _write(files: Mapping[str, Any]) -> None:
    for name, content in files.items():
        path = place_below("", name)
        os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
        with open(path, "wb") as file:
            file.write(_bytes_of(content))


def _bytes_of(content: Any) -> bytes:
    if type(content) is bytes:
        return content
    text = content if type(content) is str else json.dumps(content)
    return text.encode("utf-8", "surrogatepass")


def _remove(paths: Iterable[str]) -> None:
    """Remove files, and folders that are empty then."""
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)
            while os.path.dirname(path):
                path = os.path.dirname(path)
                os.rmdir(path)


def returned_and_written(function: Callable[..., Any], files: Mapping[str, Any] = {}) -> Callable[..., Any]:
    """Return the function, whose result is a pair where it leaves files: what it returns, and their content by name.

    The current folder is the home folder meanwhile, and empty afterwards. Before, it has `files`, as of `with_files`;
    those that are as they were are not part of the result.

    Raises:
        PermissionError: the current folder is not the private one, or other folders can be written.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not PrivateFolder.is_closed or os.getcwd() != PrivateFolder.path:
            raise PermissionError("files are written where nothing else can be, in the private folder")
        begin_call()
        try:
            _write(files)
            before = _files()
            seed_temporary_names(0)
            result = _at_home(function)(*args, **kwargs)
            after = _files()
        finally:
            os.chdir(PrivateFolder.path)
            end_call()
        changed = {name: content for name, content in after.items() if before.get(name, NO_FILE) != content}
        changed.update({name: None for name in before if name not in after})
        return (result, changed) if changed else result

    return call


def _files() -> dict[str, Any]:
    """Return the text, or the bytes, of each file below the current folder; None for a folder."""
    found: dict[str, Any] = {}
    _look_into(os.curdir, "", found)
    return dict(sorted(found.items()))


def _look_into(folder: str, prefix: str, found: dict[str, Any]) -> None:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in list(entries)[: MOST_FILES - len(found)]:
            name = prefix + entry.name
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    found[name + os.sep] = None
                    _look_into(name, name + os.sep, found)
                else:
                    found[name] = _text_of(_read(name))


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        parts: list[bytes] = []
        while sum(map(len, parts)) < MOST_BYTES:
            part = os.read(descriptor, MOST_BYTES)
            if not part:
                break
            parts.append(part)
        return b"".join(parts)[:MOST_BYTES]
    finally:
        os.close(descriptor)


def _text_of(content: bytes) -> Any:
    members = members_in(content)
    if members is not None:
        return {name: _text_of(one) for name, one in members.items()}
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content


def with_process_inputs(function: Callable[..., Any], fields: Mapping[str, Any] | None) -> Callable[..., Any]:
    """Return the function with keyword parameters for what it reads of its process.

    Args:
        function: a plain one, neither a coroutine nor a generator.
        fields: the names of ``variables``, whether it reads ``arguments`` and ``stdin``, likely ``words``, and which
            variables of its module it has ``left`` otherwise; None where it reads and changes nothing.
    """
    if fields is None:
        return function
    signature = inspect.signature(function)
    words = tuple(fields["words"])
    word: Any = typing.Union[typing.Literal[words], str] if words else str
    added: dict[str, tuple[Any, Any]] = {}
    leaves_files, sets_variables = bool(fields["files"]), bool(fields["sets"])
    left = tuple(fields["left"])
    watched = returned_and_left(function, *left) if left else function
    watched = returned_and_set(watched) if sets_variables else watched
    added.update(_files_read(fields["files_read"]))
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
        files = given.pop(SHOWN[FILES], {})
        called = in_environment(watched, **given) if given else watched
        if leaves_files:
            called = returned_and_written(called, files)
        elif FILES in added:
            called = with_files(called, files)
        return called(*args, **kwargs)

    further = [keyword(name, default, kind) for name, (kind, default) in added.items()]
    marks = {_LEAVES_FILES: leaves_files, _SETS_VARIABLES: sets_variables, _CHANGES_MODULE: left}
    return declare(call, list(signature.parameters.values()), further, **marks)


def _files_read(fields: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the parameter for files with names of their own, its type and default, if any is read."""
    if not fields["names"]:
        return {}
    contents = dict.fromkeys(fields["names"], _content_type(fields))
    return {FILES: (typing.TypedDict("Files", contents, total=False), {})}  # type: ignore[misc]


def _content_type(fields: Mapping[str, Any]) -> Any:
    """Return the type of the content of files: likely strings, others, bytes, JSON of the parts that are looked up."""
    members: list[Any] = [typing.Literal[tuple(fields["texts"])], str]
    if fields["is_binary"]:
        members.append(bytes)
    members += map(json_type, fields["json"])
    return typing.Union[tuple(members)]


def process_text(name: str, given: Mapping[str, str], function: object, *, is_property: bool) -> str:
    """Return what to call instead of a function: ``returned_and_written(in_environment(main, argv=['-v']))``.

    Args:
        name: of the function, or an expression that reads the property.
        given: the values of parameters in `SHOWN`, as source code.
        function: the one that `with_process_inputs` returned, or any other.
        is_property: whether the name has the value already.
    """
    if has_stubs(function):
        name, is_property = stubs_text(f"lambda: {name}" if is_property else name, given), False
    name = request_text(name, given, function)
    given = {key: value for key, value in given.items() if key in _OF_PROCESS}
    leaves_files = getattr(function, _LEAVES_FILES, False) is True
    sets_variables = getattr(function, _SETS_VARIABLES, False) is True
    held: object = getattr(function, _CHANGES_MODULE, ())
    left = typing.cast("tuple[str, ...]", held) if type(held) is tuple else ()
    if not given and not leaves_files and not sets_variables and not left:
        return name
    text = f"lambda: {name}" if is_property else name
    text = f"{LEFT}({', '.join([text, *map(repr, left)])})" if left else text
    text = f"{SET}({text})" if sets_variables else text
    files = given.get(FILES)
    others = [f"{SHOWN[key]}={value}" for key, value in given.items() if key != FILES]
    if others:
        text = f"{IN_ENVIRONMENT}({', '.join([text, *others])})"
    if leaves_files:
        return f"{WRITTEN}({text}, {files})" if files not in (None, "{}") else f"{WRITTEN}({text})"
    return f"{WITH_FILES}({text}, {files})" if files else text
