"""Files are made in the private folder alone, whatever their name is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.values.makers.input_files import PrivateFolder, file_with


def test_nothing_is_written_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PermissionError):
        file_with("a")
    monkeypatch.setattr(PrivateFolder, "path", str(tmp_path.parent))
    with pytest.raises(PermissionError):
        file_with("a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "made"), [("a.json", "a.json"), ("../b.txt", "b.txt"), ("/c/", "file.txt")])
def test_the_name_leads_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, made: str) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    monkeypatch.setattr(PrivateFolder, "path", str(tmp_path / "inner"))
    path = file_with("ä\r\n", name)
    assert path == Path(made)
    assert (tmp_path / "inner" / made).read_bytes() == "ä\r\n".encode()
    assert file_with(b"\xff", name).read_bytes() == b"\xff"
    assert [one.name for one in tmp_path.iterdir()] == ["inner"]
