"""Error logs with the cause that each must be given: own ones, and the tickets'."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
TICKETS = HERE.parents[2] / "shared" / "tickets" / "errors.jsonl"
OWN_BUG = "user_code_bug"


class Case(NamedTuple):
    """A log, and the cause that stands first in its explanation."""

    name: str
    cause: str
    text: str


def variants() -> Iterator[Case]:
    """Texts in our own words, at least two for every cause."""
    for head, body in _parts("variants.txt"):
        yield Case(head.replace(" ", "-"), head.split()[0], body)


def negatives() -> Iterator[Case]:
    """Errors of code, labels and paths: nothing of the environment."""
    for head, body in _parts("negatives.txt"):
        yield Case(head.replace(" ", "-"), OWN_BUG, body)


def tickets() -> Iterator[Case]:
    """Real tickets, where they are at hand."""
    if TICKETS.is_file():
        for line in TICKETS.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield Case(row["id"], row["cause"], row["excerpt"])


def everything() -> list[Case]:
    """All of them."""
    return [*variants(), *negatives(), *tickets()]


def _parts(name: str) -> Iterator[tuple[str, str]]:
    text = (HERE / name).read_text("utf-8")
    for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        yield head, body
