"""
Feed arbitrary bytes to `explain`, guided by the coverage of its code (atheris).

`sh dev.sh fuzz` runs it for five minutes; by hand: `python tools/fuzz_explain.py
-max_total_time=600`, with libFuzzer's options. A crash, or an input that takes longer
than ten seconds, ends it with the input's file.
"""

import io
import json
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pipedoctor.log", "pipedoctor.explanation"]):
    from pipedoctor.explanation import json as as_json
    from pipedoctor.explanation import markdown, text
    from pipedoctor.explanation.book import installed_book
    from pipedoctor.explanation.explain import explained
    from pipedoctor.log.read import read

from pipedoctor.facts import Facts

SEEDS = Path(__file__).parents[1] / "tests/explain/variants.txt"
BOOK = installed_book()
NOWHERE = Facts()
LIMITS = ["-max_len=8192", "-timeout=10", "-rss_limit_mb=1024"]


def one(data: bytes) -> None:
    """Everything that `explain` does with a log, in every format."""
    try:
        log = read(io.BytesIO(data), BOOK)
    except (OSError, EOFError):  # a packed log that is damaged
        return
    said = explained(log, BOOK, facts=lambda _: NOWHERE)
    json.loads(as_json.render(said))
    shown = text.render(said, width=60)
    assert not any(ord(sign) < ord(" ") and sign != "\n" for sign in shown)
    markdown.render(said)


def main() -> None:
    """Start from the texts that tests know; libFuzzer takes the rest of the options."""
    with tempfile.TemporaryDirectory() as folder:
        for number, block in enumerate(SEEDS.read_bytes().split(b"=== ")):
            (Path(folder) / f"{number:04}").write_bytes(block[:8192])
        atheris.Setup([*sys.argv, *LIMITS, folder], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
