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
from pipedoctor.versions import is_at_least, parse_version

TABLE_PATH = Path(__file__).parents[1] / "checks/pipedoctor_checks/world/pillow_fixes.json"
NOTES_URL = "https://pillow.readthedocs.io/en/stable/releasenotes"
OLDEST_RELEASE = "8.0.0"
_CVE_HEADING = re.compile(r"^(.*:cve:.*)\n\^{3,}$", re.MULTILINE)


def main(docs: str, checked: str, *options: str) -> None:
    """Write the table, or with ``--check`` compare."""
    pythons = _read_python_table(Path(docs) / "installation/newer-versions.csv")
    notes = sorted(
        (parse_version(path.stem), path)
        for path in Path(docs).glob("releasenotes/[0-9]*.rst")
        if is_at_least(path.stem, OLDEST_RELEASE)
    )
    rows = tuple(
        PillowFix(
            version=path.stem,
            python=_find_oldest_python(path.stem, pythons),
            cves=cves,
            source=f"{NOTES_URL}/{path.stem}.html",
            checked=checked,
        )
        for _, path in notes
        if (cves := _find_cves(path.read_text(encoding="utf-8")))
    )
    text = msgspec.json.format(msgspec.json.encode(PillowFixes(rows=rows)), indent=1)
    if "--check" not in options:
        TABLE_PATH.write_bytes(text + b"\n")
        print(f"{TABLE_PATH}: {len(rows)} rows")
    elif TABLE_PATH.read_bytes() != text + b"\n":
        message = f"{TABLE_PATH} is not what the release notes say"
        raise SystemExit(message)


def _find_cves(notes: str) -> tuple[str, ...]:
    headings = " ".join(_CVE_HEADING.findall(notes))
    named = re.findall(r":cve:`(\d{4}-\d+)`", headings)
    return tuple(f"CVE-{number}" for number in dict.fromkeys(named))


def _read_python_table(table: Path) -> list[tuple[str, str, str]]:
    """First release, last release and oldest Python of every line of the table."""
    with table.open(encoding="utf-8-sig") as file:
        names, *lines = csv.reader(file)
    found: list[tuple[str, str, str]] = []
    for series, *marks in lines:
        first, _, last = series.removeprefix("Pillow ").partition(" - ")
        supported = [python for python, mark in zip(names[1:], marks, strict=True) if mark]
        found.append((first, last or first, supported[-1]))
    return found


def _find_oldest_python(version: str, pythons: list[tuple[str, str, str]]) -> str:
    for first, last, python in pythons:
        within = parse_version(version)[: len(parse_version(last))] <= parse_version(last)
        if is_at_least(version, first) and within:
            return python
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
