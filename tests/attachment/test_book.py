"""Aliases that outlive a report, and the names behind them."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from pipedoctor.aliases import Aliases
from pipedoctor.book import MOST, Book, restore
from pipedoctor.facts import Facts, Unreadable
from pipedoctor.redact import Level, Redactor

WRITER = """
import sys
from pipedoctor.aliases import Aliases
from pipedoctor.book import Book
aliases = Aliases(Book())
for number in range(8):
    aliases.of("user", f"shared-{number}")
    aliases.of("user", f"{sys.argv[1]}-{number}")
    aliases.settle()
print(*(aliases.of("user", f"shared-{number}") for number in range(8)))
"""


def said(text: str) -> str:
    redactor = Redactor(Level.ALL, memory=Book())
    return redactor.facts(Facts(unknown={"gpu": text})).unknown["gpu"]


def test_the_same_name_is_the_same_in_the_next_report(home: Path) -> None:
    assert said("/home/alice and /home/bob") == "/home/<user-1> and /home/<user-2>"
    assert said("/home/bob, /home/carol") == "/home/<user-2>, /home/<user-3>"
    assert stat.S_IMODE((home / "aliases.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_names_in_a_late_text_are_written_down_too(home: Path) -> None:
    redactor = Redactor(Level.ALL, memory=Book())
    redactor.facts(Facts())

    assert redactor.text("at /home/dora") == "at /home/<user-1>"
    assert said("/home/dora/x") == "/home/<user-1>/x"
    assert (home / "aliases.json").exists()


def test_a_number_that_another_report_took_meanwhile(home: Path) -> None:
    slow, quick = Aliases(Book()), Aliases(Book())
    assert slow.of("user", "alice") == quick.of("user", "bob") == "<user-1>"

    assert not quick.settle()
    assert slow.settle()

    assert slow.of("user", "alice") == "<user-2>"
    assert quick.of("user", "bob") == "<user-1>"
    assert home.exists()


def test_facts_are_redacted_again_with_the_numbers_that_they_got(home: Path) -> None:
    slow, quick = (Redactor(Level.ALL, memory=Book()) for _ in range(2))
    quick.facts(Facts(unknown={"gpu": "/home/alice"}))

    facts = slow.facts(Facts(unknown={"gpu": "carol in /home/carol"}))

    assert facts.unknown["gpu"] == "<user-2> in /home/<user-2>"
    assert home.exists()


@pytest.mark.usefixtures("home")
def test_many_at_once_agree() -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(number)], stdout=subprocess.PIPE
        )
        for number in range(3)
    ]
    told = {process.communicate(timeout=60)[0] for process in running}

    assert len(told) == 1
    numbers, last = Book().known()
    assert len(numbers) == len(set(numbers.values())) == last["user"] == 32


def test_the_owner_reads_every_format(home: Path) -> None:
    Book().settle({("user", 'we"ird'): 1, ("user", "alice"): 2})

    assert restore(b'{"x": "<user-1>"}') == b'{"x": "we\\"ird"}'
    assert restore(b"<b>&lt;user-1&gt;</b>") == b"<b>we&quot;ird</b>"
    assert restore(b"\\u003cuser-2\\u003e and <user-2>") == b"alice and alice"
    assert restore(b"<user-3> <host-1> <b-1>") == b"<user-3> <host-1> <b-1>"
    assert home.exists()


def test_a_book_that_nobody_can_read(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "aliases.json").write_text("{")

    book = Book()
    assert book.known() == ({}, {})
    assert "is damaged" in book.trouble
    with pytest.raises(Unreadable, match="is damaged"):
        restore(b"<user-1>")
    assert Aliases(Book()).of("user", "alice") == "<user-1>"


def test_a_folder_that_nobody_can_write(home: Path) -> None:
    home.parent.mkdir()
    home.write_text("no folder")
    book = Book()
    redactor = Redactor(Level.ALL, memory=book)

    facts = redactor.facts(Facts(unknown={"gpu": "/home/alice"}))

    assert facts.unknown["gpu"] == "/home/<user-1>"
    assert "Not a directory" in book.trouble or "File exists" in book.trouble


def test_a_full_book_forgets_the_oldest_and_gives_no_number_twice(home: Path) -> None:
    book = Book()
    book.settle({("user", f"u{n}"): n + 1 for n in range(MOST)})

    assert book.settle({("user", "new"): MOST + 1}) == {("user", "new"): MOST + 1}

    pages = json.loads((home / "aliases.json").read_bytes())
    assert len(pages["kinds"]["user"]["numbers"]) == MOST
    assert book.settle({("user", "u0"): 1}) == {("user", "u0"): MOST + 2}


def test_no_state_folder_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def relative(_name: str, *, appauthor: bool) -> str:
        return "relative" if not appauthor else "other"

    monkeypatch.setattr(platformdirs, "user_state_dir", relative)
    book = Book()

    assert book.known() == ({}, {})
    assert book.settle({("user", "alice"): 1}) == {("user", "alice"): 1}
    assert "no home directory" in book.trouble
    assert not Path("relative").exists()
