"""A language model behind the language server: asked only with consent, and worth a finding that search cannot make."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.llm.consent import Consents

pytestmark = pytest.mark.slow

MAGIC = "qzvxkw-7719"
SUM = sum(ord(character) * 31**place for place, character in enumerate(MAGIC))
REFERENCE = "def flag(text: str) -> int:\n    assert isinstance(text, str)\n    return 0\n"
CANDIDATE = f"""\
# lsp-evalplus: reference=reference.py::flag
def flag(text: str) -> int:
    if sum(ord(character) * 31**place for place, character in enumerate(text)) == {SUM}:
        return 1
    return 0
"""


@pytest.mark.parametrize("consents", [True, False], ids=["with consent", "without"])
async def test_inputs_of_a_model_are_tried_with_consent_only(
    new_editor: Any, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, consents: bool
) -> None:
    server = serve(lambda body: [f"```python\nflag('a')\nflag({MAGIC!r})\n```"])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    if consents:
        store = Consents(tmp_path / "config" / "lsp-evalplus" / "llm-consent.json")
        store.allow(tmp_path / "project", server.base_url)
    llm = {"enabled": True, "baseUrl": server.base_url, "model": "m"}
    editor = await new_editor(options={"llm": llm, "budget": 0.3}, files={"reference.py": REFERENCE})
    uri = editor.open("flags.py", CANDIDATE)

    results = await editor.run("lspEvalplus.checkFile", {"uri": uri})

    assert [result["name"] for result in results] == ["flag"]
    if consents:
        published = await editor.diagnostics(uri)
        assert MAGIC in published.diagnostics[0].message
        assert len(server.requests) == 3
    else:
        assert results[0]["verdict"] == "agrees"
        assert server.requests == []


async def test_who_waits_for_a_model_keeps_nobody_waiting(
    new_editor: Any, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one place, two functions are checked while the model has not answered about the first."""
    gate = threading.Event()

    def answer(body: dict[str, Any]) -> list[str]:
        gate.wait(60)
        return [f"```python\nflag({MAGIC!r})\n```"]

    server = serve(answer)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    Consents(tmp_path / "config" / "lsp-evalplus" / "llm-consent.json").allow(tmp_path / "project", server.base_url)
    llm = {"enabled": True, "baseUrl": server.base_url, "model": "m", "timeout": 60}
    files = {"reference.py": REFERENCE + REFERENCE.replace("flag", "other")}
    editor = await new_editor(options={"llm": llm, "budget": 0.1, "jobs": 1}, files=files)
    uri = editor.open("flags.py", CANDIDATE + CANDIDATE.replace("flag", "other"))

    results = await editor.run("lspEvalplus.checkFile", {"uri": uri})
    assert [result["verdict"] for result in results] == ["agrees", "agrees"]
    gate.set()
    published = await editor.diagnostics(uri, lambda shown: len(shown) == 1)
    assert MAGIC in published.diagnostics[0].message
