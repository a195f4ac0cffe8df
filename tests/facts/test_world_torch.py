"""The tables about drivers, torch and Pythons, and how they are looked up."""

import re
from typing import Any, TypeVar

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts.world import World
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import (
    CudaDrivers,
    Family,
    Generation,
    Pair,
    Pythons,
    Release,
    Row,
    Toolkit,
    TorchBuilds,
    TorchPairs,
)

W = TypeVar("W", bound=World)


def table(kind: type[W]) -> W:
    (found,) = [entry for entry in get_catalogue().tables if isinstance(entry, kind)]
    return found


DRIVERS = table(CudaDrivers)
BUILDS = table(TorchBuilds)
PAIRS = table(TorchPairs)
CARDS = table(GpuCapabilities)
PYTHONS = table(Pythons)

ROWS: list[Row] = [
    *DRIVERS.families,
    *DRIVERS.toolkits,
    *DRIVERS.generations,
    *BUILDS.releases,
    *BUILDS.wheels,
    *BUILDS.conda,
    *BUILDS.floors,
    *PAIRS.rows,
    *CARDS.cards,
    *PYTHONS.rows,
]
KNOWN: dict[str, Any] = {"source": "https://example.org", "checked": "2026-11-21"}


def test_every_row_has_a_source_and_a_date() -> None:
    assert len(ROWS) > 300
    for row in ROWS:
        assert row.source.startswith("https://")
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", row.checked)


def test_every_card_belongs_to_a_generation() -> None:
    lost = {c.name for c in CARDS.cards if DRIVERS.find_generation(c.capability) is None}

    assert lost == {"Jetson T5000", "Jetson T4000"}


def test_every_wheel_belongs_to_a_release_and_a_driver() -> None:
    releases = {release.torch for release in BUILDS.releases}

    assert {wheel.torch for wheel in BUILDS.wheels} == releases
    assert all(DRIVERS.find_minimum_driver(wheel.cuda) for wheel in BUILDS.wheels)
    assert all(BUILDS.find_default_wheel(release) for release in releases)


@pytest.mark.parametrize(
    ("cuda", "windows", "driver"),
    [
        ("12.4", False, "525.60.13"),
        ("12.4.127", True, "527.41"),
        ("13.2", False, "580.65.06"),
        ("13.2", True, "580"),
        ("11.0", False, "450.51.05"),
        ("11.8", False, "450.80.02"),
        ("11.8", True, "452.39"),
        ("11.8", None, "450.80.02"),
        ("10.2.89", False, "440.33"),
        ("9.0.176", None, "384.81"),
        ("12.99", False, "525.60.13"),
        ("14.0", False, ""),
        ("6.0", False, ""),
        ("", False, ""),
    ],
)
def test_the_oldest_driver_of_a_cuda(cuda: str, windows: bool | None, driver: str) -> None:
    assert DRIVERS.find_minimum_driver(cuda, windows=windows) == driver


def test_a_row_without_a_number_for_windows() -> None:
    table = CudaDrivers(toolkits=(Toolkit(cuda="10.0", linux="410.48", **KNOWN),))
    both = CudaDrivers(
        families=(Family(major=12, linux="525.60.13", windows="527.41", **KNOWN),),
        toolkits=(Toolkit(cuda="12.7", linux="565.1", **KNOWN),),
    )

    assert table.find_minimum_driver("10.0", windows=True) == ""
    assert table.find_minimum_driver("10.0", windows=None) == "410.48"
    assert both.find_minimum_driver("12.7", windows=True) == "527.41"


@pytest.mark.parametrize(
    ("capability", "name"),
    [
        ("1.2", "Tesla"),
        ("2.1", "Fermi"),
        ("3.0", "Kepler"),
        ("3.7", "Kepler"),
        ("5.0", "Maxwell"),
        ("6.1", "Pascal"),
        ("7.2", "Volta"),
        ("7.5", "Turing"),
        ("8.9", "Ada Lovelace"),
        ("12.1", "Blackwell"),
        ("4.0", None),
        ("", None),
    ],
)
def test_generations(capability: str, name: str | None) -> None:
    row = DRIVERS.find_generation(capability)

    assert (row.name if row else None) == name


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("NVIDIA A100-SXM4-40GB", "8.0"),
        ("A100-SXM4-40GB", "8.0"),
        ("NVIDIA A100 80GB PCIe", "8.0"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0"),
        ("GeForce GTX 1080 Ti", "6.1"),
        ("GeForce GTX 1060 3GB", "6.1"),
        ("NVIDIA GeForce GTX 1060 with Max-Q Design", "6.1"),
        ("GeForce 210", "1.2"),
        ("GRID T4-8Q", "7.5"),
        ("NVIDIA GeForce RTX 4070 Laptop GPU", "8.9"),
        ("NVIDIA H100 80GB HBM3", "9.0"),
        ("NVIDIA GH200 480GB", "9.0"),
        ("Tesla P100-PCIE-16GB", "6.0"),
        ("Tesla V100-SXM2-16GB", "7.0"),
        ("Tesla K40c", "3.5"),
        ("Tesla K80", "3.7"),
        ("NVIDIA TITAN X (Pascal)", "6.1"),
        ("GeForce GTX TITAN X", "5.2"),
        ("GeForce GTX TITAN", "3.5"),
        ("NVIDIA RTX 6000 Ada Generation", "8.9"),
        ("Quadro RTX 6000", "7.5"),
        ("NVIDIA GB10", "12.1"),
        ("GeForce GTX 960M", "5.0"),
        ("GeForce GTX 960", "5.2"),
        ("GRID A800D-40C", None),
        ("NVIDIA A100X", None),
        ("NVIDIA A10G", None),
        ("NVIDIA", None),
        ("", None),
        ("AMD Instinct MI300X", None),
    ],
)
def test_cards_by_name(name: str, capability: str | None) -> None:
    card = CARDS.find(name)

    assert (card.capability if card else None) == capability


