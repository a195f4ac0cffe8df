"""
The words of each cause: of its page, its signatures and the texts of its tests.

    python tools/make_vocabulary.py

writes checks/pipedoctor_checks/vocabulary.json, by which `explain` says what a log may
be about that no signature knows. Only counts are written, a word a line: a text that is
added changes the lines of its own cause, so that branches can be merged.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.explanation.word_similarity import USER_CODE_BUG, split_words

ROOT = Path(__file__).resolve().parent.parent
PACK_FOLDER = ROOT / "checks/pipedoctor_checks"
TEXT_FOLDER = ROOT / "tests/explanation"
_PATTERN_SYNTAX = re.compile(r"\\\\[a-zA-Z]|\(\?P<\w+>")
"""What stands in a pattern and in no log: classes, and names of groups."""


def main() -> None:
    """Count and write."""
    causes = sorted(load_signatures().failures)
    counts = {cause: Counter[str]() for cause in causes}
    for cause, text in _iter_texts():
        if cause in counts:
            counts[cause].update(split_words(text))
    text = json.dumps({"causes": counts}, indent=1, sort_keys=True, ensure_ascii=False)
    (PACK_FOLDER / "vocabulary.json").write_text(f"{text}\n", "utf-8")


def _iter_texts() -> Iterator[tuple[str, str]]:
    """Everything that is written about a cause, with its name."""
    for file in sorted((PACK_FOLDER / "signatures").glob("*.json")):
        yield file.stem, _PATTERN_SYNTAX.sub(" ", file.read_text("utf-8"))
    for file in sorted((ROOT / "docs/checks").glob("*.md")):
        yield file.stem.replace("-", "_"), file.read_text("utf-8")
    for line in (TEXT_FOLDER / "said.txt").read_text("utf-8").splitlines():
        cause, _, text = line.partition("|")
        yield cause.strip(), text
    for file in sorted(TEXT_FOLDER.glob("negatives*.txt")):
        yield USER_CODE_BUG, file.read_text("utf-8")
    for file in sorted(TEXT_FOLDER.glob("variants*.txt")):
        parts: defaultdict[str, list[str]] = defaultdict(list)
        cause = ""
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("=== "):
                cause = line.split()[1]
            else:
                parts[cause].append(line)
        for name, lines in parts.items():
            yield name, "\n".join(lines)


if __name__ == "__main__":
    main()
