"""systemd-logind, as far as it can delete a running job's shared memory."""

from typing import ClassVar

from pipedoctor.facts.base import Fact


class Logind(Fact, frozen=True, kw_only=True):
    """RemoveIPC and whether it reaches this user."""

    section: ClassVar[str] = "logind"

    running: bool
    remove_ipc: bool | None = None
    """The effective setting; None: not known."""
    remove_ipc_source: str = ""
    """The file that sets it, or ``default``."""
    uid: int | None = None
    system_user: bool = False
    """System users (uid below SYS_UID_MAX) are not touched."""
    linger: bool | None = None
    in_session: bool | None = None
    """Is the examined process in the scope of a login session?"""
    remote: bool | None = None
    """Did that session come over the network, as SSH's do?"""
