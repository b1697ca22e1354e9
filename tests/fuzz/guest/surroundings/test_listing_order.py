"""Folders list their files in an order of their own, however they are listed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import glob, os, pathlib, shutil, sys
from lsp_evalplus.fuzz.guest.surroundings.listing_order import install
install()
install()
folder = sys.argv[1]
with os.scandir(folder) as entries:
    first = next(entries).name
    rest = [one.name for one in entries]
closed = os.scandir(folder)
closed.close()
print([
    os.listdir(folder), [first, *rest], list(closed), [one.name for one in pathlib.Path(folder).iterdir()],
    [os.path.basename(one) for one in glob.glob(folder + "/*")], [one.name for one in pathlib.Path(folder).glob("*")],
    [(sorted(folders), names) for _, folders, names in os.walk(folder)],
])
shutil.rmtree(folder)
print(os.path.exists(folder))
"""


def test_the_order_depends_on_names_alone(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("b", "a", "c"):
        (folder / name).write_text("")
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], capture_output=True, text=True, env=paths)
    assert done.returncode == 0, done.stderr
    names = ["c", "b", "a"]
    assert done.stdout == f"{[names, names, [], names, names, names, [([], names)]]}\nFalse\n"
