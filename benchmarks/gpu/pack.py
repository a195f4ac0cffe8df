"""The folder of wheels that travels with the checkout, for a machine without a network."""

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.gpu import stub
from benchmarks.gpu.environment import PackError
from benchmarks.gpu.session import ROOT

MAX_BYTES = 60 << 20
"""Of the wheels and the files of the checkout together."""
PYTHON = "3.12"
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64")
TESTS = ("pytest>=9", "hypothesis", "syrupy>=6.1", "pytest-xdist")
"""What the tests with the marker `gpu` and their conftest import."""


def make_pack(folder: Path, own_wheel: Path | None) -> int:
    """Our wheel, all that it needs, what the tests need, and compiled stubs; 0 or 3."""
    if own_wheel is None or not own_wheel.is_file():
        message = "no wheel of pipedoctor was built: run `sh dev.sh gpu --pack`"
        raise PackError(message)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    options = ["--only-binary", ":all:", "--python-version", PYTHON, "--implementation", "cp"]
    argv = [sys.executable, "-m", "pip", "download", "-q", "--dest", str(folder)]
    argv += ["--disable-pip-version-check", *options, *platforms, str(own_wheel), *TESTS]
    if subprocess.run(argv, check=False, stdin=subprocess.DEVNULL).returncode:
        message = "pip could not fetch the wheels: see above"
        raise PackError(message)
    for kind in stub.STUBS:
        if not stub.compile_stub(kind, folder / "stubs" / kind):
            print(f"no compiler: the stub {kind} must be compiled where the run is")
    return _report_size(folder)


def _report_size(folder: Path) -> int:
    wheels = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    checkout = measure_checkout()
    total = (wheels + checkout) / (1 << 20)
    count = len(list(folder.glob("*.whl")))
    print(
        f"{folder}: {count} wheels, {wheels / (1 << 20):.1f} MiB; with the checkout {total:.1f} MiB"
    )
    if wheels + checkout > MAX_BYTES:
        print(f"more than {MAX_BYTES >> 20} MiB: it cannot travel", file=sys.stderr)
        return 3
    return 0


def measure_checkout() -> int:
    """Bytes of the files that travel: what git tracks, and what it does not ignore."""
    argv = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(argv, capture_output=True, check=False)
    files = (ROOT / name.decode() for name in done.stdout.split(b"\0") if name)
    return sum(file.stat().st_size for file in files if file.is_file())
