"""
Write how often one letter follows another in names of code: `privacy/secrets/letter_pairs.py`.

Counted in the standard library and in torch, numpy and Pillow where they are installed: each
name once, whatever its case. `drawn_words` tells by it what a machine has drawn from what
somebody has named.
"""

import math
import re
import string
import sysconfig
from collections import Counter
from pathlib import Path

TARGET = Path(__file__).parents[1] / "pipedoctor" / "privacy" / "secrets" / "letter_pairs.py"
PACKAGES = ("torch", "numpy", "PIL")
LOWEST, STEP = -4.0, 0.5
_PRIOR = 5
"""Added to each count: no pair is impossible."""
_HEX = re.compile(r"[0-9a-f]{7,}|\d+")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_HEAD = '''"""
How much rarer each pair of letters is in names of code than by chance.

Written by tools/make_letter_pairs.py: a row for each first letter, a column for each second
one. ``a`` stands for -4 bits (16 times as frequent as by chance), each letter behind it for
half a bit more.
"""
'''


def collect_names() -> set[str]:
    """Names of the modules that are installed here."""
    folders = [Path(sysconfig.get_paths()["stdlib"])]
    packages = Path(sysconfig.get_paths()["purelib"])
    folders += [packages / name for name in PACKAGES]
    names: set[str] = set()
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            if folder == folders[0] and "site-packages" in file.parts:
                continue
            names.update(re.findall(r"[A-Za-z0-9]{2,30}", file.read_text("utf-8", "replace")))
    return {name for name in names if not _HEX.fullmatch(name)}


def count_pairs(names: set[str]) -> Counter[str]:
    """Pairs of letters within parts of one case, or with a capital at their begin."""
    pairs: Counter[str] = Counter()
    for name in names:
        for part in _PARTS.findall(name):
            pairs.update(map("".join, zip(part.lower(), part.lower()[1:], strict=False)))
    return pairs


def render_rows(pairs: Counter[str]) -> str:
    """The table as text."""
    letters = string.ascii_lowercase
    rows: list[str] = []
    for first in letters:
        total = sum(pairs[first + second] + _PRIOR for second in letters)
        bits = [math.log2(total / (26 * (pairs[first + second] + _PRIOR))) for second in letters]
        steps = [min(25, max(0, round((value - LOWEST) / STEP))) for value in bits]
        rows.append(f'    "{"".join(letters[step] for step in steps)}",  # {first}')
    return "\n".join(("LETTER_PAIRS = (", *rows, ")"))


if __name__ == "__main__":
    TARGET.write_text(f"{_HEAD}\n{render_rows(count_pairs(collect_names()))}\n", "utf-8")
