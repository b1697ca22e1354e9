"""`check` in a project of Django: its settings are set up, and models are made with their fields."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..conftest import Run
from .test_git import git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

MANAGER = """
import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    execute_from_command_line(sys.argv)
"""
SETTINGS = """
SECRET_KEY = "a"
DEBUG = True
INSTALLED_APPS = ["stock"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "kept.sqlite3"}}
USE_TZ = True
"""
MODELS = """
from decimal import Decimal

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection, models
from django.http import HttpResponse, JsonResponse
from django.utils.text import slugify


class Product(models.Model):
    name = models.CharField(max_length=100)
    slug = models.SlugField(blank=True)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    stock = models.IntegerField(default=0)
    size = models.CharField(max_length=1, choices=[("s", "small"), ("l", "large")])

    def __str__(self):
        return f"{self.name} ({self.price})"

    def is_large(self):
        return self.size == "l" and self.stock > 1

    def discounted(self, percent):
        if percent < 0 or percent > 100:
            raise ValueError("percent")
        return self.price * (Decimal(100) - percent) / 100

    def clean(self):
        if self.price is not None and self.price < 0:
            raise ValidationError("negative")
        if not self.slug:
            self.slug = slugify(self.name)


class Order(models.Model):
    product = models.ForeignKey(Product, on_delete=models.CASCADE)
    quantity = models.IntegerField(default=1)

    def total(self):
        return self.product.price * self.quantity

    def doubled(self):
        return Order(product=self.product, quantity=self.quantity * 2)


def page(request):
    number = int(request.GET.get("page", 1))
    if number < 1:
        return HttpResponse("bad", status=400)
    return JsonResponse({"page": number, "debug": settings.DEBUG})


def database():
    return connection.settings_dict["NAME"].rpartition("/")[2]
"""
WRONG = {
    "Product.__str__": ("({self.price})", "{self.price}"),
    "Product.is_large": ("stock > 1", "stock > 2"),
    "Product.discounted": ("percent > 100", "percent >= 100"),
    "Product.clean": ("slugify(self.name)", "self.name"),
    "Order.total": ("price * self.quantity", "price + self.quantity"),
    "Order.doubled": ("quantity * 2", "quantity + 1"),
    "page": ("number < 1", "number < 0"),
}
SAME = {
    "Product.__str__": ("{self.name} (", "{self.name!s} ("),
    "Product.is_large": ("self.stock > 1", "1 < self.stock"),
    "Product.discounted": ("percent < 0 or percent > 100", "percent > 100 or percent < 0"),
    "Product.clean": ("not self.slug", "not bool(self.slug)"),
    "Order.total": ("self.product.price * self.quantity", "self.quantity * self.product.price"),
    "Order.doubled": ("quantity=self.quantity * 2", "quantity=2 * self.quantity"),
    "page": ("number < 1", "1 > number"),
    "database": ('rpartition("/")[2]', 'rpartition("/")[-1]'),
}


@pytest.fixture
def models(project: Path) -> Path:
    files = {
        "manage.py": MANAGER,
        "shop/__init__.py": "",
        "shop/settings.py": SETTINGS,
        "stock/__init__.py": "",
        "stock/models.py": MODELS,
    }
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "first")
    return project / "stock" / "models.py"


def with_changes(changes: dict[str, tuple[str, str]]) -> str:
    text = MODELS
    for old, new in changes.values():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_models_and_views(run: Run, models: Path) -> None:
    models.write_text(with_changes(WRONG), encoding="utf-8")
    told = run("check", "stock", "--oracle", "git", "--budget", "30", "--format", "json").json["targets"]
    verdicts = {target["name"]: target["verdict"] for target in told}
    assert verdicts == {**dict.fromkeys(WRONG, "differs"), "database": "not_checked"}
    calls = {target["name"]: target["counterexample"]["call"] for target in told if target["counterexample"]}
    assert calls["Product.discounted"] == "Product(price=decimal.Decimal('0')).discounted(100)"


@pytest.mark.slow
def test_the_same_models_and_views(run: Run, models: Path) -> None:
    models.write_text(with_changes(SAME), encoding="utf-8")
    told = run("check", "stock", "--oracle", "git", "--format", "json").json["targets"]
    assert {target["name"]: target["verdict"] for target in told} == dict.fromkeys(SAME, "agrees")


def test_its_database_is_another_one(run: Run, models: Path) -> None:
    models.write_text(MODELS.replace('rpartition("/")[2]', 'rpartition("/")[0]'), encoding="utf-8")
    ran = run("check", "stock/models.py::database", "--oracle", "git")
    assert "but its version in git HEAD returns ':memory:'." in ran.out


@pytest.mark.parametrize("manager", ["", MANAGER], ids=["no settings", "settings that cannot be imported"])
@pytest.mark.slow
def test_a_package_for_projects_gets_usual_settings(run: Run, models: Path, manager: str) -> None:
    (models.parents[1] / "manage.py").write_text(manager, encoding="utf-8")
    (models.parents[1] / "shop" / "settings.py").write_text("import not_installed\n", encoding="utf-8")
    wrong = {name: WRONG[name] for name in ("Product.discounted", "Order.total", "page")}
    models.write_text(with_changes(wrong), encoding="utf-8")
    told = run("check", "stock", "--oracle", "git", "--budget", "30", "--format", "json").json["targets"]
    assert [target["name"] for target in told if target["verdict"] == "differs"] == list(wrong)


def test_settings_of_its_own(run: Run, models: Path) -> None:
    """Settings can be stated once: a program that does so gets no others."""
    older = """
from django.conf import settings


def shown(number):
    if not settings.configured:
        settings.configure(LANGUAGE_CODE="fr")
    return f"{settings.LANGUAGE_CODE} {number}"
"""
    (models.parents[1] / "manage.py").unlink()
    path = models.with_name("shown.py")
    path.write_text(older, encoding="utf-8")
    git(models.parents[1], "add", ".")
    git(models.parents[1], "commit", "-m", "second")
    path.write_text(older.replace("} {", "}: {"), encoding="utf-8")
    ran = run("check", "stock/shown.py", "--oracle", "git")
    assert "shown(0) returns 'fr: 0', but its version in git HEAD returns 'fr 0'." in ran.out
