"""Wheels of a few bytes, with the names and versions of real ones."""

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

TORCH = """
__version__ = {version!r}
class cuda:
    is_available = staticmethod(lambda: False)
    get_arch_list = staticmethod(lambda: [])
class backends:
    mps = None
def get_num_threads(): return 1
def zeros(count):
    import numpy
    return type("Zeros", (), {{"numpy": lambda self: 0}})()
"""
"""As much of torch as the probe of its import asks for."""


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    requires: tuple[str, ...] = (),
    files: Mapping[str, str] | None = None,
) -> Path:
    """A wheel that any pip installs."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    content = {
        **(files or {f"{name.replace('-', '_')}/__init__.py": f"__version__ = {version!r}\n"}),
        f"{info}/METADATA": "\n".join([*metadata, *(f"Requires-Dist: {r}" for r in requires), ""]),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{path},sha256={_hash_text(text)},{len(text)}" for path, text in content.items()]
    target = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, text in content.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    return target


def make_torch(folder: Path, version: str, requires: tuple[str, ...] = ()) -> Path:
    """A torch for the CUDA of its tag: ``2.6.0+cu124``."""
    tag = version.partition("+cu")[2]
    cuda = repr(f"{tag[:-1]}.{tag[-1]}" if tag else None)
    text = f"__version__ = {version!r}\ncuda = {cuda}\nhip = None\ndebug = False\n"
    files = {"torch/__init__.py": TORCH.format(version=version), "torch/version.py": text}
    return make_wheel(folder, "torch", version, requires, files)


def _hash_text(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
