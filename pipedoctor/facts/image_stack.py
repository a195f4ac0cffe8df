"""What decodes images here."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Decoder(Part, frozen=True, kw_only=True):
    """An installed library that can decode images."""

    name: str
    """The distribution: ``pillow``, ``pillow-simd``, ``opencv-python-headless``."""
    version: str
    libjpeg_turbo: str = ""
    """``3.1.3`` where its bundled library says so."""
    simd: str = ""
    """For Pillow-SIMD: the instruction set it was built for, where known."""


class ImageStack(Fact, frozen=True, kw_only=True):
    """All of them; `loads` says which binary parts load, where that was tried."""

    section: ClassVar[str] = "image_stack"

    decoders: tuple[Decoder, ...] = ()
    pillow_binary: str = ""
    """Path of PIL/_imaging*.so; empty: none fits this interpreter."""
    pillow_broken: str = ""
    """Why Pillow's binary cannot load."""
    opencv_missing: tuple[str, ...] = ()
    """Shared libraries that cv2 needs and that are nowhere."""

    def find(self, name: str) -> Decoder | None:
        """The decoder of this distribution."""
        return next((entry for entry in self.decoders if entry.name == name), None)
