"""The quick fix that asks a language model, through a real server and a real endpoint: the edit is applied and run."""

from __future__ import annotations

import asyncio
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp_evalplus.fuzz.llm.consent import Consents

pytestmark = pytest.mark.slow

REFERENCE = """\
import statistics


class Box:
    def middle(self, xs: list[int]) -> float:
        assert xs
        return statistics.median(xs)
"""
CANDIDATE = '''\
class Box:
    # lsp-evalplus: reference=reference.py::Box.middle
    def middle(self, xs: list[int]) -> float:
        """The median.

        >>> Box().middle([3])
        3
        """
        return sorted(xs)[len(xs) // 2]


LAST = 1
'''
WRONG = "def middle(self, xs):\n    return sum(xs) / len(xs)\n"
RIGHT = """\
def middle(self, xs):
    ys = sorted(xs)
    half, odd = divmod(len(ys), 2)
    return ys[half] if odd else (ys[half - 1] + ys[half]) / 2
"""
NARROWED = "def middle(self, xs):\n    assert len(xs) % 2\n    return sorted(xs)[len(xs) // 2]\n"
HOSTILE = "def middle(self, xs):\n    import os\n    os.kill(os.getppid(), 9)\n    return open({path!r}, 'w')\n"


class Project:
    """An editor with a finding, whose model answers with the functions of a list."""

    def __init__(self, new_editor: Any, serve: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch):
        self._new_editor, self._serve, self._folder = new_editor, serve, folder
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        self.answers: list[str] = []

    async def open(self, *answers: str, consents: bool = True, **llm: Any) -> types.Diagnostic:
        self.answers = list(answers)
        self.model = self._serve(self._answer)
        if consents:
            store = Consents(self._folder / "config" / "lsp-evalplus" / "llm-consent.json")
            store.allow(self._folder / "project", self.model.base_url)
        options = {"enabled": True, "seeds": False, "baseUrl": self.model.base_url, "model": "tiny", **llm}
        self.editor = await self._new_editor(options={"llm": options, "budget": 0.3}, files={"reference.py": REFERENCE})
        self.uri = self.editor.open("box.py", CANDIDATE)
        return (await self.editor.diagnostics(self.uri)).diagnostics[0]

    def _answer(self, body: dict[str, Any]) -> list[str]:
        return [f"```python\n{self.answers.pop(0) if self.answers else 'pass'}```"]

    async def offered(self, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
        return [one for one in await self.editor.actions(self.uri, diagnostic) if one.title.startswith("Ask tiny")]

    async def choose(self, diagnostic: types.Diagnostic) -> dict[str, Any]:
        (action,) = await self.offered(diagnostic)
        assert action.command is not None
        return await self.editor.run(action.command.command, *(action.command.arguments or ()))


@pytest.fixture
def project(new_editor: Any, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(new_editor, serve, tmp_path, monkeypatch)


async def test_a_fix_that_survives_is_applied_and_right(project: Project, tmp_path: Path) -> None:
    diagnostic = await project.open(WRONG, RIGHT)
    answer = await project.choose(diagnostic)

    assert answer == {"applied": True, "reason": ""}
    await project.editor.take("workspace/applyEdit")
    text = project.editor.texts[project.uri]
    assert text == CANDIDATE.replace(
        "        return sorted(xs)[len(xs) // 2]\n",
        "        ys = sorted(xs)\n        half, odd = divmod(len(ys), 2)\n"
        "        return ys[half] if odd else (ys[half - 1] + ys[half]) / 2\n",
    )
    box = runpy.run_path(str(tmp_path / "project" / "box.py"))["Box"]()
    assert [box.middle([3]), box.middle([1, 2]), box.middle([5, 1, 3])] == [3, 1.5, 3]
    await project.editor.diagnostics(project.uri, lambda shown: not shown)
    used = (tmp_path / "cache" / "lsp-evalplus" / "llm" / "used.json").read_text()
    assert '"requests": 2' in used
    begun = [one for one in project.editor.seen if one.method == "$/progress"]
    assert any("fix" in str(getattr(one.params.value, "message", one.params.value)) for one in begun)


@pytest.mark.parametrize(
    "answers",
    [
        [NARROWED, WRONG, HOSTILE],
        pytest.param([WRONG] * 3, marks=pytest.mark.slow),
        pytest.param(["I cannot."], marks=pytest.mark.slow),
        pytest.param([CANDIDATE], marks=pytest.mark.slow),
        pytest.param([HOSTILE] * 3, marks=pytest.mark.slow),
    ],
)
async def test_a_fix_that_does_not_survive_is_never_applied(
    project: Project, tmp_path: Path, answers: list[str]
) -> None:
    mark = tmp_path / "written"
    diagnostic = await project.open(*(one.replace("{path!r}", repr(str(mark))) for one in answers))
    answer = await project.choose(diagnostic)

    assert answer["applied"] is False
    said = await project.editor.take("window/showMessage")
    assert said.message == "lsp-evalplus: no fix for Box.middle: tiny proposed none that survives the check."
    assert said.type == types.MessageType.Info
    assert project.editor.applied == []
    assert not mark.exists()


async def test_nothing_is_offered_or_sent_without_consent(project: Project) -> None:
    diagnostic = await project.open(RIGHT, consents=False)

    assert await project.offered(diagnostic) == []
    answer = await project.editor.run("lspEvalplus.suggestFix", {"uri": project.uri, "name": "Box.middle"})
    assert answer["applied"] is False
    assert "no consent" in (await project.editor.take("window/showMessage")).message
    assert project.model.requests == []


@pytest.mark.parametrize(
    "llm",
    [pytest.param({"enabled": False}, marks=pytest.mark.slow), {"exclude": ["box.py"]}],
    ids=["off", "excluded"],
)
async def test_nothing_is_offered_where_the_model_may_not_be_asked(project: Project, llm: dict[str, Any]) -> None:
    diagnostic = await project.open(RIGHT, **llm)

    assert await project.offered(diagnostic) == []
    assert project.model.requests == []


async def test_the_progress_bar_ends_it(project: Project) -> None:
    diagnostic = await project.open(RIGHT)
    project.model.delay = 30.0
    asked = asyncio.ensure_future(project.choose(diagnostic))
    await project.editor.wait(lambda: project.model.requests)

    def begun() -> list[str]:
        shown = [one.params for one in project.editor.seen if one.method == "$/progress"]
        return [one.token for one in shown if "finding a fix" in str(one.value)]

    (token,) = await project.editor.wait(begun)
    project.editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))

    assert await asked == {"applied": False, "reason": "it was cancelled"}
    assert project.editor.applied == []


async def test_a_function_that_changed_meanwhile_is_left_alone(project: Project) -> None:
    diagnostic = await project.open(RIGHT)
    project.model.delay = 0.5  # By the time of the answer the user has written something else.
    asked = asyncio.ensure_future(project.choose(diagnostic))
    await project.editor.wait(lambda: project.model.requests)
    project.editor.replace(project.uri, "len(xs) // 2", "0")

    assert (await asked)["applied"] is False
    assert "changed meanwhile" in (await project.editor.take("window/showMessage")).message
    await project.editor.diagnostics(project.uri)
