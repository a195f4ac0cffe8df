"""PDR855 speaks of an old pynvml beside nvidia-ml-py."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Distribution, Interpreter, Packages
from pipedoctor_checks.gpu.pynvml_clobbered import pynvml_clobbered

UV = Interpreter(executable="/venv/bin/python", manager="uv")


def both(pynvml: str, real: str) -> Packages:
    named = (("pynvml", pynvml), ("nvidia-ml-py", real))
    return Packages(entries=tuple(Distribution(name=n, version=v) for n, v in named if v))


@pytest.mark.parametrize(
    "packages",
    [
        pytest.param(both("", "13.0"), id="only the real one"),
        pytest.param(both("11.5.3", ""), id="only the old one"),
        pytest.param(both("12.0.0", "13.0"), id="an empty shell"),
    ],
)
def test_silent(packages: Packages) -> None:
    assert pynvml_clobbered(packages, UV) == []


def test_old_copy_is_a_risk() -> None:
    (finding,) = pynvml_clobbered(both("11.5.3", "13.615.71"), UV)

    assert finding.severity is Severity.RISKS
    assert finding.summary == ("pynvml 11.5.3 hides the module of nvidia-ml-py 13.615.71")
    assert [remedy.shell for remedy in finding.remedies] == [
        "uv pip uninstall --python /venv/bin/python pynvml",
        "uv pip install --python /venv/bin/python --reinstall --no-deps nvidia-ml-py==13.615.71",
    ]
