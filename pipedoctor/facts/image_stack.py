"""What decodes images here."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Decoder(Part, frozen=True, kw_only=True):
    """An installed library that can decode images."""

    name: str
    """The distribution: ``pillow``, ``pillow-simd``, ``opencv-python-headless``."""
    version: str
    libjpeg_turbo: str = ""
    """``3.1.3`` where the JPEG library that it would load says so."""
    libjpeg: str = ""
    """That library's file; empty: not known, or none of its own."""
    libjpeg_kind: str = ""
    """``turbo``, ``IJG`` (the Independent JPEG Group's own), or empty."""
    simd: str = ""
    """For Pillow-SIMD: the instruction set it was built for, where known."""
    installer: str = ""
    location: str = ""


class ImageStack(Fact, frozen=True, kw_only=True):
    """All of them, as their files say; nothing was loaded."""

    section: ClassVar[str] = "image_stack"

    decoders: tuple[Decoder, ...] = ()
    pillow_version: str = ""
    """What PIL/_version.py says: that of whichever copy was installed last."""
    pillow_binary: str = ""
    """Path of PIL/_imaging*.so; empty: none fits this interpreter."""
    pillow_broken: str = ""
    """Why Pillow's binary cannot load."""

    def find(self, name: str) -> Decoder | None:
        """The decoder of this distribution."""
        return next((entry for entry in self.decoders if entry.name == name), None)
