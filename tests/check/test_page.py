"""The page of a check, and what is generated from it."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.check import (
    Check,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
    in_code,
)
from pipedoctor.check.page import (
    list_headings,
    list_required_headings,
    list_required_sections,
    read_example,
    render_page,
)
from pipedoctor.facts import Cpu, Filesystems, Loader, Shm, Source

ROOT = Path(__file__).parents[2]


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


@check("ACM102", "The tap is open", fix="machine")
def tap_open(shm: Shm, /) -> Findings:
    """Look at the tap."""
    close = Remedy(title=f"{shm}", argv=("off",), undo=("on",), lasts=Lasts.BOOT)
    yield Finding(severity=Severity.NOTE, summary="open", remedies=(close,))


@check("ACM103", "A word is misspelt", fix="code")
def word_misspelt(shm: Shm, /) -> Findings:
    """Look at the words."""
    remedy = in_code(f"Spell {shm.size}", edits=())
    yield Finding(severity=Severity.NOTE, summary="misspelt", remedies=(remedy,))


@check("ACM104", "Any")
def anything(_cpu: Cpu | None, /) -> Findings:
    """Look away."""
    yield from ()


PAGE = """\
# A pipe drips (ACM101)

`pipe-drips`: judges `shm`; uses `cpu`, `loader` if known. Its remedies \
must be applied by hand.

Folded under PDR701, PDR702 if that is also found: it is the cause.

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
    assert render_page(pipe_drips) == PAGE


def test_a_page_of_little() -> None:
    assert render_page(tap_open) == (
        "# The tap is open (ACM102)\n\n"
        "`tap-open`: judges `shm`. `pipedoctor fix tap-open` can fix it where permitted."
        "\n\nLook at the tap.\n"
    )
    assert "judges what is known; uses `cpu` if known." in render_page(anything)


def test_tables_are_no_needs() -> None:
    assert list_required_sections(pipe_drips) == ["shm"]


@pytest.mark.parametrize(
    ("example", "sentence"),
    [
        (anything, "Its remedies must be applied by hand."),
        (tap_open, "`pipedoctor fix tap-open` can fix it where permitted."),
        (
            word_misspelt,
            "`pipedoctor fix --code --select word-misspelt` can edit the code where permitted.",
        ),
    ],
    ids=["advice", "machine", "code"],
)
def test_says_what_fix_can_do(example: "Check[...]", sentence: str) -> None:
    assert sentence in render_page(example)


def test_the_docs_are_current() -> None:
    tool = [sys.executable, "tools/make_docs.py", "--check"]

    result = subprocess.run(tool, cwd=ROOT, check=False, capture_output=True, text=True)

    assert result.returncode == 0, result.stdout + result.stderr


@check("ACM106", "A tab is used")
def tab_used(_source: Source, /) -> Findings:
    """
    Look for tabs.

    ## Bad example

    It is a tab:

    ```python
    def main():
        pass

    ## Good example
    ```

    ## Sources

    ```python
    pass
    ```
    """
    yield from ()


@check("ACM107", "A line is long")
def line_long(_shm: Shm, _source: Source | None, /) -> Findings:
    """Look at the lines."""
    yield from ()


def test_hazards_in_code_need_examples() -> None:
    plain = ["Why it hurts", "How it is judged", "Sources"]

    assert list_required_headings(tab_used) == [*plain[:2], "Bad example", "Good example", plain[2]]
    assert list_required_headings(line_long) == list_required_headings(tap_open) == plain


def test_headings_are_not_looked_for_in_code() -> None:
    assert list_headings(tab_used) == ["Bad example", "Sources"]
    assert list_headings(tap_open) == []


def test_the_example_under_a_heading() -> None:
    bad = read_example(tab_used, "Bad example")

    assert bad.split("\n")[:2] == ["def main():", "    pass"]
    assert read_example(tab_used, "Good example") == ""
    assert read_example(line_long, "Bad example") == ""
