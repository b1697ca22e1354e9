"""A language model behind the language server: asked only with consent, and worth a finding that search cannot make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.seeds.llm_consent import Consents

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
