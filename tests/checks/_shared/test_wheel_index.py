"""Which torch a machine can have: driver, card, Python and C library together."""

from typing import Any, TypeVar

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts.world import World
from pipedoctor.facts.world_torch import CudaDrivers, Release, TorchBuilds, TorchPairs, Wheel
from pipedoctor_checks._shared.companion_versions import companion_requirement
from pipedoctor_checks._shared.gpu_code import is_arch_compatible
from pipedoctor_checks._shared.newer_driver import can_reach, last_driver
from pipedoctor_checks._shared.wheel_index import WheelChoice, WheelHost, choose_wheel

W = TypeVar("W", bound=World)


def table(kind: type[W]) -> W:
    (found,) = [entry for entry in get_catalogue().tables if isinstance(entry, kind)]
    return found


DRIVERS = table(CudaDrivers)
BUILDS = table(TorchBuilds)
PAIRS = table(TorchPairs)

SURE: dict[str, Any] = {"source": "https://example.org", "checked": "2026-11-21"}
UNSURE: dict[str, Any] = SURE | {"confirmed": False}
GTX_1080 = WheelHost(driver="580.95.05", capabilities=("6.1",), python="3.11.7")
V100 = WheelHost(driver="535.104.05", capabilities=("7.0",), python="3.11.7")
H100 = WheelHost(driver="535.104.05", capabilities=("9.0",), python="3.11.7")
RTX_5090 = WheelHost(driver="580.95.05", capabilities=("12.0",), python="3.12.1")
K80 = WheelHost(driver="470.42.01", capabilities=("3.7",), python="3.10.4")
A100 = WheelHost(driver="470.42.01", capabilities=("8.0",), python="3.10.4")


@pytest.mark.parametrize(
    ("arch", "capability", "runs"),
    [
        ("sm_80", "8.0", True),
        ("sm_80", "8.9", True),
        ("sm_86", "8.0", False),
        ("sm_86", "9.0", False),
        ("sm_37", "3.5", False),
        ("sm_120", "12.1", True),
        ("sm_100", "10.3", True),
        ("sm_12", "12.0", False),
        ("sm_90a", "9.0", True),
        ("sm_100a", "10.3", False),
        ("compute_90", "12.0", True),
        ("compute_90", "8.9", False),
        ("compute_90", "9.0", True),
        ("12.0+PTX", "13.0", True),
        ("12.0+PTX", "10.0", False),
        ("8.6", "8.9", True),
        ("8.6", "8.0", False),
        ("sm_", "8.0", False),
    ],
)
def test_what_runs_where(arch: str, capability: str, runs: bool) -> None:
    assert is_arch_compatible(arch, capability) is runs


@pytest.mark.parametrize(
    ("host", "torch", "tag"),
    [
        pytest.param(GTX_1080, "2.14.1", "cu126", id="GTX 1080 Ti on R580"),
        pytest.param(V100, "2.14.1", "cu126", id="V100 on R535"),
        pytest.param(H100, "2.14.1", "cu126", id="H100 on R535"),
        pytest.param(RTX_5090, "2.14.1", "cu130", id="RTX 5090 on R580"),
        pytest.param(K80, "2.7.1", "cu118", id="K80 on R470"),
        pytest.param(A100, "2.7.1", "cu118", id="A100 on R470"),
        pytest.param(
            WheelHost(driver="570.26", capabilities=("12.0",), python="3.12"),
            "2.11.0",
            "cu128",
            id="RTX 5090 on R570",
        ),
        pytest.param(
            WheelHost(driver="535.104.05", capabilities=("8.0",), glibc="2.17"),
            "2.6.0",
            "cu124",
            id="glibc of CentOS 7",
        ),
        pytest.param(
            WheelHost(driver="535.104.05", capabilities=("8.0",), glibc="2.28"),
            "2.14.1",
            "cu126",
            id="glibc just new enough",
        ),
        pytest.param(
            WheelHost(driver="535.104.05", python="3.9.18"), "2.8.0", "cu128", id="Python 3.9"
        ),
        pytest.param(
            WheelHost(driver="440.33", capabilities=("7.0",), python="3.7"),
            "1.12.1",
            "cu102",
            id="V100 on R440",
        ),
        pytest.param(
            WheelHost(driver="527.41", windows=True, capabilities=("8.6",)),
            "2.14.1",
            "cu126",
            id="Windows",
        ),
        pytest.param(WheelHost(machine="AMD64".lower()), "2.14.1", "cu130", id="nothing known"),
        pytest.param(
            WheelHost(driver="580.95.05", capabilities=("7.5", "6.1")),
            "2.14.1",
            "cu126",
            id="the older of two cards decides",
        ),
    ],
)
def test_the_newest_that_fits(host: WheelHost, torch: str, tag: str) -> None:
    assert choose_wheel(BUILDS, DRIVERS, host) == WheelChoice(torch=torch, tag=tag)


