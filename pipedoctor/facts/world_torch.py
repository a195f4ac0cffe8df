"""Tables about CUDA, drivers, torch's wheels and its companions, and Pythons."""

from typing import ClassVar

from pipedoctor.facts.base import Part
from pipedoctor.facts.world import World
from pipedoctor.versions import get_series, is_at_least, parse_version


class Row(Part, frozen=True, kw_only=True):
    """Every row says where it comes from and when somebody looked."""

    source: str
    checked: str
    """``2026-11-21``."""
    confirmed: bool = True
    """Rows that are not never make an error."""


class Family(Row, frozen=True, kw_only=True):
    """A CUDA major version and the oldest driver its minor-compatible code runs on."""

    major: int
    linux: str
    windows: str


class Toolkit(Row, frozen=True, kw_only=True):
    """A CUDA minor version and the driver it was released with."""

    cuda: str
    linux: str
    windows: str = ""


class Generation(Row, frozen=True, kw_only=True):
    """Cards of these compute capabilities (inclusive), and what they can still have."""

    name: str
    lowest: str
    highest: str
    last_driver: int | None = None
    """The last driver branch for them; None: no end is known."""
    last_cuda: str = ""
    """The last CUDA that makes code for them; empty: no end is known."""
    first_cuda: str = ""
    """The first CUDA that makes code of their major version; empty: not recorded."""


class CudaDrivers(World, frozen=True, kw_only=True):
    """Which driver serves which CUDA, and which card ends with which."""

    section: ClassVar[str] = "cuda_drivers"

    families: tuple[Family, ...] = ()
    toolkits: tuple[Toolkit, ...] = ()
    generations: tuple[Generation, ...] = ()

    def find_minimum_driver(self, cuda: str, *, windows: bool | None = False) -> str:
        """
        Give the oldest driver for a build with this CUDA; empty: not in the tables.

        From CUDA 11 on that is the family's (minor-version compatibility), before
        each toolkit's own. Nobody knows the system: the lower of the two numbers.
        """
        family = next((f for f in self.families if f.major in parse_version(cuda)[:1]), None)
        toolkit = next((t for t in self.toolkits if t.cuda == get_series(cuda)), None)
        if family is not None and toolkit is not None:
            drivers = [_get_driver(family, windows), _get_driver(toolkit, windows)]
            return min(filter(None, drivers), key=parse_version)
        row = family or toolkit
        return _get_driver(row, windows) if row is not None else ""

    def find_generation(self, capability: str) -> Generation | None:
        """The generation of a card with this compute capability."""
        return next(
            (
                row
                for row in self.generations
                if parse_version(row.lowest)
                <= parse_version(capability)
                <= parse_version(row.highest)
            ),
            None,
        )


def _get_driver(row: Family | Toolkit, windows: bool | None) -> str:
    if windows is None:
        return min(filter(None, (row.linux, row.windows)), key=parse_version)
    return row.windows if windows else row.linux


class Release(Row, frozen=True, kw_only=True):
    """A torch release series and the Pythons it is published for."""

    torch: str
    """``2.13``."""
    patches: tuple[str, ...]
    """Oldest first."""
    python_from: str
    python_to: str
    glibc: str = ""
    """What its Linux wheels need; empty: any that still runs."""


class Wheel(Row, frozen=True, kw_only=True):
    """A build of a release for Linux x86_64, by the tag of its index."""

    torch: str
    tag: str
    cuda: str
    stable: bool = True
    default: bool = False
    """What plain ``pip install torch`` gives."""
    arch: tuple[str, ...] = ()
    """``8.6``, ``12.0+PTX``; empty: not known."""


class CondaBuild(Row, frozen=True, kw_only=True):
    """What the builds of the ``pytorch`` conda channel were compiled for."""

    torch: str
    cuda: str
    arch: tuple[str, ...]


class Floor(Row, frozen=True, kw_only=True):
    """From this torch on no published build had code for cards below this."""

    torch: str
    capability: str


