"""PDR814 compares the parts of cuDNN that would be loaded together."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import (
    Facts,
    Interpreter,
    Libraries,
    Library,
    Pin,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.libraries.cudnn_version_conflict import cudnn_version_conflict

PLACE = Interpreter(executable="/env/bin/python", manager="pip")
TENSOR_IR = "libcudnn_engines_tensor_ir.so.9"


def build(version: str = "2.13.0", pin: str = "9.20.0.48") -> TorchBuild:
    others = (Pin(name="nvidia-nccl-cu13", version="2.27"),)
    pins = (*others, Pin(name="nvidia-cudnn-cu13", version=pin)) if pin else others
    return TorchBuild(version=version, cuda="13.0", pins=pins)


def part(
    name: str, version: str = "9.20.0.48", by: str = "DT_RPATH", *, chosen: bool = True
) -> Library:
    bundled = by == "DT_RPATH"
    folder = "/env/nvidia/cudnn/lib" if bundled else "/usr/lib/x86_64-linux-gnu"
    return Library(
        soname=name,
        path=f"{folder}/{name}",
        version=version,
        found_by=by,
        wanted_by="torch/lib/libtorch_cuda.so",
        chosen=chosen,
        bundled=bundled,
    )


WHOLE = (part("libcudnn.so.9"), part("libcudnn_graph.so.9"))


def judge(*parts: Library, torch: TorchBuild | None = None, said: str = "") -> list[Finding]:
    outcome = TorchImport(ok=not said, error=said) if said else None
    return cudnn_version_conflict(Libraries(entries=parts), torch, outcome, PLACE)


@pytest.mark.parametrize(
    ("parts", "torch"),
    [
        pytest.param((), None, id="no cuDNN"),
        pytest.param(WHOLE, build(), id="one version, the pinned one"),
        pytest.param(WHOLE, build(pin="9.20.3"), id="the same minor release"),
        pytest.param(WHOLE, build(pin="9.19"), id="newer than pinned"),
        pytest.param(WHOLE, build(pin=""), id="no pin known"),
        pytest.param(
            (*WHOLE, part(TENSOR_IR, "9.23.1", "cache", chosen=False)),
            build(),
            id="another one that is not taken",
        ),
        pytest.param((*WHOLE, part(TENSOR_IR, "", "cache")), build(), id="version not known"),
        pytest.param(
            (part("libcudnn.so.9", ""), part(TENSOR_IR, "9.23.1", "cache")),
            build(pin=""),
            id="main version not known",
        ),
        pytest.param((part("libcublas.so.13", "13.0", "cache"),), build(), id="not cuDNN"),
    ],
)
def test_silent(parts: tuple[Library, ...], torch: TorchBuild | None) -> None:
    assert judge(*parts, torch=torch) == []


@pytest.mark.parametrize("version", ["2.12.1", "2.13.0"])
def test_a_part_of_the_system_is_mixed_in(version: str) -> None:
    stray = part(TENSOR_IR, "9.23.1", "cache")

    (finding,) = judge(*WHOLE, stray, torch=build(version))

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "libcudnn_engines_tensor_ir.so.9 9.23.1 from the system's library cache "
        "would be loaded together with cuDNN 9.20.0.48"
    )
    assert finding.evidence["loaded"][TENSOR_IR] == f"{stray.path} (cache)"
    assert [r.shell or r.title for r in finding.remedies] == [
        "/env/bin/python -m pip install 'torch>=2.14'",
        "/env/bin/python -m pip install 'nvidia-cudnn-cu13>=9.23'",
        (
            "Remove the cuDNN in /usr/lib/x86_64-linux-gnu, or exclude it from the "
            "system's library cache"
        ),
    ]


@pytest.mark.parametrize(
    ("torch", "name"),
    [(build("2.11.0"), TENSOR_IR), (build(), "libcudnn_ops.so.9"), (None, TENSOR_IR)],
)
def test_another_release_of_torch_is_no_remedy(
    torch: TorchBuild | None, name: str, snapshot: SnapshotAssertion
) -> None:
    stray = part(name, "9.23.1", "LD_LIBRARY_PATH")

    (finding,) = judge(*WHOLE, stray, torch=torch)

    assert [r.title for r in finding.remedies] == snapshot


def test_older_than_pinned(snapshot: SnapshotAssertion) -> None:
    old = part("libcudnn.so.9", "9.8.0", "LD_LIBRARY_PATH")

    (finding,) = judge(old, torch=build())

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.remedies[0].title == snapshot
    assert finding.remedies[0].advice


def test_the_compiled_version_counts_where_nothing_is_pinned(snapshot: SnapshotAssertion) -> None:
    torch = TorchBuild(version="2.0.0", cuda="11.7", cudnn="8.7.0")
    old = part("libcudnn.so.8", "8.2.4", "LD_LIBRARY_PATH")

    (finding,) = judge(old, torch=torch)

    assert finding.summary == snapshot


@pytest.mark.parametrize(
    "said",
    [
        (
            "RuntimeError: cuDNN version incompatibility: PyTorch was compiled "
            " against (8, 7, 0) but found runtime version (8, 2, 4)"
        ),
        "cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
    ],
)
def test_torch_itself_complains(said: str, snapshot: SnapshotAssertion) -> None:
    outcome = TorchImport(ok=False, error=said)

    (finding,) = cudnn_version_conflict(None, None, outcome, PLACE)

    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot
    assert finding.evidence["said"] == said
    assert finding.remedies[0].title == snapshot


def test_a_complaint_of_cuda_counts_too() -> None:
    outcome = TorchImport(ok=True, cuda_error="CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH")

    assert len(cudnn_version_conflict(None, None, outcome, None)) == 1


def test_a_certain_conflict_names_what_is_wrong() -> None:
    stray = part(TENSOR_IR, "9.23.1", "cache")

    (finding,) = judge(*WHOLE, stray, said="CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH")

    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary.startswith(TENSOR_IR)


def test_unknown_is_not_health() -> None:
    reason = "libraries: not collected"

    assert cudnn_version_conflict.run(Facts()).skipped == reason
    assert cudnn_version_conflict.run(Facts(TorchImport(ok=True))).skipped == reason
