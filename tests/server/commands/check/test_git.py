"""`check` in a git work tree: what changed, what is staged, and what it did before."""

from __future__ import annotations

import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from ..conftest import Run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

OLD = "def f(x: int) -> int:\n    'f(1) == 2'\n    return x + 1\n\n\n"
OLD += "def g(x: int) -> int:\n    'g(1) == 1'\n    return x\n"


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, timeout=280)


@pytest.fixture
def repository(project: Path) -> Path:
    for name in ("stats.py", "trusted.py"):
        (project / name).unlink()
    (project / "a.py").write_text(OLD, encoding="utf-8")
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "first")
    return project


def names(run: Run, *arguments: str) -> list[tuple[str, str, str]]:
    ran = run("check", *arguments, "--format", "json")
    assert ran.code in {0, 1}, ran.err
    return [(target["path"], target["name"], target["verdict"]) for target in ran.json["targets"]]


def test_only_changed_functions(run: Run, repository: Path) -> None:
    assert names(run, "--diff", "HEAD") == []
    assert run("check", "--diff", "HEAD").out == "Nothing to check: no function has changed.\n"
    (repository / "a.py").write_text("# moved\n" + OLD.replace("x + 1", "x + 3"), encoding="utf-8")
    (repository / "new.py").write_text("def h(x):\n    'h(1) == 1'\n    return x\n", encoding="utf-8")
    assert names(run, "--diff", "HEAD") == [("a.py", "f", "differs"), ("new.py", "h", "agrees")]
    assert names(run, "--diff", "HEAD", "new.py") == [("new.py", "h", "agrees")]
    assert names(run, "--diff", "HEAD", "a.py::g") == []
    assert names(run, "--staged") == []


