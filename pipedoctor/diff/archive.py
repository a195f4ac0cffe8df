"""The report in an archive that `pipedoctor report --all` wrote."""

import io
import zipfile
import zlib

from pipedoctor.facts import Malformed
from pipedoctor.report.json import LARGEST

BEGINS = b"PK\x03\x04"
_MOST = 100
"""Files in an archive; ours has a handful."""


def report_in(data: bytes) -> bytes:
    """The JSON report in a .zip; raises Malformed."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.infolist() if m.filename.endswith(".json")]
            for member in members[:_MOST]:
                with archive.open(member) as file:
                    found = file.read(LARGEST + 1)
                if b'"pipedoctor.report/1"' in found[:4096]:
                    return found
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        RuntimeError,
        NotImplementedError,
        ValueError,
    ) as error:
        message = f"a damaged archive: {error}"
        raise Malformed(message) from None
    message = "no JSON report of pipedoctor in this archive"
    raise Malformed(message)
