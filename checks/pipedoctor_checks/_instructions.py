"""Which installed binaries cannot run on a processor with these instruction sets."""

from collections.abc import Iterator

from pipedoctor.facts import ImageStack, Packages, TorchBuild
from pipedoctor.versions import reaches

_X86_V2 = "2.4"
"""numpy's wheels want SSE4.2 and its like from here on."""


def lacking(
    flags: tuple[str, ...],
    torch: TorchBuild | None,
    packages: Packages | None,
    images: ImageStack | None,
) -> Iterator[tuple[str, str]]:
    """Name each, and what it needs."""
    numpy = packages.find("numpy") if packages else None
    wheel = numpy if numpy and numpy.installer in {"pip", "uv"} else None
    if wheel and reaches(wheel.version, _X86_V2) and "sse4_2" not in flags:
        yield f"numpy {wheel.version}", "SSE4.2"
    if torch is not None and torch.hip and "avx" not in flags:
        yield f"torch {torch.version} for ROCm", "AVX"
    fork = images.find("pillow-simd") if images else None
    if fork is not None and fork.simd == "avx2" and "avx2" not in flags:
        yield f"pillow-simd {fork.version}", "AVX2"
