"""PDR846 speaks of illegal instructions, and of binaries known to need more."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import (
    Cpu,
    Decoder,
    Distribution,
    Facts,
    ImageStack,
    Interpreter,
    Packages,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.libraries.cpu_lacks_instruction_set import (
    cpu_lacks_instruction_set,
)

OLD, PLAIN = ("sse2",), ("sse2", "sse4_2")
MODERN = ("sse2", "sse4_2", "avx", "avx2")


def judge(
    flags: tuple[str, ...],
    *,
    numpy: str = "",
    installer: str = "pip",
    torch: TorchBuild | None = None,
    simd: str | None = None,
) -> list[Finding]:
    copy = Distribution(name="numpy", version=numpy, installer=installer)
    fork = Decoder(name="pillow-simd", version="12.1.1.post0", simd=simd or "")
    return cpu_lacks_instruction_set(
        Cpu(logical=4, model="Old CPU", flags=flags),
        TorchImport(ok=True),
        torch,
        Packages(entries=(copy,) if numpy else ()),
        ImageStack(decoders=(fork,) if simd is not None else ()),
        Interpreter(executable="/env/bin/python"),
    )


ROCM = TorchBuild(version="2.13.0", hip="7.2")


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge(MODERN, numpy="2.4.6", torch=ROCM, simd="avx2"), id="modern"),
        pytest.param(judge((), numpy="2.4.6", torch=ROCM, simd="avx2"), id="ARM"),
        pytest.param(judge(PLAIN, numpy="2.4.0"), id="SSE4.2 is enough for numpy"),
        pytest.param(judge(OLD, numpy="2.3.5"), id="numpy before"),
        pytest.param(judge(OLD, numpy="2.4.6", installer="conda"), id="numpy of conda"),
        pytest.param(judge(OLD), id="no numpy"),
        pytest.param(
            judge(PLAIN, torch=TorchBuild(version="2.13.0", cuda="13.0")),
            id="torch chooses at run time",
        ),
        pytest.param(judge(("sse2", "avx"), torch=ROCM), id="AVX is enough for ROCm"),
        pytest.param(judge(PLAIN, simd=""), id="Pillow-SIMD for who knows what"),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


def test_the_import_died_of_it(snapshot: SnapshotAssertion) -> None:
    (finding,) = cpu_lacks_instruction_set(
        Cpu(logical=4, model="Old CPU", flags=PLAIN),
        TorchImport(ok=False, signal="SIGILL"),
        None,
        None,
        None,
        None,
    )

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "import torch fails with an illegal instruction on Old CPU"
    assert finding.evidence == {"signal": "SIGILL", "flags": ["sse2", "sse4_2"]}
    assert finding.remedies[0].title == snapshot


@pytest.mark.parametrize("cpu", [None, Cpu(logical=4)])
def test_on_a_processor_that_nobody_knows(cpu: Cpu | None, snapshot: SnapshotAssertion) -> None:
    outcome = TorchImport(ok=False, signal="SIGILL")

    (finding,) = cpu_lacks_instruction_set(cpu, outcome, None, None, None, None)

    assert finding.summary == snapshot


def test_another_signal_is_another_illness() -> None:
    outcome = TorchImport(ok=False, signal="SIGSEGV")

    assert cpu_lacks_instruction_set(None, outcome, None, None, None, None) == []


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_numpys_wheel(installer: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(OLD, numpy="2.4.0", installer=installer)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == snapshot
    assert finding.remedies[0].shell == "/env/bin/python -m pip install 'numpy<2.4'"


def test_rocm(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(PLAIN, torch=ROCM)

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot
    assert len(finding.remedies) == 2


def test_pillow_simd(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(PLAIN, simd="avx2")

    assert finding.summary == snapshot


def test_unknown_is_not_health() -> None:
    reason = "cpu: its instruction sets are not known"

    assert cpu_lacks_instruction_set.run(Facts()).skipped == reason
    assert cpu_lacks_instruction_set.run(Facts(Cpu(logical=4))).skipped == reason
    assert not cpu_lacks_instruction_set.run(Facts(TorchImport(ok=True))).skipped
