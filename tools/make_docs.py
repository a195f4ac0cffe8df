"""Write what docs/ shows of the program itself; `--check` only says what is stale."""

import argparse
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from pipedoctor.catalogue import installed
from pipedoctor.cli import main as main_command
from pipedoctor.diff.model import Diff
from pipedoctor.examine import Standards, reexamine
from pipedoctor.explanation.model import Explanation
from pipedoctor.page import can_fix, page
from pipedoctor.report.model import Report
from pipedoctor.report.text import render
from pipedoctor.schema import json_schema

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NOTICE = "<!-- Written by tools/make_docs.py from the check itself. -->\n\n"
OURS = "pipedoctor"
TYPED = "pipedoctor check --data /data/imagenet --workers 16 --batch-bytes 73.5MiB"
WIDTH = 92
_HELP = re.compile(
    r"<!-- help: (\w+(?: \w+)?) -->\n(?:\n```text\n.*?\n```\n)?", re.DOTALL
)


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
    for kind in (Report, Diff, Explanation):
        name = kind.__name__.lower()
        text = json.dumps(json_schema(kind), indent=2, sort_keys=True)
        yield DOCS / f"{name}.schema.json", text + "\n"
    yield DOCS / "picture.svg", svg(ROOT / "tests" / "machines" / "container.json")
    options = DOCS / "reference" / "command-line.md"
    yield options, with_help(options)


def svg(record: Path) -> str:
    """The report of a recorded machine as a terminal shows it."""
    report = reexamine(installed(), record.read_bytes(), None, Standards())
    text = render(replace(report, recorded=""), width=WIDTH, colour=True)
    console = Console(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
    )
    console.print(f"$ {TYPED}", style="bold", highlight=False)
    console.print(Text.from_ansi(text))
    picture = console.export_svg(title="pipedoctor check", unique_id="pipedoctor")
    # No fonts from somebody else's server: the reader's own monospaced one will do.
    return re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL) + "\n"


def with_help(page: Path) -> str:
    """A page in which each `<!-- help: NAME -->` is followed by that command's help."""
    return _HELP.sub(_help, page.read_text("utf-8"))


def _help(match: re.Match[str]) -> str:
    name = match[1]
    command: click.Command | None = main_command
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    context = click.Context(command, info_name=f"pipedoctor {name}", terminal_width=88)
    return f"<!-- help: {name} -->\n\n```text\n{command.get_help(context)}\n```\n"


def differs(page: Path, text: str) -> bool:
    """Has what it says changed? Of a picture only the words count."""
    there = page.read_text("utf-8")
    return words(there) != words(text) if page.suffix == ".svg" else there != text


def words(picture: str) -> str:
    """The text in an SVG, without its tags and its style sheet."""
    bare = re.sub(r"<style>.*?</style>|<[^>]*>", " ", picture, flags=re.DOTALL)
    return " ".join(bare.split())


def main() -> int:
    """Write them, or compare: 1 when one is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    only_check: bool = parser.parse_args().check
    wanted = dict(documents())
    stale = [p for p, text in wanted.items() if not p.exists() or differs(p, text)]
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
