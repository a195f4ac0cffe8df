"""Write what docs/ shows of the program itself; `--check` only says what is stale."""

import argparse
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from gpu_recordings import collect_evidence, render_evidence
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from pipedoctor.check import Check
from pipedoctor.check.page import list_headings, list_required_headings, render_page
from pipedoctor.cli import main as main_command
from pipedoctor.diff.model import Diff
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation.model import Explanation
from pipedoctor.fleet.model import FleetReport
from pipedoctor.pipeline import CheckPolicy, judge_record
from pipedoctor.report.model import Report
from pipedoctor.report.schema import build_json_schema
from pipedoctor.report.text import render

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GENERATED_NOTICE = "<!-- Written by tools/make_docs.py from the check itself. -->\n\n"
OWN_PACK = "pipedoctor"
EXAMPLE_COMMAND = "pipedoctor check --data /data/imagenet --workers 16 --batch-bytes 73.5MiB"
WIDTH = 92
_HELP_BLOCK = re.compile(r"<!-- help: (\w+(?: \w+)?) -->\n(?:\n```text\n.*?\n```\n)?", re.DOTALL)


def render_documents() -> Iterator[tuple[Path, str]]:
    """Every generated file with its text."""
    checks = [c for c in get_catalogue().checks.values() if c.pack == OWN_PACK]
    evidence = collect_evidence(ROOT / "tests" / "machines", checks)
    yield ROOT / "pipedoctor" / "check" / "gpu_evidence.json", render_evidence(evidence)
    for check in checks:
        require_headings(check)
        page = render_page(check, evidence)
        yield DOCS / "checks" / f"{check.name}.md", GENERATED_NOTICE + page
    rows = [
        f"| {c.code} | [{c.name}]({c.name}.md) | {c.title} | {'yes' if c.fix else ''} |"
        for c in checks
    ]
    head = "# Checks\n\n| code | name | what it finds | `fix` |\n|---|---|---|---|\n"
    yield (
        DOCS / "checks" / "README.md",
        GENERATED_NOTICE + head + "\n".join(rows) + "\n",
    )
    for kind in (Report, Diff, Explanation, FleetReport):
        name = kind.__name__.removesuffix("Report").lower() or "report"
        text = json.dumps(build_json_schema(kind), indent=2, sort_keys=True)
        yield DOCS / f"{name}.schema.json", text + "\n"
    yield (
        DOCS / "picture.svg",
        render_svg(ROOT / "tests" / "machines" / "container.json"),
    )
    options = DOCS / "reference" / "command-line.md"
    yield options, insert_help(options)


def require_headings(check: Check[...]) -> None:
    """Refuse a page without a section that it has to have; raises SystemExit."""
    required, found = list_required_headings(check), list_headings(check)
    if found != required:
        sys.exit(f"{check.name}: the page has the headings {found}, not {required}")


def render_svg(record: Path) -> str:
    """The report of a recorded machine as a terminal shows it."""
    report = judge_record(get_catalogue(), record.read_bytes(), None, CheckPolicy())
    text = render(replace(report, recorded=""), width=WIDTH, color=True)
    console = Console(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
    )
    console.print(f"$ {EXAMPLE_COMMAND}", style="bold", highlight=False)
    console.print(Text.from_ansi(text))
    picture = console.export_svg(title="pipedoctor check", unique_id="pipedoctor")
    # No fonts from somebody else's server: the reader's own monospaced one will do.
    return re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL) + "\n"


def insert_help(render_page: Path) -> str:
    """A page in which each `<!-- help: NAME -->` is followed by that command's help."""
    return _HELP_BLOCK.sub(_render_help, render_page.read_text("utf-8"))


def _render_help(match: re.Match[str]) -> str:
    name = match[1]
    command: click.Command | None = main_command
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    context = click.Context(command, info_name=f"pipedoctor {name}", terminal_width=88)
    return f"<!-- help: {name} -->\n\n```text\n{command.get_help(context)}\n```\n"


def is_changed(render_page: Path, text: str) -> bool:
    """Has what it says changed? Of a picture only the words count."""
    there = render_page.read_text("utf-8")
    return (
        extract_text(there) != extract_text(text) if render_page.suffix == ".svg" else there != text
    )


def extract_text(picture: str) -> str:
    """The text in an SVG, without its tags and its style sheet."""
    bare = re.sub(r"<style>.*?</style>|<[^>]*>", " ", picture, flags=re.DOTALL)
    return " ".join(bare.split())


def main() -> int:
    """Write them, or compare: 1 when one is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    only_check: bool = parser.parse_args().check
    wanted = dict(render_documents())
    stale = [p for p, text in wanted.items() if not p.exists() or is_changed(p, text)]
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
