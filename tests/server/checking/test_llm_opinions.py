"""An oracle that a language model proposes, through a real server: opt-in, information at most, harmless."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp_evalplus.fuzz.config.settings import SEVERITIES, Layer, Settings, apply_layer
from lsp_evalplus.fuzz.config.severity import severity_of
from lsp_evalplus.fuzz.llm.consent import Consents
from lsp_evalplus.fuzz.model import OracleKind, Tier

pytestmark = pytest.mark.slow

HEAD = 'def middle(xs: list[int]) -> float:\n    """The median of a list of numbers that is not empty."""\n'
WRONG = HEAD + "    return sorted(xs)[len(xs) // 2]\n"
RIGHT = HEAD + "    ys = sorted(xs)\n    return (ys[(len(ys) - 1) // 2] + ys[len(ys) // 2]) / 2\n"
OTHERS = [
    HEAD + "    ys, n = sorted(xs), len(xs)\n    return ys[n // 2] if n % 2 else (ys[n // 2 - 1] + ys[n // 2]) / 2\n",
    "import statistics\n\n" + HEAD + "    return statistics.median(xs)\n",
]
EVERYTHING = ["reference", "previous", "examples", "contract", "model"]


class Endpoint:
    """A model that answers with a contract and implementations."""

    def __init__(self, serve: Any, implementations: list[str]) -> None:
        self.implementations = implementations
        self.server = serve(self._answer)

    def _answer(self, body: dict[str, Any]) -> list[str]:
        if "allow?" in body["messages"][-1]["content"]:
            return ["```python\nassert len(xs) > 0\nassert all(isinstance(x, int) for x in xs)\n```"]
        count = body.get("n", 1)
        return [f"```python\n{source}```" for source in (self.implementations * count)[:count]]

    @property
    def sent(self) -> str:
        return "".join(str(request.body) for request in self.server.requests)


@pytest.fixture
def open_editor(new_editor: Any, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes an editor whose user allowed a model to be asked."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    async def make(implementations: list[str], *, consents: bool = True, **options: Any) -> Any:
        endpoint = Endpoint(serve, implementations)
        url = endpoint.server.base_url
        if consents:
            Consents(tmp_path / "config/lsp-evalplus/llm-consent.json").allow(tmp_path / "project", url)
        llm = {"enabled": True, "seeds": False, "baseUrl": url, "model": "tiny"}
        editor = await new_editor(options={"llm": llm, "budget": 0.5, "oracles": EVERYTHING, **options})
        return editor, endpoint

    return make


async def test_agreement_against_a_function_is_information(open_editor: Any, tmp_path: Path) -> None:
    # Without the body that the other one takes the place of.
    oracles = [one for one in EVERYTHING if one != "previous"]
    # Three implementations share the budget, and each has to be compared on some inputs on a busy machine, too.
    options = {"severity": {"model": "error"}, "oracles": oracles, "budget": 3.0}
    editor, endpoint = await open_editor([RIGHT, *OTHERS], **options)
    uri = editor.open("stats.py", WRONG)

    (result,) = await editor.run("lspEvalplus.checkFile", {"uri": uri})
    assert result["verdict"] == "not_checked"
    (found,) = (await editor.diagnostics(uri)).diagnostics

    assert found.severity == types.DiagnosticSeverity.Information
    assert found.code == "implementations-disagree"
    assert found.message.startswith("middle([")
    assert "but 3 implementations by tiny returned" in found.message
    assert found.message.endswith("Note: 3 of 3 independent implementations disagree with this.")
    assert "The median of" in endpoint.sent
    assert "sorted(xs)[" not in endpoint.sent, "the body stays here"
    assert '"requests": 2' in (tmp_path / "cache/lsp-evalplus/llm/used.json").read_text()

    titles = [action.title for action in await editor.actions(uri, found)]
    assert not [title for title in titles if title.startswith("Ask tiny")], "what it writes has no judge"

    # Another body is judged by the same implementations: nothing more is sent.
    asked = len(endpoint.server.requests)
    editor.change(uri, RIGHT)
    (result,) = await editor.run("lspEvalplus.checkFile", {"uri": uri})
    assert result["verdict"] == "agrees", result
    assert result["oracle"]["kind"] == "model"
    await editor.diagnostics(uri, lambda shown: not shown)
    assert len(endpoint.server.requests) == asked


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (WRONG, {"consents": False}),
        (WRONG, {"oracles": EVERYTHING[:-1]}),
        pytest.param(
            WRONG.replace('empty."""', 'empty.\n\n    >>> middle([3])\n    3\n    """'), {}, marks=pytest.mark.slow
        ),
        pytest.param(
            WRONG.replace('"""The median of a list of numbers that is not empty."""', "pass"),
            {},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["no consent", "not among the oracles", "examples judge it", "nothing to go by"],
)
async def test_nothing_is_sent(open_editor: Any, source: str, options: dict[str, Any]) -> None:
    editor, endpoint = await open_editor([RIGHT, *OTHERS], **options)
    uri = editor.open("stats.py", source)

    (result,) = await editor.run("lspEvalplus.checkFile", {"uri": uri})
    await editor.run("lspEvalplus.checkFile", {"uri": uri})

    assert result["verdict"] == ("agrees" if ">>>" in source else "not_checked")
    assert endpoint.server.requests == []


@pytest.mark.slow
async def test_hostile_implementations_do_no_harm(open_editor: Any, tmp_path: Path) -> None:
    mark = tmp_path / "project" / "mark"
    hostile = [
        f"import os\nopen({str(mark)!r}, 'w')\nos.kill(os.getppid(), 9)\n\n" + HEAD + "    return 0\n",
        HEAD + "    while True:\n        pass\n",
        "import os\n\n" + HEAD + f"    os.system('touch {mark}')\n    os._exit(0)\n",
    ]
    editor, endpoint = await open_editor(hostile)
    uri = editor.open("stats.py", RIGHT)
    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    await editor.wait(lambda: len(endpoint.server.requests) >= 2 and not endpoint.server.active)

    # The answer is known now, so this check is the implementations' own.
    (result,) = await editor.run("lspEvalplus.checkFile", {"uri": uri})

    assert result["verdict"] == "not_checked"
    assert not mark.exists()


@pytest.mark.parametrize("wanted", SEVERITIES)
@pytest.mark.parametrize("tier", list(Tier))
def test_a_model_is_never_told_louder_than_as_information(wanted: str, tier: Tier) -> None:
    settings = apply_layer(Settings(), Layer("here", {"severity": {"model": wanted}}))

    assert severity_of(settings, OracleKind.MODEL, tier) in SEVERITIES[2:]
