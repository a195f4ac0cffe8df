"""Who works here: names that are redacted wherever they stand."""

import os

from pipedoctor.collect.machine import Machine
from pipedoctor.privacy.identity import UserIdentity, read_identity
from pipedoctor.runtime.regular_file import read_start

_MAX_ACCOUNT_BYTES = 4 << 20


def collect_identities(machine: Machine) -> UserIdentity:
    """
    All users, hosts and home folders known here.

    The caller's and those of the examined job.
    """
    host = os.uname().nodename if hasattr(os, "uname") else ""
    here = read_identity(os.environ, host, _read_user_name())
    there = read_identity(machine.environ, host)
    return UserIdentity(
        users=here.users + there.users,
        hosts=here.hosts + there.hosts,
        homes=here.homes + there.homes,
    )


def _read_user_name() -> str:
    """The user's name in the local file; a directory server is not asked."""
    if not hasattr(os, "getuid"):
        return ""
    uid = str(os.getuid())
    try:
        text = read_start("/etc/passwd", _MAX_ACCOUNT_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""
    rows = (line.split(":") for line in text.splitlines())
    return next((row[0] for row in rows if row[2:3] == [uid]), "")
