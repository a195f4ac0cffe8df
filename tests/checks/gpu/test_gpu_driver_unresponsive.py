"""PDR820 speaks when a call of the driver's library did not come back."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, Gpu, Hang, Site, Slurm
from pipedoctor_checks.gpu.gpu_driver_unresponsive import gpu_driver_unresponsive

BARE = Site(system="linux")
HUNG = Gpu(hang=Hang(doing="nvmlInit_v2", seconds=3.0))


@pytest.mark.parametrize(
    "gpu",
    [
        pytest.param(Gpu(driver="580.82.07", cuda="13.0"), id="it answers"),
        pytest.param(Gpu(error="mismatch", error_code=18), id="an error is an answer"),
    ],
)
def test_silent(gpu: Gpu) -> None:
    assert gpu_driver_unresponsive(gpu, BARE) == []


def test_speaks() -> None:
    (finding,) = gpu_driver_unresponsive(HUNG, BARE)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "the driver did not answer nvmlInit_v2 within 3 s"
    assert finding.evidence == {
        "gpu.hang.doing": "nvmlInit_v2",
        "gpu.hang.seconds": 3.0,
    }


def test_nobody_knows_which_call_it_was(snapshot: SnapshotAssertion) -> None:
    (finding,) = gpu_driver_unresponsive(Gpu(hang=Hang(doing="", seconds=3.04)), BARE)

    assert finding.summary == snapshot


@pytest.mark.parametrize(
    ("site", "lines"),
    [
        (BARE, ["sudo dmesg --ctime", "sudo systemctl reboot"]),
        (Site(system="linux", slurm=Slurm(job_id="7")), [""]),
        (Site(system="linux", wsl=True), ["wsl.exe --shutdown"]),
        (Site(system="linux", container="docker"), [""]),
        (Site(system="linux", container="kubernetes"), [""]),
    ],
)
def test_remedies_are_for_humans(site: Site, lines: list[str]) -> None:
    (finding,) = gpu_driver_unresponsive(HUNG, site)

    assert [remedy.shell for remedy in finding.remedies] == lines
    assert all(remedy.advice for remedy in finding.remedies)


def test_unknown_is_not_health() -> None:
    verdict = gpu_driver_unresponsive.run(Facts(unknown={"gpu": "no library"}))

    assert verdict.skipped == "gpu: no library"


def test_judges_another_machine_from_its_record() -> None:
    record: dict[str, Any] = json.loads(json.dumps(Facts(HUNG, BARE).to_record()))

    verdict = gpu_driver_unresponsive.run(Facts.from_record(record))

    assert list(verdict.findings) == gpu_driver_unresponsive(HUNG, BARE)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asked on Linux only")
def test_the_illness_is_real(driver_library: Callable[..., dict[str, str]]) -> None:
    """A driver that hangs is the finding; one that answers is none."""
    argv = [sys.executable, "-m", "pipedoctor", "check", "--quick", "--format", "json"]

    def check(init: str) -> dict[str, Any]:
        environ = driver_library(init)
        done = subprocess.run(
            [*argv, "--select", "PDR820"], check=False, capture_output=True, env=environ
        )
        report: dict[str, Any] = json.loads(done.stdout)
        return report | {"exit": done.returncode}

    ill, well = check("for (;;) pause()"), check("")

    assert ill["exit"] == 1
    assert ill["findings"][0]["code"] == "PDR820"
    assert "did not answer nvmlInit_v2 within" in ill["findings"][0]["summary"]
    assert well["exit"] == 0
    assert well["healthy"] == ["PDR820"]
