"""
Is there a folder or a file of this name, as far as this user may see?

`pathlib` raises PermissionError where a folder above may not be searched (before Python
3.14). Python's `site`, the linker and git then act as if nothing was there; so do the
readers of an environment, or one folder of another user would hide all others.
"""

import os

from pipedoctor.runtime.regular_file import FilePath


def is_folder(path: FilePath) -> bool:
    """A folder, or a link to one."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: FilePath) -> bool:
    """A regular file, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113


def is_there(path: FilePath) -> bool:
    """Anything, or a link to it."""
    return os.path.exists(path)  # noqa: PTH110
