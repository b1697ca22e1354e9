"""The verdict store as a folder: several writers, damage, provenance, joining."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.parts import logs_in, own_host
from lsp_evalplus.bench.store.segments import Origin
from lsp_evalplus.bench.store.store import VerdictStore, conditions_folders, join_segments, make_private, summarize

CONDITIONS = {"python": "3.11.7", "limit": 1.0}
HERE = Origin("here", "1.0", {"network": "the kernel is too old"})


def key(number: int) -> tuple[str, str]:
    return f"{number % 3:032x}", f"{number:064x}"


def read_number(data: Any) -> int:
    if type(data) is not int:
        raise ValueError("no number")
    return data


def open_store(folder: Path, **changes: Any) -> VerdictStore[int]:
    return VerdictStore([folder], CONDITIONS | changes, read_number)


def found_in(folder: Path, **changes: Any) -> dict[tuple[str, str], int]:
    found = open_store(folder, **changes).find(lambda _: True)
    return {one: stored.verdict for one, stored in found.items()}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time of the next verdict."""
    now = [1000]
    monkeypatch.setattr("lsp_evalplus.bench.store.store.time.time", lambda: now[0])
    return now


def test_verdicts_are_found_while_others_write_under_the_same_conditions_only(tmp_path: Path) -> None:
    one, other = open_store(tmp_path), open_store(tmp_path)
    one.add(key(1), 10, 0.5, HERE)
    other.add(key(2), 20, 0.0, HERE)
    assert found_in(tmp_path) == {key(1): 10, key(2): 20}
    assert found_in(tmp_path, limit=2.0) == {}
    (found,) = open_store(tmp_path).find({key(1)}.__contains__).values()
    assert (found.verdict, found.seconds, found.origin) == (10, 0.5, HERE)
    one.close()
    other.close()


def test_equal_verdicts_are_one_object(tmp_path: Path) -> None:
    def open_texts() -> VerdictStore[list[str]]:
        return VerdictStore([tmp_path], CONDITIONS, lambda data: [str(data)])

    store = open_texts()
    for number, verdict in enumerate(("pass", "pass", "fail", "pass")):
        store.add(key(number), verdict, 0.0, HERE)
    store.close()
    found = open_texts().find(lambda _: True)
    assert len({id(stored.verdict) for stored in found.values()}) == 2


def test_the_newest_verdict_counts(tmp_path: Path, clock: list[int]) -> None:
    for clock[0], verdict in ((1002, 1), (1003, 2), (1001, 3)):
        store = open_store(tmp_path)
        store.add(key(0), verdict, 0.0, HERE)
        store.close()
    assert found_in(tmp_path) == {key(0): 2}


def test_a_segment_cut_anywhere_gives_its_whole_rows(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for number in range(4):
        store.add(key(number), number, 0.25, HERE)
    store.close()
    (path,) = tmp_path.glob("*/*.jsonl")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        again = open_store(tmp_path)
        rows = max(0, whole[:length].count(b"\n") - 2)
        assert sorted(stored.verdict for stored in again.find(lambda _: True).values()) == [*range(rows)]
        assert again.damaged == 0


ROW = [*key(7), 7, 0.5, 1000]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\x00",
        b"[]",
        b"{}",
        b'{"host": 1, "version": 2, "layers_off": 3}',
        b'["' + b"[" * 100_000,
        b"[" * 100_000,
        json.dumps(ROW)[:-20].encode(),
        json.dumps([*key(7), "a word", 0.5, 1000]).encode(),
        json.dumps([*key(7), 7, "0.5", 1000]).encode(),
        json.dumps([*key(7), 7, float("nan"), 1000]).encode(),
        json.dumps([*key(7), 7, -1, 1000]).encode(),
        json.dumps([*key(7), 7, 0.5, None]).encode(),
        b'["' + b"\xff" * 32 + json.dumps(ROW)[34:].encode(),
        json.dumps([*key(7), 7, 0.5]).encode(),
        json.dumps(ROW).replace("1000", "1" + "0" * 5000).encode(),
    ],
)
def test_damage_is_skipped_and_counted(tmp_path: Path, line: bytes) -> None:
    store = open_store(tmp_path)
    store.add(key(1), 1, 0.0, HERE)
    store.close()
    (path,) = tmp_path.glob("*/*.jsonl")
    with path.open("ab") as file:
        file.write(line + b"\n" + json.dumps([*key(8), 8, 0.5, 1000]).encode() + b"\n")
    again = open_store(tmp_path)
    assert {one: stored.verdict for one, stored in again.find(lambda _: True).items()} == {key(1): 1, key(8): 8}
    assert again.damaged == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX systems")
