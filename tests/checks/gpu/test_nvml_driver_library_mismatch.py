"""PDR803 passes on NVML's own complaint."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Accelerators, Facts, Gpu, Site
from pipedoctor_checks.gpu.nvml_driver_library_mismatch import (
    nvml_driver_library_mismatch as check,
)

BARE = Site(system="linux")
LOADED = Accelerators(nvidia_module="535.104.05")


@pytest.mark.parametrize(
    "gpu",
    [
        pytest.param(Gpu(driver="580.95.05"), id="it answers"),
        pytest.param(Gpu(error="Driver Not Loaded", error_code=9), id="not loaded"),
        pytest.param(Gpu(error="GPU is lost", error_code=15), id="GPU lost"),
    ],
)
def test_silent(gpu: Gpu) -> None:
    assert check(gpu, None, BARE) == []


@pytest.mark.parametrize(
    "gpu",
    [
        pytest.param(Gpu(error="", error_code=18), id="by number"),
        pytest.param(
            Gpu(error="Failed to initialize NVML: Driver/library version mismatch"),
            id="by words of a text",
        ),
    ],
)
def test_mismatch_breaks(gpu: Gpu) -> None:
    (finding,) = check(gpu, LOADED, BARE)

    assert finding.severity is Severity.BREAKS
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.summary == (
        "The NVIDIA library and its kernel module (version 535.104.05) have different versions"
    )
    assert finding.evidence == {"gpu.error": gpu.error, "nvidia_module": "535.104.05"}
    assert [remedy.shell for remedy in finding.remedies] == [
        "sudo systemctl reboot",
        "sudo modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia",
    ]
    assert not any(remedy.automatic for remedy in finding.remedies)


@pytest.mark.parametrize(
    ("site", "title"),
    [
        (Site(system="linux", container="docker"), "Start the container again from its image"),
        (Site(system="linux", container="kubernetes"), "Drain and reboot the node"),
        (Site(system="linux", container="apptainer"), "Ask for the node to be drained"),
    ],
)
def test_the_host_is_cured_not_the_container(
    site: Site, title: str, snapshot: SnapshotAssertion
) -> None:
    (finding,) = check(Gpu(error="", error_code=18), None, site)

    (remedy,) = finding.remedies
    assert remedy.title.startswith(title)
    assert remedy.shell == ""
    assert finding.summary == snapshot


def test_nobody_knows_the_place() -> None:
    (finding,) = check(Gpu(error="", error_code=18), None, None)

    assert len(finding.remedies) == 5


def test_unknown_is_not_health() -> None:
    assert check.run(Facts(unknown={"gpu": "no NVML"})).skipped == "gpu: no NVML"
