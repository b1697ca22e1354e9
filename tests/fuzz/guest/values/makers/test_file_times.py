"""Files seem to be as old as was stated, and new ones seem to be of the moment when the clock at rest starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import os, pathlib, shutil, sys
from lsp_evalplus.fuzz.guest.surroundings import listing_order
from lsp_evalplus.fuzz.guest.values.makers.file_times import NOW
from lsp_evalplus.fuzz.guest.values.makers.input_files import PrivateFolder, folder_with
os.chdir(sys.argv[1])
PrivateFolder.path = os.getcwd()
listing_order.install()
folder = folder_with({"a": "b", "c": "d", "e/": None}, days_old=(2, 1))
age = lambda path: (NOW - path.stat().st_mtime) / 86400
print([age(folder / name) for name in ("a", "c", "e")])
print([(one.name, (NOW - one.stat().st_mtime_ns / 1e9) / 86400) for one in os.scandir(folder)])
(folder / "a").rename(folder / "f")
(folder / "g").write_text("new")
shutil.copy2(folder / "c", folder / "h")
os.utime(folder / "g", (NOW - 86400 * 5, NOW - 86400 * 5))
print([age(folder / name) for name in "fgh"], os.path.getmtime(folder / "f") == os.stat(folder / "f").st_ctime)
with open(folder / "c") as file:
    print((NOW - os.fstat(file.fileno()).st_mtime) / 86400, os.stat(folder / "c").st_size)
print(os.stat(os.__file__).st_mtime < NOW * 2, os.stat in os.supports_follow_symlinks, os.scandir in os.supports_fd)
shutil.rmtree(folder)
print(age(folder_with({"a": ""}) / "a"))
"""


def test_files_have_the_ages_that_are_stated(tmp_path: Path) -> None:
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, env=paths)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[2.0, 1.0, 0.0]",
        "[('e', 0.0), ('c', 1.0), ('a', 2.0)]",
        "[2.0, 5.0, 1.0] True",
        "1.0 1",
        "True True True",
        "0.0",
    ]
