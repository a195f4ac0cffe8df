"""Put content into a file whole or not at all: the one writer that makes and replaces files."""

import contextlib
import os
from collections.abc import Callable, Generator

DEFAULT_MODE = 0o666
"""Less what the umask of the process takes away."""
_SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE_FLAGS


def write_atomically(
    target: str,
    data: bytes,
    *,
    mode: int = DEFAULT_MODE,
    draft: str = "",
    prepare: Callable[[int], None] | None = None,
) -> None:
    """
    Rename a finished copy of `data` over `target`; raises OSError.

    A link at `target` itself is replaced, not followed. `mode` is that of the new file,
    less the umask; `prepare` gets its descriptor before it is on disk, to set owner and
    mode. `draft` names the copy, so that who comes after a crash can find it: one that
    is there is removed first. Without a name it is a new one beside `target`.
    """
    if draft:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)  # noqa: PTH108  (here and below: Path costs its import)
    else:
        draft = _name_draft(target)
    with _written_draft(draft, data, mode, prepare):
        os.replace(draft, target)  # noqa: PTH105


def create_atomically(target: str, data: bytes) -> bool:
    """
    Put `data` into a new file, whole or not at all; False where one is there; raises OSError.

    Where the file system has no hard links, an empty file stands there for a moment.
    """
    draft = _name_draft(target)
    with _written_draft(draft, data, DEFAULT_MODE, None):
        try:
            os.link(draft, target)  # replaces nothing, unlike a rename
        except FileExistsError:
            made = False
        except OSError:
            os.close(os.open(target, _FLAGS, DEFAULT_MODE))
            with _removed_unless_done(target):
                os.replace(draft, target)  # noqa: PTH105
            return True
        else:
            made = True
        os.unlink(draft)  # noqa: PTH108
    return made


def _name_draft(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.{os.urandom(3).hex()}")  # noqa: PTH118


@contextlib.contextmanager
def _written_draft(
    draft: str, data: bytes, mode: int, prepare: Callable[[int], None] | None
) -> Generator[None, None, None]:
    """A file on disk, which is removed where what is done with it fails."""
    descriptor = os.open(draft, _FLAGS, mode)
    with _removed_unless_done(draft):
        with open(descriptor, "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            if prepare is not None:
                prepare(descriptor)
            os.fsync(descriptor)
        yield


@contextlib.contextmanager
def _removed_unless_done(path: str) -> Generator[None, None, None]:
    """A file of ours, which is removed where anything ends the work on it, Ctrl-C as well."""
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