@pytest.mark.parametrize(
    ("host", "keep", "torch", "tag"),
    [
        (H100, "2.13.0", "2.13.0", "cu126"),
        (H100, "2.1.1", "2.1.1", "cu121"),
        (H100, "2.1.9", "2.1.2", "cu121"),
        (A100, "2.4.1", "2.4.1", "cu118"),
        (A100, "2.13.0", "2.7.1", "cu118"),
        (H100, "1.0.0", "2.14.1", "cu126"),
    ],
)
def test_its_own_release_is_tried_first(host: WheelHost, keep: str, torch: str, tag: str) -> None:
    chosen = choose_wheel(BUILDS, DRIVERS, host, keep=keep)

    assert chosen == WheelChoice(torch=torch, tag=tag)


def test_an_index_has_an_address() -> None:
    index = WheelChoice(torch="2.13.0", tag="cu126").index

    assert index == "https://download.pytorch.org/whl/cu126"


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        pytest.param(
            WheelHost(driver="535.104.05", capabilities=("8.0",), python="3.15.1"),
            "no torch wheel that fits this machine exists for Python 3.15: "
            "the newest is torch 2.14.1+cu126, for Python 3.10 to 3.14",
            id="Python too new",
        ),
        pytest.param(
            WheelHost(driver="470.42.01", capabilities=("8.0",), python="3.14.0"),
            "no torch wheel that fits this machine exists for Python 3.14: "
            "the newest is torch 2.7.1+cu118, for Python 3.9 to 3.13",
            id="Python too new for the last torch of this driver",
        ),
        pytest.param(
            WheelHost(driver="470.42.01", capabilities=("3.5",), python="3.10"),
            ("no recorded torch wheel supports compute capability 3.5 with driver 470.42.01"),
            id="K40",
        ),
        pytest.param(
            WheelHost(driver="390.12"),
            "no recorded torch wheel supports driver 390.12",
            id="driver of Fermi",
        ),
        pytest.param(
            WheelHost(glibc="2.27", python="3.14"),
            "no torch wheel that fits this machine exists for Python 3.14: "
            "the newest is torch 2.6.0+cu124, for Python 3.9 to 3.13",
            id="C library and Python",
        ),
        pytest.param(
            WheelHost(capabilities=("99.0",), machine="aarch64"),
            "there is no record of which code the torch wheels for aarch64 contain",
            id="ARM",
        ),
        pytest.param(
            WheelHost(capabilities=("1.2",)),
            "no recorded torch wheel supports compute capability 1.2",
            id="card only",
        ),
    ],
)
def test_none_has_a_reason(host: WheelHost, reason: str) -> None:
    assert choose_wheel(BUILDS, DRIVERS, host) == reason


@pytest.mark.parametrize(
    "wheel",
    [
        Wheel(torch="2.9", tag="cu130", cuda="13.0", **SURE),
        Wheel(torch="2.9", tag="cu130", cuda="13.0", arch=("9.0",), **UNSURE),
    ],
)
def test_rows_that_are_not_sure_are_never_chosen(wheel: Wheel) -> None:
    release = Release(torch="2.9", patches=("2.9.0",), python_from="3.10", python_to="3.14", **SURE)
    table = TorchBuilds(releases=(release,), wheels=(wheel,))

    assert isinstance(choose_wheel(table, DRIVERS, WheelHost()), str)


def test_no_table_no_torch(snapshot: SnapshotAssertion) -> None:
    assert choose_wheel(TorchBuilds(), DRIVERS, WheelHost()) == snapshot


@pytest.mark.parametrize(
    ("capabilities", "branch"),
    [
        (("7.0",), 580),
        (("6.1", "9.0"), 580),
        (("3.7",), 470),
        (("3.0",), 470),
        (("6.1", "3.5"), 470),
        (("2.1",), 390),
        (("7.5",), None),
        ((), None),
        (("99.0",), None),
    ],
)
def test_the_last_driver_of_a_card(capabilities: tuple[str, ...], branch: int | None) -> None:
    assert last_driver(DRIVERS, capabilities) == branch


@pytest.mark.parametrize(
    ("capabilities", "wanted", "possible"),
    [
        (("7.0",), "580.65.06", True),
        (("7.0",), "590.44.01", False),
        (("3.7",), "525.60.13", False),
        (("3.7",), "450.80.02", True),
        (("9.0",), "999.0", True),
        (("7.0",), "", True),
    ],
)
def test_a_driver_is_never_advised_beyond_it(
    capabilities: tuple[str, ...], wanted: str, possible: bool
) -> None:
    assert can_reach(DRIVERS, capabilities, wanted) is possible


@pytest.mark.parametrize(
    ("name", "torch", "requirement"),
    [
        ("torchvision", "2.13.0", "torchvision==0.28.0+cu126"),
        ("torchvision", "2.14.1", "torchvision==0.29.2"),
        ("torchvision", "1.6.0", "torchvision"),
        ("torchaudio", "2.10.0", "torchaudio==2.10.0+cu126"),
        ("torchaudio", "2.11.0", "torchaudio==2.11.0"),
        ("torchaudio", "0.1.0", "torchaudio"),
    ],
)
def test_companions(name: str, torch: str, requirement: str) -> None:
    choice = WheelChoice(torch=torch, tag="cu126")

    assert companion_requirement(PAIRS, name, choice) == requirement