class TorchBuilds(World, frozen=True, kw_only=True):
    """Published torch builds."""

    section: ClassVar[str] = "torch_builds"

    releases: tuple[Release, ...] = ()
    """Oldest first."""
    wheels: tuple[Wheel, ...] = ()
    conda: tuple[CondaBuild, ...] = ()
    floors: tuple[Floor, ...] = ()
    """Oldest first."""

    def find_floor(self, torch: str) -> Floor | None:
        """The newest floor that this torch has reached."""
        reached = (floor for floor in self.floors if is_at_least(torch, floor.torch))
        return max(reached, key=lambda floor: parse_version(floor.torch), default=None)

    def find_wheel(self, torch: str, cuda: str) -> Wheel | None:
        """The wheel of this torch and this CUDA, both as long as one likes."""
        wanted = (get_series(torch), get_series(cuda))
        return next((w for w in self.wheels if (w.torch, w.cuda) == wanted), None)

    def find_conda_build(self, torch: str, cuda: str) -> CondaBuild | None:
        """The same for the ``pytorch`` conda channel."""
        wanted = (get_series(torch), get_series(cuda))
        return next((c for c in self.conda if (c.torch, c.cuda) == wanted), None)

    def find_default_wheel(self, torch: str) -> Wheel | None:
        """What plain ``pip install`` of this torch gives on Linux."""
        of_series = (w for w in self.wheels if w.torch == get_series(torch))
        return next((wheel for wheel in of_series if wheel.default), None)


class Pair(Row, frozen=True, kw_only=True):
    """A release of a companion package and the torch it was built for."""

    package: str
    version: str
    """``0.20.1``, or ``0.16.*`` for a whole series."""
    torch: str
    """``==2.5.1``, ``==2.1.*``, ``>=2.14.0`` or ``<=1.0.1``."""

    def covers_version(self, version: str) -> bool:
        """Is this row about that version of the package?"""
        stem = self.version.removesuffix(".*")
        if stem != self.version:
            return parse_version(version)[: len(parse_version(stem))] == parse_version(stem)
        return parse_version(version) == parse_version(stem)

    def accepts_torch(self, torch: str) -> bool:
        """Does that torch meet the row?"""
        operator, wanted = self.torch[:2], self.torch[2:].removesuffix(".*")
        if operator == ">=":
            return is_at_least(torch, wanted)
        if operator == "<=":
            return is_at_least(wanted, torch)
        return parse_version(torch)[: len(parse_version(wanted))] == parse_version(wanted)


class TorchPairs(World, frozen=True, kw_only=True):
    """torchvision, torchaudio and torchcodec, and their torch."""

    section: ClassVar[str] = "torch_pairs"

    rows: tuple[Pair, ...] = ()
    """Of each package the newest first."""

    def find(self, package: str, version: str) -> Pair | None:
        """The row of this version; None: older or newer than the table."""
        return next(
            (r for r in self.rows if r.package == package and r.covers_version(version)),
            None,
        )

    def find_in_series(self, package: str, version: str) -> Pair | None:
        """Some row of the same series, for a patch level that is not listed."""
        wanted = get_series(version)
        return next(
            (
                row
                for row in self.rows
                if row.package == package and get_series(row.version) == wanted
            ),
            None,
        )

    def find_newest(self, package: str, torch: str) -> Pair | None:
        """The newest exactly known version of the package for this torch."""
        return next(
            (
                row
                for row in self.rows
                if row.package == package
                and row.confirmed
                and "*" not in row.version
                and row.accepts_torch(torch)
            ),
            None,
        )


class PythonRelease(Row, frozen=True, kw_only=True):
    """A Python series and the day its support ends or ended."""

    python: str
    ends: str
    """``2026-10-31``; where only the month is known, its last day."""

    @property
    def has_ended(self) -> bool:
        """Had it ended when the row was checked? Later ends are not guessed."""
        return self.ends <= self.checked


class Pythons(World, frozen=True, kw_only=True):
    """Series of CPython."""

    section: ClassVar[str] = "pythons"

    rows: tuple[PythonRelease, ...] = ()

    def find(self, version: str) -> PythonRelease | None:
        """The row of this version's series."""
        return next((row for row in self.rows if row.python == get_series(version)), None)
