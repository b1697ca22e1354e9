"""Files as arguments: made in the guest's private folder with the content that a recipe states.

Their names are relative, so that a result that shows one is the same in each guest.
"""

from __future__ import annotations

import os
import pathlib
from typing import Any

FILE = "file_with"
"""The name that recipes have for the maker."""
USUAL_NAME = "file.txt"


class PrivateFolder:
    """The folder that a guest may write to; empty in other processes."""

    path = ""
    is_closed = False
    """Whether nothing can be written outside of it."""


def file_with(content: str | bytes = "", name: str = USUAL_NAME) -> Any:
    """Return the path of a file in the current folder, which holds the content.

    Raises:
        OSError: the current folder is not the private one, or there can be no such file in it.
    """
    if not PrivateFolder.path or os.getcwd() != PrivateFolder.path:
        raise PermissionError("files are made in the private folder alone")
    path = pathlib.Path(os.path.basename(name) or USUAL_NAME)
    if type(content) is bytes:
        path.write_bytes(content)
    else:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(content)  # type: ignore[arg-type] - anything else is refused by it.
    return path
