"""PDR967, from a log: an extension is built where torch is not visible."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.build_isolation_hides_torch import build_isolation_hides_torch
from tests.checks.crashes.diagnosed_log import diagnose_text

FAILED = "      ModuleNotFoundError: No module named 'torch'\n"
FRAMES = (
    '        File "/tmp/pip-build-env-x/overlay/setup.py", line 8, in f\n          import torch\n'
)
PIP = "python -m pip install "
FIRST = f"{PIP}torch setuptools wheel packaging ninja psutil"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ModuleNotFoundError: No module named 'torch'\n", id="no build"),
        pytest.param("  Preparing metadata (setup.py) ... done\n", id="a build that works"),
        pytest.param(
            "  Getting requirements to build wheel ... error\n"
            "      ModuleNotFoundError: No module named 'torchvision_x'\n",
            id="another module",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert build_isolation_hides_torch(diagnose_text(text), None) == []


@pytest.mark.parametrize(
    ("log", "lines"),
    [
        pytest.param(
            f"$ pip install flash-attn==2.7.2\n{FRAMES}{FAILED}",
            [FIRST, f"{PIP}--no-build-isolation flash-attn==2.7.2"],
            id="what was asked for",
        ),
        pytest.param(
            f"$ pip install -r requirements.txt --no-build-isolation\n{FRAMES}{FAILED}",
            [FIRST, f"{PIP}--no-build-isolation -r requirements.txt"],
            id="a file of requirements",
        ),
        pytest.param(
            f"  Downloading torch_scatter-2.1.2.tar.gz (108 kB)\n{FRAMES}{FAILED}",
            [FIRST, f"{PIP}--no-build-isolation torch-scatter"],
            id="what was fetched",
        ),
        pytest.param(
            "hint: This error likely indicates that `flash-attn@2.8.2` depends on `torch`,"
            " but doesn't declare it as a build dependency\n$ uv sync\n",
            ["", "uv sync"],
            id="a project of uv",
        ),
        pytest.param(f"{FRAMES}{FAILED}", [FIRST, ""], id="nothing says what"),
        pytest.param(
            f"$ pip install 'git+https://a.b/c.git'\n{FRAMES}{FAILED}",
            [FIRST, f"{PIP}--no-build-isolation git+https://a.b/c.git"],
            id="a repository",
        ),
        pytest.param(
            f"$ pip install 'x\n{FRAMES}{FAILED}", [FIRST, ""], id="a quote that stays open"
        ),
        pytest.param(
            f"$ pip install 'x @ git+ssh://a'\n{FRAMES}{FAILED}",
            [FIRST, ""],
            id="words with quotes",
        ),
    ],
)
def test_remedies(log: str, lines: list[str]) -> None:
    (finding,) = build_isolation_hides_torch(diagnose_text(log), None)

    assert finding.severity is Severity.BREAKS
    assert [one.shell for one in finding.remedies] == lines


def test_the_table_of_a_project() -> None:
    log = diagnose_text(
        "hint: `flash-attn@2.8.2` depends on `torch`, but doesn't declare it\n$ uv sync\n"
    )
    (finding,) = build_isolation_hides_torch(log, None)

    assert finding.remedies[0].snippet == (
        "[tool.uv.extra-build-dependencies]\n"
        'flash-attn = [{ requirement = "torch", match-runtime = true }]'
    )


def test_unknown_is_not_healthy() -> None:
    verdict = build_isolation_hides_torch.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