def test_wheels_and_conda_builds() -> None:
    wheel = BUILDS.find_wheel("2.0.1", "11.7.99")

    assert wheel is not None
    assert (wheel.tag, wheel.default) == ("cu117", True)
    assert BUILDS.find_wheel("2.0.1", "12.1") is None
    assert BUILDS.find_wheel("2.1", "11.7") is None
    conda = BUILDS.find_conda_build("1.7.1", "10.1.243")
    assert conda is not None
    assert "3.5" in conda.arch
    assert BUILDS.find_conda_build("2.6.0", "12.4") is None


@pytest.mark.parametrize(("torch", "tag"), [("2.13.0", "cu130"), ("1.12", "cu102"), ("9.9", None)])
def test_the_default_wheel(torch: str, tag: str | None) -> None:
    wheel = BUILDS.find_default_wheel(torch)

    assert (wheel.tag if wheel else None) == tag


@pytest.mark.parametrize(
    ("torch", "capability"),
    [("0.3.1", None), ("0.4.0", "3.5"), ("1.2.0", "3.5"), ("1.3.0", "3.7")],
)
def test_floors(torch: str, capability: str | None) -> None:
    floor = BUILDS.find_floor(torch)

    assert (floor.capability if floor else None) == capability


def test_a_release_lists_its_patches_oldest_first() -> None:
    (release,) = [r for r in BUILDS.releases if r.torch == "2.14"]

    assert release == Release(
        torch="2.14",
        patches=("2.14.0", "2.14.1"),
        python_from="3.10",
        python_to="3.14",
        glibc="2.28",
        source=release.source,
        checked=release.checked,
    )


def pair(version: str, torch: str) -> Pair:
    return Pair(package="torchvision", version=version, torch=torch, **KNOWN)


@pytest.mark.parametrize(
    ("row", "torch", "fits"),
    [
        (pair("0.20.1", "==2.5.1"), "2.5.1", True),
        (pair("0.20.1", "==2.5.1"), "2.5.0", False),
        (pair("0.16.*", "==2.1.*"), "2.1.2", True),
        (pair("0.16.*", "==2.1.*"), "2.10.0", False),
        (pair("0.29.2", ">=2.14.0"), "2.14.0", True),
        (pair("0.29.2", ">=2.14.0"), "2.13.9", False),
        (pair("0.2.*", "<=1.0.1"), "1.0.1", True),
        (pair("0.2.*", "<=1.0.1"), "0.4.1", True),
        (pair("0.2.*", "<=1.0.1"), "1.0.2", False),
    ],
)
def test_pairs_fit(row: Pair, torch: str, fits: bool) -> None:
    assert row.accepts_torch(torch) is fits


@pytest.mark.parametrize(
    ("version", "torch"),
    [
        ("0.28.0", "==2.13.0"),
        ("0.28.0+cu126", "==2.13.0"),
        ("0.16.2", "==2.1.*"),
        ("0.2.2", "<=1.0.1"),
        ("0.28.9", None),
        ("0.99.0", None),
    ],
)
def test_pairs_are_found(version: str, torch: str | None) -> None:
    row = PAIRS.find("torchvision", version)

    assert (row.torch if row else None) == torch


def test_a_patch_level_that_is_not_listed_has_a_series() -> None:
    row = PAIRS.find_in_series("torchvision", "0.28.9")

    assert row is not None
    assert row.torch == "==2.13.0"
    assert PAIRS.find_in_series("torchvision", "0.99.0") is None


@pytest.mark.parametrize(
    ("torch", "version"),
    [("2.13.0", "0.28.0"), ("2.15.0", "0.29.2"), ("2.1.2", "0.16.2"), ("1.6.0", None)],
)
def test_the_newest_for_a_torch(torch: str, version: str | None) -> None:
    row = PAIRS.find_newest("torchvision", torch)

    assert (row.version if row else None) == version


def test_rows_that_nobody_confirmed_are_not_named() -> None:
    unsure = Pair(package="x", version="1.0", torch="==2.0.0", confirmed=False, **KNOWN)

    assert TorchPairs(rows=(unsure,)).find_newest("x", "2.0.0") is None


@pytest.mark.parametrize(
    ("version", "ended"), [("3.9.18", True), ("3.10.1", True), ("3.11.0", False)]
)
def test_pythons(version: str, ended: bool) -> None:
    row = PYTHONS.find(version)

    assert row is not None
    assert row.has_ended is ended


def test_a_generation_may_have_no_end() -> None:
    row = Generation(name="Next", lowest="20.0", highest="20.9", **KNOWN)

    assert (row.last_driver, row.last_cuda) == (None, "")
