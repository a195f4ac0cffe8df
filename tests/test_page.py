"""The page of a check, and what is generated from it."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.check import Check, Finding, Findings, Severity, check
from pipedoctor.facts import Cpu, Filesystems, Loader, Shm
from pipedoctor.page import can_edit, can_fix, needs, page
from pipedoctor.remedy import Lasts, Put, Remedy, in_code

ROOT = Path(__file__).parents[1]


@check("ACM101", "A pipe drips", after=("PDR701", "PDR702"))
def pipe_drips(  # noqa: PLR0913  (one of each kind)
    shm: Shm,
    cpu: Cpu | None,
    loader: Loader | None,
    _table: Filesystems,
    /,
    *,
    share: float = 0.5,
    strict: bool = True,
    word: str = 'a "b"',
    sizes: tuple[int, ...] = (1, 2),
) -> Findings:
    """
    Look at the floor.

    ## Sources

    - https://example.org/drip
    """
    if shm.size and cpu and loader and (share, strict, word, sizes):
        yield Finding(severity=Severity.NOTE, summary="wet", remedies=(_mop(),))


def _mop() -> Remedy:
    return Remedy(title="Mop", argv=("mop",), lasts=Lasts.BOOT)


@check("ACM102", "The tap is open")
def tap_open(shm: Shm, /) -> Findings:
    """Look at the tap."""
    for size in [shm.size]:
        yield Finding(severity=Severity.NOTE, summary=f"{size}", remedies=(_close(),))


def _close() -> Remedy:
    def turn(way: str) -> tuple[str, ...]:
        return ("turn", way)

    return Remedy(title="Close", argv=turn("off"), undo=turn("on"), lasts=Lasts.BOOT)


@check("ACM103", "A note is missing")
def note_missing(shm: Shm, /) -> Findings:
    """Look at the door."""
    note = Put(path="/note", content="x")
    remedies = [Remedy(title=str(shm), puts=(n,), lasts=Lasts.ALWAYS) for n in [note]]
    yield Finding(severity=Severity.NOTE, summary="no note", remedies=tuple(remedies))


@check("ACM104", "Any")
def anything(_cpu: Cpu | None, /) -> Findings:
    """Look away."""
    yield from ()


PAGE = """\
# A pipe drips (ACM101)

`pipe-drips`: judges `shm`; looks at `cpu`, `loader` where known. Its remedies are \
for you to apply.

Folded under PDR701, PDR702 where that speaks too: it is the cause.

Look at the floor.

## Sources

- https://example.org/drip

## Settings

```toml
[tool.pipedoctor.pipe-drips]
share = 0.5
strict = true
word = "a \\"b\\""
sizes = [1, 2]
```
"""


def test_a_page_of_everything() -> None:
    assert page(pipe_drips) == PAGE


def test_a_page_of_little() -> None:
    assert page(tap_open) == (
        "# The tap is open (ACM102)\n\n"
        "`tap-open`: judges `shm`. `pipedoctor fix tap-open` can cure it where we may."
        "\n\nLook at the tap.\n"
    )
    assert "judges what is known; looks at `cpu` where known." in page(anything)


def test_tables_are_no_needs() -> None:
    assert needs(pipe_drips) == ["shm"]


@pytest.mark.parametrize(
    ("example", "fixes"),
    [(pipe_drips, False), (tap_open, True), (note_missing, True), (anything, False)],
    ids=["no undo", "undo in a function that it calls", "files put", "no remedy"],
)
def test_can_fix(example: "Check[...]", fixes: bool) -> None:
    assert can_fix(example) is fixes


def test_the_docs_are_current() -> None:
    tool = [sys.executable, "tools/make_docs.py", "--check"]

    result = subprocess.run(tool, cwd=ROOT, check=False, capture_output=True, text=True)

    assert result.returncode == 0, result.stdout + result.stderr


@check("ACM104", "A word is misspelt")
def word_misspelt(shm: Shm, /) -> Findings:
    """Look at the words."""
    yield from _misspelt(shm)


def _misspelt(shm: Shm) -> Findings:
    remedy = in_code(f"Spell {shm.size}", edits=())
    yield Finding(severity=Severity.NOTE, summary="misspelt", remedies=(remedy,))


@check("ACM105", "A word is rude")
def word_rude(shm: Shm, /) -> Findings:
    """Look at the tone; what shared functions pass on is no edit of its own."""
    remedy = in_code(f"Say {shm.size} otherwise")
    yield Finding(severity=Severity.NOTE, summary="rude", remedies=(remedy,))


def test_edits_are_also_found_in_the_functions_beside_a_check() -> None:
    assert can_edit(word_misspelt)
    assert not can_edit(word_rude)
    assert not can_edit(tap_open)
