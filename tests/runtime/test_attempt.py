"""Whatever somebody else's code does, one line says it."""

import pytest

from pipedoctor.runtime.attempt import CallResult, Crash, attempt


def test_what_comes_back() -> None:
    assert attempt(lambda: 7) == CallResult(7)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no"), "ValueError: no"),
        (SystemExit(2), "SystemExit: 2"),
        (MemoryError(), "MemoryError"),
        (GeneratorExit(), "GeneratorExit"),
        (RuntimeError("several\n lines\tof it"), "RuntimeError: several lines of it"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_does_not(error: BaseException, reason: str) -> None:
    def call() -> None:
        raise error

    done = attempt(call)

    assert isinstance(done, Crash)
    assert done.reason == reason
    assert "Traceback" in done.trace


def test_ctrl_c_ends_the_program() -> None:
    def call() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(call)


def test_where_nobody_can_press_it_it_is_a_crash_as_any_other() -> None:
    def call() -> None:
        raise KeyboardInterrupt

    done = attempt(call, interrupts=True)

    assert isinstance(done, Crash)
    assert done.reason == "KeyboardInterrupt"
    assert isinstance(done.error, KeyboardInterrupt)


def test_a_novel_is_cut_short() -> None:
    def call() -> None:
        raise ValueError("x" * 100_000)

    done = attempt(call)

    assert isinstance(done, Crash)
    assert len(done.reason) == 500
    assert len(done.trace) == 8000


def test_an_error_that_cannot_even_be_printed() -> None:
    class Spiteful(Exception):  # noqa: N818
        def __str__(self) -> str:
            raise ValueError

    def call() -> None:
        raise Spiteful

    done = attempt(call)

    assert isinstance(done, Crash)
    assert "Spiteful" in done.reason
