"""What is read of torch and its build."""

import pytest

from pipedoctor.facts import (
    TorchBuild,
    TorchImport,
)
from pipedoctor.text import read_environment
from tests.text.collector_lines import BEGIN, read_lines


@pytest.mark.parametrize(
    ("version", "build"),
    [
        ("2.4.0+cu121", TorchBuild(version="2.4.0", local="cu121", cuda="12.1")),
        ("1.5.0+cu92", TorchBuild(version="1.5.0", local="cu92", cuda="9.2")),
        ("2.4.0+cpu", TorchBuild(version="2.4.0", local="cpu")),
        (
            "2.6.0+rocm6.2.4",
            TorchBuild(version="2.6.0", local="rocm6.2.4", hip="6.2.4"),
        ),
        (
            "2.8.0+xpu",
            TorchBuild(version="2.8.0", local="xpu", xpu="unknown version"),
        ),
        ("2.4.0", TorchBuild(version="2.4.0", known_backend=False)),
        (
            "1.9.0a0+gitd69c22d",
            TorchBuild(version="1.9.0a0", local="gitd69c22d", known_backend=False),
        ),
        (
            "2.1.0a0+4136153.nv23.06",
            TorchBuild(version="2.1.0a0", local="4136153.nv23.06", known_backend=False),
        ),
    ],
)
def test_the_name_of_a_build(version: str, build: TorchBuild) -> None:
    facts = read_lines(begin=f"PyTorch version: {version}\nIs debug build: No\n")

    torch = facts.get(TorchBuild)
    assert torch is not None
    assert torch == TorchBuild(
        version=build.version,
        local=build.local,
        cuda=build.cuda,
        hip=build.hip,
        xpu=build.xpu,
        known_backend=build.known_backend,
        origin="text",
    )
    assert facts.get(TorchImport) == TorchImport(ok=True, version=version)


@pytest.mark.parametrize(
    ("build", "cuda", "known"),
    [
        ("py3.7_cuda10.1.243_cudnn7.6.3_0", "10.1", True),
        ("cuda112py37h76afcab_0", "11.2", True),
        ("cuda100py37h53c1284_0", "10.0", True),
        ("py3.9_cpu_0", "", True),
        ("cpu_mkl_py312_h446997d_101", "", True),
        ("py37h0b31af3_0", "", False),
    ],
)
def test_the_build_string_of_conda(build: str, cuda: str, known: bool) -> None:
    torch = read_lines(f"[conda] pytorch 2.4.0 {build} pytorch").get(TorchBuild)

    assert torch is not None
    assert (torch.cuda, torch.known_backend) == (cuda, known)
    assert torch.conda_build == build


def test_a_debug_build() -> None:
    torch = read_lines(begin="PyTorch version: 2.4.0\nIs debug build: Yes\n").get(TorchBuild)

    assert torch is not None
    assert torch.debug


def test_a_hip_runtime_in_the_list_of_a_build() -> None:
    torch = read_lines("PyTorch built with:", "  - HIP Runtime 5.4").get(TorchBuild)

    assert torch is not None
    assert torch.hip == "5.4"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Is CUDA available: Yes", True),
        ("Is CUDA available: True", True),
        ("Is CUDA available: False", False),
        ("Is CUDA available: No", False),
        ("GPU available            No: torch.cuda.is_available() == False", False),
        ("Is CUDA available: N/A", None),
    ],
)
def test_is_cuda_available(line: str, expected: bool | None) -> None:
    outcome = read_lines(line).get(TorchImport)

    assert outcome is not None
    assert outcome.cuda_available is expected


def test_a_second_framework_takes_the_weight_off_the_missing_one() -> None:
    begin = "PyTorch version: N/A (torchvision N/A)\nTensorFlow version: 2.4.4\n"

    outcome = read_lines("Is CUDA available (PyTorch): N/A", begin=begin).get(TorchImport)

    assert outcome is not None
    assert outcome.error == "No module named 'torch': PyTorch version: N/A"


def test_what_a_warning_says_of_numpy() -> None:
    outcome = read_lines(begin=f"UserWarning: Failed to initialize NumPy: x\n{BEGIN}").get(
        TorchImport
    )

    assert outcome is not None
    assert outcome.numpy_ok is False
    assert outcome.warnings == ("UserWarning: Failed to initialize NumPy: x",)


def test_no_word_of_an_import() -> None:
    lines = "Python version: 3.9\n[conda] pytorch 1.9.0 py3.9_cpu_0 pytorch\n"

    assert read_environment(lines.encode()).facts.get(TorchImport) is None


@pytest.mark.parametrize(
    "line", ["Is CUDA available: False", "UserWarning: Failed to initialize NumPy: x"]
)
def test_half_a_word_of_an_import(line: str) -> None:
    lines = f"{line}\nPython version: 3.9\n[conda] pytorch 1.9.0 py3.9_cpu_0 pytorch\n"

    outcome = read_environment(lines.encode()).facts.get(TorchImport)

    assert outcome is not None
    assert (outcome.ok, outcome.version) == (True, "")


def test_other_warnings_say_nothing_of_numpy() -> None:
    outcome = read_lines(begin=f"CUDA initialization: CUDA unknown error\n{BEGIN}").get(TorchImport)

    assert outcome is not None
    assert outcome.numpy_ok is None


def test_the_build_of_another_version_is_not_taken() -> None:
    torch = read_lines("[conda] pytorch 2.3.0 py3.9_cpu_0 pytorch").get(TorchBuild)

    assert torch is not None
    assert torch.conda_build == ""
    assert not torch.known_backend
