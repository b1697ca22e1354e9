"""Agreements on disk: an unchanged function is not checked again after a restart; what may have changed is."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter
from lsp_evalplus.fuzz.model import Oracle, OracleKind, Report, Verdict
from lsp_evalplus.server.checking import results as results_module
from lsp_evalplus.server.checking.results import ResultStore

pytestmark = pytest.mark.slow

ORACLE = Oracle(OracleKind.REFERENCE, "reference.py::f")
AGREES = Report(Verdict.AGREES, "no difference in 7 inputs", ORACLE, inputs=7, rejected=1, branches=2, seconds=0.5)


async def test_agreements_are_found_by_the_next_session_and_nothing_else_is(tmp_path: Path) -> None:
    first = ResultStore(tmp_path, "here")
    await first.keep("a", AGREES)
    await first.keep("b", dataclasses.replace(AGREES, verdict=Verdict.DIFFERS))
    await first.keep("c", dataclasses.replace(AGREES, verdict=Verdict.NOT_CHECKED))
    await first.close()

    second = ResultStore(tmp_path, "here")

    assert await second.find("a", ORACLE) == AGREES
    assert await second.find("b", ORACLE) is None
    assert await second.find("c", ORACLE) is None
    assert await ResultStore(tmp_path, "elsewhere").find("a", ORACLE) is None
    assert len(list((tmp_path / "results").iterdir())) == 1


async def test_so_many_are_kept_and_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results_module, "_MAX_KEPT", 3)
    store = ResultStore(tmp_path, "here")
    for key in "abcad":
        await store.keep(key, AGREES)
    await store.close()

    again = ResultStore(tmp_path, "here")

    assert [key for key in "abcd" if await again.find(key, ORACLE)] == ["a", "c", "d"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": 2, "agreed": {"a": []}}', '{"version": 1, "agreed": {"a": [1, 2, 3, 4, 5], "b": 3}}'],
)
async def test_a_broken_file_is_as_none(tmp_path: Path, text: str) -> None:
    store = ResultStore(tmp_path, "here")
    await store.keep("a", AGREES)
    await store.close()
    (file,) = (tmp_path / "results").iterdir()
    file.write_text(text)
    store = ResultStore(tmp_path, "here")

    assert await store.find("a", ORACLE) is None
    await store.keep("a", AGREES)
    await store.close()
    assert list(json.loads(file.read_text())["agreed"])[-1] == "a"


async def test_the_key_changes_with_what_is_installed(tmp_path: Path) -> None:
    found = find_interpreter(sys.executable, tmp_path)
    site = tmp_path / "site"
    site.mkdir()
    interpreter = dataclasses.replace(found, search_path=(str(site),))
    store = ResultStore(tmp_path, "here")

    async def key(parts: tuple[object, ...] = ("code",), other: Interpreter = interpreter) -> str:
        return await store.key(parts, other)

    before = await key()
    assert await key() == before
    assert await key(("other",)) != before
    assert await key(other=dataclasses.replace(interpreter, path="/elsewhere/python")) != before
    (site / "package").mkdir()
    os.utime(site, ns=(1, 1))
    assert await key() != before


GOOD = "# lsp-evalplus: reference=reference.py\ndef f(n: int) -> int:\n    return n + n\n"
REFERENCE = "def f(n: int) -> int:\n    return 2 * n\n"


async def test_an_unchanged_function_is_not_checked_again_after_a_restart(new_editor):
    async def lens(text: str, **options: object) -> str:
        editor = await new_editor(options={"budget": 0.5, **options})
        if not (editor.root / "reference.py").exists():
            editor.write("reference.py", REFERENCE)
        uri = editor.open("good.py", text)
        await editor.run("lspEvalplus.checkFunction", {"uri": uri, "name": "f"})
        lenses = await editor.client.text_document_code_lens_async(
            types.CodeLensParams(types.TextDocumentIdentifier(uri))
        )
        await editor.close()
        return lenses[0].command.title

    first = await lens(GOOD)
    assert "agree with reference.py::f" in first
    (file,) = (Path(os.environ["XDG_CACHE_HOME"]) / "lsp-evalplus" / "results").iterdir()
    content = json.loads(file.read_text())
    ((key, kept),) = content["agreed"].items()
    # A number that no check gives shows whether it came from the file.
    file.write_text(json.dumps({**content, "agreed": {key: [kept[0], 123456789, *kept[2:]]}}))

    assert "123,456,789 inputs" in await lens(GOOD)
    assert "123,456,789 inputs" not in await lens(GOOD.replace("n + n", "n + n + 0"))
    assert "123,456,789 inputs" not in await lens(GOOD, budget=0.4)
    assert "123,456,789 inputs" not in await lens(GOOD, database="off")
