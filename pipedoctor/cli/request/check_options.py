"""Options of `check` that a configuration may hold as well, each with its type."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from pipedoctor.cli.formats import Subject, list_formats
from pipedoctor.facts import Loader

if TYPE_CHECKING:
    ReportFormat = str
else:
    ReportFormat = Literal[list_formats(Subject.REPORT)]
FailThreshold = Literal["breaks", "risks", "slows", "note", "never"]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 16)]
Bytes = Annotated[int, msgspec.Meta(ge=0)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1, le=1 << 16)]


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """Options of `check` that may stand in a file, by their long names."""

    data: tuple[str, ...] = ()
    python: str | None = None
    env: str | None = None
    workers: Count | None = None
    batch_bytes: Bytes | None = None
    prefetch: AtLeastOne | None = None
    ranks: AtLeastOne | None = None
    quick: bool = False
    jobs: AtLeastOne | None = None
    cache_dir: str | None = None
    no_cache: bool = False
    no_gitignore: bool = False
    deadline: Annotated[float, msgspec.Meta(ge=1)] = 15.0
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: FailThreshold = "breaks"
    format: ReportFormat = "text"
    no_redact: bool = False
    keep: bool = False
    baseline: str | None = None
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False

    @property
    def loader(self) -> Loader | None:
        """What is known of the job's DataLoader; None when nothing is."""
        values = {
            "num_workers": ("--workers", self.workers),
            "prefetch_factor": ("--prefetch", self.prefetch),
            "batch_bytes": ("--batch-bytes", self.batch_bytes),
            "ranks": ("--ranks", self.ranks),
        }
        known = {key: value for key, (_, value) in values.items() if value is not None}
        origin = {key: values[key][0] for key in known}
        return msgspec.convert({**known, "origin": origin}, Loader) if known else None


class CommandLineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `CheckOptions` on the command line; the others are defaults."""

    options: CheckOptions = CheckOptions()
    names: frozenset[str] = frozenset()
    """Fields that the user wrote: these win over a configuration file."""

    @classmethod
    def from_values(cls, **values: Any) -> "CommandLineOptions":
        """Take exactly these, by the names of the fields."""
        return cls(options=CheckOptions(**values), names=frozenset(values))

    def override(self, options: CheckOptions) -> CheckOptions:
        """Options of a file, with those of the command line over them."""
        written = {name: getattr(self.options, name) for name in self.names}
        return msgspec.structs.replace(options, **written)
