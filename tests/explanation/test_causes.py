"""Every log gets its cause: alone, interleaved, cut, buried in much output."""

import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pipedoctor.explanation.reasoning import Diagnosis
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.signatures import SignatureCatalogue

HERE = Path(__file__).parent
TICKETS = HERE.parents[2] / "shared" / "tickets" / "errors.jsonl"
OWN_BUG = "user_code_bug"


class Case(NamedTuple):
    """A log, and the cause that stands first in its explanation."""

    name: str
    cause: str
    text: str


def variants() -> Iterator[Case]:
    """Texts in our own words, at least two for every cause."""
    for path in sorted(HERE.glob("variants*.txt")):
        for head, body in _parts(path.name):
            yield Case(head.replace(" ", "-"), head.split()[0], body)


def negatives() -> Iterator[Case]:
    """Errors of code, labels and paths: nothing of the environment."""
    for path in sorted(HERE.glob("negatives*.txt")):
        for head, body in _parts(path.name):
            yield Case(head.replace(" ", "-"), OWN_BUG, body)


def tickets() -> Iterator[Case]:
    """Real tickets, where they are at hand."""
    if TICKETS.is_file():
        for line in TICKETS.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield Case(row["id"], row["cause"], row["excerpt"])


def everything() -> list[Case]:
    """All of them."""
    return [*variants(), *negatives(), *tickets()]


def _parts(name: str) -> Iterator[tuple[str, str]]:
    text = (HERE / name).read_text("utf-8")
    for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        yield head, body


First = Callable[[str | bytes], str]


FIRST_OF_A_CAUSE = {case.cause: case.name for case in reversed(everything())}


@functools.cache
def noise(count: int) -> tuple[str, ...]:
    """Lines of a training run, as they come."""
    return tuple(
        f"Epoch {i // 500} [{i % 500:>4}/500]  time {0.2 + i % 7 / 100:.3f}"
        f"  data 0.{i % 9:03d}  loss {9 / (i + 1):.4f}  lr {1e-3 / (1 + i // 500):.6f}"
        for i in range(count)
    )


@pytest.mark.parametrize(
    "above",
    [
        "# Changelog\n",
        "## Troubleshooting\n",
        "8f3c2d1 Fix the reader\n",
        "Release 24.10\n",
        "===== 3 passed in 1.12s =====\n",
        "12 of 12 files downloaded\n",
    ],
)
def test_a_line_above_silences_nothing(above: str, first: First) -> None:
    assert find_wrong(list(variants())[::7], first, lambda text: f"{above}{text}") == []


def test_alone(first: First) -> None:
    assert find_wrong(everything(), first, str) == []


def is_first(case: Case) -> bool:
    return case.name == FIRST_OF_A_CAUSE[case.cause]


def in_two_parts(third: int) -> pytest.MarkDecorator:
    """Each cause is changed in one of three ways; the rest runs with the slow tests."""
    chosen = sorted(FIRST_OF_A_CAUSE)[third::3]
    now = [case for case in everything() if is_first(case) and case.cause in chosen]
    later = [case for case in everything() if case not in now]
    others = pytest.param(later, id="all others", marks=pytest.mark.extended)
    return pytest.mark.parametrize("cases", [pytest.param(now, id="a third of causes"), others])


REFUTED = ("pod_cannot_start", "tokenizers_forked_after_use")
"""Causes of jobs that never start, or hang: where training goes on, they are none."""


def is_refuted(cause: str) -> bool:
    """Is it no cause where training goes on?"""
    return cause in REFUTED or load_signatures().failures[cause].survivable


def find_wrong(cases: list[Case], first: First, change: Callable[[str], str]) -> list[str]:
    """Which cases have another cause when their text is changed so, and which one."""
    known = [case for case in cases if change is str or not is_refuted(case.cause)]
    causes = [(case, first(change(case.text))) for case in known]
    return [f"{case.name}: {cause}" for case, cause in causes if cause != case.cause]


@in_two_parts(0)
def test_buried_in_training_output(cases: list[Case], first: First) -> None:
    lines = noise(150)

    def bury(text: str) -> str:
        return "\n".join([*lines[:100], text.rstrip("\n"), *lines[100:]])

    assert find_wrong(cases, first, bury) == []


@in_two_parts(1)
def test_interleaved_with_another_rank(cases: list[Case], first: First) -> None:
    def interleave(text: str) -> str:
        mixed = [
            line
            for number, row in enumerate(text.splitlines())
            for line in (row, f"[rank9]: step {number} loss 0.{number} 312 img/s")
        ]
        return "\n".join([*noise(50), *mixed])

    assert find_wrong(cases, first, interleave) == []


