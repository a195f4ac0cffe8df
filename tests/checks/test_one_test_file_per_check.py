"""Each check has one home for its tests: the file of its name in the folder of its family."""

from pathlib import Path

import pytest

import pipedoctor_checks

TESTS = Path(__file__).parent
PACKAGE = Path(str(pipedoctor_checks.__file__)).parent
FAMILIES = sorted({file.parent.name for file in PACKAGE.glob("*/*.py")} - {"_shared", "world"})
SHARED_TESTS = {"bottlenecks": "every_bottleneck", "crashes": "every_crash"}
"""By family: what holds for all of its checks alike, besides the file of each."""


def list_modules(folder: Path, pattern: str = "[a-z]*.py") -> set[str]:
    return {file.stem.removeprefix("test_") for file in folder.glob(pattern)}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_check_has_its_test_file(family: str) -> None:
    checks = list_modules(PACKAGE / family)
    tests = list_modules(TESTS / family, "test_*.py")

    assert checks
    assert not checks - tests


@pytest.mark.parametrize("family", FAMILIES)
def test_each_test_file_has_its_module(family: str) -> None:
    """Or begins with its name, such as ``test_shm_too_small_real.py`` of ``shm_too_small``."""
    modules = {module.removeprefix("_") for module in list_modules(PACKAGE / family, "*.py")}

    for test in list_modules(TESTS / family, "test_*.py") - {SHARED_TESTS.get(family)}:
        assert any(f"{test}_".startswith(f"{module.removeprefix('_')}_") for module in modules), (
            test
        )
