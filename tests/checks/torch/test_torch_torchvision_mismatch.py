"""PDR831 pairs torchvision with torch as they were released."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import (
    Distribution,
    Facts,
    Interpreter,
    Missing,
    Packages,
    Requirements,
    TorchBuild,
)
from pipedoctor_checks.torch.torch_torchvision_mismatch import (
    torch_torchvision_mismatch,
)

TABLES = get_catalogue().tables
PYTHON = Interpreter(executable="/venv/bin/python")


def vision(version: str, **more: Any) -> Distribution:
    return Distribution(name="torchvision", version=version, **more)


def pair(torch: str, torchvision: str) -> tuple[TorchBuild, Packages]:
    return TorchBuild(version=torch), Packages(entries=(vision(torchvision),))


def judged(*facts: Any) -> list[Finding]:
    return list(torch_torchvision_mismatch.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    ("torch", "torchvision"),
    [
        pytest.param("2.13.0", "0.28.0", id="pair"),
        pytest.param("2.12.1", "0.27.1", id="pair with patch level"),
        pytest.param("2.1.2", "0.16.2", id="series"),
        pytest.param("1.9.0", "0.10.1", id="patch level not recorded"),
        pytest.param("2.15.0", "0.29.2", id="stable ABI serves newer"),
        pytest.param("2.14.0", "0.29.1", id="stable ABI from here"),
        pytest.param("2.15.0", "0.30.0", id="newer than the table"),
        pytest.param("2.14.1", "0.29.5", id="series serves newer"),
        pytest.param("1.0.1", "0.2.2", id="the old one"),
        pytest.param("1.2.0", "0.4.0+cu92", id="local version"),
        pytest.param("1.8.0a0", "0.9.0a0", id="two source builds"),
        pytest.param("2.9.0.dev20250901", "0.20.0.dev20250901", id="two nightlies"),
        pytest.param("2.1.0a0", "0.16.0", id="source build with its release"),
        pytest.param("2.5.0a0", "0.20.1", id="its patch level means nothing"),
        pytest.param("2.5.0", "0.20.1a0", id="nor does that of the companion"),
        pytest.param("2.1.0", "0.16.0a0", id="release with its source build"),
    ],
)
def test_silent(torch: str, torchvision: str) -> None:
    assert judged(*pair(torch, torchvision)) == []


@pytest.mark.parametrize(
    ("torch", "torchvision", "wanted"),
    [
        pytest.param("1.9.0", "0.7.0", "1.6", id="two years apart"),
        pytest.param("1.9.0", "0.2.2", "<=1.0.1", id="the pure one"),
        pytest.param("2.13.0", "0.29.1", ">=2.14.0", id="torch too old"),
        pytest.param("2.13.0", "0.27.0", "2.12.0", id="one release apart"),
        pytest.param("2.10.0", "0.16.0", "2.1", id="2.10 is not 2.1"),
    ],
)
def test_another_release_breaks(torch: str, torchvision: str, wanted: str) -> None:
    (finding,) = judged(*pair(torch, torchvision))

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == (
        f"torchvision {torchvision} was built for torch {wanted}, but torch {torch} is installed"
    )


def test_only_the_patch_level_is_a_risk(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(*pair("2.5.0", "0.20.1"))

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot


@pytest.mark.parametrize(
    ("torch", "torchvision"),
    [("1.14.0.dev20221119", "0.13.1"), ("2.13.0", "0.26.0a0"), ("2.13.0", "0.26.7")],
)
def test_of_nightlies_and_unlisted_patches_another_series_is_judged(
    torch: str, torchvision: str
) -> None:
    (finding,) = judged(*pair(torch, torchvision))

    assert finding.severity is Severity.BREAKS
    nightly = torchvision != "0.26.7"
    assert finding.confidence is (Confidence.LIKELY if nightly else Confidence.CERTAIN)


def test_its_own_metadata_comes_first() -> None:
    torch, packages = pair("2.13.0", "0.28.0")
    unmet = Requirements(
        unmet=(
            Missing(owner="torchaudio", requirement="torch==2.9.0"),
            Missing(owner="torchvision", requirement="torchdata>=1"),
            Missing(owner="torchvision", requirement="torch==2.13.1"),
        )
    )

    (finding,) = judged(torch, packages, unmet)

    assert finding.severity is Severity.RISKS
    assert finding.evidence["wanted"] == "2.13.1"
    assert judged(torch, packages, Requirements()) == []
    least = Missing(owner="torchvision", requirement="torch>=2.13.1")
    (other,) = judged(torch, packages, Requirements(unmet=(least,)))
    assert other.severity is Severity.BREAKS


def test_conda_forge_pairs_its_own() -> None:
    forge: dict[str, Any] = {"channel": "conda-forge", "build": "cuda126_py312_0"}
    both = Packages(
        entries=(
            vision("0.20.1", **forge),
            Distribution(name="pytorch", version="2.6.0", **forge),
        )
    )
    other = Packages(entries=(vision("0.20.1", channel="pkgs/main"), both.entries[1]))
    alone = Packages(entries=(vision("0.20.1", **forge),))
    mixed = Packages(
        entries=(
            vision("0.20.1", **forge),
            Distribution(name="torch", version="2.6.0", channel="pytorch"),
        )
    )

    assert judged(TorchBuild(version="2.6.0"), both) == []
    assert judged(TorchBuild(version="2.6.0"), other) != []
    assert judged(TorchBuild(version="2.6.0"), alone) != []
    assert judged(TorchBuild(version="2.6.0"), mixed) != []
    assert judged(Packages(entries=alone.entries[:1] + mixed.entries[1:])) != []


def test_of_located_copies_the_imported_one_counts() -> None:
    first = vision("0.27.0", location="/a")
    second = vision("0.28.0", location="/b")
    torch = TorchBuild(version="2.13.0")

    assert judged(torch, Packages(entries=(first, second))) != []
    assert judged(torch, Packages(entries=(second, first))) == []


def test_of_copies_in_a_text_one_that_fits_is_enough() -> None:
    copies = Packages(entries=(vision("0.4.0"), vision("0.4.1")), complete=False)

    assert judged(TorchBuild(version="1.3.0"), copies) == []
    assert judged(TorchBuild(version="1.8.0"), copies) != []


def test_torch_may_be_known_from_the_list_alone(snapshot: SnapshotAssertion) -> None:
    listed = Packages(entries=(Distribution(name="torch", version="2.13.0+cpu"), vision("0.27.0")))

    (finding,) = judged(listed)

    assert finding.summary == snapshot
    conda = Packages(entries=(Distribution(name="pytorch", version="2.13.0"), vision("0.27.0")))
    assert judged(conda)[0].summary == finding.summary


@pytest.mark.parametrize(
    ("torch", "shell"),
    [
        (
            TorchBuild(version="2.13.0"),
            "/venv/bin/python -m pip install torchvision==0.28.0",
        ),
        (
            TorchBuild(version="2.13.0", local="cu126"),
            (
                "/venv/bin/python -m pip install torchvision==0.28.0+cu126 "
                "--index-url https://download.pytorch.org/whl/cu126"
            ),
        ),
        (
            TorchBuild(version="2.13.0", local="ours"),
            "/venv/bin/python -m pip install torchvision==0.28.0",
        ),
        (TorchBuild(version="2.13.0", conda_build="cuda126_py312_0"), ""),
        (TorchBuild(version="1.6.0"), ""),
        (TorchBuild(version="2.12.0.dev20260101"), ""),
    ],
)
def test_the_remedy_is_the_one_of_this_torch(torch: TorchBuild, shell: str) -> None:
    packages = Packages(entries=(vision("0.25.0"),))

    (finding,) = judged(torch, packages, PYTHON)

    (remedy,) = finding.remedies
    assert remedy.shell == shell
    assert remedy.advice


def test_uv_installs_where_uv_made_the_environment() -> None:
    place = Interpreter(executable="/venv/bin/python", manager="uv")

    (finding,) = judged(*pair("2.13.0", "0.25.0"), place)

    assert finding.remedies[0].shell == (
        "uv pip install --python /venv/bin/python torchvision==0.28.0"
    )


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ((TorchBuild(version="2.13.0"), Packages()), "torchvision is not installed"),
        (
            (TorchBuild(version="2.13.0"), Packages(complete=False)),
            "torchvision is not in this text",
        ),
        ((Packages(entries=(vision("0.28.0"),)),), "torch is not installed"),
    ],
)
def test_unknown_is_not_health(facts: tuple[Any, ...], reason: str) -> None:
    verdict = torch_torchvision_mismatch.run(Facts(*TABLES, *facts))

    assert verdict.skipped == reason


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(*pair("1.9.0", "0.7.0"))
    record = json.loads(json.dumps(facts.to_record()))

    again = torch_torchvision_mismatch.run(Facts.from_record(record).merge(*TABLES))

    assert again == torch_torchvision_mismatch.run(facts.merge(*TABLES))
    assert again.findings


def test_a_line_of_pip_that_repeats_conda_forges_torch() -> None:
    forge: dict[str, Any] = {"installer": "conda", "channel": "conda-forge"}
    entries = (
        Distribution(name="torch", version="2.2.0", installer="pip"),
        Distribution(name="pytorch", version="2.2.0", **forge),
        vision("0.16.2", **forge),
    )

    packages = Packages(entries=entries, complete=False)

    assert judged(TorchBuild(version="2.2.0"), packages) == []
