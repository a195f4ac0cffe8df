"""Real distributions from the package index, in throw-away environments."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.registry,
    pytest.mark.usefixtures("index"),
]

ENVIRONMENT = "PDR81,PDR83,PDR84,PDR85,PDR86"
NO_INDEX = "no package index can be reached"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where the index does not give us a small wheel."""
    target = str(tmp_path_factory.mktemp("index"))
    argv = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", target]
    try:
        done = subprocess.run(
            [*argv, "--retries", "0", "pynvml==11.5.3"],
            check=False,
            capture_output=True,
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(NO_INDEX)
    if done.returncode:
        pytest.skip(NO_INDEX)


@pytest.fixture
def env(tmp_path: Path) -> Path:
    """An empty virtual environment of this Python."""
    folder = tmp_path / "env"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder


def pip(env: Path, *words: str) -> None:
    argv = [sys.executable, "-m", "pip", "--python", str(env), *words, "-q"]
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip(f"not in this index: {words[-1]}")
    assert done.returncode == 0, done.stderr


def found(env: Path) -> dict[str, str]:
    """What pipedoctor finds wrong with the environment: names and summaries."""
    argv = [sys.executable, "-m", "pipedoctor", "check", "--quick", "--no-config"]
    argv += ["--select", ENVIRONMENT, "--env", str(env), "--format", "json"]
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(argv, cwd=env, env=environ, check=False, capture_output=True, text=True)
    report = json.loads(done.stdout)
    return {finding["name"]: finding["summary"] for finding in report["findings"]}


def imports(env: Path, code: str) -> str:
    argv = [str(env / "bin/python"), "-c", code]
    return subprocess.run(argv, check=False, capture_output=True, text=True).stderr


def site(env: Path) -> Path:
    return next(env.glob("lib/python3*/site-packages"))


def test_two_opencvs(env: Path) -> None:
    pip(env, "install", "opencv-python", "opencv-python-headless")

    names = found(env)

    assert set(names) - {"opencv-system-lib-missing"} == {"duplicate-distributions"}
    assert "cv2/" in names["duplicate-distributions"]
    broken = "cannot open shared object file" in imports(env, "import cv2")
    assert ("opencv-system-lib-missing" in names) == broken


def test_the_old_pynvml_over_the_real_one(env: Path) -> None:
    pip(env, "install", "nvidia-ml-py")
    assert found(env) == {}
    pip(env, "install", "pynvml==11.5.3")

    names = found(env)

    assert set(names) == {"pynvml-clobbered"}

    pip(env, "uninstall", "-y", "pynvml")
    pip(env, "install", "--force-reinstall", "--no-deps", "nvidia-ml-py")
    assert found(env) == {}


def test_numpy_2_under_an_old_torch(env: Path) -> None:
    pip(env, "install", "numpy>=2")
    (site(env) / "torch").mkdir()
    (site(env) / "torch/version.py").write_text(
        "__version__ = '2.1.0+cpu'\ncuda = None\nhip = None\n"
    )
    metadata = site(env) / "torch-2.1.0+cpu.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: torch\nVersion: 2.1.0+cpu\n\n")

    assert "numpy2-abi-mismatch" in found(env)


def test_parts_of_two_pillows(env: Path, tmp_path: Path) -> None:
    pip(env, "install", "pillow==12.3.0")
    assert found(env) == {}
    (binary,) = (site(env) / "PIL").glob("_imaging.c*.so")
    kept = shutil.copy(binary, tmp_path / binary.name)
    libraries = shutil.copytree(site(env) / "pillow.libs", tmp_path / "libraries")
    pip(env, "install", "pillow==12.2.0")
    shutil.copy(kept, binary)
    shutil.copytree(libraries, site(env) / "pillow.libs", dirs_exist_ok=True)

    names = found(env)

    assert "was built for another version" in imports(env, "import PIL.Image")
    assert names["pillow-binary-broken"] == (
        "pillow 12.2.0 cannot be imported: its binary part is not of version 12.2.0, "
        "as its Python part is"
    )
    assert set(names) == {"pillow-binary-broken", "pillow-outdated"}

    pip(env, "install", "--force-reinstall", "--no-deps", "pillow>=12.3.0")
    assert imports(env, "import PIL.Image") == ""
    assert found(env) == {}


@pytest.mark.skipif(
    not Path("/usr/include/jpeglib.h").exists() or shutil.which("gcc") is None,
    reason="Pillow-SIMD is compiled: needs gcc and the headers of libjpeg",
)
def test_pillow_over_its_fork(env: Path) -> None:
    pip(env, "install", "--no-binary", "pillow-simd", "pillow-simd")
    alone = found(env)
    assert set(alone) == {"pillow-outdated"}
    assert imports(env, "import PIL.Image") == ""
    pip(env, "install", "pillow")

    names = found(env)

    assert set(names) == {
        "pillow-simd-shadowed",
        "pillow-outdated",
        "duplicate-distributions",
    }
    assert names["pillow-simd-shadowed"].endswith(": pillow was written last and is what runs")
