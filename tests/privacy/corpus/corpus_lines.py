"""A corpus of secrets and of what only looks like one, in lines as logs have them."""

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
_SLOT = re.compile(r"<<(=(?:(?!>>).)+|\w+ \d+)>>")
_SECTION = re.compile(r"\[(.+)\]")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\e": "\x1b", "\\0": "\0", "\\x5c": "\\"}
_PUNCTUATION = "!#%+-_@^*~?"
ALPHABETS = {
    "b62": string.ascii_letters + string.digits,
    "b64": string.ascii_letters + string.digits,
    "b64slash": string.ascii_letters + string.digits + "+/",
    "hex": "0123456789abcdef",
    "up": "ABCDEFGHJKLMNPQRSTUVWXYZ234567",
    "dig": string.digits,
}


class PlantedLine(NamedTuple):
    """A line and what must not be seen of it; nothing: the line must stay as it is."""

    kind: str
    text: str
    secrets: tuple[str, ...] = ()


def read_corpus(name: str, seed: int) -> list[PlantedLine]:
    """The lines of a file of the corpus, their secrets drawn from a seed."""
    drawn = random.Random(seed)
    return [_fill_line(kind, line, drawn) for kind, line in _read_lines(FOLDER / name)]


def draw_secret(drawn: random.Random, alphabet: str, length: int) -> str:
    """A made-up secret; passwords have a capital, a digit and a sign in them."""
    if alphabet == "pw":
        return draw_password(drawn, length)
    letters = ALPHABETS[alphabet]
    return "".join(drawn.choice(letters) for _ in range(length))


def draw_password(drawn: random.Random, length: int) -> str:
    """A password as rules of passwords want it."""
    sorts = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
    letters = [drawn.choice(sort) for sort in (*sorts, *sorts)]
    letters += [drawn.choice(string.ascii_letters + string.digits) for _ in range(length - 7)]
    drawn.shuffle(letters)
    place = drawn.randrange(1, len(letters))
    return "".join([*letters[:place], drawn.choice(_PUNCTUATION), *letters[place:]])


def _read_lines(path: Path) -> Iterator[tuple[str, str]]:
    kind = ""
    for line in path.read_text("utf-8").splitlines():
        section = _SECTION.fullmatch(line)
        if section and "<<" not in line:
            kind = section[1]
        elif line and not line.startswith("# "):
            for written, meant in _ESCAPES.items():
                line = line.replace(written, meant)  # noqa: PLW2901
            yield kind, line


def _fill_line(kind: str, line: str, drawn: random.Random) -> PlantedLine:
    secrets: list[str] = []

    def fill(match: re.Match[str]) -> str:
        word = match[1]
        name, _, length = word.partition(" ")
        value = word[1:] if word[0] == "=" else draw_secret(drawn, name, int(length))
        secrets.append(value)
        return value

    return PlantedLine(kind, _SLOT.sub(fill, line), tuple(secrets))
