"""The bar of the time budget, on a terminal and where nobody watches."""

import io
import re
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from pipedoctor.cli.terminal import progress_bar as bars
from pipedoctor.cli.terminal import status_line
from pipedoctor.cli.terminal.progress_bar import format_bar, show_bar


class Terminal(io.StringIO):
    """Somebody watches it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    # Capturing puts its own stderr into `sys` between this and the test.
    for module in (bars, status_line):
        monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=shown))
    return shown


def test_the_bar_says_what_is_left() -> None:
    assert format_bar(10.0, 40.0, "decode: PIL") == (
        "[#####---------------] 30 s left, decode: PIL"
    )
    assert format_bar(99.0, 40.0, "x" * 99).startswith("[####################] 0 s left, x")
    assert len(format_bar(99.0, 40.0, "x" * 99)) == 78


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
    assert bars.REDRAW_SECONDS <= 1
    with show_bar(40.0) as tell:
        tell("measuring num_workers=0")
        until(lambda: len(set(left(terminal))) > 1)

    assert left(terminal) == sorted(left(terminal), reverse=True)
    assert drawn(terminal)[-1] == ""


def test_nothing_is_drawn_between_nothing_and_the_next_thing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "REDRAW_SECONDS", 0.01)
    with show_bar(40.0) as tell:
        tell("measuring num_workers=0")
        tell("")
        before = terminal.getvalue()
        time.sleep(0.1)
        assert terminal.getvalue() == before


def test_time_in_which_nothing_is_done_is_not_counted(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(bars, "REDRAW_SECONDS", 60.0)
    monkeypatch.setattr("pipedoctor.cli.terminal.progress_bar.time.monotonic", lambda: now)
    with show_bar(40.0) as tell:
        now += 10
        tell("loading it")
        tell("")
        now += 500
        tell("loading the target again")

    assert left(terminal) == [30, 30]


def test_no_thread_is_left(terminal: Terminal) -> None:
    before = set(threading.enumerate())
    with show_bar(40.0) as tell:
        tell("loading it")
        (own,) = set(threading.enumerate()) - before

    assert not own.is_alive()
    assert drawn(terminal)[-1] == ""


def test_nothing_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with show_bar(40.0) as tell:
        tell("loading it")

    assert capsys.readouterr().err == ""
