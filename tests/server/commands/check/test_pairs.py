"""`check --pairs`: one JSON object per line, nothing lost whatever the lines hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsp_evalplus.commands.check import run as check_run
from lsp_evalplus.fuzz.errors import GuestFaultError, GuestStartError

from ..conftest import Run
from .test_command import sarif_schema

ROOT = Path(__file__).resolve().parents[4]
REFERENCE = (
    'def f(x: int) -> int:\n    """Add one."""\n    assert isinstance(x, int)\n    assert x > 2\n    return x + 1\n'
)


def pair(identifier: str, candidate: str, reference: str = REFERENCE, name: str = "f") -> str:
    return json.dumps({"id": identifier, "entry_point": name, "candidate": candidate, "reference": reference})


PAIRS = {
    "wrong": (pair("wrong", "def f(x):\n    return x + 2\n"), "differs", ""),
    "right": (pair("right", "def f(x):\n    return 1 + x\n"), "agrees", ""),
    "refused": (pair("refused", "def f(x):\n    return x + 1 if x > 2 else 0\n"), "agrees", ""),
    "lambda": (pair("lambda", "f = lambda x: x\n"), "differs", ""),
    "raises": (pair("raises", "def f(x):\n    raise KeyError(x)\n"), "differs", ""),
    "loud": (pair("loud", "print('{')\ndef f(x):\n    print('out')\n    return x\n"), "differs", ""),
    "files": (pair("files", "def f(x):\n    return len(open('/no/file').read())\n"), "differs", ""),
    "cut off": (pair("cut off", "def f(x):\n    return x\n\ndef g(x):\n    return (x\n"), "differs", ""),
    "async": (
        pair("async", "async def f(x):\n    return x\n", "async def f(x: int):\n    return x + 1\n"),
        "differs",
        "",
    ),
    "does not parse": (
        pair("does not parse", "def f(x:\n"),
        "not_checked",
        "the candidate does not parse as Python 3.",
    ),
    "missing": (pair("missing", "def g(x):\n    return x\n"), "not_checked", "the candidate defines no function 'f'"),
    "no reference": (pair("no reference", "def f(x): return x", "x = 1"), "not_checked", "the reference defines no"),
    "import fails": (
        pair("import fails", "import no_such_module\ndef f(x):\n    return x\n"),
        "not_checked",
        "no_such_module",
    ),
    "exits": (pair("exits", "import sys\nsys.exit(0)\ndef f(x):\n    return x\n"), "not_checked", "SystemExit"),
}


def line_of(result: dict[str, Any]) -> int:
    return result["locations"][0]["physicalLocation"]["region"]["startLine"]


@pytest.mark.slow
def test_pairs_have_places_in_sarif(run: Run, project: Path, tmp_path: Path) -> None:
    text = "\n".join(PAIRS[name][0] for name in ("right", "wrong", "lambda"))
    (project / "pairs.jsonl").write_text(text, encoding="utf-8")

    log = run("check", "--pairs", "pairs.jsonl", "--format", "sarif").json
    jsonschema.Draft7Validator(sarif_schema(tmp_path)).validate(log)
    results = sorted(log["runs"][0]["results"], key=line_of)
    assert [one["locations"] for one in results] == [
        [
            {
                "logicalLocations": [{"name": "f", "fullyQualifiedName": name}],
                "physicalLocation": {"artifactLocation": {"uri": "pairs.jsonl"}, "region": {"startLine": line}},
            }
        ]
        for name, line in (("wrong", 2), ("lambda", 3))
    ]
    assert len({one["partialFingerprints"]["function/v1"] for one in results}) == 2

    (one,) = run("check", "--pairs", "-", "--format", "sarif", given=text.splitlines()[1]).json["runs"][0]["results"]
    assert one["locations"] == [{"logicalLocations": [{"name": "f", "fullyQualifiedName": "wrong"}]}]


def test_every_pair_gets_its_line(run_process: Run, project: Path) -> None:
    (project / "pairs.jsonl").write_text("\n".join(line for line, _, _ in PAIRS.values()), encoding="utf-8")
    ran = run_process("check", "--pairs", "pairs.jsonl", "--format", "json", "--jobs", "2")
    assert ran.code == 1, ran.err
    assert ran.err == ""
    found = {target["id"]: target for target in ran.lines}
    assert {name: target["verdict"] for name, target in found.items()} == {n: v for n, (_, v, _) in PAIRS.items()}
    schema = json.loads((ROOT / "docs" / "check.schema.json").read_text(encoding="utf-8"))
    for name, (_, _, reason) in PAIRS.items():
        jsonschema.validate({"version": 1, "targets": [found[name]], "layers_off": {}}, schema)
        assert reason in found[name]["reason"]
    assert found["wrong"]["counterexample"]["call"] == "f(3)"
    assert found["wrong"]["path"] is None


@pytest.mark.slow
def test_standard_input_and_text(run_process: Run) -> None:
    ran = run_process("check", "--pairs", "-", given=PAIRS["wrong"][0] + "\n\n" + PAIRS["right"][0] + "\n")
    assert ran.code == 1, ran.err
    assert "wrong: differs-from-reference f(3) returns 5, but the reference of the pair returns 4.\n" in ran.out
    assert "✓ right  f: no difference from reference of the pair in " in ran.out
    assert ran.out.endswith("1 finding, 1 without a difference, 0 not checked.\n")


def test_a_line_without_an_id_is_named_by_its_number(run: Run) -> None:
    line = json.dumps({"entry_point": "f", "candidate": "def f(x): return x", "reference": REFERENCE})
    ran = run("check", "--pairs", "-", "--format", "json", given=f"\n{line}\n")
    assert ran.lines[0]["id"] == "line 2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ("{", "line 2 of the pairs was skipped: it is not JSON"),
        ("[1]", "line 2 of the pairs was skipped: it is not a JSON object."),
        ('{"id": "x"}', "line 2 of the pairs was skipped: its 'entry_point' is missing."),
        ('{"entry_point": "f", "candidate": 3}', "line 2 of the pairs was skipped: its 'candidate' is not a text."),
        ("[" * 100_000, "line 2 of the pairs was skipped: it is not JSON"),
    ],
)
def test_a_broken_line_is_named_and_the_others_are_checked(broken: str, sentence: str, run: Run) -> None:
    given = "\n".join([PAIRS["right"][0], broken, PAIRS["wrong"][0]])
    ran = run("check", "--pairs", "-", "--format", "json", given=given)
    assert ran.code == 2
    assert {target["id"] for target in ran.lines} == {"right", "wrong"}
    assert sentence in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere.jsonl", "nowhere.jsonl does not exist."),
        (".", ". is a folder; name a file of JSON lines."),
        ("empty.jsonl", "empty.jsonl holds no pairs; each line is one JSON object."),
        ("latin.jsonl", "latin.jsonl is not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_pairs_file(name: str, sentence: str, run: Run, project: Path) -> None:
    (project / "empty.jsonl").write_text("\n \n", encoding="utf-8")
    (project / "latin.jsonl").write_bytes(b'{"id": "\xff"}\n')
    ran = run("check", "--pairs", name, "--format", "json")
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("fault", "lines", "sentence"),
    [
        (GuestFaultError("a guest sent nonsense"), 2, "right: the worker failed: a guest sent nonsense"),
        (GuestStartError("guests cannot be started"), 0, "guests cannot be started. `lsp-evalplus doctor` says"),
    ],
)
def test_a_broken_worker_is_no_verdict(
    fault: Exception, lines: int, sentence: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_arguments: object, **_options: object) -> None:
        raise fault

    monkeypatch.setattr(check_run, "check", fail)
    ran = run("check", "--pairs", "-", "--format", "json", given=f"{PAIRS['right'][0]}\n{PAIRS['wrong'][0]}")
    assert ran.code == 2
    assert [target["verdict"] for target in ran.lines] == ["not_checked"] * lines
    assert sentence in ran.err
    assert "Traceback" not in ran.err
