"""A machine, and the text of a collector that ran on it: the same."""

import msgspec
import pytest

from pipedoctor.diff.side import read_report_side
from pipedoctor.facts import Accelerators, Cpu, Distribution, Packages
from tests.diff.conftest import Compare, changed, recorded

TEXT = """\
PyTorch version: 2.6.0+cu124
CUDA runtime version: 12.4.131
GPU models and configuration: GPU 0: NVIDIA A100-SXM4-80GB
Nvidia driver version: 550.54.15

CPU:
CPU(s):                {cpus}
On-line CPU(s) list:   {listed}
Flags:                 fpu sse sse2 ht sse4_2 avx avx2

Versions of relevant libraries:
[pip3] numpy==2.1.0
[pip3] torch==2.6.0
"""
FLAGS = ("sse2", "sse4_2", "avx", "avx2")
NUMPY = Distribution(name="numpy", version="2.1.0", tags=("cp312-cp312-linux_x86_64",))


@pytest.mark.parametrize(
    ("cpus", "listed", "online"),
    [
        (2, "0,1", "0-1"),
        (4, "0-3", "0-3"),
        (5, "0,1,4-6", "0-1,4-6"),
        (2, "0,2", "0,2"),
        (3, "0,2,3", "0,2-3"),
    ],
)
def test_nothing_differs(diff: Compare, cpus: int, listed: str, online: str) -> None:
    text = read_report_side("ticket.txt", TEXT.format(cpus=cpus, listed=listed).encode())
    here = changed(
        Cpu(logical=cpus, online_list=online, flags=FLAGS),
        Packages(entries=(NUMPY,), complete=False),
        Accelerators(toolkit=""),
    )

    fields = {one.field for one in diff(text, recorded(here)).differences}

    assert not {f for f in fields if f.startswith(("cpu.", "accelerators.toolkit"))}
    assert not {f for f in fields if f.endswith(".tags")}


def test_what_is_known_of_both_does_differ(diff: Compare) -> None:
    text = read_report_side("ticket.txt", TEXT.format(cpus=2, listed="0,1").encode())
    here = changed(
        Cpu(logical=2, online_list="0-1", flags=FLAGS[:1]),
        Accelerators(toolkit="13.0"),
    )

    found = {one.field for one in diff(text, recorded(here)).differences}

    assert {"cpu.flags", "accelerators.toolkit"} <= found


def test_a_list_that_is_written_otherwise_is_kept() -> None:
    side = read_report_side("t", TEXT.format(cpus=3, listed="0,2,x").encode())

    assert b'"online_list":"0,2,x"' in msgspec.json.encode(side.facts.to_record())
