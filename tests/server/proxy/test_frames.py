"""Messages are cut out of a stream, however it is portioned; what is no LSP is said to be none."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_evalplus.proxy.frames import FrameError, FrameReader

VALUES = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


def frame(message: Any) -> bytes:
    body = json.dumps(message, ensure_ascii=False).encode()
    return b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%b" % (
        len(body),
        body,
    )


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.text(), VALUES), max_size=4), st.lists(st.integers(0, 400), max_size=8))
def test_any_portions(messages: list[dict[str, Any]], cuts: list[int]) -> None:
    stream = b"".join(frame(message) for message in messages)
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    reader = FrameReader()

    read = [message for a, b in itertools.pairwise(edges) for message in reader.feed(stream[a:b])]

    assert messages == read


@pytest.mark.parametrize(
    "stream",
    [
        b"Content-Type: x\r\n\r\n{}",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n",
        b"x" * 9000,
    ],
)
def test_no_lsp(stream: bytes) -> None:
    with pytest.raises(FrameError):
        FrameReader().feed(stream)


@pytest.mark.parametrize("body", [b"{", b"[1]", b"null", b"\xff\xfe"])
def test_a_body_that_is_no_message_is_passed_over(body: bytes) -> None:
    stream = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    assert FrameReader().feed(stream + frame({"id": 1})) == [{"id": 1}]
