"""Files to be read, and reading them."""

import os
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage.cold_read import cold_read
from pipedoctor.facts import ColdRead

HERE = Machine()


def files(folder: Path, count: int, size: int) -> list[tuple[Path, int]]:
    made: list[tuple[Path, int]] = []
    for number in range(count):
        file = folder / f"{number}.bin"
        with file.open("wb") as target:
            target.write(os.urandom(size))
            os.fsync(target.fileno())
        made.append((file, size))
    return made


def read(chosen: list[tuple[Path, int]]) -> ColdRead:
    return cold_read(HERE, chosen, lambda _: None)
