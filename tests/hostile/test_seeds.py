"""What fuzzing has found once is read for ever: `tools/fuzz_readers.py`."""

from pathlib import Path

import pytest

from tests.hostile.readers import READERS, SEEDS


def list_cases() -> list[Path]:
    return sorted(path for path in SEEDS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", list_cases(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_is_read(path: Path) -> None:
    READERS[path.parent.name].read(path.read_bytes())


@pytest.mark.parametrize("name", READERS)
def test_every_reader_reads_its_seeds(name: str) -> None:
    reader = READERS[name]
    seeds = [*reader.list_seeds()][:3]

    assert seeds
    for seed in seeds:
        reader.read(seed)
        reader.read(seed[: len(seed) // 2])
        reader.read(seed.replace(b"1", b"\xff"))


def test_every_folder_of_seeds_has_a_reader() -> None:
    assert {path.name for path in SEEDS.iterdir()} <= set(READERS)
