"""Places in code as other programs want them: files, cells, URIs."""

import re
from urllib.parse import quote

from pipedoctor.check import Location

_CELL = re.compile(r"(?s)(.+\.ipynb)#cell([0-9]{1,9})")
_DRIVE = re.compile(r"[A-Za-z]:/")


def cell_of(spot: Location) -> int:
    """The number of the cell in a notebook, or 0."""
    found = _CELL.fullmatch(spot.path)
    return int(found[2]) if found else 0


def file_of(spot: Location) -> str:
    """The file, without the cell."""
    found = _CELL.fullmatch(spot.path)
    return found[1] if found else spot.path


def artifact(path: str) -> dict[str, str]:
    """A file for SARIF: relative to the sources, or ``file://`` where absolute."""
    path = path.replace("\\", "/")
    safe = quote(path, safe="/~", errors="surrogatepass")
    if _DRIVE.match(path):
        return {"uri": f"file:///{path[:2]}{quote(path[2:], errors='surrogatepass')}"}
    if path.startswith("/"):
        return {"uri": f"file://{safe}"}
    return {"uri": safe, "uriBaseId": "%SRCROOT%"}
