"""Files as arguments: made in the guest's private folder with the content that a recipe states.

Their names are relative, so that a result that shows one is the same in each guest.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Union

FILE, FOLDER = "file_with", "folder_with"
"""The names that recipes have for the makers."""
USUAL_NAME, USUAL_FOLDER = "file.txt", "folder"
NOW, DAY = 1_700_000_000, 86_400
"""What the clock at rest shows when a call begins (`surroundings.steady`), and the seconds of a day."""
Content = Union[str, bytes, None]


class PrivateFolder:
    """The folder that a guest may write to; empty in other processes."""

    path = ""
    is_closed = False
    """Whether nothing can be written outside of it."""


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
    path = pathlib.Path(os.path.basename(name) or USUAL_NAME)
    if beside is not None:
        path = folder_with(beside) / path
    write_content(path, content)
    if beside is not None:
        _set_times([path], 0)
    return path


def folder_with(files: Mapping[str, Content], name: str = USUAL_FOLDER, days_old: Sequence[float] = ()) -> Any:
    """Return the path of a new folder in the current one.

    Args:
        files: the content by path below the folder; that of a folder ends in a slash, and has none.
        name: of the folder.
        days_old: how long ago the files were changed, in their order; those for which nothing is said are new.

    Raises:
        OSError: the current folder is not the private one, or there can be no such file in it.
    """
    check_private()
    folder = pathlib.Path(os.path.basename(name) or USUAL_FOLDER)
    _remove(folder)
    folder.mkdir()
    made = [place_below(folder, path) for path in files]
    for path, (key, content) in zip(made, files.items()):
        if key.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_content(path, content)
    for place, _, _ in os.walk(folder):
        _set_times([pathlib.Path(place)], 0)
    _set_times(made, 0)
    for path, days in zip(made, days_old):
        _set_times([path], days)
    return folder


def check_private() -> None:
    """Raise `PermissionError` where the current folder is not the private one."""
    if not PrivateFolder.path or os.getcwd() != PrivateFolder.path:
        raise PermissionError("files are made in the private folder alone")


def place_below(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Return the path of a file in a folder; raise `PermissionError` where its name leads out of that."""
    path = os.path.normpath(name)
    if os.path.isabs(path) or path.split(os.sep)[0] in ("", os.curdir, os.pardir):
        raise PermissionError("files are made in the private folder alone")
    return folder / path


def write_content(path: pathlib.Path, content: Content) -> None:
    """Write text without changes of its line ends, or bytes."""
    if type(content) is bytes:
        path.write_bytes(content)
    else:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(content)  # type: ignore[arg-type] - anything else is refused by it.


def _remove(path: pathlib.Path) -> None:
    """Remove what an earlier call had in the place of a folder."""
    if not os.path.lexists(path):
        return
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    remove_below(str(path))
    os.rmdir(path)


def remove_below(folder: str) -> None:
    """Remove all that a folder holds."""
    for place, folders, names in os.walk(folder, topdown=False):
        for name in [*names, *folders]:
            path = os.path.join(place, name)
            with contextlib.suppress(OSError):
                (os.rmdir if name in folders and not os.path.islink(path) else os.unlink)(path)


def _set_times(paths: Sequence[pathlib.Path], days: float) -> None:
    for path in paths:
        os.utime(path, (NOW - days * DAY, NOW - days * DAY))
