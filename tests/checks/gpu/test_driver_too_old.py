"""PDR801 compares the driver with the family minimum, never with the toolkit's own."""

import io
import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation.explain import explain_log
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.facts import (
    Accelerators,
    Device,
    Distribution,
    Facts,
    Gpu,
    Interpreter,
    Packages,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor.log.read import read_log
from pipedoctor_checks.gpu.driver_too_old import driver_too_old

TABLES = get_catalogue().tables
LINUX = Site(system="linux", machine="x86_64")
WINDOWS = Site(system="windows", machine="AMD64")
WSL = Site(system="linux", machine="x86_64", wsl=True)
PYTHON = Interpreter(version="3.11.7", executable="/venv/bin/python", glibc="2.36")
OLD_WORDS = (
    "CUDA initialization: The NVIDIA driver on your system is too old "
    "(found version 11040). Please update your GPU driver"
)


def torch(version: str, cuda: str, **more: Any) -> TorchBuild:
    return TorchBuild(version=version, cuda=cuda, **more)


def card(driver: str, capability: str = "8.0", name: str = "NVIDIA A100") -> Gpu:
    device = Device(index=0, name=name, capability=capability)
    return Gpu(driver=driver, devices=(device,))


def asked(available: bool, *warnings: str) -> TorchImport:
    return TorchImport(ok=True, cuda_available=available, warnings=warnings)


def judged(*facts: Any) -> list[Finding]:
    return list(driver_too_old.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    ("build", "driver", "site"),
    [
        pytest.param(torch("2.4.0", "12.4"), "525.60.13", LINUX, id="12.4 on first R525"),
        pytest.param(torch("2.7.0", "12.8"), "535.104.05", LINUX, id="below toolkit's"),
        pytest.param(torch("1.13.1", "11.7"), "450.80.02", LINUX, id="11.7 on first R450"),
        pytest.param(torch("1.7.0", "11.0"), "450.51.05", LINUX, id="11.0 has its own"),
        pytest.param(torch("2.13.0", "13.0"), "580.65.06", LINUX, id="13.0 on first R580"),
        pytest.param(torch("2.14.0", "13.2"), "580.65.06", LINUX, id="13.2 on first R580"),
        pytest.param(torch("2.0.1", "11.8"), "595.45.04", LINUX, id="older CUDA on newest"),
        pytest.param(torch("1.5.0", "10.2.89"), "440.33", LINUX, id="10.2 exactly"),
        pytest.param(torch("1.1.0", "9.0.176"), "384.81", LINUX, id="9.0 exactly"),
        pytest.param(torch("2.4.0", "12.1"), "527.41", WINDOWS, id="12 on Windows"),
        pytest.param(torch("2.0.0", "11.8"), "452.39", WINDOWS, id="11 on Windows"),
        pytest.param(torch("2.4.0", "12.1"), "551.88", WSL, id="WSL"),
        pytest.param(torch("2.13.0", ""), "470.57.02", LINUX, id="CPU build"),
        pytest.param(torch("2.13.0", "", hip="7.2"), "470.57.02", LINUX, id="ROCm build"),
    ],
)
def test_silent(build: TorchBuild, driver: str, site: Site) -> None:
    verdict = driver_too_old.run(Facts(*TABLES, build, card(driver), site))

    assert verdict.findings == ()
    assert verdict.skipped == ""


def test_nobody_knows_the_system_so_the_lower_number_counts() -> None:
    assert judged(torch("2.4.0", "12.1"), card("525.60.13")) == []
    assert judged(torch("2.4.0", "12.1"), card("525.60.12")) != []


def test_cuda_that_works_is_no_fault() -> None:
    assert judged(torch("2.4.0", "12.1"), card("470.57.02"), asked(True)) == []


@pytest.mark.parametrize(
    ("build", "driver", "site", "least"),
    [
        pytest.param(torch("2.4.0", "12.4"), "515.65.01", LINUX, "525.60.13", id="12"),
        pytest.param(torch("2.0.0", "11.8"), "440.100", LINUX, "450.80.02", id="11"),
        pytest.param(torch("2.13.0", "13.0"), "570.26", LINUX, "580.65.06", id="13"),
        pytest.param(torch("1.3.0", "10.1.243"), "410.104", LINUX, "418.39", id="10.1"),
        pytest.param(torch("2.4.0", "12.1"), "522.06", WINDOWS, "527.41", id="Windows"),
        pytest.param(torch("2.13.0", "13.0"), "576.57", WSL, "580", id="WSL"),
    ],
)
def test_an_older_driver_breaks(build: TorchBuild, driver: str, site: Site, least: str) -> None:
    (finding,) = judged(build, card(driver), site)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.evidence == {
        "gpu.driver": driver,
        "torch.cuda": build.cuda,
        "minimum": least,
    }


def test_it_says_what_is_needed_and_names_a_torch_that_fits(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(torch("2.13.0", "13.0"), card("535.104.05"), LINUX, PYTHON, asked(False))

    assert finding.summary == (
        "torch 2.13.0 for CUDA 13.0 needs driver 580.65.06 or newer, but this "
        "machine has driver 535.104.05"
    )
    keep, newest, driver = finding.remedies
    assert keep.shell == (
        "/venv/bin/python -m pip install torch==2.13.0+cu126 torchvision==0.28.0+cu126 "
        "--index-url https://download.pytorch.org/whl/cu126"
    )
    assert keep.advice
    assert "torch==2.14.1+cu126" in newest.argv
    assert driver.title == snapshot


def test_companions_change_in_the_same_line() -> None:
    packages = Packages(
        entries=(
            Distribution(name="torchvision", version="0.28.0"),
            Distribution(name="torchaudio", version="2.11.0"),
        )
    )

    (finding,) = judged(torch("2.13.0", "13.0"), card("535.104.05"), LINUX, PYTHON, packages)

    assert finding.remedies[0].argv[4:7] == (
        "torch==2.13.0+cu126",
        "torchvision==0.28.0+cu126",
        "torchaudio==2.11.0",
    )


def test_a_card_that_ends_before_gets_no_advice_to_update(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(
        torch("2.13.0", "13.0"), card("470.42.01", "3.7", "Tesla K80"), LINUX, PYTHON
    )

    assert [remedy.title for remedy in finding.remedies] == snapshot


def test_a_card_whose_last_driver_will_do_hears_where_it_ends(snapshot: SnapshotAssertion) -> None:
    gpu = card("535.104.05", "7.0", "Tesla V100-SXM2-16GB")

    (finding,) = judged(torch("2.13.0", "13.0"), gpu, LINUX, PYTHON)

    assert "whl/cu126" in finding.remedies[0].shell
    assert finding.remedies[-1].title == snapshot


def test_a_card_that_ends_later_hears_where(snapshot: SnapshotAssertion) -> None:
    gpu = card("470.42.01", "7.0", "Tesla V100-SXM2-16GB")

    (finding,) = judged(torch("2.4.0", "12.1"), gpu, LINUX, PYTHON)

    assert finding.remedies[-1].title == snapshot


def test_in_a_container_the_driver_is_the_hosts(snapshot: SnapshotAssertion) -> None:
    inside = Site(system="linux", machine="x86_64", container="docker")

    (finding,) = judged(torch("2.13.0", "13.0"), card("535.104.05"), inside, PYTHON)

    assert finding.remedies[-1].title == snapshot


def test_where_no_torch_fits_the_driver_comes_first(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(torch("1.5.0", "10.2"), card("410.104", "7.5"), LINUX, PYTHON)

    assert [remedy.title for remedy in finding.remedies] == snapshot


def test_torch_says_so_itself(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(torch("2.4.0", "12.1"), asked(False, OLD_WORDS), LINUX)

    assert finding.summary == snapshot
    assert finding.confidence is Confidence.CERTAIN
    assert [remedy.argv[-1:] for remedy in finding.remedies] == [
        ("https://download.pytorch.org/whl/cu118",),
        ("https://download.pytorch.org/whl/cu118",),
        (),
    ]


def test_of_the_same_branch_it_is_only_likely() -> None:
    (finding,) = judged(torch("2.4.0", "12.1"), card("525.53"), LINUX)

    assert finding.confidence is Confidence.LIKELY


def test_forward_compatibility_may_help_and_makes_it_a_risk() -> None:
    compat = Accelerators(compat_libcuda=("/usr/local/cuda/compat/libcuda.so.1",))

    (finding,) = judged(torch("2.4.0", "12.1"), card("470.57.02"), LINUX, compat)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY


def test_no_package_of_it_no_hope() -> None:
    (finding,) = judged(torch("2.4.0", "12.1"), card("470.57.02"), LINUX, Accelerators())

    assert finding.severity is Severity.BREAKS


def test_torchs_own_words_leave_no_doubt() -> None:
    compat = Accelerators(compat_libcuda=("/usr/local/cuda/compat/libcuda.so.1",))

    (finding,) = judged(
        torch("2.4.0", "12.1"), card("525.53"), asked(False, OLD_WORDS), LINUX, compat
    )

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param((), "the driver's version is not known", id="no GPU facts"),
        pytest.param((Gpu(),), "the driver's version is not known", id="no number"),
        pytest.param((card("N/A"),), "the driver's version is not known", id="words"),
        pytest.param(
            (card("540.4.0"), Accelerators(jetson=True)),
            "the driver of a Jetson is part of its JetPack",
            id="Jetson",
        ),
    ],
)
def test_unknown_is_not_health(facts: tuple[Any, ...], reason: str) -> None:
    verdict = driver_too_old.run(Facts(*TABLES, torch("2.4.0", "12.1"), *facts))

    assert verdict.skipped == reason


def test_a_cuda_newer_than_the_tables_is_not_judged(snapshot: SnapshotAssertion) -> None:
    verdict = driver_too_old.run(Facts(*TABLES, torch("3.0.0", "14.0"), card("580.1")))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(torch("2.4.0", "12.1"), card("470.57.02"), LINUX, asked(False))
    record = json.loads(json.dumps(facts.to_record()))

    again = driver_too_old.run(Facts.from_record(record).merge(*TABLES))

    assert again == driver_too_old.run(facts.merge(*TABLES))
    assert again.findings


@pytest.mark.parametrize(
    ("python", "first"),
    [
        pytest.param(None, "Update the NVIDIA driver", id="a Python that nobody named"),
        pytest.param(Interpreter(version="3.9.7"), "Install torch 1.8.1", id="an old Python"),
    ],
)
def test_a_torch_for_old_pythons_comes_first_for_them_alone(
    python: Interpreter | None, first: str
) -> None:
    (finding,) = judged(
        *filter(None, (torch("2.4.0", "12.4"), card("418.39", "6.1"), LINUX, python))
    )

    assert finding.remedies[0].title.startswith(first)


def test_a_cuda_older_than_every_record_gets_no_torch() -> None:
    book = load_signatures()
    text = b"The NVIDIA driver on your system is too old (found version 6050)."
    said = explain_log(read_log(io.BytesIO(text), book), book, facts=lambda _: Facts())

    assert all("torch" not in one.title for one in said.causes[0].remedies)
    assert "driver" in said.causes[0].remedies[0].title
