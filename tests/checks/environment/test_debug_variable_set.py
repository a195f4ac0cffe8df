"""PDR867 knows which variables slow a job, and for whom."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Device, Facts, Gpu, Site, Variables
from pipedoctor_checks.environment.debug_variable_set import debug_variable_set

GPU = Gpu(devices=(Device(index=0),))
DOCKER = Site(system="linux", container="docker")


@pytest.mark.parametrize(
    ("values", "gpu"),
    [
        pytest.param({}, GPU, id="nothing set"),
        pytest.param({"CUDA_LAUNCH_BLOCKING": "0"}, GPU, id="switched off"),
        pytest.param({"CUDA_LAUNCH_BLOCKING": ""}, GPU, id="empty"),
        pytest.param({"CUDA_LAUNCH_BLOCKING": "1"}, None, id="no word of a GPU"),
        pytest.param({"CUDA_LAUNCH_BLOCKING": "1"}, Gpu(), id="no GPU"),
        pytest.param({"TORCH_DISTRIBUTED_DEBUG": "INFO"}, GPU, id="logs at the start"),
        pytest.param({"PYTHONMALLOC": "malloc"}, GPU, id="another allocator"),
        pytest.param({"PYTHONDEVMODE": ""}, GPU, id="no development mode"),
    ],
)
def test_silent(values: dict[str, str], gpu: Gpu | None) -> None:
    assert debug_variable_set(Variables(values=values), gpu, None) == []


@pytest.mark.parametrize(
    ("name", "value", "gpu", "severity"),
    [
        ("CUDA_LAUNCH_BLOCKING", "1", GPU, Severity.SLOWS),
        ("TORCH_DISTRIBUTED_DEBUG", "DETAIL", None, Severity.SLOWS),
        ("TORCH_DISTRIBUTED_DEBUG", "detail", Gpu(), Severity.SLOWS),
        ("PYTHONDEVMODE", "1", None, Severity.NOTE),
        ("PYTHONMALLOC", "debug", None, Severity.NOTE),
    ],
)
def test_each_is_found(name: str, value: str, gpu: Gpu | None, severity: Severity) -> None:
    (finding,) = debug_variable_set(Variables(values={name: value}), gpu, None)

    assert finding.severity is severity
    assert finding.summary.startswith(f"{name}={value} is set: ")
    assert finding.evidence == {name: value}
    assert finding.remedies[0].shell == f"unset {name}"


def test_a_container_is_started_with_an_empty_value() -> None:
    (finding,) = debug_variable_set(Variables(values={"CUDA_LAUNCH_BLOCKING": "1"}), GPU, DOCKER)

    assert "-e CUDA_LAUNCH_BLOCKING=" in finding.remedies[0].shell


def test_unknown_is_not_healthy() -> None:
    verdict = debug_variable_set.run(Facts(unknown={"variables": "/proc/7/environ: denied"}))

    assert verdict.skipped == "variables: /proc/7/environ: denied"
