"""Functions that start programs and send requests are compared with stubs in place of these."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.edits import pytest_case, script

TOOLS = '''
import json
import os
import subprocess
import urllib.request
from subprocess import CalledProcessError, check_output


def branch_of(repo):
    try:
        out = subprocess.check_output(["git", "rev-parse", "--abbrev-ref", "HEAD"], cwd=repo, text=True)
    except (CalledProcessError, FileNotFoundError):
        return None
    name = out.strip()
    return None if name == "HEAD" else name


def release(version, push=False):
    subprocess.run(["git", "tag", version], check=True)
    if push:
        subprocess.run(["git", "push", "origin", version], check=True)


def full_disks(limit=90):
    """Name the disks that are nearly full."""
    found = []
    for line in check_output(["df", "--output=pcent,target"]).decode().splitlines():
        used, _, name = line.partition("% ")
        if used.isdigit() and int(used) >= limit:
            found.append(name)
    return found


def answers(host):
    return os.system(f"ping -c 1 {host}") == 0


def sorted_lines(text):
    with subprocess.Popen(["sort"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        out, _ = process.communicate(text + "\\n")
    return out.splitlines()


class Index:
    """Of packages."""

    def __init__(self, url="https://example.com"):
        self.url = url

    def latest(self, package):
        with urllib.request.urlopen(f"{self.url}/{package}/json") as response:
            data = json.loads(response.read())
        return data["info"]["version"]

    def names(self):
        """Return the names of packages that are not hidden."""
        with urllib.request.urlopen(self.url) as response:
            data = json.load(response)
        return [one["name"] for one in data["packages"] if not one.get("hidden")]

    def exists(self, package):
        try:
            urllib.request.urlopen(f"{self.url}/{package}")
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return False
            raise
        return True
'''


def report_of(folder: Path, judge: Any, name: str, old: str, new: str) -> Report:
    """Compare a function of `TOOLS` with a change."""
    source = TOOLS.replace(old, new)
    assert source != TOOLS
    path = folder / "tools.py"
    path.write_text(source)
    module, previous = read_module(source, path), PreviousVersion(TOOLS, "git HEAD")
    target = module.target(name)
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    report: Report = judge.check(target, oracle, Budget(seconds=20.0, calls=1000))
    return report


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("branch_of", '"--abbrev-ref", ', "", "stubbed(branch_of)("),
        ("branch_of", 'name == "HEAD"', 'name == "head"', "programs=['"),
        ("branch_of", "(CalledProcessError, FileNotFoundError)", "CalledProcessError", "programs=[None]"),
        ("branch_of", ", cwd=repo", "", "stubbed(branch_of)("),
        ("release", "version], check=True)\n    if", "version], check=False)\n    if", "programs=[(1, "),
        ("release", "if push", "if not push", "stubbed(release)("),
        ("full_disks", "int(used) >= limit", "int(used) > limit", "stubbed(full_disks, programs=['"),
        ("answers", "== 0", "!= 1", "programs=[(1, ''"),
        ("sorted_lines", ' + "\\n"', "", "stubbed(sorted_lines)("),
        ("Index.latest", "/json", "", "responses=[{'info': {'version': "),
        ("Index.names", "if not one", "if one", "responses=[{'packages': [{'name': "),
        ("Index.exists", "error.code == 404", "error.code >= 404", "responses=[(5"),
    ],
)
def test_mistakes(tmp_path: Path, judge: Any, name: str, old: str, new: str, call: str) -> None:
    report = report_of(tmp_path, judge, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample is not None
    assert call in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "branch_of",
            'subprocess.check_output(["git", "rev-parse", "--abbrev-ref", "HEAD"], cwd=repo, text=True)',
            (
                'subprocess.run(("git", "rev-parse", "--abbrev-ref", "HEAD"), cwd=repo, check=True,'
                ' stdout=subprocess.PIPE, encoding="utf-8").stdout'
            ),
        ),
        ("sorted_lines", "out, _ = process.communicate(text + ", "out, _ = process.communicate(input=text + "),
        (
            "Index.latest",
            "urllib.request.urlopen(f",
            "urllib.request.urlopen(timeout=3, url=f",
        ),
        ("Index.names", "data = json.load(response)", "data = json.loads(response.read().decode())"),
    ],
)
def test_harmless_changes(tmp_path: Path, judge: Any, name: str, old: str, new: str) -> None:
    report = report_of(tmp_path, judge, name, old, new)
    assert (report.verdict, report.inputs > 20) == (Verdict.AGREES, True), report


def test_a_script_has_the_stubs_and_no_test_is_written(tmp_path: Path, judge: Any) -> None:
    report = report_of(tmp_path, judge, "release", "if push", "if not push")
    found = report.counterexample
    assert found is not None
    module = read_module((tmp_path / "tools.py").read_text(), tmp_path / "tools.py")
    target = module.target("release")
    text = script.failing_input(target, found, report.oracle, "")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "returned: (None, [['git', 'tag'" in done.stdout, done.stderr
    assert pytest_case.test_case(target, found) is None


def test_without_an_older_version_nothing_is_called(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    target = read_module(TOOLS, tmp_path / "tools.py").target("release")
    assert target.reads == "starts other programs: subprocess.run(...)"
    assert json.dumps(target.obstacle) == "null"