def test_what_is_no_segment_is_left_alone(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.add(key(1), 1, 0.0, HERE)
    store.close()
    (folder,) = conditions_folders(tmp_path)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "other.jsonl").write_bytes(b'{"lsp_evalplus_verdicts": 99}\n' + json.dumps(ROW).encode() + b"\n")
    assert found_in(tmp_path) == {key(1): 1}


WRITER = """
import sys
from lsp_evalplus.bench.store.segments import Origin
from lsp_evalplus.bench.store.store import VerdictStore
from pathlib import Path
folder, first = Path(sys.argv[1]), int(sys.argv[2])
store = VerdictStore([folder], {"python": "3.11.7", "limit": 1.0}, int)
for number in range(first, first + 300):
    store.add((f"{number % 3:032x}", f"{number:064x}"), number, 0.0, Origin("here", "1.0"))
    if number == first:
        print("begun", flush=True)
        sys.stdin.readline()
if len(sys.argv) > 3:
    import os
    os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    commands = [
        [sys.executable, "-c", WRITER, str(tmp_path), str(first), *more] for first, more in ((0, ()), (250, "k"))
    ]
    writers = [subprocess.Popen(one, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for one in commands]
    for writer in writers:  # Both have begun before either goes on.
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
    (folder,) = conditions_folders(tmp_path)
    assert join_segments(folder) == 0, "a living writer's segment was joined"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("on\n")
        writer.stdin.flush()
    assert [writer.wait() for writer in writers] == [0, -9]
    for writer in writers:
        writer.communicate()
    assert found_in(tmp_path) == {key(number): number for number in range(550)}
    # Both are gone now.
    assert join_segments(folder) == 2
    assert found_in(tmp_path) == {key(number): number for number in range(550)}
    assert len(logs_in(folder)) == 1
    assert summarize(tmp_path).verdicts == 550


def test_joining_keeps_provenance_and_the_newest(tmp_path: Path, clock: list[int]) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    living = open_store(tmp_path)
    living.add(key(5), 5, 0.0, HERE)
    (folder,) = conditions_folders(tmp_path)
    own = logs_in(folder)
    for number, origin in enumerate((HERE, Origin("there", "2.0"))):
        clock[0] += 1
        store = open_store(tmp_path)
        store.add(key(0), number, 0.5, origin)
        store.add(key(number + 1), 9, 1.5, origin)
        store.close()
        (written,) = set(logs_in(folder)) - set(own)
        own.append(written.rename(folder / f"{own_host()}-{dead.pid}-{number:016x}.jsonl"))
    before = open_store(tmp_path).find(lambda _: True)
    assert join_segments(folder) == 2
    assert open_store(tmp_path).find(lambda _: True) == before
    assert before[key(0)].origin.host == "there"
    assert before[key(1)].origin == HERE
    assert before[key(0)].when == clock[0]
    assert own[0] in logs_in(folder), "a living writer's segment was joined"
    living.add(key(6), 6, 0.0, HERE)
    living.close()
    assert found_in(tmp_path)[key(6)] == 6


@pytest.mark.parametrize(("most", "files", "joined"), [(0, 5, 0), (1, 3, 4), (2, 2, 4), (9, 1, 5)])
def test_no_more_is_joined_at_a_time_than_fits_into_memory(
    tmp_path: Path, clock: list[int], monkeypatch: pytest.MonkeyPatch, most: int, files: int, joined: int
) -> None:
    """`most`: in units of two small segments; the last of five is as large as three of them."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    folder = tmp_path
    for number in range(5):
        clock[0] += 1
        store = open_store(tmp_path)
        for place in range(150 if number == 4 else 50):
            store.add(key(40 * number + place), number, 0.5, HERE)
        store.close()
        (folder,) = conditions_folders(tmp_path)
        (written,) = [path for path in logs_in(folder) if f"-{dead.pid}-" not in path.name]
        written.rename(folder / f"{own_host()}-{dead.pid}-{number:016x}.jsonl")
    before = open_store(tmp_path).find(lambda _: True)
    smallest = min(path.stat().st_size for path in logs_in(folder))
    monkeypatch.setattr("lsp_evalplus.bench.store.store.MOST_JOINED_BYTES", int(most * 2.2 * smallest))

    assert join_segments(folder) == joined
    assert len(logs_in(folder)) == files
    assert open_store(tmp_path).find(lambda _: True) == before
    assert summarize(tmp_path).verdicts == len(before)


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX systems")
def test_the_users_store_is_private(tmp_path: Path) -> None:
    (tmp_path / "verdicts").mkdir(mode=0o755)
    assert make_private(tmp_path / "verdicts").stat().st_mode & 0o777 == 0o700
