"""Tables about CUDA, drivers, torch's wheels and its companions, and Pythons."""

from typing import ClassVar

from pipedoctor.facts.base import Part
from pipedoctor.facts.world import World
from pipedoctor.versions import numbers, reaches, series


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

    def minimum(self, cuda: str, *, windows: bool | None = False) -> str:
        """
        Give the oldest driver for a build with this CUDA; empty: not in the tables.

        From CUDA 11 on that is the family's (minor-version compatibility), before
        each toolkit's own. Nobody knows the system: the lower of the two numbers.
        """
        family = next((f for f in self.families if f.major in numbers(cuda)[:1]), None)
        toolkit = next((t for t in self.toolkits if t.cuda == series(cuda)), None)
        if family is not None and toolkit is not None:
            drivers = [_driver(family, windows), _driver(toolkit, windows)]
            return min(filter(None, drivers), key=numbers)
        row = family or toolkit
        return _driver(row, windows) if row is not None else ""

    def generation(self, capability: str) -> Generation | None:
        """The generation of a card with this compute capability."""
        return next(
            (
                row
                for row in self.generations
                if numbers(row.lowest) <= numbers(capability) <= numbers(row.highest)
            ),
            None,
        )


def _driver(row: Family | Toolkit, windows: bool | None) -> str:
    if windows is None:
        return min(filter(None, (row.linux, row.windows)), key=numbers)
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

    def floor(self, torch: str) -> Floor | None:
        """The newest floor that this torch has reached."""
        reached = (floor for floor in self.floors if reaches(torch, floor.torch))
        return max(reached, key=lambda floor: numbers(floor.torch), default=None)

    def wheel(self, torch: str, cuda: str) -> Wheel | None:
        """The wheel of this torch and this CUDA, both as long as one likes."""
        wanted = (series(torch), series(cuda))
        return next((w for w in self.wheels if (w.torch, w.cuda) == wanted), None)

    def conda_build(self, torch: str, cuda: str) -> CondaBuild | None:
        """The same for the ``pytorch`` conda channel."""
        wanted = (series(torch), series(cuda))
        return next((c for c in self.conda if (c.torch, c.cuda) == wanted), None)

    def default(self, torch: str) -> Wheel | None:
        """What plain ``pip install`` of this torch gives on Linux."""
        of_series = (w for w in self.wheels if w.torch == series(torch))
        return next((wheel for wheel in of_series if wheel.default), None)


class Pair(Row, frozen=True, kw_only=True):
    """A release of a companion package and the torch it was built for."""

    package: str
    version: str
    """``0.20.1``, or ``0.16.*`` for a whole series."""
    torch: str
    """``==2.5.1``, ``==2.1.*``, ``>=2.14.0`` or ``<=1.0.1``."""

    def serves(self, version: str) -> bool:
        """Is this row about that version of the package?"""
        stem = self.version.removesuffix(".*")
        if stem != self.version:
            return numbers(version)[: len(numbers(stem))] == numbers(stem)
        return numbers(version) == numbers(stem)

    def fits(self, torch: str) -> bool:
        """Does that torch meet the row?"""
        operator, wanted = self.torch[:2], self.torch[2:].removesuffix(".*")
        if operator == ">=":
            return reaches(torch, wanted)
        if operator == "<=":
            return reaches(wanted, torch)
        return numbers(torch)[: len(numbers(wanted))] == numbers(wanted)


class TorchPairs(World, frozen=True, kw_only=True):
    """torchvision, torchaudio and torchcodec, and their torch."""

    section: ClassVar[str] = "torch_pairs"

    rows: tuple[Pair, ...] = ()
    """Of each package the newest first."""

    def find(self, package: str, version: str) -> Pair | None:
        """The row of this version; None: older or newer than the table."""
        return next(
            (r for r in self.rows if r.package == package and r.serves(version)), None
        )

    def of_series(self, package: str, version: str) -> Pair | None:
        """Some row of the same series, for a patch level that is not listed."""
        wanted = series(version)
        return next(
            (
                row
                for row in self.rows
                if row.package == package and series(row.version) == wanted
            ),
            None,
        )

    def newest_for(self, package: str, torch: str) -> Pair | None:
        """The newest exactly known version of the package for this torch."""
        return next(
            (
                row
                for row in self.rows
                if row.package == package
                and row.confirmed
                and "*" not in row.version
                and row.fits(torch)
            ),
            None,
        )


class PythonRelease(Row, frozen=True, kw_only=True):
    """A Python series and the day its support ends or ended."""

    python: str
    ends: str
    """``2026-10-31``; where only the month is known, its last day."""

    @property
    def ended(self) -> bool:
        """Had it ended when the row was checked? Later ends are not guessed."""
        return self.ends <= self.checked


class Pythons(World, frozen=True, kw_only=True):
    """Series of CPython."""

    section: ClassVar[str] = "pythons"

    rows: tuple[PythonRelease, ...] = ()

    def find(self, version: str) -> PythonRelease | None:
        """The row of this version's series."""
        return next((row for row in self.rows if row.python == series(version)), None)
