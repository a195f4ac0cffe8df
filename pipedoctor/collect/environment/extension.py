"""Which compiled module an interpreter takes, by the tag in the file's name."""

import re
from collections.abc import Iterable
from pathlib import Path

_FILENAME = re.compile(
    r"(?P<stem>\w+?)(?:\.(?:cpython-(?P<unix>\d+)t?[\w-]*|cp(?P<windows>\d+)t?-\w+"
    r"|(?P<abi>abi3)))?\.(?:so|pyd)"
)


def pick_extension(files: Iterable[Path], version: str) -> Path | None:
    """
    Pick the file that this Python imports: its own tag before abi3 before none.

    Of builds without the global lock (``313t``) the name of the version is enough.
    """
    wanted = "".join(version.split(".")[:2])
    ranked = sorted(
        (rank, file) for file in files if (rank := _rank_file(file, wanted)) is not None
    )
    return ranked[0][1] if ranked else None


def _rank_file(file: Path, version: str) -> int | None:
    match = _FILENAME.fullmatch(file.name)
    if match is None:
        return None
    tag = match["unix"] or match["windows"]
    if tag:
        return 0 if tag == version else None
    return 1 if match["abi"] else 2
