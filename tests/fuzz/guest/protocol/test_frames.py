"""Frames of a guest are cut out of its stream; what would cost the host too much is no frame."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_evalplus.fuzz.guest.protocol.frames import HEADER, FrameError, FrameReader, pack

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=4,
)
MESSAGES = st.lists(st.dictionaries(st.text(), PLAIN, max_size=3), max_size=4)


@given(MESSAGES, st.lists(st.integers(0, 400), max_size=8))
def test_any_portions(messages: list[dict[str, Any]], cuts: list[int]) -> None:
    stream = b"".join(map(pack, messages))
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    reader = FrameReader()

    read = [message for start, end in itertools.pairwise(edges) for message in reader.feed(stream[start:end])]

    assert read == messages


def frame(body: bytes) -> bytes:
    return HEADER.pack(len(body)) + body


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'{"a": NaN}', b'{"a": "\xc3"}', b"[" * 100_000])
def test_what_is_no_message(body: bytes) -> None:
    with pytest.raises(FrameError):
        FrameReader().feed(frame(body))


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b'{"a":0}', b"[[[[[]]]]]", b'{"a":"\\"{"}'])
def test_containers_are_counted_before_they_are_parsed(piece: bytes) -> None:
    body = b'{"a":[' + b",".join([piece] * (32_000_000 // len(piece))) + b"]}"

    with pytest.raises(FrameError, match="too many objects"):
        FrameReader().feed(frame(body))


@pytest.mark.parametrize("text", ["{" * 3_000_000, '\\"{[' * 3_000_000, '"{\\' * 3_000_000])
def test_brackets_in_strings_are_no_containers(text: str) -> None:
    assert FrameReader().feed(pack({"a": text})) == [{"a": text}]
