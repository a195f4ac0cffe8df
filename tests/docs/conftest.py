"""The code of recipes as modules, as their readers would have it."""

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"


def code(page: str) -> str:
    (block,) = re.findall(
        r"^```python\n(.*?)^```",
        (RECIPES / page).read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    return str(block)


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """The page's code as a module, as its reader would have it."""

    def load(page: str) -> Any:
        name = page.removesuffix(".md").replace("-", "_")
        (tmp_path / f"{name}.py").write_text(code(page))
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return importlib.import_module(name)

    return load
