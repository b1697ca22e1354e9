"""Files as arguments: made in the guest's private folder with the content that a recipe states.

Their names are relative, so that a result that shows one is the same in each guest.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Mapping, Sequence, Set
from typing import Any, ClassVar, Union

from . import file_times
from .file_times import DAY, NOW

FILE, FOLDER = "file_with", "folder_with"
"""The names that recipes have for the makers."""
USUAL_NAME, USUAL_FOLDER = "file.txt", "folder"
Content = Union[str, bytes, None]


class PrivateFolder:
    """The folder that a guest may write to; empty in other processes."""

    path = ""
    is_closed = False
    """Whether nothing can be written outside of it."""
    made: ClassVar[set[str]] = set()
    """The folders in it that were made for the next call."""
    kept: ClassVar[set[str]] = set()
    """The folders in it that were made for the last one: removing folders takes a file system much longer than emptying
    them does."""


def file_with(content: str | bytes = "", name: str = USUAL_NAME, beside: Mapping[str, Content] | None = None) -> Any:
    """Return the path of a file in the current folder, or in one of its own with others, which holds the content.

    Args:
        content: of the file.
        name: of the file.
        beside: the other files of its folder, as of `folder_with`.

    Raises:
        OSError: the current folder is not the private one, or there can be no such file in it.
    """
    check_private()
    path = os.path.basename(name) or USUAL_NAME
    if beside is not None:
        path = os.path.join(folder_with(beside), path)
    write_content(path, content)
    return pathlib.Path(path)


def folder_with(
    files: Mapping[str, Content], name: str = USUAL_FOLDER, days_old: Sequence[float] = (), inside: str = ""
) -> Any:
    """Return the path of a new folder in the current one, or of a folder in it.

    Args:
        files: the content by path below the folder; that of a folder ends in a slash, and has none.
        name: of the folder.
        days_old: how long ago the files were changed, in their order; those for which nothing is said are new.
        inside: the path of a folder below it, which is returned, and made where it has no files.

    Raises:
        OSError: the current folder is not the private one, or there can be no such file in it.
    """
    check_private()
    folder = os.path.basename(name) or USUAL_FOLDER
    paths = [place_below(folder, path) for path in files]
    places = [path if key.endswith("/") else os.path.dirname(path) for path, key in zip(paths, files)]
    below = place_below(folder, inside) if inside else folder
    places += [below] if inside else []
    PrivateFolder.made.add(folder)
    _make_empty(folder, set(places))
    for place in dict.fromkeys(places):
        os.makedirs(place, exist_ok=True)
    for path, place, content in zip(paths, places, files.values()):
        if path != place:
            write_content(path, content)
    ages, times = dict(zip(paths, days_old)), file_times.install()
    for path in paths:
        times.set(path, NOW - ages[path] * DAY if path in ages else None)
    return pathlib.Path(below)


def check_private() -> None:
    """Raise `PermissionError` where the current folder is not the private one."""
    if not PrivateFolder.path or os.getcwd() != PrivateFolder.path:
        raise PermissionError("files are made in the private folder alone")


def place_below(folder: str, name: str) -> str:
    """Return the path of a file in a folder; raise `PermissionError` where its name leads out of that."""
    path = os.path.normpath(name)
    if os.path.isabs(path) or path.split(os.sep)[0] in ("", os.curdir, os.pardir):
        raise PermissionError("files are made in the private folder alone")
    return os.path.join(folder, path)


def write_content(path: str, content: Content) -> None:
    """Write text without changes of its line ends, or bytes."""
    data = content.encode("utf-8") if isinstance(content, str) else bytes(content or b"")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)


def _make_empty(folder: str, kept: Set[str]) -> None:
    """Make a folder in the place of what an earlier call had there, with some of the folders that it had."""
    try:
        os.mkdir(folder)
    except FileExistsError:
        if os.path.islink(folder) or not os.path.isdir(folder):
            os.unlink(folder)
            os.mkdir(folder)
        remove_below(folder, kept)


def remove_below(folder: str, kept: Set[str] = frozenset()) -> None:
    """Remove all that a folder holds, but for some folders, which are empty then."""
    with os.scandir(folder) as entries:
        for entry in list(entries):
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    remove_below(entry.path, kept)
                    if entry.path not in kept:
                        os.rmdir(entry.path)
                else:
                    os.unlink(entry.path)


def begin_call() -> None:
    """Remove the folders of the last call that were not made for the next one."""
    for name in PrivateFolder.kept - PrivateFolder.made:
        with contextlib.suppress(OSError):
            remove_below(name)
            os.rmdir(name)


def end_call() -> None:
    """Remove what the current folder holds, but for the folders that were made for the call: the next makes them
    anew."""
    PrivateFolder.kept, PrivateFolder.made = PrivateFolder.made, set()
    with os.scandir() as entries:
        for entry in list(entries):
            is_folder = entry.is_dir(follow_symlinks=False)
            with contextlib.suppress(OSError):
                if not is_folder:
                    os.unlink(entry.path)
                elif entry.name not in PrivateFolder.kept:
                    remove_below(entry.path)
                    os.rmdir(entry.path)
