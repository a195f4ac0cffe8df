"""A made-up H100 for dry runs: its driver library, and an nvidia-smi of the same state."""

import shutil
import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
CARD: dict[str, str] = {
    "NAME": "NVIDIA H100 80GB HBM3",
    "DRIVER": "580.159.04",
    "CUDA": "13000",
    "MIB": "81559",
    "UUID": "GPU-00000000-1111-2222-3333-444444444444",
    "ADDRESS": "00000000:3B:00.0",
    "GENERATION": "5",
    "WIDTH": "16",
    "PERSISTENCE": "1",
    "REASONS": "0x1",
    "BUSY": "0",
    "PSTATE": "0",
    "ECC": "0",
    "TEMPERATURE": "31",
    "POWER": "70250",
    "CLOCK": "345",
    "USED_MIB": "4",
}
"""The one state that both tell; the names are macros of nvml.c and words of smi.xml."""
STUBS = {
    "nvml": ("libnvidia-ml.so.1", [f"-D{k}={v}" for k, v in CARD.items() if v.isdigit()]),
    "hung": ("libnvidia-ml.so.1", ["-DHANGS"]),
    "cudnn": ("libcudnn.so.9.1.0", []),
}
"""Folder -> the library in it, and how its source is compiled."""


def compile_stub(kind: str, folder: Path) -> bool:
    """Compile one of the stubs into `folder`; False where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return False
    library, options = STUBS[kind]
    source = HERE / ("cudnn.c" if kind == "cudnn" else "nvml.c")
    folder.mkdir(parents=True, exist_ok=True)
    texts = [f'-D{k}="{v}"' for k, v in CARD.items() if not v.isdigit() and k != "REASONS"]
    soname = "libcudnn.so.9" if kind == "cudnn" else library
    if kind == "hung":
        options = [f"-D{k}={v}" for k, v in CARD.items() if v.isdigit()] + options
    argv = [compiler, "-shared", "-fPIC", "-O1", f"-Wl,-soname,{soname}", *options, *texts]
    argv += [f"-DREASONS={CARD['REASONS']}", "-o", str(folder / library), str(source)]
    done = subprocess.run(argv, capture_output=True, check=False)
    if done.returncode == 0 and soname != library:
        (folder / soname).unlink(missing_ok=True)
        (folder / soname).symlink_to(library)
    return done.returncode == 0


def write_smi(folder: Path) -> None:
    """An `nvidia-smi` that answers `-q -x` and the one query that a run makes."""
    folder.mkdir(parents=True, exist_ok=True)
    cuda = int(CARD["CUDA"])
    words = {k: escape(v) for k, v in CARD.items()}
    words |= {
        "CUDA": f"{cuda // 1000}.{cuda % 1000 // 10}",
        "PERSISTENCE": "Enabled" if CARD["PERSISTENCE"] == "1" else "Disabled",
        "IDLE": "Active" if int(CARD["REASONS"], 16) & 1 else "Not Active",
        "WATTS": f"{int(CARD['POWER']) / 1000:.2f}",
    }
    text = (HERE / "smi.xml").read_text("utf-8")
    for name, value in words.items():
        text = text.replace(f"@{name}@", value)
    (folder / "smi.xml").write_text(text, "utf-8")
    script = (
        '#!/bin/sh\ncase "$*" in\n'
        "*compute_cap*) echo 9.0 ;;\n"
        '-q*) cat "$(dirname "$0")/smi.xml" ;;\n'
        f'-L) echo "GPU 0: {CARD["NAME"]} (UUID: {CARD["UUID"]})" ;;\n'
        f'*) echo "| NVIDIA-SMI {CARD["DRIVER"]}  Driver Version: {CARD["DRIVER"]}  '
        f'CUDA Version: {words["CUDA"]} |" ;;\n'
        "esac\n"
    )
    program = folder / "nvidia-smi"
    program.write_text(script, "utf-8")
    program.chmod(0o755)


def write_torch(env: Path, version: str, cuda: str, python: str) -> None:
    """An environment in which the files of a torch lie, by metadata alone."""
    minor = python.rpartition("python")[2] or "3"
    site = env / "lib" / f"python{minor}" / "site-packages"
    (site / "torch").mkdir(parents=True, exist_ok=True)
    (env / "bin").mkdir(exist_ok=True)
    if not (env / "bin/python").exists():
        (env / "bin/python").symlink_to(shutil.which("python3") or "/usr/bin/python3")
    (env / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {minor}.0\n", "utf-8")
    (site / "torch/__init__.py").touch()
    text = f"__version__ = {version!r}\ncuda = {cuda or None!r}\nhip = None\n"
    (site / "torch/version.py").write_text(text, "utf-8")
    info = site / f"torch-{version}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Name: torch\nVersion: {version}\n", "utf-8")
