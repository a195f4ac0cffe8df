"""Who works here: the names that are private wherever they stand."""

import re
from collections.abc import Mapping

import msgspec


class UserIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """
    Names of the user and the machine, which are private wherever they stand.

    `homes` are paths.
    """

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()

    @property
    def user_names(self) -> tuple[str, ...]:
        """Users, and those whose homes are known."""
        return (*self.users, *map(get_last_part, self.homes))


def read_identity(environ: Mapping[str, str], hostname: str, passwd: str = "") -> UserIdentity:
    """The current user's names, from the environment and the lines of /etc/passwd."""
    home = environ.get("HOME", "").rstrip("/\\")
    named = [environ.get(key, "") for key in ("USER", "LOGNAME", "SUDO_USER")]
    hosts = (hostname, environ.get("HOSTNAME", ""))
    return UserIdentity(
        users=tuple(dict.fromkeys(user for user in (*named, passwd) if user)),
        hosts=tuple(dict.fromkeys(host for host in hosts if host)),
        homes=(home,) if "/" in home[1:] or "\\" in home else (),
    )


def get_last_part(path: str) -> str:
    """The last name of a path, of any system."""
    return re.split(r"[/\\]", path)[-1]
