"""TCP ports that somebody listens on, and who it is."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Listener(Part, frozen=True, kw_only=True):
    """A port that is taken; `pid` is None where its process is out of sight."""

    port: int
    pid: int | None = None
    command: str = ""
    """The name of that process, as the kernel has it."""


class Ports(Fact, frozen=True, kw_only=True):
    """What is listened on in the network namespace of the examined process."""

    section: ClassVar[str] = "ports"

    master: int | None = None
    """MASTER_PORT, where it is set."""
    listening: tuple[Listener, ...] = ()

    def find_listener(self, port: int) -> Listener | None:
        """Who listens on this port, if anybody does."""
        return next((one for one in self.listening if one.port == port), None)
