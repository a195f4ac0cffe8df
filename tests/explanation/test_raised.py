"""The exception that a log ends with: of which rank, and in whose code."""

from collections.abc import Callable

from pipedoctor.explanation.reasoning import Diagnosis


def test_the_rank_whose_code_failed_first(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    said = diagnosed(
        "2024-01-01 10:00:09 [rank0]: Traceback (most recent call last):\n"
        '2024-01-01 10:00:09 [rank0]:   File "a.py", line 1, in f\n'
        "2024-01-01 10:00:09 [rank0]: KeyError: 'late'\n"
        "2024-01-01 10:00:02 [rank3]: Traceback (most recent call last):\n"
        '2024-01-01 10:00:02 [rank3]:   File "a.py", line 1, in f\n'
        "2024-01-01 10:00:02 [rank3]: KeyError: 'early'\n"
    )

    assert said.raised is not None
    assert (said.raised.rank, said.raised.message) == ("3", "'early'")


def test_a_traceback_that_ends_before_its_message(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    code = "raise RuntimeError('received %d items of ancdata' %"
    text = (
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/multiprocessing/reduction.py", line 164, in recvfds\n'
        f"    {code}\n"
    )

    (cause,) = diagnosed(text).causes

    assert cause.cause == "fd_limit_exhausted"
    assert code in {seen.text for seen in cause.lines}


def test_own_code_that_raises_where_the_log_ends(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    said = diagnosed(
        "UserWarning: This DataLoader will create 16 worker processes in total.\n"
        "Traceback (most recent call last):\n"
        '  File "/home/me/recipe.py", line 7, in load\n'
        '    raise RecipeError(f"no such recipe: {name}")\n'
    )

    assert said.causes == ()
    assert said.raised is not None
    assert (said.raised.kind, said.raised.message) == (
        "RecipeError",
        "no such recipe: 0",
    )
