"""
What pipedoctor remembers on this machine, in folders that nobody else can write.

That is the user's own state folder; for root, where that one belongs to somebody else
(``sudo`` with the HOME of a user), the machine's.
"""

import os
from pathlib import Path

import platformdirs

from pipedoctor.runtime import trusted_path
from pipedoctor.runtime.verified_folder import (
    PRIVATE_FOLDER,
    PUBLIC_FOLDER,
    VerifiedFolder,
    get_user,
)

FOLDER_NAME = "pipedoctor"
MACHINE_FOLDER = "/var/lib"


def find_state_folder() -> Path:
    """The user's state folder: ``~/.local/state/pipedoctor`` on Linux; raises OSError."""
    try:
        home = Path(platformdirs.user_state_dir(FOLDER_NAME, appauthor=False))
    except RuntimeError as error:
        raise FileNotFoundError(str(error)) from None
    if not home.is_absolute():
        message = "no home directory"
        raise FileNotFoundError(message)
    return home


def has_own_setting() -> bool:
    """Does ``XDG_STATE_HOME`` say where state is kept?"""
    return os.path.isabs(os.environ.get("XDG_STATE_HOME", ""))  # noqa: PTH117  (no Path needed)


def open_own_folder(*, create: bool = False) -> VerifiedFolder:
    """
    Open the user's state folder; raises OSError.

    FileNotFoundError where there is none yet; UntrustedError where others can write to
    it or above it, and where there is no home to create it in.
    """
    home = find_state_folder()
    return _open_below(str(home.parent), create=create, owner=get_user(), mode=PRIVATE_FOLDER)


def open_machine_folder(*, create: bool = False) -> VerifiedFolder:
    """Open ``/var/lib/pipedoctor``, which everybody may read and only root has written."""
    return _open_below(MACHINE_FOLDER, create=create, owner=0, mode=PUBLIC_FOLDER)


def open_state_folder(*, create: bool = False) -> VerifiedFolder:
    """Open the folder to keep things in: the user's own, or the machine's for root."""
    try:
        return open_own_folder(create=create)
    except trusted_path.UntrustedError:
        if not is_root():
            raise
    return open_machine_folder(create=create)


def is_root() -> bool:
    """Is this root, who may also use the machine's folder?"""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def open_private_folder(path: Path, *, create: bool = False) -> VerifiedFolder:
    """Open a folder that the user names, as a cache may be; its mode stays. Raises OSError."""
    owner = get_user()
    if not trusted_path.IS_SUPPORTED:
        if create:
            path.mkdir(parents=True, exist_ok=True)
        return VerifiedFolder(-1, str(path), owner)
    below = "/" if create else ""
    descriptor = trusted_path.open_trusted(str(path.absolute()), owner, create_below=below)
    folder = VerifiedFolder(descriptor, str(path), owner)
    if why := trusted_path.explain_distrust(os.fstat(descriptor), owner):
        folder.close()
        raise trusted_path.UntrustedError(str(path), why)
    return folder


def _open_below(
    base: str, *, create: bool, owner: int, mode: int = PRIVATE_FOLDER
) -> VerifiedFolder:
    if not trusted_path.IS_SUPPORTED:
        if create:
            Path(base).mkdir(parents=True, exist_ok=True)
        return VerifiedFolder(-1, base, owner).open_folder(FOLDER_NAME, create=create)
    _refuse_missing_home(base)
    root = "/" if create else ""
    descriptor = trusted_path.open_trusted(base, owner, create_below=root, mode=mode)
    with VerifiedFolder(descriptor, base, owner) as outer:
        return outer.open_folder(FOLDER_NAME, create=create, mode=mode)


def _refuse_missing_home(base: str) -> None:
    """Nothing is created in place of a home directory that is not there."""
    home = os.path.expanduser("~")  # noqa: PTH111  (no error where there is none)
    inside = os.path.isabs(home) and os.path.commonpath((home, base)) == home  # noqa: PTH117
    if inside and home != "/" and not os.path.isdir(home):  # noqa: PTH112
        raise trusted_path.MissingHomeError(home, "is a home directory that does not exist")
