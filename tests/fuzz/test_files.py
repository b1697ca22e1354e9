"""A file is written whole or not at all, for the right readers."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.files import write_atomically

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


@posix
@pytest.mark.parametrize(("is_private", "mode"), [(True, 0o600), (False, 0o640)])
def test_readers(is_private: bool, mode: int, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "folder" / "file", b"text", is_private=is_private)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "folder" / "file").stat().st_mode) == mode


@pytest.mark.parametrize("is_durable", [True, False])
def test_what_was_there_is_replaced(is_durable: bool, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_bytes(b"before, and longer")

    write_atomically(place, b"after", is_private=False, is_durable=is_durable)

    assert place.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [place]


@posix
def test_links_pipes_and_modes_stay(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_bytes(b"before")
    target.chmod(0o640)
    link.symlink_to(target)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_atomically(link, b"after", is_private=False)
    write_atomically(pipe, b"through", is_private=False)

    assert link.is_symlink()
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"after", 0o640)
    assert os.read(reader, 100) == b"through"
    assert pipe.is_fifo()
    os.close(reader)


def test_nothing_is_left_of_what_could_not_be_written(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.mkdir()

    with pytest.raises(OSError, match="file"):
        write_atomically(place, b"text", is_private=False)

    assert list(tmp_path.iterdir()) == [place]
