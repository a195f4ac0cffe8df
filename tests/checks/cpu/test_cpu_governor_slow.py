"""
PDR725 speaks of a governor that never raises the frequency.

The illness is not provoked: it would slow the machine that runs the tests.
"""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Cpu, Facts
from pipedoctor_checks.cpu.cpu_governor_slow import cpu_governor_slow


def governed(governor: str, driver: str, **more: Any) -> Cpu:
    return Cpu(logical=8, governor=governor, scaling_driver=driver, **more)


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(governed("powersave", "intel_pstate"), id="Intel's default"),
        pytest.param(governed("powersave", "amd-pstate-epp"), id="AMD's default"),
        pytest.param(governed("schedutil", "acpi-cpufreq"), id="follows the load"),
        pytest.param(governed("performance", "acpi-cpufreq"), id="at full speed"),
    ],
)
def test_silent(machine: Cpu) -> None:
    assert cpu_governor_slow(machine) == []


@pytest.mark.parametrize("driver", ["acpi-cpufreq", "intel_cpufreq", "amd-pstate"])
def test_the_generic_powersave_is_a_note(driver: str) -> None:
    (finding,) = cpu_governor_slow(governed("powersave", driver))

    assert finding.severity is Severity.NOTE
    assert finding.summary == (
        f"governor powersave of {driver} keeps the CPUs at the lowest frequency"
    )


def test_frequencies_are_evidence(snapshot: SnapshotAssertion) -> None:
    slow = governed("powersave", "acpi-cpufreq", frequency=800_000_000, max_frequency=3_500_000_000)

    (finding,) = cpu_governor_slow(slow)

    assert finding.summary == snapshot
    assert finding.evidence == {
        "cpu.governor": "powersave",
        "cpu.scaling_driver": "acpi-cpufreq",
        "cpu.frequency": 800_000_000,
        "cpu.max_frequency": 3_500_000_000,
    }
    (remedy,) = finding.remedies
    files = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    assert remedy.shell == f"sudo sh -c 'echo performance | tee {files}'"
    assert remedy.undo == ("sh", "-c", f"echo powersave | tee {files}")
    assert not remedy.automatic


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"frequency": 1}, id="highest not known"),
        pytest.param({"max_frequency": 1}, id="present not known"),
    ],
)
def test_half_a_frequency_says_nothing(more: dict[str, int], snapshot: SnapshotAssertion) -> None:
    (finding,) = cpu_governor_slow(governed("powersave", "acpi-cpufreq", **more))

    assert finding.summary == snapshot


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(governed("", ""), id="virtual machine"),
        pytest.param(governed("powersave", ""), id="driver not known"),
        pytest.param(governed("", "acpi-cpufreq"), id="governor not known"),
    ],
)
def test_unknown_is_not_health(machine: Cpu, snapshot: SnapshotAssertion) -> None:
    assert cpu_governor_slow.run(Facts(machine)).skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    slow = governed("powersave", "acpi-cpufreq")
    record: dict[str, Any] = json.loads(json.dumps(Facts(slow).to_record()))

    verdict = cpu_governor_slow.run(Facts.from_record(record))

    assert verdict.findings == tuple(cpu_governor_slow(slow))
