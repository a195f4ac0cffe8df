"""
Feed arbitrary bytes to a reader, guided by the coverage of its code (atheris).

`sh dev.sh fuzz` runs each reader for a minute; by hand: `python tools/fuzz_readers.py elf
-max_total_time=600`, with libFuzzer's options; without a name it lists the readers. A
crash, more than 1 GiB, or an input that takes longer than ten seconds ends it with the
input's file: it goes to tests/hostile/seeds/NAME, where a test reads it from then on.
"""

import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))
NAMES = [word for word in sys.argv[1:] if not word.startswith("-")]
MODULES = {
    "log": ["pipedoctor.log", "pipedoctor.explanation"],
    "report": ["pipedoctor.report.json", "pipedoctor.text", "pipedoctor.facts.record"],
    "zip": ["pipedoctor.report.bundle", "zipfile"],
    "environment-record": [
        "pipedoctor.collect.environment.environment_records",
        "packaging",
        "yaml",
    ],
    "conda-meta": ["pipedoctor.collect.environment.conda"],
    "elf": ["pipedoctor.collect.shared_libraries.elf"],
    "ld-so-cache": ["pipedoctor.collect.shared_libraries.ldcache"],
    "installed-list": [
        "pipedoctor.collect.environment.ownership",
        "pipedoctor.collect.environment.metadata",
    ],
    "journal": ["pipedoctor.fix"],
    "redaction": ["pipedoctor.privacy"],
    "code": ["pipedoctor.source"],
    "configuration": [
        "pipedoctor.cli.request.config",
        "pipedoctor.cli.request.config_files",
        "tomllib",
    ],
}
"""Whose coverage leads to new inputs, by reader: to follow all of it takes minutes."""

with atheris.instrument_imports(include=MODULES.get(" ".join(NAMES), [])):
    from tests.hostile.readers import MAX_SEED_BYTES, READERS, SEEDS

FUZZER_OPTIONS = ["-max_len=8192", "-timeout=10", "-rss_limit_mb=1024"]


def main() -> None:
    """Start from the seeds that tests know; libFuzzer takes the rest of the options."""
    if len(NAMES) != 1 or NAMES[0] not in READERS:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(READERS)} [OPTIONS OF LIBFUZZER]")
    name = NAMES[0]
    reader = READERS[name]
    known = (path.read_bytes() for path in sorted((SEEDS / name).glob("*")))
    options = [word for word in sys.argv if word != name]
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate([*reader.list_seeds(), *known]):
            (Path(folder) / f"{number:04}").write_bytes(seed[:MAX_SEED_BYTES])
        atheris.Setup([*options, *FUZZER_OPTIONS, folder], reader.read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
