"""Of a long line whole words are quoted."""

import pytest

from pipedoctor.log.quotes import cut_context, cut_quote

SECRET = "0a1b2c3d" * 40


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a short line", "a short line"),
        ("x " * 200 + SECRET, ("x " * 200).rstrip()),
        (SECRET * 2, (SECRET * 2)[:500]),
    ],
    ids=["short", "a word at its end", "one word"],
)
def test_the_end_of_a_quote(text: str, quoted: str) -> None:
    assert cut_quote(text) == quoted


@pytest.mark.parametrize(
    ("before", "start"),
    [("x " * 10, "x x"), (SECRET * 2 + " ", "error"), ("x " * 300, "...x x"), (SECRET * 2, "...e")],
    ids=["near", "a word before it", "words before it", "within a word"],
)
def test_the_begin_of_a_quote(before: str, start: str) -> None:
    shown = cut_context(f"{before}error", len(before))

    assert shown.removeprefix("...").startswith(start.removeprefix("..."))
    assert SECRET not in shown
