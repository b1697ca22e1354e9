"""Remembered inputs survive other writers, damage and disks that say no."""

from __future__ import annotations

import concurrent.futures
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.config.settings import Layer, Settings, apply_layer
from lsp_evalplus.fuzz.seeds.corpus import FILE, Memory, memory_key, open_memory

KEY = memory_key("a.py", "f")


def test_counterexamples_come_first_and_short_ones_before(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "db")
    assert memory.recall(KEY) == []
    memory.keep(KEY, found=["([3, 1],)"], corpus=["('long',)", "(1,)", "([3, 1],)"])
    assert Memory(tmp_path / "db").recall(KEY) == ["([3, 1],)", "(1,)", "('long',)"]
    assert memory.recall(memory_key("a.py", "g")) == []


def test_odd_texts_round_trip(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    texts = ["('\\ud800',)", "(float('nan'),)", "(Point(1, 2),)", "{'args': (1,), 'kwargs': {'k': 'ß'}}"]
    memory.keep(KEY, found=texts)
    assert sorted(memory.recall(KEY)) == sorted(texts)


def test_invalid_entries_are_ignored(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep(KEY, found=["(1,)"])
    odd = [b"\xff\xfe", b"os.system('x'", b"", b"3", b"(" * 90_000, "(2,)", 7]
    with sqlite3.connect(tmp_path / FILE) as database:
        database.executemany("INSERT INTO inputs SELECT function, kind, ? FROM inputs LIMIT 1", [(one,) for one in odd])
    database.close()
    assert memory.recall(KEY) == ["(1,)"]


@pytest.mark.parametrize("damage", [b"", b"no database" * 1_000, None], ids=["empty", "other", "torn"])
def test_a_damaged_database_is_replaced(damage: bytes | None, tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep(KEY, found=[f"({number},)" for number in range(9)], corpus=[f"('{'x' * 9_000}{n}',)" for n in range(9)])
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:6_000] if damage is None else damage)
    assert memory.recall(KEY) == []
    memory.keep(KEY, found=["(1,)"])
    assert memory.recall(KEY) == ["(1,)"]


def test_too_much_is_forgotten(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for start in range(0, 200, 20):
        memory.keep(KEY, corpus=[f"({number},)" for number in range(start, start + 20)])
    remembered = memory.recall(KEY)
    assert len(remembered) <= 80
    assert "(199,)" in remembered
    memory.keep(KEY, found=["('" + "x" * 30_000 + "',)"])
    assert len(max(memory.recall(KEY), key=len)) < 100


def test_a_mended_bug_stays_an_input(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep(KEY, found=["(2,)"], corpus=["(1,)"])
    memory.forget(KEY, "(2,)")
    assert memory.recall(KEY) == ["(1,)", "(2,)"]


def _write(folder: str, start: int) -> None:
    memory = Memory(Path(folder))
    for number in range(start, start + 20):
        memory.keep(KEY, corpus=[f"({number},)"])
        memory.recall(KEY)


def test_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    with concurrent.futures.ProcessPoolExecutor(3) as pool:
        for done in [pool.submit(_write, str(tmp_path), start) for start in (0, 100, 200)]:
            done.result(timeout=280)
    remembered = Memory(tmp_path).recall(KEY)
    assert 1 <= len(remembered) <= 60
    assert all(0 <= int(text[1:-2]) < 220 for text in remembered)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    Memory(tmp_path / "db").keep(KEY, found=["(1,)"])
    tmp_path.chmod(0o700)


def test_a_file_in_place_of_the_folder_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "db").touch()
    memory = Memory(tmp_path / "db")
    memory.keep(KEY, found=["(1,)"])
    assert memory.recall(KEY) == []


def test_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def memory_for(value: str) -> Memory | None:
        return open_memory(apply_layer(Settings(root=tmp_path), Layer("here", {"database": value})))

    assert memory_for("off") is None
    monkeypatch.chdir(tmp_path)
    inside = memory_for(".cache/inputs")
    assert inside is not None
    inside.keep(KEY, found=["(1,)"])
    assert (tmp_path / ".cache" / "inputs").is_dir()
    assert memory_for("") is not None


def test_nothing_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom lsp_evalplus.fuzz.seeds.corpus import Memory\n"
        f"assert Memory(Path({str(tmp_path / 'none')!r})).recall('k') == []\nprint('sqlite3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
