"""A remedy is for the place: who may change it there, and what has a variable there."""

from typing import Any

import pytest

from pipedoctor.facts import (
    Accelerators,
    Cpu,
    Device,
    Distribution,
    Facts,
    Gpu,
    Hang,
    Interpreter,
    Memory,
    Mount,
    Packages,
    PathFact,
    Paths,
    Site,
    Slurm,
)
from pipedoctor.facts.accelerators import PciDevice
from pipedoctor.report.model import ReportedRemedy
from pipedoctor.report.target_shell import TargetShell
from pipedoctor_checks.cpu.cpu_governor_slow import cpu_governor_slow
from pipedoctor_checks.environment.pythonpath_leak import pythonpath_leak
from pipedoctor_checks.environment.user_site_leak import user_site_leak
from pipedoctor_checks.gpu.gpu_hardware_fault import gpu_hardware_fault
from pipedoctor_checks.gpu.nvidia_driver_missing import nvidia_driver_missing
from pipedoctor_checks.gpu.nvml_driver_library_mismatch import nvml_driver_library_mismatch
from pipedoctor_checks.memory.overcommit_refuses import overcommit_refuses
from pipedoctor_checks.storage.path_unresponsive import path_unresponsive

SITES = {
    "bare": Site(system="linux"),
    "root": Site(system="linux", root=True),
    "docker": Site(system="linux", container="docker", root=True),
    "podman": Site(system="linux", container="podman", root=True),
    "kubernetes": Site(system="linux", container="kubernetes", root=True),
    "slurm": Site(system="linux", slurm=Slurm(job_id="1")),
    "wsl": Site(system="linux", wsl=True),
}
THEIRS = Packages(
    entries=tuple(
        Distribution(name="torch", version=version, location=folder)
        for version, folder in (("2.1", "/theirs"), ("2.13", "/env"))
    )
)
ILL: dict[Any, tuple[Any, ...]] = {
    pythonpath_leak: (Interpreter(pythonpath=("/theirs",)), THEIRS),
    user_site_leak: (Interpreter(user_site="/theirs"), THEIRS),
    overcommit_refuses: (Memory(total=1, available=1, overcommit=2, commit_limit=1, committed=1),),
    cpu_governor_slow: (Cpu(logical=1, governor="powersave", scaling_driver="acpi-cpufreq"),),
    gpu_hardware_fault: (Gpu(devices=(Device(index=1, remap_pending=True),)),),
    nvml_driver_library_mismatch: (Gpu(error_code=18),),
    nvidia_driver_missing: (Accelerators(pci=(PciDevice(vendor="10de", device="1"),)),),
    path_unresponsive: (
        Paths(
            entries=(
                PathFact(
                    role="data",
                    path="/nfs/x",
                    hang=Hang(doing="stat", seconds=2.0),
                    mount=Mount(point="/nfs", fstype="nfs4"),
                ),
            )
        ),
    ),
}


def list_typed(check: Any, place: str) -> list[str]:
    site = SITES[place]
    findings = check.run(Facts(*ILL[check], site)).findings
    shell = TargetShell.find(site)
    remedies = [one for finding in findings for one in finding.remedies]
    return [made.shell for one in remedies for made in ReportedRemedy.for_shell(one, shell)]


GOVERNORS = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"


@pytest.mark.parametrize(
    ("check", "place", "lines"),
    [
        (pythonpath_leak, "bare", ["unset PYTHONPATH"]),
        (pythonpath_leak, "docker", ["docker run -e PYTHONPATH="]),
        (pythonpath_leak, "podman", ["podman run -e PYTHONPATH="]),
        (pythonpath_leak, "kubernetes", ["kubectl set env deployment/TRAIN PYTHONPATH-"]),
        (user_site_leak, "slurm", ["export PYTHONNOUSERSITE=1"]),
        (user_site_leak, "docker", ["docker run -e PYTHONNOUSERSITE=1"]),
        (overcommit_refuses, "root", ["sysctl vm.overcommit_memory=0"]),
        (overcommit_refuses, "docker", ["sudo sysctl vm.overcommit_memory=0"]),
        (cpu_governor_slow, "slurm", [f"sudo sh -c 'echo performance | tee {GOVERNORS}'"]),
        (gpu_hardware_fault, "root", ["nvidia-smi --gpu-reset -i 1"]),
        (gpu_hardware_fault, "kubernetes", ["sudo nvidia-smi --gpu-reset -i 1"]),
        (nvml_driver_library_mismatch, "wsl", ["wsl.exe --shutdown"]),
        (nvidia_driver_missing, "wsl", ["wsl.exe --shutdown"]),
        (nvidia_driver_missing, "podman", ["podman run --device nvidia.com/gpu=all"]),
        (path_unresponsive, "bare", ["sudo umount -l /nfs"]),
        (path_unresponsive, "slurm", [""]),
    ],
)
def test_what_is_typed_in_a_place(check: Any, place: str, lines: list[str]) -> None:
    assert list_typed(check, place) == lines


@pytest.mark.parametrize("check", [overcommit_refuses, cpu_governor_slow, gpu_hardware_fault])
@pytest.mark.parametrize("place", ["docker", "kubernetes", "slurm"])
def test_a_job_does_not_change_its_host(check: Any, place: str) -> None:
    (finding,) = check.run(Facts(*ILL[check], SITES[place])).findings

    (remedy,) = finding.remedies
    assert remedy.place.name == "LAUNCHER"
    assert remedy.title.startswith("Have ")
    assert not remedy.automatic
