"""PDR830 passes on how `import torch` ended."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import (
    Facts,
    Hang,
    Interpreter,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.torch.torch_not_importable import torch_not_importable

TORCH = TorchBuild(version="2.13.0")
PYTHON = Interpreter(executable="/venv/bin/python")
ABSENT = "ModuleNotFoundError: No module named 'torch'"


def test_silent() -> None:
    assert torch_not_importable(TorchImport(ok=True), TORCH, PYTHON, None) == []


@pytest.mark.parametrize(
    ("outcome", "summary"),
    [
        (
            TorchImport(ok=False, error="OSError: libcudnn.so.9: cannot open"),
            "import torch fails: OSError: libcudnn.so.9: cannot open",
        ),
        (TorchImport(ok=False, signal="SIGILL"), "import torch was ended by SIGILL"),
        (
            TorchImport(ok=False, hang=Hang(doing="import torch", seconds=10.0)),
            "import torch did not finish within 10.0 s",
        ),
        (TorchImport(ok=False), "import torch fails"),
        (
            TorchImport(ok=False, error="PyTorch version: N/A"),
            "import torch fails: PyTorch version: N/A",
        ),
        (
            TorchImport(ok=False, error=ABSENT),
            f"import torch fails: {ABSENT}",
        ),
    ],
)
def test_it_says_how_it_ended(outcome: TorchImport, summary: str) -> None:
    (finding,) = torch_not_importable(outcome, TORCH, PYTHON, None)

    assert finding.severity is Severity.BREAKS
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.summary == summary
    assert finding.evidence == {
        "error": outcome.error,
        "signal": outcome.signal,
        "python": "/venv/bin/python",
    }
    (remedy,) = finding.remedies
    assert remedy.shell == "/venv/bin/python -X faulthandler -c 'import torch'"


def test_a_text_that_says_nothing_of_the_build_breaks_too() -> None:
    outcome = TorchImport(ok=False, error="PyTorch version: N/A")

    (finding,) = torch_not_importable(outcome, None, None, None)

    assert finding.severity is Severity.BREAKS
    assert finding.remedies[0].argv[0] == "python"


def test_not_installed_is_a_note() -> None:
    outcome = TorchImport(ok=False, error=ABSENT)

    (finding,) = torch_not_importable(outcome, None, PYTHON, None)

    assert finding.severity is Severity.NOTE
    assert finding.summary == "torch is not installed in /venv/bin/python"


def test_windows_may_lack_its_runtime() -> None:
    outcome = TorchImport(ok=False, error="[WinError 126] fbgemm.dll")

    (finding,) = torch_not_importable(outcome, TORCH, None, Site(system="windows"))

    assert "Visual C++" in finding.remedies[-1].title


def test_unknown_is_not_health() -> None:
    verdict = torch_not_importable.run(Facts(TORCH, unknown={"torch_import": "--quick"}))

    assert verdict.skipped == "torch_import: --quick"


HIDDEN = "AttributeError: module 'torch' has no attribute '__version__'"


@pytest.mark.parametrize(
    ("file", "system", "line"),
    [
        ("/my job/torch.py", "linux", "mv -n '/my job/torch.py' '/my job/own_torch.py'"),
        ("C:\\job\\torch.py", "windows", ""),
    ],
)
def test_a_file_that_hides_torch_is_renamed(file: str, system: str, line: str) -> None:
    outcome = TorchImport(ok=False, file=file, error=HIDDEN)

    (finding,) = torch_not_importable(outcome, TORCH, PYTHON, Site(system=system))

    assert finding.summary == f"import torch finds {file}, which hides the package"
    (remedy,) = finding.remedies
    assert remedy.title == f"Rename {file}, which is imported instead of torch"
    assert remedy.shell == line


def test_a_package_that_fails_is_not_renamed() -> None:
    outcome = TorchImport(ok=False, file="/env/torch/__init__.py", error=HIDDEN)

    (finding,) = torch_not_importable(outcome, TORCH, PYTHON, None)

    assert finding.summary == f"import torch fails: {HIDDEN}"
