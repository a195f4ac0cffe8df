"""The installed torch, read from its files or from a text; never imported for this."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Pin(Part, frozen=True, kw_only=True):
    """An NVIDIA wheel that this torch requires, and the version it pins."""

    name: str
    version: str = ""


class TorchBuild(Fact, frozen=True, kw_only=True):
    """
    One torch; `cuda`, `hip` and `xpu` are versions, empty = built without.

    `known_backend` is False where the source does not tell the backend at all
    (a version without local part and nothing else).
    """

    section: ClassVar[str] = "torch"

    version: str
    """Without the local part: ``2.13.0``."""
    local: str = ""
    """``cpu``, ``cu126``, ``rocm7.2``; empty for the default wheel."""
    cuda: str = ""
    hip: str = ""
    xpu: str = ""
    known_backend: bool = True
    debug: bool = False
    location: str = ""
    origin: str = ""
    """How we know: ``version.py``, ``METADATA``, ``conda-meta``, ``text``."""
    wheel_tag: str = ""
    """``cp311-cp311-manylinux_2_28_x86_64``."""
    conda_build: str = ""
    pins: tuple[Pin, ...] = ()
    requires_python: str = ""
    arch_list: tuple[str, ...] | None = None
    """``sm_90``, ``compute_90``: only where the build itself was asked."""
    cudnn: str = ""
    """The cuDNN it was compiled against, where known."""

    @property
    def is_cpu_only(self) -> bool:
        """A build without any accelerator backend."""
        return self.known_backend and not (self.cuda or self.hip or self.xpu)
