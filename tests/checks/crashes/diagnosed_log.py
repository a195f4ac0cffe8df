"""Logs as `explain` concludes them."""

import functools
import io

from msgspec.structs import replace

from pipedoctor.explanation.reasoning import diagnose
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.facts.log import Log
from pipedoctor.log.read import read_log
from pipedoctor.log.signatures import SignatureCatalogue


@functools.cache
def _load_installed_signatures() -> SignatureCatalogue:
    return load_signatures()


def diagnose_text(text: str) -> Log:
    """Read a log and conclude its causes, as `explain` does."""
    signatures = _load_installed_signatures()
    log = read_log(io.BytesIO(text.encode()), signatures)
    causes = diagnose(log, signatures).causes
    return replace(log, causes=tuple(one.cause for one in causes))
