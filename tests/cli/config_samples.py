"""The catalogue and the files that tests of the configuration read."""

from pathlib import Path

from pipedoctor.engine.catalogue import get_catalogue

CATALOGUE = get_catalogue()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
