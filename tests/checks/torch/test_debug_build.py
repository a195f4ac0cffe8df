"""PDR818 notes a torch that was compiled for debugging."""

from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, TorchBuild
from pipedoctor.text import read_environment
from pipedoctor_checks.torch.debug_build import debug_build


def test_silent() -> None:
    assert debug_build(TorchBuild(version="2.13.0")) == []


def test_speaks() -> None:
    (finding,) = debug_build(TorchBuild(version="1.7.0", debug=True))

    assert finding.severity is Severity.NOTE
    assert finding.summary == "torch 1.7.0 was compiled for debugging"


def test_nobody_knows_the_torch(snapshot: SnapshotAssertion) -> None:
    assert debug_build.run(Facts()).skipped == snapshot


def test_the_text_of_a_collector() -> None:
    text = b"PyTorch version: 1.7.0\nIs debug build: True\nOS: Ubuntu 18.04\n"
    torch = read_environment(text).facts.get(TorchBuild)

    assert torch is not None
    assert len(list(debug_build(torch))) == 1
