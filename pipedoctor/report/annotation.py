"""What an annotation says of a finding, line by line: for SARIF and for GitHub."""

from pipedoctor.check.places import get_cell_number
from pipedoctor.report import sentences
from pipedoctor.report.model import ReportedFinding


def format_annotation(entry: ReportedFinding) -> list[str]:
    """
    Lines of an annotation.

    The finding, then its remedies; in a notebook also the cell.
    """
    spot = entry.location
    cell = get_cell_number(spot) if spot else 0
    at = f"In cell {cell}, line {spot.line}: " if spot and cell else ""
    lines = [f"{at}{entry.summary}"]
    for remedy in entry.remedies:
        way = f": {remedy.shell}" if remedy.shell else ""
        lines.append(f"Remedy ({sentences.describe_remedy_place(remedy)}): {remedy.title}{way}")
    return list(map(sentences.clean_text, lines))
