"""A fault is made in an environment, the printed remedy is typed there, and `check` is quiet."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.check.remedy_steps import take_first_way
from pipedoctor.report.model import ReportedRemedy
from tests.remedies.tiny_wheels import make_torch, make_wheel

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(not shutil.which("bash"), reason="no bash here"),
]
BIN = Path(sys.executable).parent
CV2 = {"cv2/__init__.py": "", "cv2/cv2.abi3.so": "binary"}
CUDNN = {"nvidia/cudnn/lib/libcudnn.so.9": "binary"}
PILLOW = {"PIL/__init__.py": "", "PIL/_version.py": "__version__ = '9.5.0'\n"}


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bare") / "env"
    venv.create(folder, with_pip=True, symlinks=True)
    return folder


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that is typed is installed from here."""
    folder = tmp_path_factory.mktemp("house")
    for version in ("1.26.4", "2.2.6", "2.4.1"):
        make_wheel(folder, "numpy", version)
    for version in ("2.5.1+cu124", "2.6.0+cu124", "2.0.1+cu118"):
        make_torch(folder, version)
    for name, torch, version in (
        ("torchvision", "2.5.1", "0.20.1+cu124"),
        ("torchvision", "2.6.0", "0.21.0+cu124"),
        ("torchvision", "2.6.0", "0.21.0+cpu"),
        ("torchaudio", "2.5.1", "2.5.1+cu124"),
        ("torchaudio", "2.6.0", "2.6.0+cu124"),
    ):
        make_wheel(folder, name, version, (f"torch=={torch}",))
    for name in ("opencv-python", "opencv-python-headless", "opencv-contrib-python"):
        make_wheel(folder, name, "4.11.0.86", ("numpy",), CV2)
    make_wheel(folder, "ultralytics", "8.3.0", ("opencv-python>=4.6",))
    make_wheel(folder, "nvidia-cudnn-cu12", "9.1.0.70", (), CUDNN)
    make_wheel(folder, "nvidia-cudnn-cu13", "9.20.0.48", (), CUDNN)
    make_wheel(folder, "pynvml", "11.5.0")
    make_wheel(folder, "nvidia-ml-py", "12.560.30", (), {"pynvml.py": ""})
    make_wheel(folder, "pillow-simd", "9.5.0", (), PILLOW)
    make_wheel(folder, "pillow", "9.5.0", (), PILLOW)
    for version, bound in (("1.0", "numpy<2"), ("2.0", "numpy>=1.26")):
        make_wheel(folder, "old-needs", version, (bound,))
    for version, bound in (("0.5", "numpy>=1"), ("1.0", "numpy>=2")):
        make_wheel(folder, "new-needs", version, (bound,))
    make_wheel(folder, "some-needs", "1.0", ("numpy<2.3",))
    return folder


def run(words: list[str], env: Path, house: Path, cwd: Path) -> str:
    environ = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(house),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "VIRTUAL_ENV": str(env),
        "PYTHONPATH": "",
        "XDG_CACHE_HOME": str(cwd / "cache"),
    }
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, cwd=cwd, env=environ, timeout=120
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def judge(env: Path, house: Path, cwd: Path) -> dict[str, list[dict[str, Any]]]:
    """Findings by name."""
    words = ["pipedoctor", "check", "--quick", "--env", str(env), "--no-redact", "--format", "json"]
    named: dict[str, list[dict[str, Any]]] = {}
    for finding in json.loads(run(words, env, house, cwd))["findings"]:
        named.setdefault(finding["name"], []).append(finding)
    return named


NUMPY = "numpy-2.2.6"
TORCH = "torch-2.6.0+cu124"


@pytest.mark.parametrize(
    ("name", "wheels"),
    [
        ("torch-torchvision-mismatch", [TORCH, NUMPY, "torchvision-0.20.1+cu124"]),
        (
            "torch-torchvision-mismatch",
            [TORCH, NUMPY, "torchvision-0.20.1+cu124", "torchaudio-2.5.1+cu124"],
        ),
        ("torch-torchaudio-mismatch", [TORCH, NUMPY, "torchaudio-2.5.1+cu124"]),
        ("torchvision-build-mismatch", [TORCH, NUMPY, "torchvision-0.21.0+cpu"]),
        ("numpy2-abi-mismatch", ["torch-2.0.1+cu118", NUMPY]),
        ("numpy2-abi-mismatch", ["torch-2.0.1+cu118", NUMPY, "new_needs-1.0"]),
        ("numpy-missing", [TORCH]),
        ("mixed-nvidia-wheels", [TORCH, NUMPY, "nvidia_cudnn_cu12-", "nvidia_cudnn_cu13-"]),
        ("duplicate-distributions", [NUMPY, "opencv_python-", "opencv_python_headless-"]),
        (
            "duplicate-distributions",
            [NUMPY, "opencv_python-", "opencv_python_headless-", "ultralytics-"],
        ),
        ("duplicate-distributions", [NUMPY, "opencv_contrib_python-", "opencv_python-"]),
        ("pynvml-clobbered", ["pynvml-", "nvidia_ml_py-"]),
        ("pillow-simd-shadowed", ["pillow-9", "pillow_simd-"]),
        ("mixed-torch-installs", [NUMPY, "torch-2.5.1+cu124", TORCH]),
        ("duplicate-distributions", ["numpy-1.26.4", NUMPY]),
        ("broken-requirements", [NUMPY, "old_needs-1.0", "new_needs-1.0"]),
        ("broken-requirements", ["numpy-1.26.4", "new_needs-1.0", "some_needs-1.0"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(one[:14] for one in value),
)
def test_the_first_way_cures(
    name: str, wheels: list[str], bare: Path, house: Path, tmp_path: Path
) -> None:
    env = tmp_path / "env"
    shutil.copytree(bare, env, symlinks=True)
    files = [str(next(house.glob(f"{wheel}*"))) for wheel in wheels]
    pip = [str(env / "bin/python"), "-m", "pip", "install", "-q", "--no-deps"]
    names = [wheel.partition("-")[0] for wheel in wheels]
    if len({*names}) == len(names):
        run([*pip, *files], env, house, tmp_path)
    for file in files if len({*names}) < len(names) else ():
        run([*pip, "--ignore-installed", file], env, house, tmp_path)

    before = judge(env, house, tmp_path)
    remedies = [ReportedRemedy(**one) for one in before[name][0]["remedies"]]
    for remedy in take_first_way(remedies):
        run(["bash", "-c", remedy.shell], env, house, tmp_path)
    after = judge(env, house, tmp_path)

    assert name not in after
    assert after.keys() <= before.keys() | {"pillow-outdated", "pillow-binary-broken"}
