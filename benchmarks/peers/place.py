"""Where a tool runs: a private copy of its environment, which a fault then spoils."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
NVML = HERE.parents[1] / "tests" / "machines" / "nvml.c"

USER = "alice.smith"
HOST = "node17-of-acme"
TOKENS = {
    "HF_TOKEN": "hf_abcdefghijklmnopqrstuvwxyz012345",
    "WANDB_API_KEY": "0123456789abcdef0123456789abcdef01234567",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIexampleexampleK7MDENGbPxRfi",
}
"""Canaries: who prints them leaks."""


@dataclass
class ToolNamespace:
    """A tool's environment in a mount namespace of its own; nothing outlives it."""

    venv: Path
    scratch: Path
    """A tmpfs that only this process and its children see."""
    layers: Path
    """Wheels that some faults put over the environment."""
    environ: dict[str, str] = field(default_factory=dict[str, str])
    undo_steps: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    @classmethod
    def make(cls, venv: Path, scratch: Path, layers: Path) -> "ToolNamespace":
        """Put a tmpfs on `scratch` and an overlay on `venv`; the environment to use."""
        mount("-t", "tmpfs", "-o", "size=2g", "none", str(scratch))
        for name in ("upper", "work", "home", "bin", "tmp", f"home/{USER}"):
            (scratch / name).mkdir()
        socket.sethostname(HOST)
        upper, work = scratch / "upper", scratch / "work"
        options = f"lowerdir={venv},upperdir={upper},workdir={work}"
        mount("-t", "overlay", "-o", options, "none", str(venv))
        home = scratch / "home" / USER
        (home / ".computefence_no_telemetry").touch()  # its own word for no
        place = cls(venv=venv, scratch=scratch, layers=layers)
        place.environ = {
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "LOGNAME": USER,
            "PATH": f"{scratch / 'bin'}:{venv / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(scratch / "tmp"),
            "USER": USER,
            "VIRTUAL_ENV": str(venv),
            **TOKENS,
        }
        return place

    @property
    def site_packages(self) -> Path:
        """The environment's site-packages."""
        return next((self.venv / "lib").glob("python3*")) / "site-packages"

    def add_program(self, name: str, source: str) -> None:
        """Put a program first on PATH."""
        path = self.scratch / "bin" / name
        path.write_text(source)
        path.chmod(0o755)

    def unpack_wheels(self, *patterns: str) -> None:
        """Unpack wheels over the environment, as pip does."""
        for pattern in patterns:
            wheel = next(self.layers.glob(pattern))
            shutil.unpack_archive(wheel, self.site_packages, "zip")

    def install_driver(self, version: str, cuda: int, *options: str) -> None:
        """Install a fake NVIDIA driver: its library and a matching nvidia-smi."""
        folder = self.scratch / "lib64"
        folder.mkdir(exist_ok=True)
        numbers = (f'-DDRIVER="{version}"', f"-DCUDA={cuda}")
        library = str(folder / "libnvidia-ml.so.1")
        flags = ("-shared", "-fPIC", "-DINIT=", "-DSECOND=", *numbers, *options)
        argv = ["gcc", *flags, "-o", library, str(NVML)]
        subprocess.run(argv, check=True, capture_output=True)
        self.environ["LD_LIBRARY_PATH"] = str(folder)
        smi = (HERE / "nvidia_smi.py").read_text()
        smi = smi.replace("@driver@", version).replace(
            "@cuda@", f"{cuda // 1000}.{cuda % 1000 // 10}"
        )
        self.add_program("nvidia-smi", f"#!{sys.executable} -IS\n{smi}")

    def fake_cuda_build(self) -> None:
        """Let the installed torch say that it was built for CUDA 13.0."""
        version = self.site_packages / "torch" / "version.py"
        text = version.read_text().replace("+cpu", "+cu130")
        none, some = "cuda: Optional[str] = None", "cuda: Optional[str] = '13.0'"
        version.write_text(text.replace(none, some))
        old = next(self.site_packages.glob("torch-*.dist-info"))
        new = old.with_name(old.name.replace("+cpu", "+cu130"))
        shutil.copytree(old, new)  # overlays do not rename folders
        shutil.rmtree(old)
        metadata = new / "METADATA"
        metadata.write_text(metadata.read_text().replace("+cpu", "+cu130", 1))


def mount(*arguments: str) -> None:
    """Mount something; the error has what the command said."""
    subprocess.run(["mount", *arguments], check=True, stderr=subprocess.PIPE)


def join_group(kind: str, **values: str) -> None:
    """Move this process into a new control group of version 1; OSError: impossible."""
    folder = Path(f"/sys/fs/cgroup/{kind}/peers-{os.getpid()}")
    folder.mkdir()
    for name, value in values.items():
        (folder / f"{kind}.{name}").write_text(value)
    (folder / "cgroup.procs").write_text(str(os.getpid()))


def leave_group(kind: str) -> None:
    """Move back, and remove the group if nothing is left in it."""
    folder = Path(f"/sys/fs/cgroup/{kind}/peers-{os.getpid()}")
    if folder.exists():
        (folder.parent / "cgroup.procs").write_text(str(os.getpid()))
        folder.rmdir()
