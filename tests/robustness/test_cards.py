"""`check` on machines whose driver answers as that of known cards does."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asked on Linux only")

Make = Callable[..., dict[str, str]]
COUNTED = (
    "driver-too-old",
    "gpu-arch-not-in-build",
    "cpu-only-torch-build",
    "nvidia-driver-missing",
    "nvml-driver-library-mismatch",
    "gpu-hardware-fault",
    "gpu-driver-unresponsive",
)


class Case(NamedTuple):
    """A card with its driver, a torch, and what must be said of them."""

    card: str
    capability: str
    driver: str
    cuda: int
    torch: str
    torch_cuda: str
    said: tuple[str, ...] = ()
    install: str = ""
    """What the first remedy installs."""


CASES = {
    "H100 with the torch of today": Case(
        "NVIDIA H100 80GB HBM3", "9.0", "580.82.07", 13000, "2.13.0+cu130", "13.0"
    ),
    "H100 with an older driver of the same family": Case(
        "NVIDIA H100 80GB HBM3", "9.0", "535.183.01", 12020, "2.11.0+cu126", "12.6"
    ),
    "A100 with a driver of CUDA 12": Case(
        "NVIDIA A100-SXM4-80GB",
        "8.0",
        "535.183.01",
        12020,
        "2.13.0+cu130",
        "13.0",
        ("driver-too-old",),
        "+cu126",
    ),
    "V100, whose code left with CUDA 13": Case(
        "Tesla V100-SXM2-32GB",
        "7.0",
        "580.82.07",
        13000,
        "2.13.0+cu130",
        "13.0",
        ("gpu-arch-not-in-build",),
        "+cu126",
    ),
    "GTX 1080 Ti, the same": Case(
        "NVIDIA GeForce GTX 1080 Ti",
        "6.1",
        "580.82.07",
        13000,
        "2.13.0+cu130",
        "13.0",
        ("gpu-arch-not-in-build",),
        "+cu126",
    ),
    "GTX 1080 Ti with a torch that has its code": Case(
        "NVIDIA GeForce GTX 1080 Ti", "6.1", "580.82.07", 13000, "2.11.0+cu126", "12.6"
    ),
    "Blackwell with a torch that is older": Case(
        "NVIDIA B200",
        "10.0",
        "580.82.07",
        13000,
        "2.6.0+cu124",
        "12.4",
        ("gpu-arch-not-in-build",),
        "+cu1",
    ),
    "Blackwell of the desk": Case(
        "NVIDIA GeForce RTX 5090", "12.0", "580.82.07", 13000, "2.8.0+cu128", "12.8"
    ),
    "a card beside a torch for the CPU": Case(
        "NVIDIA A100-SXM4-80GB",
        "8.0",
        "580.82.07",
        13000,
        "2.13.0+cpu",
        "",
        ("cpu-only-torch-build",),
        "+cu130",
    ),
}


def environment(site: Path, version: str, cuda: str) -> Path:
    """Put the files of a torch there, and no torch; the environment."""
    (site / "torch").mkdir(parents=True)
    (site / "torch/__init__.py").touch()
    (site / "torch/version.py").write_text(
        f"__version__ = {version!r}\ncuda = {cuda or None!r}\nhip = None\n"
    )
    info = site / f"torch-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: torch\nVersion: {version}\n")
    return site.parents[2]


def check(env: Path, environ: dict[str, str]) -> dict[str, Any]:
    argv = ["pipedoctor", "check", "--quick", "--env", str(env), "--format", "json"]
    environ = {k: v for k, v in environ.items() if k != "CUDA_VISIBLE_DEVICES"}
    done = subprocess.run(argv, capture_output=True, env=environ, check=False)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def said(report: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f["name"] for f in report["findings"] if f["name"] in COUNTED)


ALWAYS = (
    "H100 with the torch of today",
    "GTX 1080 Ti with a torch that has its code",
    "Blackwell with a torch that is older",
    "a card beside a torch for the CPU",
)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=() if name in ALWAYS else pytest.mark.extended)
        for name, case in CASES.items()
    ],
)
def test_a_card(site_packages: Path, driver_library: Make, case: Case) -> None:
    major, _, minor = case.capability.partition(".")
    environ = driver_library(
        "",
        "",
        f'-DCARD="{case.card}"',
        f"-DMAJOR={major}",
        f"-DMINOR={minor}",
        f'-DDRIVER="{case.driver}"',
        f"-DCUDA={case.cuda}",
    )

    report = check(environment(site_packages, case.torch, case.torch_cuda), environ)

    device = report["facts"]["known"]["gpu"]["devices"][0]
    assert (device["name"], device["capability"]) == (case.card, case.capability)
    assert said(report) == case.said
    if case.install:
        (finding,) = (f for f in report["findings"] if f["name"] == case.said[0])
        lines = [remedy["shell"] for remedy in finding["remedies"]]
        assert case.install in next(line for line in lines if "torch==" in line)


def test_a_board_that_supports_few_questions(site_packages: Path, driver_library: Make) -> None:
    """As on Jetson: there is a GPU, and nearly every question is not supported."""
    environ = driver_library("", "", "-DFIELDS=return 3")

    report = check(environment(site_packages, "2.11.0+cu126", "12.6"), environ)

    devices = report["facts"]["known"]["gpu"]["devices"]
    assert [device["name"] for device in devices] == ["", ""]
    assert devices[0]["unknown"]["name"] == "this card does not support it"
    assert said(report) == ()
    reasons = {skip["name"]: skip["reason"] for skip in report["skipped"]}
    assert "capability" in reasons["gpu-arch-not-in-build"]


@pytest.mark.parametrize(
    ("init", "second", "name"),
    [
        ("return 18", "", "nvml-driver-library-mismatch"),
        ("return 9", "", "nvidia-driver-missing"),
        ("", "return 15", "gpu-hardware-fault"),
    ],
)
def test_errors_of_the_driver(
    site_packages: Path, driver_library: Make, init: str, second: str, name: str
) -> None:
    report = check(environment(site_packages, "2.11.0+cu126", "12.6"), driver_library(init, second))

    assert said(report) == (name,)
