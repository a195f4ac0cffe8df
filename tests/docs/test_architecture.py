"""The floor plan in docs/architecture.md names every room, and only what exists."""

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PLAN, ROOMS = PAGE.split("## The rooms", 1)
PARAGRAPHS = re.findall(r"^\*\*`(\w+)/`\*\*(.*?)(?=\n\n)", ROOMS, re.MULTILINE | re.DOTALL)


def list_layers(name: str) -> set[str]:
    """The modules that a contract of import-linter puts into layers."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows = next(one for one in contracts if one.get("containers") == [name])["layers"]
    return {part.strip() for row in rows for part in row.split("|")}


def test_the_picture_has_every_room() -> None:
    picture = PLAN.split("```")[3]

    for room in list_layers("pipedoctor"):
        assert re.search(rf"\b{room}\b", picture), room


def test_each_room_and_family_is_described() -> None:
    for room in list_layers("pipedoctor"):
        assert re.search(rf"`{room}(?:/|\.py)?`", ROOMS), room
    for family in list_layers("pipedoctor_checks"):
        assert f"`{family}`" in ROOMS, family


def test_modules_that_are_described_exist() -> None:
    assert len(PARAGRAPHS) > 15
    for room, text in PARAGRAPHS:
        folder = ROOT / "pipedoctor" / room
        for name in re.findall(r"`([a-z]+(?:_[a-z]+)+|\w+/)`", text):
            inner = folder / name
            exists = inner.is_dir() or inner.with_suffix(".py").is_file()
            assert exists or name in {"docker_run", "collect_env", "text/"}, f"{room}: {name}"
