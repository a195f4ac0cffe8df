"""
Make world/filesystems.json from a list of file systems that somebody researched.

Run it as ``python tools/make_filesystems.py RESEARCHED.json 2026-11-21``: the date is
the day on which the list was checked. A row without a source of its own is kept as
unconfirmed; nothing that it says may become an error.
"""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.facts import Filesystem, Filesystems

TABLE_PATH = Path(__file__).parents[1] / "checks/pipedoctor_checks/world/filesystems.json"
NO_SOURCE = "general knowledge"


def main(researched: str, checked: str) -> None:
    """Write the table, in the order of the list."""
    listed = json.loads(Path(researched).read_text(encoding="utf-8"))
    table = Filesystems(rows=tuple(_build_row(r, checked) for r in listed["filesystems"]))
    names = [row.fstype for row in table.rows]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        message = f"listed twice: {', '.join(twice)}"
        raise SystemExit(message)
    text = msgspec.json.format(msgspec.json.encode(table), indent=2)
    TABLE_PATH.write_bytes(text + b"\n")
    print(f"{TABLE_PATH}: {len(names)} rows")


def _build_row(entry: dict[str, Any], checked: str) -> Filesystem:
    _, _, address = entry["confidence"].partition("https://")
    manual = entry["confidence"].partition(": ")[2] if not address else ""
    source = f"https://{address}" if address else manual or NO_SOURCE
    advice = entry["advice"]
    return Filesystem(
        fstype=entry["fstype"],
        kind=entry["kind"],
        advice="" if advice == "-" else advice,
        source=source,
        checked=checked,
        confirmed=source != NO_SOURCE,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
