"""What `bench` was asked for: one struct for each benchmark, from click to the measurement."""

from pipedoctor.cli.request.requests import OutputRequest


class BenchRequest(OutputRequest, frozen=True, kw_only=True):
    """What every measurement of `bench` has."""

    budget: float
    """Seconds for the whole measurement."""
    wait: float = 0.0
    """Seconds to wait at most for a quiet machine."""
    allow_busy: bool = False


class EnvironmentBenchRequest(BenchRequest, frozen=True, kw_only=True):
    """A measurement of the libraries of a Python environment."""

    python: str | None = None
    env: str | None = None


class DecodeBenchRequest(EnvironmentBenchRequest, frozen=True, kw_only=True):
    """`bench decode`."""

    images: tuple[str, ...] = ()
    size: tuple[int, int]
    """Width and height of images that are generated where none are given."""


class DiskBenchRequest(BenchRequest, frozen=True, kw_only=True):
    """`bench disk`."""

    path: str


class LoaderBenchRequest(BenchRequest, frozen=True, kw_only=True):
    """`bench loader`."""

    target: str
    batch_size: int | None = None
    step: str | None = None


class TransferBenchRequest(EnvironmentBenchRequest, frozen=True, kw_only=True):
    """`bench transfer`."""

    batch_bytes: int
