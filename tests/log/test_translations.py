"""Messages of the operating system in other languages."""

import pytest

from pipedoctor.log.line_filter import LineFilter
from pipedoctor.log.translations import (
    find_foreign_texts,
    find_latin_words,
    translate_to_english,
)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("bash: fork: 资源暂时不可用", "bash: fork: Resource temporarily unavailable"),
        ("OSError: [Errno 28] デバイスに空き領域がありません",
         "OSError: [Errno 28] No space left on device"),
        ("Слишком много открытых файлов в системе", "Too many open files in system"),
        ("Speicherzugriffsfehler (Speicherabzug geschrieben)",
         "Segmentation fault (core dumped)"),
        ("epoch 3: 已完成", "epoch 3: 已完成"),
        ("plain", "plain"),
    ],
)  # fmt: skip
def test_english(said: str, told: str) -> None:
    assert translate_to_english(said) == told


@pytest.mark.parametrize(
    "line",
    ["已杀死", "./go.sh: 第 4 行: 31 已杀死  python t.py", "Getötet", "Ucciso"],
)
def test_lines_of_other_scripts_are_read(line: str) -> None:
    sieve = LineFilter(find_latin_words(), find_foreign_texts())

    assert sieve.pick_lines(f"步骤 1\n{line}\n步骤 2\n".encode()) == [1]


def test_nothing_else_of_other_scripts_is_read() -> None:
    sieve = LineFilter(find_latin_words(), find_foreign_texts())

    assert sieve.pick_lines("进度 |████| 41%\n损失 0.3\n".encode()) == []


def test_what_is_said_in_latin_letters_has_a_word_that_gives_it_away() -> None:
    assert not [needle for needle in find_foreign_texts() if needle.isascii()]
