"""What is read of cards and drivers."""

import pytest

from pipedoctor.facts import (
    Accelerators,
    Device,
    Gpu,
    TorchBuild,
    TorchImport,
)
from tests.text.collector_lines import BEGIN, read_lines


@pytest.mark.parametrize(
    ("lines", "devices"),
    [
        (("GPU 0: Tesla T4",), (Device(index=0, name="Tesla T4"),)),
        (
            ("GPU 0,2: NVIDIA L4",),
            (Device(index=0, name="NVIDIA L4"), Device(index=1, name="NVIDIA L4")),
        ),
        (
            ("GPU 0: NVIDIA H100 (UUID: GPU-12ab)",),
            (Device(index=0, name="NVIDIA H100", uuid="GPU-12ab"),),
        ),
        (("GPU 0: AMD Radeon RX 7900 XTX",), ()),
        (("GPU 0: Could not collect",), ()),
        (("GPU models and configuration: GRID T4-8Q",), ("GRID T4-8Q",)),
        (("GPU models and configuration: Radeon Pro 560",), ()),
        (("GPU models and configuration: Device 66a1",), ()),
    ],
)
def test_cards(lines: tuple[str, ...], devices: tuple[Device | str, ...]) -> None:
    gpu = read_lines(*lines).get(Gpu)

    expected = tuple(
        Device(index=0, name=card) if isinstance(card, str) else card for card in devices
    )
    assert (gpu.devices if gpu else ()) == expected


def test_a_slice_of_a_card() -> None:
    gpu = read_lines(
        "GPU models and configuration: GPU 0: NVIDIA A100-PCIE-40GB",
        "  MIG 1g.5gb     Device  0: (UUID: MIG-aaaa)",
    ).get(Gpu)

    assert gpu is not None
    assert gpu.devices == (Device(index=0, name="NVIDIA A100-PCIE-40GB", mig=True),)


@pytest.mark.parametrize(
    ("value", "driver"),
    [
        ("384.111", "384.111"),
        ("525.85.12", "525.85.12"),
        ("552.22", "552.22"),
        ("1.1.0", ""),
        ("Could not collect", ""),
        ("N/A", ""),
    ],
)
def test_drivers(value: str, driver: str) -> None:
    gpu = read_lines(f"Nvidia driver version: {value}").get(Gpu)

    assert (gpu.driver if gpu else "") == driver


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch", 18),
        (
            "NVIDIA-SMI failed: it couldn't communicate with the NVIDIA driver",
            9,
        ),
    ],
)
def test_what_nvidia_smi_complains_of(words: str, code: int) -> None:
    gpu = read_lines(f"Nvidia driver version: {words}").get(Gpu)

    assert gpu is not None
    assert (gpu.error, gpu.error_code) == (words, code)


GONE = (
    "GPU models and configuration: Could not collect",
    "Nvidia driver version: Could not collect",
)


@pytest.mark.parametrize(
    ("lines", "accelerators"),
    [
        (GONE, Accelerators(toolkit="toolkit")),
        ((*GONE, "CUDA runtime version: 12.1.105"), Accelerators(toolkit="12.1.105")),
        ((*GONE, "CUDA runtime version: N/A"), Accelerators(toolkit="toolkit")),
        ((GONE[0],), None),
        ((GONE[1],), None),
        (("GPU models and configuration: No CUDA",), Accelerators(pci=())),
        (("Nvidia driver version: No CUDA",), Accelerators(pci=())),
        (("Nvidia driver version: 535.54.03",), Accelerators()),
        (("CUDA runtime version: 12.1.105",), None),
        (
            ("CUDA used to build PyTorch: Could not collect",),
            Accelerators(signs=("some part of CUDA",)),
        ),
        (
            (
                *GONE,
                "CUDA runtime version: 12.1.105",
                "CUDA used to build PyTorch: Could not collect",
            ),
            Accelerators(toolkit="12.1.105"),
        ),
        (
            (*GONE, "Python platform: Linux-5.10.104-tegra-aarch64-with-glibc2.29"),
            Accelerators(jetson=True, toolkit="toolkit"),
        ),
        (
            (*GONE, "OS: Ubuntu 20.04 LTS (aarch64)"),
            Accelerators(jetson=True, toolkit="toolkit"),
        ),
        (
            (
                *GONE,
                "OS: Ubuntu 24.04 LTS (aarch64)",
                "Python platform: Linux-6.8.0-1010-nvidia-aarch64-with-glibc2.39",
            ),
            Accelerators(toolkit="toolkit"),
        ),
        (("GPU 0: Orin (nvgpu)",), Accelerators(jetson=True)),
        (("ROCM used to build PyTorch: 6.1.4", *GONE), "rocm"),
    ],
)
def test_what_follows_for_the_hardware(
    lines: tuple[str, ...], accelerators: Accelerators | str | None
) -> None:
    found = read_lines(*lines).get(Accelerators)

    if accelerators == "rocm":
        assert found is not None
        assert found.rocm
    else:
        assert found == accelerators


def test_nothing_follows_where_torch_does_not_import() -> None:
    facts = read_lines(*GONE, begin="PyTorch version: N/A\nIs debug build: N/A\n")

    assert facts.get(Accelerators) is None
    assert facts.get(TorchBuild) is None
    assert facts.get(TorchImport) == TorchImport(ok=False, error="PyTorch version: N/A")


def test_a_driver_that_torch_calls_too_old_is_there() -> None:
    warning = "CUDA initialization: The NVIDIA driver on your system is too old (found"

    facts = read_lines(*GONE, begin=f"{warning} version 10010)\n{BEGIN}")

    assert facts.get(Accelerators) is None


@pytest.mark.parametrize(
    ("gpus", "driver"),
    [
        ("GPU 0: NVIDIA GH200 480GB", "Could not collect"),
        ("Could not collect", "550.54"),
    ],
)
def test_an_arm_server_is_no_jetson(gpus: str, driver: str) -> None:
    found = read_lines(
        "OS: Ubuntu 22.04 LTS (aarch64)",
        f"GPU models and configuration: {gpus}",
        f"Nvidia driver version: {driver}",
    ).get(Accelerators)

    assert found == Accelerators()
