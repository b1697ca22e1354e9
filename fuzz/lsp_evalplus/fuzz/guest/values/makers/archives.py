"""Archives as arguments, made in the guest's private folder, and what two archives hold that functions wrote."""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from typing import Any

from .file_times import NOW
from .input_files import Content, check_private, file_with

ARCHIVE = "archive_with"
"""The name that recipes have for the maker."""
USUAL_ARCHIVE = "archive.zip"
_DATE = (2023, 11, 14, 22, 13, 20)
_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
_MOST_MEMBERS = 100


def archive_with(members: Mapping[str, Content], name: str = USUAL_ARCHIVE) -> Any:
    """Return the path of a new archive in the current folder.

    Args:
        members: the content by name; that of a folder ends in a slash.
        name: of the archive: a zip file, or with ``.tar`` in its name an archive of `tarfile`.

    Raises:
        OSError: the current folder is not the private one, or there can be no such file in it.
    """
    check_private()
    is_tar = ".tar" in name or name.endswith(".tgz")
    return file_with((_tar_of if is_tar else _zip_of)(members, name), name)


def _zip_of(members: Mapping[str, Content], name: str) -> bytes:
    library = importlib.import_module("zipfile")
    stream = io.BytesIO()
    with library.ZipFile(stream, "w") as archive:
        for member, content in members.items():
            info = library.ZipInfo(member, _DATE)
            info.external_attr = (0o40755 << 16 | 0x10) if member.endswith("/") else 0o100644 << 16
            archive.writestr(info, _bytes_of(content))
    return stream.getvalue()


def _tar_of(members: Mapping[str, Content], name: str) -> bytes:
    library = importlib.import_module("tarfile")
    stream = io.BytesIO()
    with library.open(fileobj=stream, mode="w:gz" if name.endswith("gz") else "w") as archive:
        for member, content in members.items():
            info = library.TarInfo(member)
            data = _bytes_of(content)
            info.size, info.mtime = len(data), NOW
            if member.endswith("/"):
                info.type, info.mode = library.DIRTYPE, 0o755
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def _bytes_of(content: Content) -> bytes:
    return content if type(content) is bytes else (content or "").encode("utf-8", "surrogatepass")  # type: ignore[union-attr]


def members_in(content: bytes) -> dict[str, bytes] | None:
    """Return the content of the members of an archive by name; None for other files, and what cannot be read.

    Archives hold times, and the same members can be packed in many ways.
    """
    try:
        if content.startswith(_ZIP):
            with importlib.import_module("zipfile").ZipFile(io.BytesIO(content)) as archive:
                return {name: archive.read(name) for name in archive.namelist()[:_MOST_MEMBERS]}
        if content.startswith(_GZIP):
            content = importlib.import_module("gzip").decompress(content)
            if not _is_tar(content):
                return {"": content}
        if _is_tar(content):
            with importlib.import_module("tarfile").open(fileobj=io.BytesIO(content)) as archive:
                files = [(one.name, archive.extractfile(one)) for one in archive.getmembers()[:_MOST_MEMBERS]]
                return {name: b"" if file is None else file.read() for name, file in files}
    except Exception:  # noqa: BLE001 - the file is another one, or was not finished.
        return None
    return None


def _is_tar(content: bytes) -> bool:
    return content[257:262] == b"ustar"
