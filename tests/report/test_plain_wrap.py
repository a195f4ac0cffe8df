"""Text without colors is wrapped as rich wraps it."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

import random
import subprocess
import sys

import pytest

from pipedoctor.report import terminal
from pipedoctor.report.plain_wrap import crop_cells, measure_cells, wrap_plain
from pipedoctor.report.terminal import TerminalWriter

LETTERS = "ab c-/. \n→·é"
LONG = "https://example.org/" + "x" * 90


def write_all(texts: list[str]) -> str:
    page = TerminalWriter(60, color=False)
    for number, text in enumerate(texts):
        page.write_paragraph(text, indent=number % 7)
        page.write_blank()
        page.write_row([("12", ""), ("SLOWS", "")], [(text, "")], gap=2, indent=number % 4)
        page.write_row([("→", "")], [(text, ""), (" (for good)", "dim")], gap=1)
        page.write_verbatim(text.replace("\n", " "), indent=3)
    return page.to_text()


def test_as_rich_does(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(7)
    texts = [
        "",
        " ",
        f"see {LONG} and {LONG}",
        LONG,
        f" {LONG}",
        "word " * 40,
        "日本語 " * 30,
        "a\tb",
    ]
    for _ in range(120):
        words = ["".join(source.choices(LETTERS, k=source.randrange(30))) for _ in range(12)]
        texts.append(" ".join(words))
    plain = write_all(texts)
    monkeypatch.setattr(terminal, "wrap_plain", lambda *_: None)
    monkeypatch.setattr(terminal, "is_plain", lambda *_: False)

    assert plain == write_all(texts)


def test_what_only_tables_know_is_left_to_rich() -> None:
    assert wrap_plain("日本語", 60) is None
    assert wrap_plain("word", 19) is None
    assert (measure_cells("日本語"), measure_cells("é→")) == (6, 2)
    assert (crop_cells("日本語", 4), crop_cells("abcdef", 4)) == ("日本", "abcd")


def test_plain_text_imports_no_rich() -> None:
    code = (
        "import sys; from pipedoctor.report import text_page\n"
        "from pipedoctor.report.terminal import TerminalWriter as Writer\n"
        "Writer(80, color=False).write_paragraph('word ' * 30)\n"
        "sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
