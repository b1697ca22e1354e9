"""Folders: which settings count for a file, remembered until they may have changed; whether power is scarce."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_evalplus.server.workspace.folders import Folders, Power


def test_the_folder_of_a_file_is_remembered_until_settings_are_forgotten(tmp_path: Path) -> None:
    folders, file = Folders(), str(tmp_path / "package" / "a.py")
    (tmp_path / "package").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.lsp-evalplus]\nbudget = 2\n")
    folders.add_workspace_folder(str(tmp_path))
    known = folders.folder_of(file)
    assert (known.root, known.settings.budget) == (tmp_path, 2)

    (tmp_path / "pyproject.toml").write_text("[tool.lsp-evalplus]\nbudget = 3\n")

    assert folders.folder_of(file) is known
    folders.forget_settings()
    assert folders.folder_of(file).settings.budget == 3


def test_a_new_workspace_folder_counts_for_files_that_were_asked_about(tmp_path: Path) -> None:
    folders, inner = Folders(), tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    assert folders.folder_of(str(inner / "a.py")).root == tmp_path

    folders.add_workspace_folder(str(inner))

    assert folders.folder_of(str(inner / "a.py")).root == inner


@pytest.mark.parametrize(
    ("batteries", "is_scarce"),
    [
        ({}, False),
        ({"BAT0": "Charging"}, False),
        ({"BAT0": "Full", "BAT1": "Discharging"}, True),
        ({"AC": "Discharging"}, False),
    ],
)
def test_power_is_scarce_while_a_battery_discharges(tmp_path: Path, batteries: dict[str, str], is_scarce: bool) -> None:
    for name, status in batteries.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(status + "\n")

    assert Power(tmp_path).is_scarce() is is_scarce


def test_power_is_asked_about_again_after_a_while(tmp_path: Path) -> None:
    now = [0.0]
    power = Power(tmp_path, lambda: now[0])
    assert not power.is_scarce()
    (tmp_path / "BAT0").mkdir()
    (tmp_path / "BAT0" / "status").write_text("Discharging\n")

    assert not power.is_scarce()
    now[0] = 60.0
    assert power.is_scarce()
