"""Put content into a file whole or not at all: the one writer that replaces files."""

import contextlib
import os
from collections.abc import Callable

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
        folder, name = os.path.split(target)
        draft = os.path.join(folder, f".{name}.{os.urandom(3).hex()}")  # noqa: PTH118
    descriptor = os.open(draft, _FLAGS, mode)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            if prepare is not None:
                prepare(descriptor)
            os.fsync(descriptor)
        os.replace(draft, target)  # noqa: PTH105
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(draft)  # noqa: PTH108
        raise
