"""The bar of the time budget, on a terminal and where nobody watches."""

import io
import re
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from pipedoctor.cli import bar as bars
from pipedoctor.cli.bar import bar, line


class Terminal(io.StringIO):
    """Somebody watches it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    # Capturing puts its own stderr into `sys` between this and the test.
    monkeypatch.setattr(bars, "sys", SimpleNamespace(stderr=shown))
    return shown


def test_the_bar_says_what_is_left() -> None:
    assert line(10.0, 40.0, "decode: PIL") == (
        "[#####---------------] 30 s left, decode: PIL"
    )
    assert line(99.0, 40.0, "x" * 99).startswith("[####################] 0 s left, x")
    assert len(line(99.0, 40.0, "x" * 99)) == 78


def drawn(terminal: Terminal) -> list[str]:
    return terminal.getvalue().split("\r\x1b[K")


def left(terminal: Terminal) -> list[int]:
    found = (re.search(r"(\d+) s left", text) for text in drawn(terminal))
    return [int(match[1]) for match in found if match]


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def test_the_remaining_time_moves_while_nothing_new_is_done(terminal: Terminal) -> None:
    assert bars.EVERY <= 1
    with bar(40.0) as tell:
        tell("measuring num_workers=0")
        until(lambda: len(set(left(terminal))) > 1)

    assert left(terminal) == sorted(left(terminal), reverse=True)
    assert drawn(terminal)[-1] == ""


def test_nothing_is_drawn_between_nothing_and_the_next_thing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "EVERY", 0.01)
    with bar(40.0) as tell:
        tell("measuring num_workers=0")
        tell("")
        before = terminal.getvalue()
        time.sleep(0.1)
        assert terminal.getvalue() == before


def test_time_in_which_nothing_is_done_is_not_counted(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(bars, "EVERY", 60.0)
    monkeypatch.setattr("pipedoctor.cli.bar.time.monotonic", lambda: now)
    with bar(40.0) as tell:
        now += 10
        tell("loading it")
        tell("")
        now += 500
        tell("loading it again")

    assert left(terminal) == [30, 30]


def test_no_thread_is_left(terminal: Terminal) -> None:
    before = set(threading.enumerate())
    with bar(40.0) as tell:
        tell("loading it")
        (own,) = set(threading.enumerate()) - before

    assert not own.is_alive()
    assert drawn(terminal)[-1] == ""


def test_nothing_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(40.0) as tell:
        tell("loading it")

    assert capsys.readouterr().err == ""
