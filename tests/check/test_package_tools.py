"""A line of pip as uv, Poetry and Pipenv have it."""

import pytest

from pipedoctor.check import Lasts, Remedy
from pipedoctor.check.package_tools import translate_for_tool
from pipedoctor.facts.log import PackageTool

INDEX = "https://download.pytorch.org/whl/cu126"
TORCH = ("install", "torch==2.6.0+cu126", "--index-url", INDEX)


def translate(tool: PackageTool, *words: str) -> list[str]:
    remedy = Remedy(title="Do it", lasts=Lasts.ALWAYS, argv=("python", "-m", "pip", *words))
    return [" ".join(one.argv) for one in translate_for_tool(remedy, tool)]


@pytest.mark.parametrize(
    ("tool", "words", "lines"),
    [
        ("", ("install", "numpy<2"), ["python -m pip install numpy<2"]),
        ("uv", ("uninstall", "-y", "torch"), ["uv pip uninstall torch"]),
        ("uv", TORCH, [f"uv pip install torch==2.6.0+cu126 --index-url {INDEX}"]),
        ("uv-project", ("install", "numpy<2"), ["uv add numpy<2"]),
        ("uv-project", ("uninstall", "-y", "cv"), ["uv remove cv"]),
        (
            "uv-project",
            ("install", "--upgrade", "torch"),
            ["uv add torch --upgrade-package torch"],
        ),
        (
            "uv-project",
            ("install", "--force-reinstall", "--no-deps", "cv"),
            ["uv add cv --reinstall-package cv"],
        ),
        ("uv-project", TORCH, [f"uv add torch==2.6.0+cu126 --index pytorch-cu126={INDEX}"]),
        (
            "uv-project",
            ("install", "--no-build-isolation", "x"),
            ["uv pip install --no-build-isolation x"],
        ),
        ("poetry", ("install", "--upgrade", "numpy<2"), ["poetry add numpy<2"]),
        ("poetry", ("install", "--upgrade", "torch"), ["poetry add torch@latest"]),
        ("poetry", ("uninstall", "-y", "cv"), ["poetry remove cv"]),
        (
            "poetry",
            TORCH,
            [
                f"poetry source add --priority=explicit pytorch-cu126 {INDEX}",
                "poetry add --source=pytorch-cu126 torch==2.6.0+cu126",
            ],
        ),
        (
            "poetry",
            ("install", "--force-reinstall", "--no-deps", "x"),
            ["poetry run python -m pip install --force-reinstall --no-deps x"],
        ),
        (
            "poetry",
            ("install", "--target", "d", "x"),
            ["poetry run python -m pip install --target d x"],
        ),
        ("pipenv", ("install", "x"), ["pipenv run python -m pip install x"]),
        ("poetry", ("cache", "purge"), ["python -m pip cache purge"]),
    ],
)
def test_a_line(tool: PackageTool, words: tuple[str, ...], lines: list[str]) -> None:
    assert translate(tool, *words) == lines


def test_the_second_step_says_that_it_follows() -> None:
    remedy = Remedy(title="Install it", lasts=Lasts.ALWAYS, argv=("python", "-m", "pip", *TORCH))

    _, second = translate_for_tool(remedy, "poetry")

    assert second.title == "Then install it"
