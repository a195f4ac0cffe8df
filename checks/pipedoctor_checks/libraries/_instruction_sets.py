"""Installed binaries that cannot run on a CPU with these instruction sets."""

from collections.abc import Iterator

from pipedoctor.facts import ImageStack, Packages, TorchBuild
from pipedoctor.versions import is_at_least

_NUMPY_NEEDS_SSE42 = "2.4"
"""numpy's wheels need SSE4.2 and similar sets from this version on."""


def find_missing_sets(
    flags: tuple[str, ...],
    torch: TorchBuild | None,
    packages: Packages | None,
    images: ImageStack | None,
) -> Iterator[tuple[str, str]]:
    """Name each package that needs an instruction set the CPU lacks, and the set."""
    numpy = packages.find("numpy") if packages else None
    wheel = numpy if numpy and numpy.installer in {"pip", "uv"} else None
    if wheel and is_at_least(wheel.version, _NUMPY_NEEDS_SSE42) and "sse4_2" not in flags:
        yield f"numpy {wheel.version}", "SSE4.2"
    if torch is not None and torch.hip and "avx" not in flags:
        yield f"torch {torch.version} for ROCm", "AVX"
    fork = images.find("pillow-simd") if images else None
    if fork is not None and fork.simd == "avx2" and "avx2" not in flags:
        yield f"pillow-simd {fork.version}", "AVX2"
