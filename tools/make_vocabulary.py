"""
The split_words of each cause: from its page, its signatures and the texts of its tests.

    python tools/make_vocabulary.py

writes checks/pipedoctor_checks/vocabulary.json, by which `explain` says what a log may
be about that no signature knows. TF-IDF, of each cause the split_words that weigh most.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.explanation.word_similarity import USER_CODE_BUG, split_words

ROOT = Path(__file__).resolve().parent.parent
PACK_FOLDER = ROOT / "checks/pipedoctor_checks"
TEXT_FOLDER = ROOT / "tests/explanation"
MAX_WORDS = 100
"""Words of a cause."""
_PATTERN_SYNTAX = re.compile(r"\\\\[a-zA-Z]|\(\?P<\w+>")
"""What stands in a pattern and in no log: classes, and names of groups."""


def main() -> None:
    """Count, weigh and write."""
    causes = sorted(load_signatures().failures)
    said = {cause: Counter[str]() for cause in causes}
    for cause, text in _iter_texts():
        if cause in said:
            said[cause].update(split_words(text))
    spread = Counter(word for counts in said.values() for word in counts)
    rarity = {word: math.log(len(said) / count) for word, count in spread.items()}
    weights = {cause: _compute_weights(counts, rarity) for cause, counts in said.items()}
    kept = {word for its in weights.values() for word in its}
    known = {
        "rarity": {word: round(rarity[word], 3) for word in sorted(kept)},
        "causes": weights,
    }
    text = json.dumps(known, indent=1, ensure_ascii=False)
    (PACK_FOLDER / "vocabulary.json").write_text(f"{text}\n", "utf-8")


def _compute_weights(counts: Counter[str], rarity: dict[str, float]) -> dict[str, float]:
    """The heaviest split_words, as a vector of length 1."""
    found = {w: (1 + math.log(n)) * rarity[w] for w, n in counts.items() if rarity[w]}
    best = dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))[:MAX_WORDS])
    length = math.sqrt(sum(value * value for value in best.values())) or 1.0
    return {word: round(value / length, 4) for word, value in sorted(best.items())}


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
