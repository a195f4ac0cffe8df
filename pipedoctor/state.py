"""What pipedoctor remembers on this machine, readable by its user alone."""

import contextlib
import os
import secrets
from pathlib import Path

import platformdirs

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


def folder() -> Path:
    """Where it is kept: ``~/.local/state/pipedoctor`` on Linux; raises OSError."""
    try:
        home = Path(platformdirs.user_state_dir("pipedoctor", appauthor=False))
    except RuntimeError as error:
        raise FileNotFoundError(str(error)) from None
    if not home.is_absolute():
        message = "no home directory"
        raise FileNotFoundError(message)
    return home


def prepare(place: Path) -> None:
    """Make a folder that only its user can enter; raises OSError."""
    place.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    if place.stat().st_mode & 0o077:
        place.chmod(PRIVATE_FOLDER)


def put(target: Path, data: bytes) -> None:
    """Put `data` there, whole or not at all; raises OSError."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(draft, flags, PRIVATE_FILE)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  (a descriptor)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
