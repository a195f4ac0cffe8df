"""Write what docs/ shows of the program itself; `--check` only says what is stale."""

import argparse
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from pipedoctor.catalogue import installed
from pipedoctor.examine import Standards, reexamine
from pipedoctor.page import can_fix, page
from pipedoctor.report.json import schema
from pipedoctor.report.text import render

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NOTICE = "<!-- Written by tools/make_docs.py from the check itself. -->\n\n"
OURS = "pipedoctor"


def documents() -> Iterator[tuple[Path, str]]:
    """Every generated file with its text."""
    checks = [c for c in installed().checks.values() if c.pack == OURS]
    for check in checks:
        yield DOCS / "checks" / f"{check.name}.md", NOTICE + page(check)
    rows = [
        f"| {c.code} | [{c.name}]({c.name}.md) | {c.title} |"
        f" {'yes' if can_fix(c) else ''} |"
        for c in checks
    ]
    head = "# Checks\n\n| code | name | what it finds | `fix` |\n|---|---|---|---|\n"
    yield DOCS / "checks" / "README.md", NOTICE + head + "\n".join(rows) + "\n"
    text = json.dumps(schema(), indent=2, sort_keys=True)
    yield DOCS / "report.schema.json", text + "\n"
    picture = ROOT / "tests" / "machines" / "container.json"
    if picture.exists():
        yield DOCS / "picture.svg", svg(picture)


def svg(record: Path) -> str:
    """The report of a recorded machine as a terminal shows it."""
    report = reexamine(installed(), record.read_bytes(), None, Standards())
    console = Console(
        record=True,
        width=92,
        file=io.StringIO(),
        force_terminal=True,
        legacy_windows=False,
    )
    console.print("$ pipedoctor check --workers 8 --batch-bytes 128M", style="bold")
    text = render(report, width=92, colour=True)
    console.print(Text.from_ansi(text))
    return console.export_svg(title="pipedoctor check", unique_id="pipedoctor") + "\n"


def main() -> int:
    """Write them, or compare: 1 when one is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    only_check: bool = parser.parse_args().check
    wanted = dict(documents())
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text() != text]
    stale += [p for p in (DOCS / "checks").glob("*.md") if p not in wanted]
    for path in stale:
        print(f"stale: {path.relative_to(ROOT)}")
        if only_check:
            continue
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
        else:
            path.unlink()
    return int(bool(stale) and only_check)


if __name__ == "__main__":
    sys.exit(main())
