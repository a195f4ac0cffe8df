"""Which lines of a log tell users and hosts."""

import io
import time

import pytest

from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.name_lines import NameLines
from pipedoctor.log.read import read_log


def collect(text: str) -> tuple[str, ...]:
    names = NameLines()
    names.read_block(text.encode())
    return names.lines


@pytest.mark.parametrize(
    "line",
    [
        'File "/home/ottokar/a.py", line 3',
        "cd /Users/ottokar/x",
        "USER=ottokar",
        "export LOGNAME='ottokar'",
        "uid=1000(ottokar) gid=1000",
        "[ottokar@gpu-17 ~]$ python a.py",
        "-rw-r--r-- 1 ottokar lab 12 Jan 1 10:00 a.pt",
        "MASTER_ADDR=gpu-17",
        "slurmstepd: *** JOB 7 ON gpu-17 CANCELLED",
    ],
)
def test_a_line_that_names_somebody_is_kept(line: str) -> None:
    assert collect(f"step 1\n{line}\nstep 2\n") == (line,)


@pytest.mark.parametrize("line", ["loss 0.5 at step 3", "a @ b", "@torch.no_grad()", "USER="])
def test_other_lines_are_not(line: str) -> None:
    assert collect(f"x\n{line}\n") == ()


def test_of_many_lines_with_one_name_the_first_is_kept() -> None:
    assert len(collect("cd /home/ottokar/a\n" * 9)) == 1


def test_names_without_number_fill_nothing() -> None:
    began = time.process_time()
    lines = collect("".join(f"/home/u{n}/a x@h{n}:\n" for n in range(90_000)))
    assert len(lines) < 40
    assert time.process_time() - began < 1


def test_they_are_read_with_the_log_and_also_where_nothing_is_judged() -> None:
    log = read_log(io.BytesIO(b"USER=ottokar\r\nstep 1\n"), load_signatures())
    assert log.name_lines == ("USER=ottokar",)
