"""JSON of many small values: the text that `json.dumps` gives."""

from __future__ import annotations

import json

import pytest

from lsp_evalplus.fuzz.guest.values.json_writer import make_writer

VALUE = [None, True, -7, 1 << 200, 0.1, float("inf"), "ä\ud800\n", {"b": [1, [2]], "a": {}}, []]


@pytest.mark.parametrize("options", [{}, {"separators": (",", ":")}, {"sort_keys": True}, {"ensure_ascii": False}])
def test_texts_are_those_of_the_encoder(options):
    encoder = json.JSONEncoder(**options)
    write = make_writer(encoder)

    assert [write(value) for value in [VALUE, *VALUE]] == [encoder.encode(value) for value in [VALUE, *VALUE]]


def test_texts_are_the_same_without_the_encoder_in_c(monkeypatch):
    quickly = make_writer(json.JSONEncoder())(VALUE)
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)

    assert make_writer(json.JSONEncoder())(VALUE) == quickly


def test_what_may_not_be_written_is_refused():
    write = make_writer(json.JSONEncoder(allow_nan=False))

    with pytest.raises(ValueError, match="JSON"):
        write([float("nan")])
    with pytest.raises(TypeError):
        write([object()])
