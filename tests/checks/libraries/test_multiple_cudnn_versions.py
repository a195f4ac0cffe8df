"""PDR815: cuDNN of several versions in the linker's way."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Libraries, Library
from pipedoctor_checks.libraries.multiple_cudnn_versions import (
    multiple_cudnn_versions as check,
)

SYSTEM = "/usr/lib/x86_64-linux-gnu"
CUDA = "/usr/local/cuda-11.8/lib64"
WHEEL = "/opt/venv/lib/python3.11/site-packages/nvidia/cudnn/lib"


def cudnn(
    version: str,
    folder: str = SYSTEM,
    *,
    stem: str = "libcudnn",
    by: str = "",
    chosen: bool = False,
    bundled: bool = False,
) -> Library:
    major = version.partition(".")[0]
    return Library(
        soname=f"{stem}.so.{major}",
        path=f"{folder}/{stem}.so.{version}",
        version=version,
        found_by=by,
        chosen=chosen,
        bundled=bundled,
    )


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param((cudnn("8.9.7"),), id="one"),
        pytest.param(
            (cudnn("8.9.7"), cudnn("8.9.7", stem="libcudnn_ops_infer")),
            id="sublibraries of one version",
        ),
        pytest.param((cudnn("8.9.7"), cudnn("8.9.7", CUDA)), id="one version in two folders"),
        pytest.param((cudnn("8.9.7"), cudnn("8", CUDA)), id="a link names its major"),
        pytest.param((cudnn("8.9.7"), cudnn("8.9", CUDA)), id="a link names its minor version"),
        pytest.param(
            (cudnn("8.9.7"), Library(soname="libcudnn.so", path="/x/libcudnn.so")),
            id="a file that tells no version",
        ),
        pytest.param(
            (
                cudnn("8.9.7"),
                Library(soname="libcublas.so.11", path="/x", version="11"),
            ),
            id="another library",
        ),
        pytest.param(
            (cudnn("9.10.2", WHEEL, by="DT_RPATH", chosen=True), cudnn("8.9.7")),
            id="torch's own by its path goes first",
        ),
        pytest.param(
            (cudnn("9.10.2", WHEEL, by="DT_RUNPATH"), cudnn("8.9.7")),
            id="only one outside of torch's own path",
        ),
        pytest.param(
            (cudnn("9.10.2", WHEEL, bundled=True), cudnn("8.9.7")),
            id="only one outside of the environment",
        ),
        pytest.param(
            (
                cudnn("9.10.2", WHEEL, bundled=True, chosen=True),
                cudnn("8.9.7"),
                cudnn("9.1.0", CUDA),
            ),
            id="two outside, and the environment's own is taken",
        ),
    ],
)
def test_silent(entries: tuple[Library, ...]) -> None:
    assert check(Libraries(entries=entries)) == []


def test_two_versions(snapshot: SnapshotAssertion) -> None:
    (finding,) = check(
        Libraries(
            entries=(
                cudnn("8.9.7"),
                cudnn("8.9.7", stem="libcudnn_ops_infer"),
                cudnn("8.10.0", CUDA),
            )
        )
    )

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == "cuDNN 8.9.7 and 8.10.0 are both installed"
    assert finding.evidence == {
        "versions": ["8.9.7", "8.10.0"],
        "paths": [f"{SYSTEM}/libcudnn.so.8.9.7", f"{CUDA}/libcudnn.so.8.10.0"],
    }
    (remedy,) = finding.remedies
    assert remedy.advice
    assert remedy.title == snapshot


def test_majors_differ_also_without_more(snapshot: SnapshotAssertion) -> None:
    (finding,) = check(Libraries(entries=(cudnn("7"), cudnn("8"), cudnn("8.1.0"))))

    assert finding.summary == snapshot


def test_three_versions_and_one_of_the_environment_that_is_not_taken(
    snapshot: SnapshotAssertion,
) -> None:
    entries = (
        cudnn("9.1.0", CUDA, by="LD_LIBRARY_PATH", chosen=True),
        cudnn("9.10.2", WHEEL, bundled=True),
        cudnn("8.9.7", by="cache"),
        cudnn("9.2.0", by="default"),
    )

    (finding,) = check(Libraries(entries=entries))

    assert finding.summary == snapshot


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    assert check.run(Facts(unknown={"libraries": "not in this text"})).skipped == (
        "libraries: not in this text"
    )
    assert check.run(Facts(Libraries())).skipped == snapshot


def test_a_record_gives_the_same_verdict() -> None:
    facts = Facts(Libraries(entries=(cudnn("8.9.7"), cudnn("7.6.5", CUDA))))

    again = Facts.from_record(facts.to_record())

    assert check.run(again) == check.run(facts)
    assert check.run(again).findings
