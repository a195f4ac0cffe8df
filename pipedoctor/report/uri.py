"""Files as URIs, as SARIF names them."""

import re
from urllib.parse import quote

_WINDOWS_DRIVE = re.compile(r"[A-Za-z]:/")


def build_artifact(path: str) -> dict[str, str]:
    """A file for SARIF: relative to the sources, or ``file://`` where absolute."""
    path = path.replace("\\", "/")
    safe = quote(path, safe="/~", errors="surrogatepass")
    if _WINDOWS_DRIVE.match(path):
        return {"uri": f"file:///{path[:2]}{quote(path[2:], errors='surrogatepass')}"}
    if path.startswith("/"):
        return {"uri": f"file://{safe}"}
    return {"uri": safe, "uriBaseId": "%SRCROOT%"}
