"""Memory in huge pages is the same memory, and only what a process has written is put into them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.process import huge_pages

MEGABYTE = 1 << 20
CODE = """
import hashlib
from lsp_evalplus.fuzz.guest.process import huge_pages
filled = bytearray(range(256)) * (32 << 12)
before = hashlib.sha256(filled).hexdigest()
places = huge_pages.collapse()
with open("/proc/self/smaps_rollup") as file:
    huge = [int(line.split()[1]) for line in file if line.startswith("AnonHugePages:")]
print(before == hashlib.sha256(filled).hexdigest(), places, huge[0])
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"7f0000100000-7f0000900000 rw-p 00000000 00:00 0 \n", (0x7F0000200000, 0x7F0000800000)),
        (b"7f0000000000-7f0000400000 rw-p 00000000 00:00 0          [heap]\n", (0x7F0000000000, 0x7F0000400000)),
        (b"7f0000000000-7f0000400000 rw-p 00000000 00:00 0          [stack]\n", (0, 0)),
        (b"7f0000000000-7f0000400000 rw-p 00000000 fe:00 12  /lib/some library.so\n", (0, 0)),
        (b"7f0000000000-7f0000400000 r--p 00000000 00:00 0 \n", (0, 0)),
    ],
)
def test_what_is_written_is_found(line: bytes, expected: tuple[int, int]) -> None:
    assert huge_pages.written_part(line) == expected


def test_too_small_mappings_have_no_place() -> None:
    start, end = huge_pages.written_part(b"7f0000100000-7f0000200000 rw-p 00000000 00:00 0 \n")
    assert not range(start, end, 2 * MEGABYTE)


@pytest.mark.skipif(sys.platform != "linux", reason="huge pages of Linux")
def test_the_content_stays() -> None:
    root = Path(huge_pages.__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(root)}
    )
    is_same, places, huge = done.stdout.split()
    assert is_same == "True"
    # Where the kernel can do it, it has done it; else nothing has happened.
    assert int(huge) >= 2048 * min(int(places), 1)


@pytest.mark.skipif(sys.platform == "linux", reason="systems without it")
def test_other_systems_have_none() -> None:
    assert huge_pages.collapse() == 0
