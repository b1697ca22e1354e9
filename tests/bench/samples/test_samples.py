"""Reading samples: every form of source, what is chosen, what is noted, and one sentence for every fault."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.problem import Dataset, Problem
from lsp_evalplus.bench.samples.samples import SampleSet, load_samples, reference_samples
from lsp_evalplus.bench.samples.sanitize_files import find_dataset, sanitize_source
from lsp_evalplus.fuzz.errors import UserError


@pytest.fixture
def dataset(make_problem: Callable[..., Problem]) -> Dataset:
    problems = {f"Own/{n}": make_problem(task_id=f"Own/{n}", prompt="def f(x):\n") for n in range(4)}
    return Dataset("own", "custom", "0", "0", "own.jsonl", problems)


def write(path: Path, *records: Any) -> Path:
    text = "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def texts(found: SampleSet) -> list[tuple[str, int, str]]:
    return [(sample.task_id, sample.number, sample.solution) for sample in found.samples]


WANTED = [("Own/0", 0, "first"), ("Own/0", 1, "second"), ("Own/2", 0, "third\r\n")]


@pytest.mark.parametrize("name", ["samples.jsonl", "samples.jsonl.gz"])
def test_jsonl(tmp_path: Path, dataset: Dataset, name: str) -> None:
    path = write(tmp_path / name, *[{"task_id": task, "solution": text, "more": 1} for task, _, text in WANTED], "")
    assert texts(load_samples(path, dataset)) == WANTED


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_only_the_texts_of_a_file_stay_in_memory(tmp_path: Path, dataset: Dataset, name: str) -> None:
    records = [{"task_id": "Own/0", "solution": f"{number}" * 20_000, "raw": "r" * 200_000} for number in range(10, 60)]
    path = write(tmp_path / name, *records)
    tracemalloc.start()
    found = load_samples(path, dataset)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * sum(len(sample.solution) for sample in found.samples)


def test_byte_order_mark_and_completions(tmp_path: Path, dataset: Dataset) -> None:
    line = "\ufeff" + json.dumps({"task_id": "Own/1", "completion": "    return 1\n"})
    assert texts(load_samples(write(tmp_path / "s.jsonl", line), dataset)) == [
        ("Own/1", 0, "def f(x):\n    return 1\n")
    ]


def test_a_solution_wins_over_a_completion(tmp_path: Path, dataset: Dataset) -> None:
    path = write(tmp_path / "s.jsonl", {"task_id": "Own/1", "completion": "no", "solution": "yes"})
    assert texts(load_samples(path, dataset)) == [("Own/1", 0, "yes")]


def test_folders_and_zips_are_read_in_the_order_of_their_numbers(tmp_path: Path, dataset: Dataset) -> None:
    files = {
        "Own_0/10.py": b"later",
        "Own_0/2.py": b"sooner",
        "Own_3/0.py": "# coding: latin-1\n'\xe9'".encode("latin-1"),
    }
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        for name, content in files.items():
            (tmp_path / "s" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "s" / name).write_bytes(content)
            archive.writestr("top/" + name, content)
    folder, archived = load_samples(tmp_path / "s", dataset), load_samples(tmp_path / "s.zip", dataset)
    wanted = [("Own/0", 0, "sooner"), ("Own/0", 1, "later"), ("Own/3", 0, "# coding: latin-1\n'\xe9'")]
    assert texts(folder) == texts(archived) == wanted
    assert folder.sha256 == archived.sha256


def test_what_macos_adds_to_folders_and_archives_is_no_sample(tmp_path: Path, dataset: Dataset) -> None:
    files = ["__MACOSX/Own_0/._0.py", "Own_0/._0.py", "Own_0/0.py", "Own_0/.ipynb_checkpoints/0.py", ".git/0.py"]
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        for name in files:
            (tmp_path / ".hidden" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / ".hidden" / name).write_bytes(b"text")
            archive.writestr(name, b"text")
    folder, archived = load_samples(tmp_path / ".hidden", dataset), load_samples(tmp_path / "s.zip", dataset)
    assert texts(folder) == texts(archived) == [("Own/0", 0, "text")]
    assert "2 hidden files are no samples, and were left out: .git/0.py, Own_0/._0.py." in folder.notes
    assert any(note.startswith("4 hidden files are no samples") for note in archived.notes)
    sanitized = sanitize_source(tmp_path / ".hidden", {}, tmp_path / "out")
    assert (sanitized.samples, len(sanitized.notes)) == (1, 1)


def test_what_is_noticed(tmp_path: Path, dataset: Dataset) -> None:
    path = write(
        tmp_path / "s.jsonl",
        {"task_id": "Own/0", "solution": "a"},
        {"task_id": "Other/9", "solution": "b"},
        {"task_id": "Own/0", "solution": "a"},
    )
    found = load_samples(path, dataset)
    assert len(found.samples) == 2
    assert found.samples[0].digest == found.samples[1].digest
    unknown, repeated, missing = found.notes
    assert "Left out 1 sample of tasks that own does not have: Other/9 (line 2)" in unknown
    assert "repeated by 1 of 2 samples; each is judged once" in repeated
    assert "Without a sample: 3 of 4 tasks (Own/1, Own/2, Own/3); scores are over the 1 with samples" in missing


@pytest.mark.parametrize(
    ("ids", "limit", "chosen"),
    [
        ((), None, [0, 1, 2, 3]),
        (("Own/2", "0"), None, [0, 2]),
        (("1-2",), None, [1, 2]),
        ((), 2, [0, 1]),
        (("1-3",), 2, [1, 2]),
    ],
)
def test_choosing_tasks(dataset: Dataset, ids: tuple[str, ...], limit: int | None, chosen: list[int]) -> None:
    found = reference_samples(dataset, ids=ids, limit=limit)
    assert list(found.by_task) == [f"Own/{number}" for number in chosen]
    assert bool(found.notes) is (len(chosen) < 4)


def test_the_choice_is_part_of_the_hash(tmp_path: Path, dataset: Dataset) -> None:
    path = write(tmp_path / "s.jsonl", *[{"task_id": f"Own/{n}", "solution": "a"} for n in range(2)])
    assert len({load_samples(path, dataset, ids=ids).sha256 for ids in ((), ("0",), ("1",))}) == 3


FAULTS: list[tuple[str, list[Any], str]] = [
    ("empty", [], "has no samples"),
    ("broken line", [{"task_id": "Own/0", "solution": "a"}, "{'"], "line 2: not valid JSON"),
    ("no task", [{"solution": "a"}], "line 1: 'task_id' is missing"),
    ("no text", [{"task_id": "Own/0"}], "line 1: has neither 'solution' nor 'completion'"),
    ("list of texts", [{"task_id": "Own/0", "solution": ["a"]}], "line 1: 'solution' must be a string"),
    ("other data set", [{"task_id": "HumanEval/0", "solution": "a"}], "it has 1 sample, and none for a task of own"),
]


@pytest.mark.parametrize(("records", "sentence"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_faults_are_named_by_line(tmp_path: Path, dataset: Dataset, records: list[Any], sentence: str) -> None:
    with pytest.raises(UserError) as raised:
        load_samples(write(tmp_path / "s.jsonl", *records), dataset)
    assert sentence in str(raised.value)


def test_sources_that_cannot_be_read(tmp_path: Path, dataset: Dataset) -> None:
    for name, content in {"a.zip": b"no zip", "b.jsonl.gz": b"no gzip", "c.jsonl": b"\xff\xfe"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError, match=name):
            load_samples(tmp_path / name, dataset)
    with pytest.raises(UserError, match="there is no such file or folder"):
        load_samples(tmp_path / "missing.jsonl", dataset)
    with pytest.raises(UserError, match="has no such task"):
        reference_samples(dataset, ids=("7",))


def test_a_file_that_python_cannot_read_is_a_program_that_does_not_compile(tmp_path: Path, dataset: Dataset) -> None:
    folder = tmp_path / "s" / "Own_0"
    (folder / "3.py").mkdir(parents=True)
    for number, content in enumerate([b"# \xff\xfe", b"# coding: nonsense\nx = 1\n", b"# coding: latin-1\n# \xe9\n"]):
        (folder / f"{number}.py").write_bytes(content)
    first, second, third = [sample.solution for sample in load_samples(tmp_path / "s", dataset).samples]
    with pytest.raises(UnicodeEncodeError):
        compile(first, "first", "exec")
    assert second == "# coding: nonsense\nx = 1\n"
    assert third.endswith("# \u00e9\n")


def test_a_folder_without_samples_is_told_what_it_needs(tmp_path: Path, dataset: Dataset) -> None:
    with pytest.raises(UserError, match="must hold folders like HumanEval_0"):
        load_samples(tmp_path, dataset)


PACKED: list[tuple[str, bytes, str]] = [
    ("empty.jsonl", b"", "has no samples; each line must be an object"),
    ("empty.jsonl.gz", gzip.compress(b""), "has no samples; each line must be an object"),
    ("zip.jsonl", b"PK\x03\x04...", "is a zip archive; unpack it"),
    ("gzip.jsonl", gzip.compress(b"{}"), "is packed by gzip; give it a name that ends in .gz"),
]


@pytest.mark.parametrize(("name", "content", "sentence"), PACKED, ids=[case[0] for case in PACKED])
def test_files_that_are_empty_or_packed_are_told(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        find_dataset(tmp_path / name)


def test_archives_are_checked_and_not_sanitized(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        archive.writestr("Mbpp_2/0.py", "text")
    assert find_dataset(tmp_path / "s.zip") == "mbpp"
    with pytest.raises(UserError, match="unpack it, and sanitize the folder"):
        sanitize_source(tmp_path / "s.zip", {}, tmp_path / "t.zip")
