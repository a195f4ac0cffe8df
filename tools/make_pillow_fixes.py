"""
Make world/pillow_fixes.json from the release notes in a checkout of Pillow.

Run it as ``python tools/make_pillow_fixes.py PILLOW/docs 2026-11-21``: the date is
the day on which they were read. A release whose notes are still to be written names
no vulnerability and gets no row. With ``--check`` nothing is written: it says whether
the table is what it would be.
"""

import csv
import re
import sys
from pathlib import Path

import msgspec

from pipedoctor.facts.world_pillow import PillowFix, PillowFixes
from pipedoctor.versions import numbers, reaches

TABLE = Path(__file__).parents[1] / "checks/pipedoctor_checks/world/pillow_fixes.json"
NOTES = "https://pillow.readthedocs.io/en/stable/releasenotes"
OLDEST = "8.0.0"
_HEADING = re.compile(r"^(.*:cve:.*)\n\^{3,}$", re.MULTILINE)


def main(docs: str, checked: str, *options: str) -> None:
    """Write the table, or with ``--check`` compare."""
    pythons = _pythons(Path(docs) / "installation/newer-versions.csv")
    notes = sorted(
        (numbers(path.stem), path)
        for path in Path(docs).glob("releasenotes/[0-9]*.rst")
        if reaches(path.stem, OLDEST)
    )
    rows = tuple(
        PillowFix(
            version=path.stem,
            python=_python(path.stem, pythons),
            cves=cves,
            source=f"{NOTES}/{path.stem}.html",
            checked=checked,
        )
        for _, path in notes
        if (cves := _cves(path.read_text(encoding="utf-8")))
    )
    text = msgspec.json.format(msgspec.json.encode(PillowFixes(rows=rows)), indent=1)
    if "--check" not in options:
        TABLE.write_bytes(text + b"\n")
        print(f"{TABLE}: {len(rows)} rows")
    elif TABLE.read_bytes() != text + b"\n":
        message = f"{TABLE} is not what the release notes say"
        raise SystemExit(message)


def _cves(notes: str) -> tuple[str, ...]:
    headings = " ".join(_HEADING.findall(notes))
    named = re.findall(r":cve:`(\d{4}-\d+)`", headings)
    return tuple(f"CVE-{number}" for number in dict.fromkeys(named))


def _pythons(table: Path) -> list[tuple[str, str, str]]:
    """First release, last release and oldest Python of every line of the table."""
    with table.open(encoding="utf-8-sig") as file:
        names, *lines = csv.reader(file)
    found: list[tuple[str, str, str]] = []
    for series, *marks in lines:
        first, _, last = series.removeprefix("Pillow ").partition(" - ")
        supported = [
            python for python, mark in zip(names[1:], marks, strict=True) if mark
        ]
        found.append((first, last or first, supported[-1]))
    return found


def _python(version: str, pythons: list[tuple[str, str, str]]) -> str:
    for first, last, python in pythons:
        within = numbers(version)[: len(numbers(last))] <= numbers(last)
        if reaches(version, first) and within:
            return python
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
