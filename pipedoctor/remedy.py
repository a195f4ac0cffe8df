"""Remedies are data: `fix` runs them, reports print them, nobody parses them."""

import enum
import shlex

import msgspec

from pipedoctor.facts.site import Habitat


class Lasts(enum.Enum):
    """How long a remedy holds."""

    PROCESS = "until the process ends"
    BOOT = "until the next reboot"
    ALWAYS = "for good"


class Place(enum.Enum):
    """Where a remedy has to be applied."""

    HERE = "on this machine"
    LAUNCHER = "where the job is launched"
    CODE = "in the training script"


class Put(msgspec.Struct, frozen=True, kw_only=True):
    """A file that holds `content` afterwards; undo puts back what was there."""

    path: str
    content: str


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """
    One way to cure a finding; argument vectors, never shell strings.

    `argv` changes something and `undo` changes it back. `removes` are files that
    are garbage: they go for good, after the check has looked again. `snippet` is
    text for a manifest or a script. `fits` are the habitats in which this is the
    right remedy; none means everywhere. `advice` is never run, only printed.
    """

    title: str
    lasts: Lasts
    argv: tuple[str, ...] = ()
    snippet: str = ""
    verify: tuple[str, ...] = ()
    place: Place = Place.HERE
    root: bool = False
    undo: tuple[str, ...] = ()
    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()
    fits: tuple[Habitat, ...] = ()
    advice: bool = False

    @property
    def automatic(self) -> bool:
        """Without a human we run only what happens here and can be undone."""
        reversible = bool(self.undo or self.puts or self.removes)
        return self.place is Place.HERE and reversible and not self.advice

    @property
    def shell(self) -> str:
        """The line a human would type."""
        argv = self.argv or (("rm", "-f", "--", *self.removes) if self.removes else ())
        return shlex.join(("sudo", *argv) if self.root and argv else argv)


def fitting(habitat: Habitat, *remedies: Remedy) -> tuple[Remedy, ...]:
    """Those of the remedies that are right in this habitat, in their order."""
    return tuple(r for r in remedies if not r.fits or habitat in r.fits)
