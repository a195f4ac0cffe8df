"""The book of signatures, and the first answer to a log."""

import io
from collections.abc import Callable

import pytest

from pipedoctor.explanation.book import installed_book
from pipedoctor.explanation.reason import Diagnosis, diagnose
from pipedoctor.log.read import read
from pipedoctor.log.signatures import Book


@pytest.fixture(scope="session")
def book() -> Book:
    return installed_book()


@pytest.fixture(scope="session")
def diagnosed(book: Book) -> Callable[[str | bytes], Diagnosis]:
    def answer(text: str | bytes) -> Diagnosis:
        data = text.encode() if isinstance(text, str) else text
        return diagnose(read(io.BytesIO(data), book), book)

    return answer


@pytest.fixture(scope="session")
def first(diagnosed: Callable[[str | bytes], Diagnosis]) -> Callable[..., str]:
    def answer(text: str | bytes) -> str:
        causes = diagnosed(text).causes
        return causes[0].cause if causes else "user_code_bug"

    return answer
