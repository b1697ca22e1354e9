"""Functions that go through folders, look beside a file or into an archive get such; two versions leave the same."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.fuzz.source.outside.process_inputs import find_process_inputs

TEXT = """
import configparser
import json
import os
import re
import shutil
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

IGNORED = {".cache", "build"}

def sizes(root: Path) -> dict:
    found = {}
    for path in root.rglob("*"):
        if path.is_file():
            found[path.suffix or "none"] = found.get(path.suffix or "none", 0) + path.stat().st_size
    return found

def newest(folder: str):
    names = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".log")]
    return max(names, key=os.path.getmtime, default=None)

def clean(root: Path, days: int = 7):
    for path in root.glob("*.tmp"):
        if path.stat().st_mtime < time.time() - days * 86400:
            path.unlink()

def names(root: Path):
    found = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        found.append(".".join(parts))
    return found

def sources(root: str):
    found = []
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in IGNORED]
        found += [os.path.join(place, name) for name in files if name.endswith((".c", ".h"))]
    return sorted(found)

def enabled(folder: Path):
    loaded = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return [one.get("name") for one in loaded if one.get("enabled", True)]

def version(root: Path):
    path = root / "settings.toml"
    return tomllib.loads(path.read_text()).get("tool", {}).get("version") if path.exists() else None

def host(path: str):
    parser = configparser.ConfigParser()
    parser.read(path)
    return parser.get("server", "host", fallback="a"), parser.getint("server", "port", fallback=80)

def rotate(path: str, keep: int = 3):
    for number in range(keep - 1, 0, -1):
        if os.path.exists(f"{path}.{number}"):
            os.replace(f"{path}.{number}", f"{path}.{number + 1}")
    if os.path.exists(path):
        os.replace(path, f"{path}.1")

def with_extra(path: Path):
    extra = path.parent / "extra.txt"
    return path.read_text().split() + (extra.read_text().split() if extra.exists() else [])

def synchronised(source: Path, target: Path):
    for path in sorted(source.iterdir()):
        if path.is_file() and not (target / path.name).exists():
            shutil.copy(path, target / path.name)

def packed_names(path: Path):
    with zipfile.ZipFile(path) as archive:
        return [one.filename for one in archive.infolist() if not one.is_dir() and one.file_size]

def extracted(path: str):
    with tarfile.open(path) as archive:
        members = [one for one in archive.getmembers() if ".." not in one.name.split("/") and one.isfile()]
        for one in members:
            archive.extract(one, "out")
    return len(members)

def packed(folder: Path):
    with zipfile.ZipFile("all.zip", "w") as archive:
        for path in sorted(folder.glob("*.txt")):
            archive.write(path, path.name)

def counted(roots: list[Path]):
    return sum(len(list(root.glob("*.csv"))) for root in roots)

def listed(root: Path):
    return [path.name for path in root.iterdir() if re.match(r"part-\\d+", path.name)]

class Store:
    def __init__(self, root):
        self.root = Path(root)

    def keys(self):
        return sorted(path.stem for path in self.root.glob("*.json") if not path.stem.startswith("_"))
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("sizes", 'found[path.suffix or "none"] =', "found[path.suffix] =", "folder_with("),
        ("newest", "max(names", "min(names", "days_old="),
        ("clean", "st_mtime <", "st_mtime >", "returned_and_written(clean)(folder_with("),
        ("names", "parts[:-1] if", "parts[1:] if", "__init__.py"),
        ("sources", "folders[:] =", "folders =", "/"),
        ("enabled", '"enabled", True', '"enabled", False', "json.dumps("),
        ("version", '"tool", {}', '"tools", {}', "settings.toml"),
        ("host", "fallback=80", "fallback=8", "file_with("),
        ("rotate", "range(keep - 1, 0, -1)", "range(1, keep)", "beside={'file.txt.1'"),
        ("with_extra", "extra.read_text().split() if", "[] if", "extra.txt"),
        ("synchronised", "not (target / path.name).exists()", "True", "name='target'"),
        ("packed_names", " and one.file_size", "", "archive_with("),
        ("extracted", '".." not in one.name.split("/")', "True", "name='archive.tar'"),
        ("packed", "path.name)\n", "path.stem)\n", "returned_and_written("),
        ("counted", 'root.glob("*.csv")', 'root.rglob("*.csv")', "[folder_with("),
        ("listed", "part-\\\\d+", "part-\\\\d$", "part-"),
        ("Store.keys", ' if not path.stem.startswith("_")', "", "Store(folder_with("),
    ],
)
def test_a_difference_is_found(judge: Any, name: str, old: str, new: str, told: str) -> None:
    old, new = old.replace("\\\\d", "\\d"), new.replace("\\\\d", "\\d")
    assert TEXT.replace(old, new) != TEXT
    report = judge(TEXT, TEXT.replace(old, new), name, kind="previous", calls=1000, seconds=60)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert told in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sizes", 'root.rglob("*")', 'sorted(root.glob("**/*"))'),
        (
            "newest",
            "max(names, key=os.path.getmtime, default=None)",
            "max(sorted(names), key=os.path.getmtime, default=None)",
        ),
        ("clean", "path.unlink()", "os.remove(path)"),
        ("names", 'sorted(root.rglob("*.py"))', 'sorted(list(root.glob("**/*.py")))'),
        ("sources", "name not in IGNORED", "name not in sorted(IGNORED)"),
        ("rotate", "os.replace(path,", "os.rename(path,"),
        ("with_extra", 'path.parent / "extra.txt"', 'path.with_name("extra.txt")'),
        ("synchronised", "shutil.copy(path,", "shutil.copyfile(path,"),
        ("packed", '"all.zip", "w"', '"all.zip", "w", zipfile.ZIP_DEFLATED'),
        ("listed", "root.iterdir()", "sorted(root.iterdir())"),
        ("Store.keys", "self.root.glob", "Path(self.root).glob"),
    ],
)
def test_the_same_files_agree(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=200, seconds=60)
    assert report.verdict is Verdict.AGREES, report.reason


def test_a_listing_that_is_no_longer_sorted_differs(judge: Any) -> None:
    old = TEXT.replace("for path in root.iterdir() if re", "for path in sorted(root.iterdir()) if re")
    report = judge(old, TEXT, "listed", kind="previous", calls=400, seconds=60)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_another_order_of_a_sorted_listing_differs(judge: Any) -> None:
    old = TEXT.replace("for path in root.iterdir() if re", "for path in sorted(root.iterdir()) if re")
    report = judge(
        old,
        old.replace("sorted(root.iterdir())", "sorted(root.iterdir(), reverse=True)"),
        "listed",
        kind="previous",
        calls=400,
        seconds=60,
    )
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("return zipfile.ZipFile(x).namelist()", False),
        ("return tarfile.open(x, 'r:xz').getnames()", False),
        ("return zipfile.ZipFile(x, 'w').writestr('a', 'b')", True),
        ("return tarfile.open(x).extractall('a')", True),
        ("return x.replace('a')", False),
    ],
)
def test_archives_are_read_or_written(text: str, leaves: bool) -> None:
    target = read_module(f"import tarfile\nimport zipfile\n\ndef f(x):\n    {text}\n").target("f")
    assert target.obstacle is None
    assert find_process_inputs([target.program]).files is leaves
