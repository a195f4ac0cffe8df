"""PDR602: a module that torch has removed."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import TorchBuild
from pipedoctor_checks.compat.bottleneck import bottleneck
from tests.checks.code_samples import find, make_tests

SILENT = {"the profiler": "import torch.profiler\n"}
SPEAKS = {"imported": "import torch.utils.bottleneck\n"}
test_silent, test_speaks = make_tests(bottleneck, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("version", "severity"), [("2.9.1", Severity.NOTE), ("2.10.0", Severity.BREAKS)]
)
def test_bottleneck_is_gone_from_torch_2_10_on(version: str, severity: Severity) -> None:
    code = "import torch.utils.bottleneck\n"

    (finding,) = find(bottleneck, code, TorchBuild(version=version))

    assert finding.severity is severity
