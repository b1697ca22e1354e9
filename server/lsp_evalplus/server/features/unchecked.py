"""``lspEvalplus.listUnchecked``: the functions of a file that no check can judge, with reasons; nothing is run."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from lsp_evalplus.fuzz.errors import WorkerError
from lsp_evalplus.fuzz.oracle.annotation import judges_results
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE
from lsp_evalplus.server.analysis.facts import PreparedFunction
from lsp_evalplus.server.lsp.language_server import EvalplusServer
from lsp_evalplus.server.session.session import Session


async def list_unchecked(ls: EvalplusServer, uri: str) -> dict[str, Any]:
    """Number of functions, those without a check, and what could not be read.

    Raises:
        JsonRpcInvalidParams: the workspace is not trusted.
    """
    if not ls.options.trusted:
        raise JsonRpcInvalidParams(message="the workspace is not trusted, so git is not asked for older versions")
    try:
        return await ls.finish(_list_unchecked(ls.session, uri))
    except WorkerError as error:
        return {"functions": 0, "unchecked": [], "problems": [str(error)]}


async def _list_unchecked(session: Session, uri: str) -> dict[str, Any]:
    document = session.document_at(uri) if await session.look_at_disk(uri) else None
    if document is None:
        return {"functions": 0, "unchecked": [], "problems": ["it cannot be read"]}
    text, folder = session.file_text(document), session.folder_of(document)
    survey = await session.analysis.survey(text, folder.designated(text.path))
    others = session.documents.texts(other.uri for other in session.documents)
    unchecked = list[dict[str, Any]]()
    for index in range(len(survey)):
        facts = survey.function(index)
        prepared = await session.analysis.prepare(text, facts.name, folder.settings, others)
        reason = _reason(prepared) if prepared is not None else None
        if reason is not None:
            line = facts.name_span.start_line + 1
            unchecked.append({"uri": uri, "name": facts.name, "line": line, "reason": reason})
    problems = [] if survey.problem is None else [survey.problem]
    return {"functions": len(survey), "unchecked": unchecked, "problems": problems}


def _reason(prepared: PreparedFunction) -> str | None:
    return prepared.target.obstacle or prepared.problem or (None if judges_results(prepared.oracles) else NO_ORACLE)