def test_a_shallow_clone_says_what_it_lacks(
    run: Run, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = tmp_path / "shallow"
    git(repository, "clone", "--depth", "1", repository.as_uri(), str(clone))
    monkeypatch.chdir(clone)

    ran = run("check", "--diff", "HEAD~1")

    assert ran.code == 2
    assert f"git knows no revision 'HEAD~1' in {clone}; the clone is shallow: fetch the whole history" in ran.err


def test_the_staged_text_counts(run: Run, repository: Path) -> None:
    path = repository / "a.py"
    path.write_text(OLD.replace("x + 1", "x + 3"), encoding="utf-8")
    git(repository, "add", "a.py")
    path.write_text(OLD, encoding="utf-8")
    assert names(run, "--staged") == [("a.py", "f", "differs")]
    assert run("check", "--staged", "--quiet").code == 1
    assert names(run, "--diff", "HEAD") == []


SEALED = """
_KEY = object()

class Sealed:
    def __init__(self, key):
        if key is not _KEY:
            raise PermissionError
        self.number = 2

    def label(self, n: int) -> str:
        return f"sealed {self.number + n % 2}"

def seal(path):
    if not path.is_dir():
        raise NotADirectoryError(path)
    return Sealed(_KEY)
"""
TEST = "from sealed import seal\n\ndef test_label(tmp_path):\n    assert seal(tmp_path).label(1)\n"


@pytest.mark.slow
def test_tests_are_run_for_their_objects(run: Run, repository: Path) -> None:
    """Unless the setting says that they are only read."""
    (repository / "sealed.py").write_text(SEALED)
    (repository / "tests").mkdir()
    (repository / "tests" / "test_sealed.py").write_text(TEST)
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    (repository / "sealed.py").write_text(SEALED.replace('"sealed', '"opened'))

    (told,) = run("check", "sealed.py::Sealed.label", "--oracle", "git", "--format", "json").json["targets"]
    assert told["verdict"] == "differs"
    assert told["counterexample"]["call"].startswith(
        "argument_in_test('tests/test_sealed.py::test_label', 'self').label("
    )

    settings = repository / "pyproject.toml"
    table = "[tool.lsp-evalplus]\n"
    settings.write_text(settings.read_text().replace(table, "") + f'\n{table}tests = "read"\n')
    (told,) = run("check", "sealed.py::Sealed.label", "--oracle", "git", "--format", "json").json["targets"]
    assert "in_test" not in told["counterexample"]["call"]


def test_an_instance_stays_one(run: Run, repository: Path) -> None:
    """The smallest input of a method that does not use its instance is still a call of that method."""
    source = SEALED.replace("path.is_dir()", "path > 51000").replace("{self.number + n % 2}", "{n % 2}")
    (repository / "sealed.py").write_text(source)
    (repository / "tests").mkdir()
    test = "from sealed import seal\n\ndef test_label():\n    assert seal(sum([51000, 966])).label(1)\n"
    (repository / "tests" / "test_sealed.py").write_text(test)
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    (repository / "sealed.py").write_text(source.replace('"sealed', '"opened'))

    (told,) = run("check", "sealed.py::Sealed.label", "--oracle", "git", "--format", "json").json["targets"]

    assert told["counterexample"]["call"].startswith("seal(")


def test_the_previous_version_is_an_oracle(run: Run, repository: Path) -> None:
    (repository / "a.py").write_text(
        OLD.replace("x + 1", "x - -1").replace("return x\n", "return -x\n"), encoding="utf-8"
    )
    ran = run("check", "a.py", "--oracle", "git", "-v")
    assert ran.code == 1, ran.err
    assert "✓ a.py:1  f: no difference from git HEAD in " in ran.out
    assert " g(1) returns -1, but its version in git HEAD returns 1.\n" in ran.out


def test_a_sentence_ends_once(run: Run, repository: Path) -> None:
    older = 'def g(x):\n    if x:\n        raise ValueError("There is none.")\n    return 0\n'
    (repository / "b.py").write_text(older, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    (repository / "b.py").write_text(older.replace("if x:", "if x > 1:"), encoding="utf-8")
    ran = run("check", "b.py", "--oracle", "git")
    assert ran.code == 1, ran.err
    (told,) = [line for line in ran.out.splitlines() if " g(" in line]
    assert told.endswith("raises ValueError: There is none."), told


def test_what_has_no_previous_version_says_so(run: Run, repository: Path) -> None:
    (repository / "a.py").write_text(OLD + "\n\ndef new(x):\n    return x\n", encoding="utf-8")
    (repository / "b.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    ran = run("check", "a.py", "b.py", "--oracle", "git", "--format", "json")
    assert ran.code == 0
    assert [target["reason"] for target in ran.json["targets"]] == [
        "it has not changed since git HEAD",
        "it has not changed since git HEAD",
        "it is not in git HEAD",
        "the file is not in git HEAD",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--diff", "HEAD"], ["--staged"], ["new.py"]])
def test_a_function_that_was_moved_to_another_file(run: Run, repository: Path, how: list[str]) -> None:
    (repository / "a.py").unlink()
    (repository / "new.py").write_text(OLD.replace("x + 1", "1 + x").replace("return x\n", "return -x\n"))
    git(repository, "add", ".")

    ran = run("check", *how, "--oracle", "git", "--verbose")

    assert ran.code == 1, ran.err
    assert "✓ new.py:1  f: no difference from a.py at git HEAD in " in ran.out
    assert " g(1) returns -1, but its version in a.py at git HEAD returns 1.\n" in ran.out


def test_a_function_that_was_only_moved_has_not_changed(run: Run, repository: Path) -> None:
    (repository / "a.py").rename(repository / "new.py")

    ran = run("check", "new.py", "--oracle", "git", "--format", "json")

    assert {target["reason"] for target in ran.json["targets"]} == {"it has not changed since git HEAD"}


def test_an_unknown_revision_is_one_sentence(run: Run, repository: Path) -> None:
    ran = run("check", "--diff", "nonsense")
    assert (ran.code, ran.out) == (2, "")
    assert "git knows no revision 'nonsense'" in ran.err


@pytest.mark.slow
def test_a_function_marked_as_a_refactoring_is_compared_with_its_older_version(run: Run, repository: Path) -> None:
    text = "def f(x: int) -> int:\n    return x\n\n\ndef g(x: int) -> int:\n    return x + 1\n"
    (repository / "a.py").write_text(text, encoding="utf-8")
    git(repository, "commit", "-am", "second")
    changed = text.replace("return x", "return 2 * x")
    (repository / "a.py").write_text(changed.replace("def f", "# lsp-evalplus: refactoring\ndef f"), encoding="utf-8")

    assert names(run, "a.py") == [("a.py", "f", "differs"), ("a.py", "g", "agrees")]  # g comes to a return statement.
    assert names(run, "--diff", "HEAD", "a.py") == names(run, "a.py")
    marked = run("check", "a.py", "--format", "sarif").json["runs"][0]["results"]
    assert [(one["ruleId"], one["level"]) for one in marked] == [("behaviour-changed", "error")]
    assert run("check", "a.py", "--format", "github").out.startswith("::error file=a.py,")
    (repository / "a.py").write_text(changed, encoding="utf-8")
    unmarked = run("check", "a.py", "--oracle", "git", "--format", "sarif").json["runs"][0]["results"]
    assert [one["level"] for one in unmarked] == ["note", "note"]
    assert run("check", "a.py", "--oracle", "git", "--format", "github").out.startswith("::notice file=a.py,")


def test_the_mark_of_a_refactoring_does_no_harm_without_a_repository(run: Run, project: Path) -> None:
    (project / "b.py").write_text("# lsp-evalplus: refactoring\ndef f(x):\n    'f(1) == 1'\n    return x\n")

    assert names(run, "b.py") == [("b.py", "f", "agrees")]


@pytest.mark.slow
def test_the_environment_of_a_hook_does_not_mislead(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "src").mkdir()
    write_functions(repository / "util.py", "x * 100", "x")
    write_functions(repository / "src" / "util.py", "x + 1", "x")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    write_functions(repository / "src" / "util.py", "x + 1", "-x")
    git(repository, "add", ".")
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")

    assert names(run, "--diff", "HEAD", "--oracle", "git") == [("src/util.py", "g", "differs")]
    monkeypatch.chdir(repository / "src")
    assert names(run, "--staged", "--oracle", "git") == [("util.py", "g", "differs")]


def write_functions(path: Path, first: str, second: str) -> None:
    path.write_text(f"def f(x: int) -> int:\n    return {first}\n\n\ndef g(x: int) -> int:\n    return {second}\n")


@pytest.mark.slow
def test_the_index_of_a_commit_that_is_being_made_is_that_of_its_work_tree_only(
    run: Run, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repository(tmp_path / "other")
    for folder in (repository, other):
        (folder / "a.py").write_text(OLD.replace("x + 1", "x + 3"), encoding="utf-8")
        git(folder, "add", ".")
    next_index = repository / ".git" / "next-index"
    shutil.copy(repository / ".git" / "index", next_index)
    git(repository, "reset")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")

    assert names(run, "--staged") == [("a.py", "f", "differs")]
    next_index.unlink()
    assert names(run, "--staged", "../other") == [("../other/a.py", "f", "differs")]


def make_repository(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a.py").write_text(OLD, encoding="utf-8")
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder


@pytest.mark.slow
def test_the_rest_is_checked_where_a_file_is_broken(run: Run, repository: Path) -> None:
    (repository / "a.py").write_text(OLD.replace("x + 1", "x + 3"), encoding="utf-8")
    (repository / "bad.py").write_text("def broken(\n", encoding="utf-8")
    (repository / "binary.py").write_bytes(b"x = '\xe9'\n")
    (repository / ".#a.py").symlink_to("nobody@nowhere.1:2")

    for arguments in (["--diff", "HEAD"], ["."], ["a.py", "bad.py", "binary.py"]):
        ran = run("check", *arguments)
        assert ran.code == 2
        assert "a.py:1:5: example-fails " in ran.out
        broken, binary = ran.err.splitlines()
        assert "bad.py does not parse" in broken
        assert "binary.py is not Python source text" in binary


@pytest.mark.slow
def test_a_part_that_does_not_parse_is_named_and_the_rest_is_checked(run: Run, repository: Path) -> None:
    (repository / "a.py").write_text(OLD.replace("x + 1", "x + 3").replace("return x\n", "return x +\n"))

    for arguments in (["a.py"], ["."], ["--diff", "HEAD"], ["--diff", "HEAD", "--oracle", "git"]):
        ran = run("check", *arguments)
        assert (ran.code, "a.py:1:5: " in ran.out) == (2, True), arguments
        assert ran.err.startswith("lsp-evalplus: part of a.py does not parse as Python 3.")
        assert ran.err.endswith(", so it is not checked: line 8: invalid syntax.\n")
    assert run("check", "a.py", "--format", "sarif").json["runs"][0]["results"]
    for arguments in (["--diff", "HEAD", "a.py::g"], ["a.py::g"]):
        ran = run("check", *arguments)
        assert (ran.code, ran.out, ran.err.count("line 8: invalid syntax")) == (2, "", 1)
    assert names(run, "--diff", "HEAD", "a.py::f") == [("a.py", "f", "differs")]
    git(repository, "commit", "-am", "broken")
    assert names(run, "--diff", "HEAD") == []


@pytest.mark.timeout(300)
def test_folders_are_searched_for_regular_files(run: Run, repository: Path) -> None:
    os.mkfifo(repository / "pipe.py")
    (repository / "dangling.py").symlink_to("nowhere.py")
    (repository / ".hidden.py").write_text("def f(", encoding="utf-8")

    assert names(run, ".") == [("a.py", "f", "agrees"), ("a.py", "g", "agrees")]
    (repository / ".hidden.py").unlink()
    git(repository, "add", "dangling.py")
    assert names(run, "--staged") == []


@pytest.mark.slow
def test_older_and_staged_texts_have_their_own_coding(run: Run, repository: Path) -> None:
    path, text = repository / "menu.py", "# coding: latin-1\nNAME = 'café'\ndef f(x: int):\n    return NAME * x\n"
    path.write_text(text, encoding="latin-1")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    path.write_text(text.replace("NAME * x", "x * NAME"), encoding="latin-1")
    git(repository, "add", ".")

    assert names(run, "menu.py", "--oracle", "git") == [("menu.py", "f", "agrees")]
    assert names(run, "--staged", "--oracle", "git") == [("menu.py", "f", "agrees")]


@pytest.mark.slow
def test_staged_functions_import_what_is_staged(run: Run, repository: Path) -> None:
    rates, path = repository / "rates.py", repository / "price.py"
    rates.write_text("class Rate:\n    def __init__(self, of: int) -> None:\n        self.of = of\n\nBASE = Rate(2)\n")
    path.write_text(
        "from rates import BASE, Rate\ndef total(n: int) -> int:\n    return n * BASE.of\n"
        "def priced(rate: Rate) -> int:\n    return rate.of\n"
    )
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    rates.write_text(rates.read_text().replace("BASE", "FIRST"))
    path.write_text(path.read_text().replace("BASE", "FIRST").replace("return rate.of", "return 0 + rate.of"))
    git(repository, "add", ".")
    rates.write_text(rates.read_text().replace("FIRST", "SECOND"))

    assert names(run, "--staged", "--oracle", "git") == [
        ("price.py", "total", "agrees"),
        ("price.py", "priced", "agrees"),
    ]


@pytest.mark.slow
def test_a_branch_is_compared_with_where_it_began(run: Run, repository: Path) -> None:
    path = repository / "a.py"
    git(repository, "branch", "-M", "main")
    git(repository, "checkout", "-b", "topic")
    path.write_text(OLD.replace("x + 1", "1 + x"), encoding="utf-8")
    git(repository, "commit", "-am", "ours")
    git(repository, "checkout", "main")
    path.write_text(OLD.replace("return x\n", "return x + 0\n"), encoding="utf-8")
    git(repository, "commit", "-am", "theirs")
    git(repository, "checkout", "topic")

    for revision in ("main", "main...", "main...HEAD", "main...topic"):
        assert names(run, "--diff", revision, "--oracle", "git") == [("a.py", "f", "agrees")]
    assert [name for _, name, _ in names(run, "--diff", "main..")] == ["f", "g"]
    assert (
        "no difference from the merge base of HEAD and main in"
        in run("check", "--diff", "main", "--oracle", "git", "--verbose").out
    )
    ran = run("check", "--diff", "topic...main")
    assert (ran.code, ran.out) == (2, "")
    assert "the files of the work tree are what is checked, not those of 'main'" in ran.err


@pytest.mark.slow
def test_targets_in_other_repositories(run: Run, repository: Path, tmp_path: Path) -> None:
    inner = make_repository(repository / "inner")
    other = make_repository(tmp_path / "other")
    git(repository, "reset", "--hard")
    for folder in (inner, other):
        (folder / "a.py").write_text(OLD.replace("x + 1", "x + 3"), encoding="utf-8")

    assert names(run, "--diff", "HEAD", "inner/a.py") == [("inner/a.py", "f", "differs")]
    assert sorted(names(run, "--diff", "HEAD", ".", "../other")) == [
        ("../other/a.py", "f", "differs"),
        ("inner/a.py", "f", "differs"),
    ]


def test_what_is_read_outside_names_files_from_the_top(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = OLD.replace("x + 1", "x + 3")
    (repository / "a.py").write_text(f"# lsp-evalplus: reference=sub/ref.py\n{text}", encoding="utf-8")
    (repository / "sub").mkdir()
    (repository / "sub" / "ref.py").write_text(OLD, encoding="utf-8")
    monkeypatch.chdir(repository / "sub")

    assert run("check", "../a.py", "--format", "github").out.startswith(
        "::error file=a.py,line=2,col=5,title=differs-from-reference f::"
    )
    (result,) = run("check", "../a.py", "--format", "sarif").json["runs"][0]["results"]
    places = [*result["locations"], *result["relatedLocations"]]
    assert [one["physicalLocation"]["artifactLocation"]["uri"] for one in places] == ["a.py", "sub/ref.py"]


@pytest.mark.slow
def test_the_first_commit(run: Run, project: Path) -> None:
    git(project, "init")
    (project / "stats.py").write_text(OLD, encoding="utf-8")
    git(project, "add", "stats.py", "pyproject.toml")

    assert names(run, "--staged") == [("stats.py", "f", "agrees"), ("stats.py", "g", "agrees")]
    assert names(run, "--diff", "HEAD", "stats.py") == names(run, "--staged")
    assert f"git knows no revision 'main~1' in {project}." in run("check", "--diff", "main~1").err


@pytest.mark.slow
def test_classes_that_no_version_or_only_one_imports(run: Run, repository: Path) -> None:
    kinds = "from enum import Enum\n\nclass Kind(Enum):\n    ONE = 1\n    TWO = 2\n\n"
    kinds += "class Whole:\n    def __init__(self, kind: Kind):\n        self.kind = kind\n"
    (repository / "kinds.py").write_text(kinds, encoding="utf-8")
    user = "from kinds import Kind, Whole\n\ndef f(whole: Whole) -> int:\n    return whole.kind.value\n"
    (repository / "user.py").write_text(user, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    changed = user.replace("Kind, ", "").replace("value", "value % 2")
    (repository / "user.py").write_text(changed, encoding="utf-8")
    assert names(run, "--diff", "HEAD", "--oracle", "git") == [("user.py", "f", "differs")]

    git(repository, "commit", "-am", "third")
    (repository / "user.py").write_text(changed.replace("value % 2", "value & 1"), encoding="utf-8")
    assert names(run, "--diff", "HEAD", "--oracle", "git") == [("user.py", "f", "agrees")]


def test_the_name_of_a_property_means_its_setter_too(run: Run, repository: Path) -> None:
    text = "class Box:\n    def __init__(self, width: int) -> None:\n        self._width = width\n\n"
    text += "    @property\n    def width(self) -> int:\n        return self._width\n\n"
    text += "    @width.setter\n    def width(self, value: int) -> None:\n        self._width = value\n"
    (repository / "box.py").write_text(text, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    (repository / "box.py").write_text(text.replace("= value", "= abs(value)"), encoding="utf-8")

    found = names(run, "box.py::Box.width", "--oracle", "git")
    assert found == [("box.py", "Box.width", "agrees"), ("box.py", "Box.width=", "differs")]


def test_an_empty_instance_shows_little(run: Run, repository: Path) -> None:
    text = "class Cart:\n    def __init__(self):\n        self._items = []\n\n"
    text += "    def total(self) -> int:\n        return sum(self._items)\n\n"
    text += "    def name(self) -> str:\n        return 'cart'\n"
    (repository / "cart.py").write_text(text, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    changed = text.replace("self._items)", "self._items[:1])").replace("'cart'", "'ca' + 'rt'")
    (repository / "cart.py").write_text(changed, encoding="utf-8")

    targets = run("check", "--diff", "HEAD", "--oracle", "git", "--format", "json").json["targets"][1:]
    assert [(one["name"], one["verdict"]) for one in targets] == [
        ("Cart.total", "not_checked"),
        ("Cart.name", "agrees"),
    ]
    assert targets[0]["reason"] == "only an empty instance could be made"


DIGESTS = """
from hashlib import sha256

SIZES = {%r: %d}

def size(name: str) -> int:
    return SIZES.get(sha256(name.encode(errors="replace")).hexdigest(), len(name))
"""
PART_OF_TEST = "from digests import size\n\ndef test_size():\n    assert size(''.join(('per', 'sim', 'mon'))) %s\n"


@pytest.mark.slow
def test_old_tests_add_nothing_to_a_search_that_reached_everything(run: Run, repository: Path) -> None:
    """Those that are new or changed may: somebody wrote them for what changed."""
    digest = sha256(b"persimmon").hexdigest()
    (repository / "digests.py").write_text(DIGESTS % (digest, 7))
    (repository / "tests").mkdir()
    (repository / "tests" / "test_digests.py").write_text(PART_OF_TEST % "> 0")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "second")
    (repository / "digests.py").write_text(DIGESTS % (digest, 8))

    # Four times what it needs for `ENOUGH_INPUTS` on a busy machine.
    check = ("check", "digests.py::size", "--oracle", "git", "--format", "json", "--budget", "4")
    (told,) = run(*check).json["targets"]
    assert told["verdict"] == "agrees"
    (repository / "tests" / "test_digests.py").write_text(PART_OF_TEST % "> 7")
    (told,) = run(*check).json["targets"]
    assert told["verdict"] == "differs"
    assert told["counterexample"]["call"] == "size('persimmon')"
