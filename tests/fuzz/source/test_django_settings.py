"""The settings of a project of Django, as its ``manage.py`` states them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_evalplus.fuzz.model import Program
from lsp_evalplus.fuzz.source.django_settings import settings_of

IMPORTING = "from django.db import models\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")', "shop.settings"),
        ("os.environ['DJANGO_SETTINGS_MODULE'] = 'settings'", "settings"),
        ("os.environ.setdefault(\n    'DJANGO_SETTINGS_MODULE',\n    'shop.settings.dev',\n)", "shop.settings.dev"),
        ('os.environ.setdefault("DJANGO_SETTINGS_MODULE", name)', ""),
        ("import sys", ""),
    ],
)
def test_what_the_manager_states(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "manage.py").write_text(f"import os\n{text}\n")
    assert settings_of(Program(IMPORTING, "f", search_path=("/nowhere", str(tmp_path)))) == expected


def test_a_change_of_the_manager_counts(tmp_path: Path) -> None:
    program = Program(IMPORTING, "f", search_path=(str(tmp_path),))
    assert settings_of(program) == ""
    for name in ("one", "three"):
        (tmp_path / "manage.py").write_text(f'os.environ["DJANGO_SETTINGS_MODULE"] = "{name}"')
        assert settings_of(program) == name


@pytest.mark.parametrize(
    ("source", "is_set_up"),
    [
        ("import re\nfrom collections.abc import Iterable\n", False),
        ("def f():\n    return 1\n", False),
        ("import re\nfrom .models import Order\n", True),
        ("def f():\n    from stock import models\n    return models\n", True),
    ],
)
def test_what_needs_the_standard_library_alone(tmp_path: Path, source: str, is_set_up: bool) -> None:
    (tmp_path / "manage.py").write_text('os.environ["DJANGO_SETTINGS_MODULE"] = "one"')
    assert settings_of(Program(source, "f", search_path=(str(tmp_path),))) == ("one" if is_set_up else "")
