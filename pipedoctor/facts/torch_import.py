"""What happened when torch was imported in the examined interpreter."""

from typing import ClassVar

from pipedoctor.facts.base import Fact
from pipedoctor.facts.paths import Hang


class TorchImport(Fact, frozen=True, kw_only=True):
    """
    The outcome of ``import torch`` in a child; None = not asked or not said.

    A crash or a hang is a fact here, not a missing one. A text that says
    ``PyTorch version: N/A`` gives ``ok=False`` with that as the error.
    """

    section: ClassVar[str] = "torch_import"

    ok: bool
    seconds: float | None = None
    version: str = ""
    file: str = ""
    error: str = ""
    """``OSError: libcudnn.so.9: cannot open shared object file``: the last line."""
    signal: str = ""
    """``SIGSEGV``, ``SIGILL``."""
    hang: Hang | None = None
    warnings: tuple[str, ...] = ()
    cuda_available: bool | None = None
    cuda_error: str = ""
    """Why CUDA is not available, in torch's own words."""
    device_count: int | None = None
    capabilities: tuple[str, ...] = ()
    arch_list: tuple[str, ...] = ()
    cudnn_version: int | None = None
    """As torch.backends.cudnn.version() says: 92000."""
    numpy_ok: bool | None = None
    threads: int | None = None
    mps_available: bool | None = None