@in_two_parts(2)
def test_cut_at_both_ends(cases: list[Case], first: First) -> None:
    def cut(text: str) -> str:
        whole = "\n".join([*noise(20), text.rstrip("\n"), *noise(20)])
        return whole[17:-23]

    assert find_wrong(cases, first, cut) == []


def test_every_cause_has_two_variants(book: SignatureCatalogue) -> None:
    counts = dict.fromkeys(set(book.failures) - {OWN_BUG}, 0)
    for case in variants():
        counts[case.cause] += 1

    assert min(counts.values()) >= 2
    assert len(list(negatives())) >= 30


@pytest.mark.skipif(not TICKETS.is_file(), reason="the tickets are not at hand")
def test_tickets_are_all_there() -> None:
    assert len(list(tickets())) > 100


def test_wrapped_by_whoever_collects_logs(first: First) -> None:
    error = "RuntimeError: received 0 items of ancdata"
    wrapped = [
        f"2024-05-01T12:00:00.123456789Z stderr F {error}",
        f"Mar  4 12:00:01 node7 python[4242]: {error}",
        f"[1,3]<stderr>:{error}",
        f"(RayWorker pid=2113, ip=10.0.0.1) {error}",
        f"trainer-1  | {error}",
        f"\x1b[31m[rank3]: \x1b[1m{error}\x1b[0m",
        f"train:  41%|####      | 3/9\r{error}",
        f'{{"log":"{error}\\n","stream":"stderr"}}',
        f'    "\\u001b[0;31mRuntimeError\\u001b[0m: {error[14:]}\\n",',
    ]

    for line in wrapped:
        assert first(line) == "fd_limit_exhausted", line


def test_utf_16_of_powershell(first: First) -> None:
    text = "\r\n".join([*noise(20), "OMP: Error #15: Initializing libiomp5md.dll"])

    assert first(text.encode("utf-16")) == "duplicate_openmp_runtime"
    assert first(text.encode("utf-16-le")) == "duplicate_openmp_runtime"


@pytest.mark.parametrize("encoding", ["gbk", "utf-16", "utf-8"])
def test_encodings_of_a_chinese_windows(encoding: str, first: First) -> None:
    text = "step 1\nOSError: 页面文件太小\n"

    assert first(text.encode(encoding)) == "windows_paging_file_too_small"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("KeyError: 'column'", OWN_BUG),
        ("RuntimeError: CUDA error: invalid argument", "gpu_arch_not_in_build"),
        ("", "gpu_arch_not_in_build"),
    ],
)
@pytest.mark.parametrize("before", ["", "[rank1]: "])
def test_a_warning_over_several_lines_yields_as_one(
    error: str, cause: str, before: str, first: First
) -> None:
    lines = [
        "/env/torch/cuda/__init__.py:230: UserWarning: ",
        (
            "GeForce RTX 5090 with CUDA capability sm_120 is not compatible"
            " with the current PyTorch installation."
        ),
        "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_90.",
        "  warnings.warn(",
        error and "Traceback (most recent call last):",
        error and '  File "/home/me/train.py", line 44, in <module>',
        error and '    x = row["column"]',
        error,
    ]

    assert first("\n".join(before + line for line in lines if line)) == cause


def test_first_failing_rank_by_time(diagnosed: Callable[[str], Diagnosis]) -> None:
    text = (
        "2024-01-01 10:00:09 [rank0]: OSError: AF_UNIX path too long\n"
        "2024-01-01 10:00:02 [rank3]: RuntimeError: Address already in use\n"
    )

    causes = [cause.cause for cause in diagnosed(text).causes]

    assert causes == ["master_port_in_use", "tmpdir_path_too_long"]


def test_echoes_are_named(diagnosed: Callable[[str], Diagnosis]) -> None:
    text = (
        "OSError: [WinError 1455] The paging file is too small\n"
        "AttributeError: Can't pickle local object 'f.<locals>.g'\n"
        "EOFError: Ran out of input\n"
    )

    said = diagnosed(text)

    assert [cause.cause for cause in said.causes] == ["windows_paging_file_too_small"]
    assert {(echo.line, echo.of) for echo in said.echoes} == {
        (2, "windows_paging_file_too_small"),
        (3, "windows_paging_file_too_small"),
    }


def test_the_users_own_frame(diagnosed: Callable[[str], Diagnosis]) -> None:
    (case,) = (c for c in negatives() if c.name.startswith("KeyError-in"))

    said = diagnosed(case.text)

    assert said.raised is not None
    assert said.raised.own is not None
    assert (said.raised.own.path, said.raised.own.line) == ("/home/me/proj/coco.py", 71)
