"""The book of signatures, and the first answer to a log."""

import io
from collections.abc import Callable

import pytest

from pipedoctor.explanation.reasoning import Diagnosis, diagnose
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.read import read_log
from pipedoctor.log.signatures import SignatureCatalogue


@pytest.fixture(scope="session")
def book() -> SignatureCatalogue:
    return load_signatures()


@pytest.fixture(scope="session")
def diagnosed(book: SignatureCatalogue) -> Callable[[str | bytes], Diagnosis]:
    def answer(text: str | bytes) -> Diagnosis:
        data = text.encode() if isinstance(text, str) else text
        return diagnose(read_log(io.BytesIO(data), book), book)

    return answer


@pytest.fixture(scope="session")
def first(diagnosed: Callable[[str | bytes], Diagnosis]) -> Callable[..., str]:
    def answer(text: str | bytes) -> str:
        causes = diagnosed(text).causes
        return causes[0].cause if causes else "user_code_bug"

    return answer
