"""What figures of a short log say beside each other, and when they say nothing."""

from collections.abc import Callable

import pytest

from pipedoctor.explanation.reasoning import Diagnosis

VMSTAT = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
"""
BUSY = "391 0 0 921312 1212 88121 0 0 0 2 99212 812311 21 76 3 0 0\n"
WELL = " 31 0 0 921312 1212 88121 0 0 0 2  9921  12311 76 21 3 0 0\n"
SMEM = "  PID User  Command            Swap      USS      PSS      RSS\n"
IMPORTED = ">>> torch.__version__\n'1.13.1'\n"
RECORDED = "$ pip show torch\nName: torch\nVersion: {}.0\n"

Diagnosed = Callable[[str], Diagnosis]


def _known(said: Diagnosis) -> list[str]:
    return [cause.cause for cause in said.causes if not cause.by_words]


def test_the_kernel_takes_more_than_the_job(diagnosed: Diagnosed) -> None:
    assert _known(diagnosed(VMSTAT + BUSY)) == ["thread_oversubscription"]
    assert _known(diagnosed(VMSTAT + WELL)) == []


def test_what_a_worker_has_for_itself(diagnosed: Diagnosed) -> None:
    row = " 5120 kim   pt_data_worker        0     {}    10.1G    13.2G\n"

    assert _known(diagnosed(SMEM + row.format("9.8G"))) == ["worker_memory_growth_cow"]
    assert _known(diagnosed(SMEM + row.format("0.9G"))) == []
    assert _known(diagnosed(SMEM + row.format("980M"))) == []


@pytest.mark.parametrize("recorded", ["2.0", "1.9", "1.12"])
def test_another_torch_than_is_recorded(recorded: str, diagnosed: Diagnosed) -> None:
    said = diagnosed(IMPORTED + RECORDED.format(recorded))

    assert _known(said) == ["mixed_torch_installs"]


def test_the_torch_that_is_recorded(diagnosed: Diagnosed) -> None:
    assert _known(diagnosed(IMPORTED + RECORDED.format("1.13"))) == []
    assert _known(diagnosed(IMPORTED)) == []


def test_pip_and_conda_record_another_torch(diagnosed: Diagnosed) -> None:
    pip = "$ pip list | grep torch\ntorch   2.1.0\n$ conda list | grep torch\n"
    row = "pytorch   {}   py3.10_cuda11.7_cudnn8.5.0_0   pytorch\n"

    assert _known(diagnosed(pip + row.format("1.13.1"))) == ["mixed_torch_installs"]
    assert _known(diagnosed(pip + row.format("2.1.0"))) == []
