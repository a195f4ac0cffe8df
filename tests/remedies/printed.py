"""Every remedy that is printed: for a log of each cause in every place, and for machines."""

import functools
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation.explain import explain_log
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.facts import Facts, Site
from pipedoctor.log.read import read_log
from pipedoctor.pipeline import CheckPolicy, judge_record
from pipedoctor.report.model import ReportedRemedy

TESTS = Path(__file__).resolve().parents[1]
HERE = Facts(Site(system="linux"))


SHELL = re.compile(
    r"^(?:export|unset|ulimit|cp|mkdir|conda|taskset|sudo|python -m|df|du|curl|kubectl|findmnt"
    r"|dmesg|nohup) ",
    re.MULTILINE,
)
"""How a line of a snippet begins that is typed into a shell."""


def read_variants() -> Iterator[tuple[str, str]]:
    """Every text with its cause."""
    for path in sorted((TESTS / "explanation").glob("variants*.txt")):
        for part in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            head, _, body = part.partition("\n")
            yield head.split()[0], body


@functools.cache
def list_logs() -> dict[str, str]:
    """The first text of every cause."""
    logs: dict[str, str] = {}
    for cause, text in read_variants():
        logs.setdefault(cause, text)
    return logs


def explain_text(text: str, facts: Facts = HERE) -> list[ReportedRemedy]:
    """The remedies of the first cause, of every place."""
    book = load_signatures()
    said = explain_log(read_log(io.BytesIO(text.encode()), book), book, facts=lambda _: facts)
    return [*said.causes[0].remedies] if said.causes else []


def list_every_log() -> list[tuple[str, ReportedRemedy]]:
    """Each remedy for every text."""
    return [(cause, one) for cause, text in read_variants() for one in explain_text(text)]


def list_typed_lines(remedies: Iterable[ReportedRemedy]) -> list[str]:
    """What is typed into a shell, as it is printed: a line, or lines that belong together."""
    texts = {one.shell or one.snippet for one in remedies if one.shell or SHELL.search(one.snippet)}
    return sorted(texts)


@functools.cache
def list_printed() -> list[tuple[str, ReportedRemedy]]:
    """Each remedy with where it is from: a cause, or a machine and its check."""
    logs = [(cause, one) for cause, text in list_logs().items() for one in explain_text(text)]
    machines = [
        (f"{path.stem} {finding.name}", one)
        for path in sorted((TESTS / "machines").glob("*.json"))
        for finding in judge_record(
            get_catalogue(), path.read_bytes(), None, CheckPolicy()
        ).findings
        for one in finding.remedies
    ]
    return [*logs, *machines]
