"""Aliases that outlive a report, and the names behind them."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from pipedoctor.facts import Facts, UnreadableError
from pipedoctor.privacy.alias_book import MAX_NAMES, AliasStore, restore_names
from pipedoctor.privacy.aliases import AliasTable
from pipedoctor.privacy.redactor import RedactionLevel, Redactor

WRITER = """
import sys
from pipedoctor.privacy.aliases import AliasTable
from pipedoctor.privacy.alias_book import AliasStore
aliases = AliasTable(AliasStore())
for number in range(8):
    aliases.get_alias("user", f"shared-{number}")
    aliases.get_alias("user", f"{sys.argv[1]}-{number}")
    aliases.save_new_names()
print(*(aliases.get_alias("user", f"shared-{number}") for number in range(8)))
"""


def said(text: str) -> str:
    redactor = Redactor(RedactionLevel.ALL, memory=AliasStore())
    return redactor.redact_facts(Facts(unknown={"gpu": text})).unknown["gpu"]


def test_the_same_name_is_the_same_in_the_next_report(home: Path) -> None:
    assert said("/home/alice and /home/bob") == "/home/<user-1> and /home/<user-2>"
    assert said("/home/bob, /home/carol") == "/home/<user-2>, /home/<user-3>"
    assert stat.S_IMODE((home / "aliases.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_names_in_a_late_text_are_written_down_too(home: Path) -> None:
    redactor = Redactor(RedactionLevel.ALL, memory=AliasStore())
    redactor.redact_facts(Facts())

    assert redactor.redact_text("at /home/dora") == "at /home/<user-1>"
    assert said("/home/dora/x") == "/home/<user-1>/x"
    assert (home / "aliases.json").exists()


def test_a_number_that_another_report_took_meanwhile(home: Path) -> None:
    slow, quick = AliasTable(AliasStore()), AliasTable(AliasStore())
    assert slow.get_alias("user", "alice") == quick.get_alias("user", "bob") == "<user-1>"

    assert not quick.save_new_names()
    assert slow.save_new_names()

    assert slow.get_alias("user", "alice") == "<user-2>"
    assert quick.get_alias("user", "bob") == "<user-1>"
    assert home.exists()


def test_facts_are_redacted_again_with_the_numbers_that_they_got(home: Path) -> None:
    slow, quick = (Redactor(RedactionLevel.ALL, memory=AliasStore()) for _ in range(2))
    quick.redact_facts(Facts(unknown={"gpu": "/home/alice"}))

    facts = slow.redact_facts(Facts(unknown={"gpu": "carol in /home/carol"}))

    assert facts.unknown["gpu"] == "<user-2> in /home/<user-2>"
    assert home.exists()


@pytest.mark.usefixtures("home")
def test_many_at_once_agree() -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(number)], stdout=subprocess.PIPE)
        for number in range(3)
    ]
    told = {process.communicate(timeout=60)[0] for process in running}

    assert len(told) == 1
    numbers, last = AliasStore().read_numbers()
    assert len(numbers) == len(set(numbers.values())) == last["user"] == 32


def test_the_owner_reads_every_format(home: Path) -> None:
    AliasStore().reserve_numbers({("user", 'we"ird'): 1, ("user", "alice"): 2})

    assert restore_names(b'{"x": "<user-1>"}') == b'{"x": "we\\"ird"}'
    assert restore_names(b"<b>&lt;user-1&gt;</b>") == b"<b>we&quot;ird</b>"
    assert restore_names(b"\\u003cuser-2\\u003e and <user-2>") == b"alice and alice"
    assert restore_names(b"<user-3> <host-1> <b-1>") == b"<user-3> <host-1> <b-1>"
    assert home.exists()


def test_a_book_that_nobody_can_read(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "aliases.json").write_text("{")

    book = AliasStore()
    assert book.read_numbers() == ({}, {})
    assert "is damaged" in book.failure_reason
    with pytest.raises(UnreadableError, match="is damaged"):
        restore_names(b"<user-1>")
    assert AliasTable(AliasStore()).get_alias("user", "alice") == "<user-1>"


def test_a_folder_that_nobody_can_write(home: Path) -> None:
    home.parent.mkdir()
    home.write_text("no folder")
    book = AliasStore()
    redactor = Redactor(RedactionLevel.ALL, memory=book)

    facts = redactor.redact_facts(Facts(unknown={"gpu": "/home/alice"}))

    assert facts.unknown["gpu"] == "/home/<user-1>"
    assert "Not a directory" in book.failure_reason or "File exists" in book.failure_reason


def test_a_full_book_forgets_the_oldest_and_gives_no_number_twice(home: Path) -> None:
    book = AliasStore()
    book.reserve_numbers({("user", f"u{n}"): n + 1 for n in range(MAX_NAMES)})

    assert book.reserve_numbers({("user", "new"): MAX_NAMES + 1}) == {
        ("user", "new"): MAX_NAMES + 1
    }

    pages = json.loads((home / "aliases.json").read_bytes())
    assert len(pages["kinds"]["user"]["numbers"]) == MAX_NAMES
    assert book.reserve_numbers({("user", "u0"): 1}) == {("user", "u0"): MAX_NAMES + 2}


def test_no_state_folder_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def relative(_name: str, *, appauthor: bool) -> str:
        return "relative" if not appauthor else "other"

    monkeypatch.setattr(platformdirs, "user_state_dir", relative)
    book = AliasStore()

    assert book.read_numbers() == ({}, {})
    assert book.reserve_numbers({("user", "alice"): 1}) == {("user", "alice"): 1}
    assert "no home directory" in book.failure_reason
    assert not Path("relative").exists()
